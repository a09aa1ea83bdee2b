"""What a corpus comes to."""

import re
from dataclasses import dataclass

from corpora.document import Corpus

# Runs of one are looked for only if none is longer.
_RUNS = re.compile(r"\s{2,}")


@dataclass(frozen=True, slots=True)
class Summary:
    """Sizes in code points, whitespace by ``str.isspace``; ``digest`` is the CorpusDigest."""

    documents: int
    code_points: int
    longest_whitespace_run: int
    digest: str


def summarize(corpus: Corpus) -> Summary:
    """Read the whole corpus; raises CorpusError if that cannot be done."""
    documents = code_points = longest = 0
    for document in corpus:
        documents += 1
        code_points += len(document.text)
        longest = max(longest, _longest_run(document.text))
    assert corpus.digest is not None  # it was read to its end
    return Summary(documents, code_points, longest, corpus.digest)


def _longest_run(text: str) -> int:
    longest = max((len(run) for run in _RUNS.findall(text)), default=0)
    return longest or int(re.search(r"\s", text) is not None)
