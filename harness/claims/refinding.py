"""Whether questions find other answers once stored segments are replaced by new ones."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.retrieval.differences import PairedDifference, estimate_differences
from harness.retrieval.index import Index, build_index
from harness.retrieval.questions import QuestionSet
from harness.retrieval.retrievers import BM25, Retriever, load_retriever
from harness.retrieval.scoring import make_targets, rank, score
from harness.runner.pool import SplitterPool
from harness.splitters.registry import Splitter

BUDGET = 2_500  # code points


@dataclass(frozen=True, slots=True)
class Refinding:
    """How the content recall of a corpus' questions changes, within BUDGET, by BM25."""

    corpus: str
    questions: int
    change: PairedDifference

    def __str__(self) -> str:
        mean, low, high = (
            f"{each:+.4f}".replace("-", "−")
            for each in (self.change.mean, self.change.low, self.change.high)
        )
        verdict = "beyond chance" if self.change.beyond_chance else "not beyond chance"
        return f"{self.corpus} ({self.questions:,} questions) {mean} ({low} to {high}), {verdict}"


def compare_finding(
    sets: Sequence[QuestionSet],
    before: Splitter,
    after: Splitter,
    limit: int,
    pool: SplitterPool,
    embed: Callable[[str], str],
) -> list[Refinding]:
    """What changes when an index of one splitter's segments is replaced by another's.

    What is indexed of a segment is what ``embed`` makes of its text; what is found is the segment.
    Raises SplitterError, and MeasurementError if BM25 is not installed.
    """
    retriever = load_retriever(BM25, Path())
    found = []
    for questions in sets:
        texts = [(document.id, document.text) for document in questions.documents]
        old, new = (
            _find(
                questions,
                build_index(questions.documents, pool.split(splitter, texts, limit)),
                retriever,
                embed,
            )
            for splitter in (before, after)
        )
        (change,) = estimate_differences([(new, old)])
        found.append(Refinding(questions.corpus, len(new), change))
    return found


def _find(
    questions: QuestionSet, index: Index, retriever: Retriever, embed: Callable[[str], str]
) -> list[float]:
    """The content recall of each question."""
    targets = make_targets(questions.questions, questions.documents)
    embedded = [embed(text) for text in index.texts]
    asked = [question.text for question in questions.questions]
    return [
        score(target, index, rank(scores, index.lengths, BUDGET), BUDGET).content_recall
        for target, scores in zip(targets, retriever.score(embedded, asked), strict=True)
    ]
