"""What always holds for a splitter's segments: one function per rule of segmenter/SPEC.md.

Standard library only, and of the project nothing but ``segmenter/loss.py``: a conformance kit can
take the two files alone.
Whitespace is what ``str.isspace`` says; offsets and lengths are code points.

Every breach is counted by one rule. Boundaries that are not where the whitespace rule puts them
are counted by *run*: a run of whitespace with two of them is one breach, of the first of these
rules that applies:

- ``too-long-run``: all of them lie in units longer than the limit. The breach is *unavoidable*,
  and no fault, if they lie every limit from the unit's start;
- ``edges``: the run begins or ends the text;
- ``whitespace-segment``: a segment was made of the run alone;
- ``cut-after-last-newline``: the run has a newline;
- ``run-without-newline``: it has none.

To compare splitters, boundaries are counted by *unit* instead, whichever rule they break. A unit of
so many code points cannot do without ``(length - 1) // limit`` boundaries inside it: summed over
the units, that is ``count_unavoidable``, which the text and the limit decide alone. What a splitter
cuts in a unit beyond that number is its ``Splitting.excess``.

Time is linear in the text, whatever is in it. A boundary costs a look at the three code points
around it, and only if these do not tell that it is right, a scan of its run.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import NamedTuple

from segmenter.loss import Loss, find_loss, lose_all

_content = re.compile(r"\S")

# Bounds of the search for segments that do not join. Farther than this from the segment before it,
# the text of a short segment may well be other text that is the same.
_REACH = 64
# A segment of this length is recognized at any distance.
_UNMISTAKABLE = 16
# Code points that searches in vain may look through, for each one of the text.
_PATIENCE = 16


class Breach(NamedTuple):
    """Where a rule is broken, whether no splitter could avoid it, and what was expected."""

    start: int
    unavoidable: bool
    detail: str


class WhitespaceRun(NamedTuple):
    """A maximal stretch of whitespace and the one place where it may be cut.

    ``cut`` is None for the text's leading and trailing whitespace, which has no such place.
    """

    start: int
    end: int
    cut: int | None


class CutRun(NamedTuple):
    """A run with boundaries where none may be, and the one rule that counts it."""

    rule: str
    run: WhitespaceRun
    misplaced: Sequence[int]
    unavoidable: bool


class Splitting:
    """A text and the segments that a splitter made of it, each put in its place.

    Segments that join to the text lie end to end. Others are looked for from the left, each
    after the one before it; those that are not found have no place, and the boundary rules
    apply only if two neighbours touch.

    ``starts`` holds the offset of each segment in the text, -1 if it has no place. Raises
    ValueError for a limit that is not positive.
    """

    def __init__(self, text: str, segments: Sequence[str], max_chunk_length: int) -> None:
        if max_chunk_length < 1:
            raise ValueError(f"max_chunk_length must be positive, not {max_chunk_length}")
        self.text = text
        self.segments = segments
        self.max_chunk_length = max_chunk_length
        self.joins = "".join(segments) == text
        self.starts: Sequence[int]
        if self.joins:
            self.starts = list(accumulate(map(len, segments), initial=0))[:-1]
        else:
            self.starts = place_segments(text, segments, max_chunk_length)

    @cached_property
    def loss(self) -> Loss:
        """What the text loses in its segments, and what they add to it."""
        if self.joins:
            return Loss()
        if -1 in self.starts:
            return find_loss(self.text, "".join(self.segments))
        left_out = []
        end = 0
        for start, segment in self.pairs():
            left_out.append(self.text[end:start])
            end = start + len(segment)
        left_out.append(self.text[end:])
        return lose_all("".join(left_out))

    def pairs(self) -> Iterator[tuple[int, str]]:
        """Each segment with its offset, which is -1 if it has no place."""
        return zip(self.starts, self.segments, strict=True)

    def locate(self) -> Iterator[tuple[int, str]]:
        """Each segment with its offset; with where the one before it ends, if it has no place."""
        end = 0
        for start, segment in self.pairs():
            if start >= 0:
                yield start, segment
                end = start + len(segment)
            else:
                yield end, segment

    @cached_property
    def boundaries(self) -> Sequence[int]:
        """The offsets within the text at which one segment ends and the next begins, ascending."""
        starts = self.starts
        if self.joins:
            boundaries = list(starts[1:])
        else:
            boundaries = [
                start
                for before, segment, start in zip(starts, self.segments, starts[1:], strict=False)
                if before >= 0 and start == before + len(segment)
            ]
        if "" in self.segments:
            boundaries = sorted(set(boundaries) - {0, len(self.text)})
        return boundaries

    @cached_property
    def cut_runs(self) -> Sequence[CutRun]:
        """The runs with misplaced boundaries, from the left; none in whitespace alone."""
        text = self.text
        boundaries = self.boundaries
        content = _content.search(text)
        if not boundaries or content is None:
            return []
        leading = bisect_right(boundaries, content.start())
        trailing = bisect_left(boundaries, len(text.rstrip()))
        cut_runs = []
        if leading:
            cut_runs.append(self._judge(find_run(text, 0), boundaries[:leading]))
        run = WhitespaceRun(0, 0, 0)
        misplaced: list[int] = []
        for boundary in boundaries[leading:trailing]:
            if is_right(text[boundary - 2 : boundary + 1]):
                continue
            if boundary > run.end:
                if misplaced:
                    cut_runs.append(self._judge(run, misplaced))
                    misplaced = []
                run = find_run(text, boundary)
            if boundary != run.cut:
                misplaced.append(boundary)
        if misplaced:
            cut_runs.append(self._judge(run, misplaced))
        if trailing < len(boundaries):
            cut_runs.append(self._judge(find_run(text, len(text)), boundaries[trailing:]))
        return cut_runs

    @cached_property
    def excess(self) -> int:
        """How many boundaries lie inside units, beyond those that no splitter could avoid."""
        text, limit = self.text, self.max_chunk_length
        if text.isspace():
            return max(0, len(self.boundaries) - (len(text) - 1) // limit)
        inside: Counter[int] = Counter()  # boundaries in a unit that does not fit, by its start
        unavoidable: dict[int, int] = {}
        for cut in self.cut_runs:
            divide = _divide(cut.run, cut.misplaced)
            for number, find in (
                (divide, find_unit_before),
                (len(cut.misplaced) - divide, find_unit_after),
            ):
                if number:
                    start, end = find(text, cut.run)
                    if end - start > limit:
                        inside[start] += number
                        unavoidable[start] = (end - start - 1) // limit
        total = sum(len(cut.misplaced) for cut in self.cut_runs)
        return total - sum(min(number, unavoidable[start]) for start, number in inside.items())

    def _judge(self, run: WhitespaceRun, misplaced: Sequence[int]) -> CutRun:
        """Name the rule that counts the run."""
        unavoidable = self._is_unavoidable(run, misplaced)
        if unavoidable is not None:
            return CutRun("too-long-run", run, misplaced, unavoidable)
        if run.cut is None:
            rule = "edges"
        elif self._has_segment_within(run):
            rule = "whitespace-segment"
        elif "\n" in self.text[run.start : run.end]:
            rule = "cut-after-last-newline"
        else:
            rule = "run-without-newline"
        return CutRun(rule, run, misplaced, False)

    def _is_unavoidable(self, run: WhitespaceRun, misplaced: Sequence[int]) -> bool | None:
        """Whether the misplaced boundaries lie every limit from their unit's start.

        None unless all of them lie in units longer than the limit.
        """
        limit = self.max_chunk_length
        divide = _divide(run, misplaced)
        unavoidable = True
        for boundaries, find in (
            (misplaced[:divide], find_unit_before),
            (misplaced[divide:], find_unit_after),
        ):
            if boundaries:
                start, end = find(self.text, run)
                if end - start <= limit:
                    return None
                if any((boundary - start) % limit for boundary in boundaries):
                    unavoidable = False
        return unavoidable

    def _has_segment_within(self, run: WhitespaceRun) -> bool:
        first = bisect_left(self.boundaries, run.start)
        return first + 1 < len(self.boundaries) and self.boundaries[first + 1] <= run.end


def find_violations(
    text: str, segments: Sequence[str], max_chunk_length: int
) -> dict[str, list[Breach]]:
    """The breaches of each rule, in the order of RULES; an empty list if it holds."""
    splitting = Splitting(text, segments, max_chunk_length)
    return {name: list(rule(splitting)) for name, rule in RULES.items()}


def join(splitting: Splitting) -> Iterator[Breach]:
    """The segments, joined, are the text exactly. At most one breach per text."""
    if splitting.joins:
        return
    end = 0
    for start, segment in splitting.pairs():
        if start != end:
            break
        end += len(segment)
    yield Breach(end, False, f"{splitting.loss}; expected: the text exactly")


def fits(splitting: Splitting) -> Iterator[Breach]:
    """No segment is longer than the limit. One breach per segment."""
    limit = splitting.max_chunk_length
    if max(map(len, splitting.segments), default=0) <= limit:
        return
    for start, segment in splitting.locate():
        if len(segment) > limit:
            yield Breach(start, False, f"segment of {len(segment)}; expected: at most {limit}")


def cut_after_last_newline(splitting: Splitting) -> Iterator[Breach]:
    """A run with a newline is cut after its last newline only. One breach per whitespace run."""
    for cut in _select(splitting, "cut-after-last-newline"):
        yield _describe(cut.run, cut.misplaced, f"at {cut.run.cut}, after its last newline")


def run_without_newline(splitting: Splitting) -> Iterator[Breach]:
    """A run without a newline is cut at its end only. One breach per whitespace run."""
    for cut in _select(splitting, "run-without-newline"):
        yield _describe(cut.run, cut.misplaced, f"at its end, {cut.run.cut}")


def whitespace_segment(splitting: Splitting) -> Iterator[Breach]:
    """No segment is whitespace alone if the unit fits.

    One breach per whitespace run of which one was made.
    """
    for cut in _select(splitting, "whitespace-segment"):
        yield _describe(cut.run, cut.misplaced, f"at {cut.run.cut} and nowhere else")


def edges(splitting: Splitting) -> Iterator[Breach]:
    """Leading whitespace begins the first segment, trailing whitespace ends the last.

    One breach per whitespace run.
    """
    for cut in _select(splitting, "edges"):
        yield _describe(
            cut.run,
            cut.misplaced,
            f"nowhere, since it {'ends' if cut.run.start else 'begins'} the text",
        )


def too_long_run(splitting: Splitting) -> Iterator[Breach]:
    """A unit longer than the limit is cut every limit from its start.

    One breach per whitespace run that is cut, unavoidable if it is so.
    """
    for cut in _select(splitting, "too-long-run"):
        expected = f"every {splitting.max_chunk_length} from the start of its unit"
        yield _describe(cut.run, cut.misplaced, expected, unavoidable=cut.unavoidable)


def whitespace_only(splitting: Splitting) -> Iterator[Breach]:
    """A text of whitespace alone is cut every limit from its start. At most one breach per text."""
    if not splitting.text.isspace():
        return
    limit = splitting.max_chunk_length
    misplaced = [boundary for boundary in splitting.boundaries if boundary % limit]
    if misplaced:
        run = WhitespaceRun(0, len(splitting.text), None)
        yield _describe(run, misplaced, f"every {limit}")


def empty(splitting: Splitting) -> Iterator[Breach]:
    """No segment is empty; so an empty text has none. One breach per segment."""
    if "" not in splitting.segments:
        return
    for start, segment in splitting.locate():
        if not segment:
            yield Breach(start, False, "empty segment; expected: none")


Rule = Callable[[Splitting], Iterator[Breach]]

#: Every rule by its name, in the order in which reports show them.
RULES: Mapping[str, Rule] = {
    "join": join,
    "fits": fits,
    "cut-after-last-newline": cut_after_last_newline,
    "run-without-newline": run_without_newline,
    "edges": edges,
    "whitespace-segment": whitespace_segment,
    "too-long-run": too_long_run,
    "whitespace-only": whitespace_only,
    "empty": empty,
}


def _select(splitting: Splitting, rule: str) -> Iterator[CutRun]:
    return (cut for cut in splitting.cut_runs if cut.rule == rule)


def _describe(
    run: WhitespaceRun, misplaced: Sequence[int], expected: str, *, unavoidable: bool = False
) -> Breach:
    where = str(misplaced[0]) if len(misplaced) == 1 else f"{misplaced[0]} and elsewhere"
    return Breach(
        misplaced[0], unavoidable, f"run {run.start}-{run.end} cut at {where}; expected: {expected}"
    )


@lru_cache(maxsize=1 << 16)
def is_right(around: str) -> bool:
    """Whether three code points tell that a boundary after the second is right.

    It is right if it is its whitespace run's cut, or touches no run. What the three do not tell, a
    scan of the run must.
    """
    if len(around) < 3:
        return False
    before, last, following = around[0], around[1], around[2]
    return not following.isspace() and (last == "\n" or not last.isspace() or not before.isspace())


def find_run(text: str, offset: int) -> WhitespaceRun:
    """The run that touches an offset: an empty one if neither neighbour is whitespace."""
    content = _content.search(text, offset)
    end = content.start() if content else len(text)
    start = offset
    width = 16
    while start:
        piece = text[max(0, start - width) : start]
        kept = len(piece.rstrip())
        start -= len(piece) - kept
        if kept:
            break
        width *= 2
    if not start or end == len(text):
        return WhitespaceRun(start, end, None)
    return WhitespaceRun(start, end, text.rfind("\n", start, end) + 1 or end)


def find_unit_before(text: str, run: WhitespaceRun) -> tuple[int, int]:
    """From where to where the unit reaches that ends with a run, or at its cut."""
    return find_unit_start(text, run.start - 1), run.end if run.cut is None else run.cut


def find_unit_after(text: str, run: WhitespaceRun) -> tuple[int, int]:
    """From where to where the unit reaches that begins with a run, or at its cut."""
    return run.cut or 0, find_unit_end(text, run.end)


def _divide(run: WhitespaceRun, misplaced: Sequence[int]) -> int:
    """How many of the boundaries in a run lie in the unit before it; the others are in the next."""
    if run.cut is not None:
        return bisect_left(misplaced, run.cut)
    return len(misplaced) if run.start else 0


def find_unit_start(text: str, offset: int) -> int:
    """Where the unit of the content character at an offset starts."""
    return (find_run(text, offset).cut or 0) if offset and text[offset - 1].isspace() else offset


def find_unit_end(text: str, offset: int) -> int:
    """Where the unit of the content character at an offset ends."""
    offset += 1
    return (
        (find_run(text, offset).cut or len(text)) if text[offset : offset + 1].isspace() else offset
    )


def count_unavoidable(text: str, max_chunk_length: int) -> int:
    """How many boundaries inside units no splitter can do without.

    Raises ValueError for a limit that is not positive.
    """
    if max_chunk_length < 1:
        raise ValueError(f"max_chunk_length must be positive, not {max_chunk_length}")
    if text.isspace():
        return (len(text) - 1) // max_chunk_length
    least = (max_chunk_length + 1) // 2  # one of the two runs of a unit that does not fit
    if least > len(text):
        return 0
    units = {}
    for found in re.finditer(rf"\s{{{least},}}", text):
        run = find_run(text, found.start())
        if run.start:
            start, end = find_unit_before(text, run)
            units[start] = end
        if run.end < len(text):
            start, end = find_unit_after(text, run)
            units[start] = end
    return sum((end - start - 1) // max_chunk_length for start, end in units.items())


def place_segments(text: str, segments: Sequence[str], max_chunk_length: int) -> list[int]:
    """The offset of each segment in the text, -1 if it is not found, for segments in order.

    A segment is looked for from the end of the last one found: right there, then as far on as
    the segments not found in between could reach, counted from there and from the next content;
    a long one to the text's end. Time is linear in the text, since searches in vain are limited.
    """
    starts = []
    end = content = missing = 0
    patience = _PATIENCE * len(text)
    for segment in segments:
        length = len(segment)
        start = text.find(segment, end, end + length + _REACH)
        if start < 0:
            if content < end or not content:
                found = _content.search(text, end)
                content = found.start() if found else len(text)
            reach = length + max(_REACH, min(max_chunk_length + 2 * missing, patience))
            start = text.find(segment, content, content + reach)
            if start < 0:
                patience -= reach
                if length >= _UNMISTAKABLE and patience > 0:
                    start = text.find(segment, content)
                    patience -= (start if start >= 0 else len(text)) - content
        starts.append(start)
        if start < 0:
            missing += length
        else:
            end = start + length
            missing = 0
    return starts
