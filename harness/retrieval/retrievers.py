"""What ranks segments for a question: by words, by a small dense model, or by anyone's own.

A retriever is given the segments and the questions once, and yields for each question a score for
each segment. Same input, same scores: seeds are fixed, and linear algebra runs in one thread, since
the order of its sums depends on how many there are.
"""

import importlib.metadata
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy
import numpy.typing

from harness.results.errors import MeasurementError
from harness.results.escapes import quote
from harness.retrieval.vectors import VectorStore, call, compare_vectors
from segmenter.testing.factories import find_factory

Scores = numpy.typing.NDArray[numpy.floating]
Scorer = Callable[[Sequence[str], Sequence[str]], Iterator[Scores]]

BM25 = "bm25"
LSA = "lsa"
DIMENSIONS = 256
_SEED = 0


@dataclass(frozen=True, slots=True)
class Retriever:
    """A way to score segments; ``versions`` are those of the distributions that do it."""

    name: str
    score: Scorer
    versions: Mapping[str, str] = field(default_factory=dict)


def load_retriever(name: str, vectors: Path) -> Retriever:
    """The retriever ``bm25``, ``lsa``, or that of an embedding model, ``module:factory``.

    A factory takes no argument and gives a function from a list of texts to one vector per text;
    these are kept in the folder ``vectors``. Raises MeasurementError if what it needs is not
    installed, or the factory cannot be imported or called, ValueError for any other name.
    """
    if name == BM25:
        return Retriever(name, _score_by_words, _find_versions("bm25s", "numpy"))
    if name == LSA:
        versions = _find_versions("scikit-learn", "scipy", "numpy")
        return Retriever(name, _score_by_topics, versions)
    module, colon, attribute = name.rpartition(":")
    if not (colon and module and attribute.isidentifier()):
        raise ValueError(
            f"no retriever is named {quote(name)}; give {BM25}, {LSA} or module:factory of an "
            "embedding function"
        )
    _find_versions("threadpoolctl")
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)
    embed = call(name, lambda: find_factory(name)())
    if not callable(embed):
        raise MeasurementError(
            f"{name} gave {type(embed).__name__}, which is not a function of a list of texts"
        )
    return Retriever(name, VectorStore(vectors, name, embed).score)


def _find_versions(*distributions: str) -> dict[str, str]:
    """The versions of distributions; raises MeasurementError for one that is not installed."""
    versions = {}
    for distribution in distributions:
        try:
            versions[distribution] = importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            raise MeasurementError(
                f"{distribution} is not installed; run: pip install 'segbench[retrieval]'"
            ) from None
    return versions


def _score_by_words(segments: Sequence[str], questions: Sequence[str]) -> Iterator[Scores]:
    """BM25 as Lucene has it, on lower-case words of two letters or more without stop words."""
    import bm25s

    nothing = numpy.zeros(len(segments), dtype=numpy.float32)
    options: dict[str, Any] = {"stopwords": "en", "stemmer": None, "show_progress": False}
    tokens = bm25s.tokenize(list(segments), **options)
    if not tokens.vocab:  # no segment has a word
        for _ in questions:
            yield nothing
        return
    index = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
    index.index(tokens, show_progress=False)
    for words in bm25s.tokenize(list(questions), return_ids=False, **options):
        yield index.get_scores(words) if words else nothing


def _score_by_topics(segments: Sequence[str], questions: Sequence[str]) -> Iterator[Scores]:
    """Cosines in the space of latent semantic analysis: TF-IDF, reduced by a truncated SVD."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from threadpoolctl import threadpool_limits

    words = TfidfVectorizer(dtype=numpy.float64)
    try:
        weights = words.fit_transform(segments)
    except ValueError:  # no segment has a word
        yield from (numpy.zeros(len(segments)) for _ in questions)
        return
    with threadpool_limits(limits=1):
        dimensions = min(DIMENSIONS, *weights.shape)
        reduction = TruncatedSVD(dimensions, algorithm="randomized", random_state=_SEED)
        with numpy.errstate(invalid="ignore"):  # of a variance that nobody asks for
            reduction.fit(weights)
        places = reduction.transform(weights)
        asked = reduction.transform(words.transform(questions))
    yield from compare_vectors(places, asked)
