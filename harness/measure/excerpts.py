"""Chooses what of the documents a report shows, and splits it for that.

A document is split whole, as it was when it was checked; what is kept is a window of it.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor
from itertools import chain
from typing import NamedTuple

import corpora
from corpora import Document
from harness.measure.check import CheckResult
from harness.measure.cuts import Cuts, find_places, list_cuts
from harness.measure.spooling import Shard, ShardedCorpus
from harness.measure.tally import find_uncovered
from harness.results.errors import MeasurementError
from harness.results.model import Example, Excerpt, Failure, Span, View, Violation, Workload
from harness.runner.pool import SplitterPool
from harness.runner.process import SplitterError
from harness.splitters.registry import Splitter
from segmenter.rules import RULES, Splitting

EXCERPTS_A_CORPUS = 3
TEXT = "text"  # the corpus of a text that has none
BEFORE = 600  # code points of the document before the violation that an excerpt is about
LENGTH = 2_400
_ADDED = 20  # segments that the document does not hold, a view, and code points of each
_ADDED_LENGTH = 200


class Place(NamedTuple):
    """Somewhere in a document; None stands for a corpus's first document."""

    document: str | None
    start: int


def collect_excerpts(
    chosen: Sequence[ShardedCorpus],
    splitters: Sequence[Splitter],
    limits: Sequence[int],
    checked: CheckResult,
    *,
    pool: SplitterPool,
    executor: Executor,
) -> list[Excerpt]:
    """A few telling excerpts of each corpus, seen through every splitter at every limit.

    A workload that failed the check has no view, nor one that fails now. Raises CorpusError if
    a corpus cannot be read, MeasurementError if a process of the executor dies.
    """
    counted = {count.workload for count in checked.counts}
    licences = {entry.name: entry.licence for entry in corpora.entries()}
    pending = []
    for corpus in chosen:
        workloads = {
            workload: splitter
            for splitter in splitters
            for limit in limits
            if (workload := Workload(corpus.name, splitter.name, limit)) in counted
        }
        places = choose_places(e for e in checked.examples if e.workload.corpus == corpus.name)
        wanted = {place.document for place in places}
        documents = _find_documents(corpus, wanted, checked.shards.get(corpus.name, {}))
        pending += [
            executor.submit(
                view_document,
                documents[place.document],
                place.start,
                workloads,
                pool,
                licences.get(corpus.name, ""),
            )
            for place in places
            if place.document in documents
        ]
    try:
        return [future.result() for future in pending]
    except BrokenExecutor as error:
        raise MeasurementError(
            "a process died that split a document for the report; memory may have run out: "
            "check fewer splitters at a time"
        ) from error


def choose_places(examples: Iterable[Example]) -> list[Place]:
    """The places around which the most kinds of violations are that no earlier place has.

    A kind is a rule and a splitter. Where nothing was violated, the corpus's beginning.
    """
    kinds: defaultdict[Place, set[tuple[str, str]]] = defaultdict(set)
    for example in examples:
        violation = example.violation
        if not violation.unavoidable:
            place = Place(violation.document, violation.start)
            kinds[place].add((violation.rule, example.workload.splitter))
    starts: defaultdict[str | None, list[int]] = defaultdict(list)
    for place in sorted(kinds, key=lambda place: place.start):
        starts[place.document].append(place.start)
    seen_from: dict[Place, set[tuple[str, str]]] = {}
    for place in kinds:
        there = starts[place.document]
        last = place.start + LENGTH - 2 * BEFORE
        near = there[bisect_left(there, place.start) : bisect_right(there, last)]
        seen_from[place] = set().union(*(kinds[Place(place.document, start)] for start in near))
    chosen: list[Place] = []
    shown: set[tuple[str, str]] = set()
    while seen_from and len(chosen) < EXCERPTS_A_CORPUS:
        best = max(seen_from, key=lambda place: len(seen_from[place] - shown))
        if not seen_from[best] - shown:
            break
        chosen.append(best)
        shown |= seen_from[best]
    return chosen or [Place(None, 0)]


def _find_documents(
    corpus: ShardedCorpus, wanted: set[str | None], shards: Mapping[str, Shard]
) -> dict[str | None, Document]:
    """The documents of those ids, which are in those shards; None for the first that has text."""
    found: dict[str | None, Document] = {}
    for name in wanted:
        shard = None if name is None else shards.get(name)
        places = corpus.shards() if shard is None else [shard]
        for document in chain.from_iterable(shard.read() for shard in places):
            if document.id == name or (name is None and document.text):
                found[name] = document
                break
    return found


def view_document(
    document: Document,
    place: int,
    workloads: Mapping[Workload, Splitter],
    pool: SplitterPool,
    licence: str = "",
) -> Excerpt:
    """LENGTH code points of a document around a place, seen through the workloads.

    The excerpt starts with a line where one starts near. All workloads are of one corpus; one
    that raises, or gives no list of strings, has no view.
    """
    start = _choose_start(document.text, place)
    text = document.text[start : start + LENGTH]
    views = [
        view
        for workload, splitter in workloads.items()
        if (view := _view(document, start, start + len(text), workload, splitter, pool))
    ]
    corpus = next((workload.corpus for workload in workloads), "")
    return Excerpt(corpus, licence, document.id, len(document.text), start, text, views)


def _choose_start(text: str, place: int) -> int:
    earliest = max(0, min(place - BEFORE, len(text) - LENGTH))
    if not earliest:
        return 0
    newline = text.find("\n", earliest, min(earliest + BEFORE // 2, place))
    return newline + 1 if newline >= 0 else earliest


def _view(
    document: Document,
    start: int,
    end: int,
    workload: Workload,
    splitter: Splitter,
    pool: SplitterPool,
) -> View | None:
    pair = (document.id, document.text)
    try:
        (segments,) = pool.split(splitter, [pair], workload.max_chunk_length)
    except SplitterError:  # the check has told of it
        return None
    return view_segments(document, segments, workload, start, end, splitter.not_applicable)


def view_segments(
    document: Document,
    segments: Sequence[str],
    workload: Workload,
    start: int,
    end: int,
    not_applicable: Container[str] = (),
) -> View:
    """The segments of a document, and its violations of applicable rules, between two offsets."""
    text = document.text
    limit = max(1, len(text)) if "fits" in not_applicable else workload.max_chunk_length
    splitting = Splitting(text, segments, limit)
    starts = find_starts(text, segments) if "join" in not_applicable else splitting.starts
    placed = [
        (number, Span(at, at + len(segment)))
        for number, (at, segment) in enumerate(zip(starts, segments, strict=True))
        if segment and 0 <= at < end and at + len(segment) > start
    ]
    strangers = []
    reached = 0
    for at, segment in zip(starts, segments, strict=True):
        if at >= 0:
            reached = at + len(segment)
        elif start <= reached <= end:
            strangers.append((reached, segment[:_ADDED_LENGTH]))
    cuts = list_cuts(splitting) if "join" not in not_applicable else Cuts((), ())
    places = dict(zip(cuts.starts, find_places(text, cuts), strict=True))
    earliest = {"fits": placed[0][1].start} if placed else {}  # of a segment that begins before
    return View(
        splitter=workload.splitter,
        max_chunk_length=workload.max_chunk_length,
        segments=len(segments),
        first=placed[0][0] if placed else 0,
        spans=[span for _, span in placed],
        violations=sorted(
            (
                Violation(name, document.id, *breach)
                for name, rule in RULES.items()
                if name not in not_applicable
                for breach in rule(splitting)
                if min(earliest.get(name, start), start) <= breach.start < end
                or breach.start == end == len(text)
            ),
            key=lambda violation: violation.start,
        ),
        added=strangers[:_ADDED],
        loss=find_uncovered(text, segments) if "join" in not_applicable else splitting.loss,
        places=[places.get(span.start, "") for _, span in placed] if places else (),
    )


def find_starts(text: str, segments: Iterable[str]) -> list[int]:
    """The offset of each segment of a splitter whose segments may overlap, -1 if it has none.

    They come in the order of their starts.
    """
    starts = []
    last = -1
    for segment in segments:
        found = text.find(segment, last + 1)
        starts.append(found)
        last = max(last, found)
    return starts


def view_text(
    name: str,
    content: bytes,
    splitters: Sequence[Splitter],
    limits: Sequence[int],
    pool: SplitterPool,
) -> tuple[Excerpt, list[Failure]]:
    """A whole text, given as UTF-8, as every splitter cuts it at every limit; and which failed.

    Raises MeasurementError if it is not UTF-8 or empty.
    """
    try:
        text = content.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise MeasurementError(
            f"{name} is not UTF-8 at byte {error.start:,}; convert it first"
        ) from error
    if not text:
        raise MeasurementError(f"{name} is empty, so there is nothing to show")
    document = Document(name, text)
    views, failures = [], []
    for limit in limits:
        for splitter in splitters:
            workload = Workload(TEXT, splitter.name, limit)
            try:
                (segments,) = pool.split(splitter, [(name, text)], limit)
            except SplitterError as error:
                failures.append(Failure(workload, error.status, error.detail, error.frames))
            else:
                views.append(
                    view_segments(
                        document, segments, workload, 0, len(text), splitter.not_applicable
                    )
                )
    return Excerpt(TEXT, "", name, len(text), 0, text, views), failures
