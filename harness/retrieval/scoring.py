"""How much of an answer is among what was retrieved, in code points.

A question's segments come in the order of their scores. They are taken until their lengths use up
a budget, the last one cut to fit. For each question:

- *recall*: gold code points among those taken / gold code points;
- *precision*: the same / code points taken;
- *IoU*, intersection over union: the same / (gold + taken - the same).

A stretch that two segments both cover is paid for twice and found once, so ``taken`` counts it
twice. A segment that does not stand in its document is paid for and finds nothing.

*Content recall* is recall that counts only what is not whitespace. A splitter that strips can never
return the whitespace it drops, so its recall has a ceiling below 1 whatever is retrieved; its
content recall has none.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy

from corpora import Document
from harness.retrieval.index import Index, Numbers
from harness.retrieval.questions import GoldQuestion

Ranges = list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Target:
    """What is to be found for a question: ranges of documents, by the number of the document."""

    ranges: Mapping[int, Ranges]
    texts: Mapping[int, str]
    code_points: int
    content: int


@dataclass(frozen=True, slots=True)
class Score:
    """What one question came to; each is a share of 1."""

    recall: float
    content_recall: float
    precision: float
    iou: float


def make_targets(questions: Sequence[GoldQuestion], documents: Sequence[Document]) -> list[Target]:
    """The gold of each question, with documents by number; all must be among ``documents``."""
    numbers = {document.id: number for number, document in enumerate(documents)}
    targets = []
    for question in questions:
        ranges: dict[int, Ranges] = {}
        for gold in question.gold:
            ranges.setdefault(numbers[gold.document], []).append((gold.start, gold.end))
        texts = {number: documents[number].text for number in ranges}
        targets.append(
            Target(
                ranges,
                texts,
                sum(gold.end - gold.start for gold in question.gold),
                sum(
                    _count_content(texts[number], start, end)
                    for number, spans in ranges.items()
                    for start, end in spans
                ),
            )
        )
    return targets


def rank(
    scores: "numpy.typing.NDArray[numpy.floating]", lengths: Numbers, budget: int
) -> "Numbers":
    """The segments with the highest scores that together use up a budget, all if they do not.

    Of equal scores, the segment that comes first in the index.
    """
    size = len(scores)
    mean = float(lengths.mean()) if size else 1.0
    wanted = 2 * math.ceil(budget / mean) + 16
    while wanted < size:
        # All with the score of the last one, so that ties are decided by their order alone.
        threshold = numpy.partition(scores, size - wanted)[size - wanted]
        chosen = numpy.flatnonzero(scores >= threshold)
        if lengths[chosen].sum() >= budget:
            break
        wanted *= 4
    else:
        chosen = numpy.arange(size)
    order = chosen[numpy.argsort(-scores[chosen], kind="stable")]
    needed = int(numpy.searchsorted(numpy.cumsum(lengths[order]), budget)) + 1
    return order[:needed].astype(numpy.int64)


def buy(index: Index, order: Numbers, budget: int) -> Numbers:
    """How many code points of each segment in the order a budget pays for, from its start on."""
    lengths = index.lengths[order]
    before = numpy.cumsum(lengths) - lengths
    bought: Numbers = numpy.minimum(lengths, numpy.maximum(budget - before, 0))
    return bought


def score(target: Target, index: Index, order: Numbers, budget: int) -> Score:
    """Score what a budget buys of segments in their order."""
    bought = buy(index, order, budget)
    taken = int(bought.sum())
    found = content = 0
    for number, gold in target.ranges.items():
        hits = (index.documents[order] == number) & (index.starts[order] >= 0) & (bought > 0)
        starts = index.starts[order][hits]
        covered = _merge(list(zip(starts.tolist(), (starts + bought[hits]).tolist(), strict=True)))
        for start, end in intersect(covered, gold):
            found += end - start
            content += _count_content(target.texts[number], start, end)
    return Score(
        found / target.code_points,
        content / target.content,
        found / taken if taken else 0.0,
        found / (target.code_points + taken - found),
    )


def _merge(ranges: Ranges) -> Ranges:
    """The same code points as ranges in order that do not overlap."""
    merged: Ranges = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def intersect(some: Ranges, others: Ranges) -> Ranges:
    """What is in both, of ranges that do not overlap within either."""
    return [
        (max(start, first), min(end, last))
        for start, end in some
        for first, last in others
        if max(start, first) < min(end, last)
    ]


def _count_content(text: str, start: int, end: int) -> int:
    return len("".join(text[start:end].split()))
