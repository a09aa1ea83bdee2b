"""Splitters that break one rule each, and no other, on every case there is.

They are factories. Each takes the segments of the specification and spoils them in one way.
"""

from collections.abc import Callable, Iterator
from itertools import accumulate, pairwise

from segmenter import TextSegmenter
from segmenter.rules import find_run, find_unit_end, find_unit_start

Split = Callable[[str], list[str]]


def refusing(limit: int) -> Split:
    """Breaks ``accepts``."""

    def split(text: str) -> list[str]:
        text.encode()  # raises for a surrogate
        return TextSegmenter(limit).split(text)

    return split


def losing(limit: int) -> Split:
    """Breaks ``join``: of words of two letters or more that end a text, the last letter is lost."""

    def split(text: str) -> list[str]:
        segments = TextSegmenter(limit).split(text)
        if segments and segments[-1].isalpha() and len(segments[-1]) > 1:
            segments[-1] = segments[-1][:-1]
        return segments

    return split


def exceeding(limit: int) -> Split:
    """Breaks ``fits``: the last segment but one takes the last."""

    def split(text: str) -> list[str]:
        segments = TextSegmenter(limit).split(text)
        if (
            sum(map(len, segments[-2:])) > limit
            and not text[-len("".join(segments[-2:])) :].isspace()
        ):
            segments[-2:] = ["".join(segments[-2:])]
        return segments

    return split


class Disordered:
    """Breaks ``order``: gives the last segment first, and says where each is."""

    def __init__(self, limit: int) -> None:
        self._spans = TextSegmenter(limit).spans

    def spans(self, text: str) -> list[tuple[int, int]]:
        spans = self._spans(text)
        disordered = spans[-1:] + spans[:-1]
        joined = "".join(text[start:end] for start, end in disordered)
        return spans if joined == text else disordered  # where all are alike there is no order

    def split(self, text: str) -> list[str]:
        return [text[start:end] for start, end in self.spans(text)]


def skipping(limit: int) -> Split:
    """Breaks ``covers``: leaves out the last but one."""

    def split(text: str) -> list[str]:
        segments = TextSegmenter(limit).split(text)
        return segments[:-2] + segments[-1:]

    return split


def adding_nothing(limit: int) -> Split:
    """Breaks ``empty``."""
    return lambda text: [*TextSegmenter(limit).split(text), ""]


class Misplaced(TextSegmenter):
    """Breaks ``offsets``: counts bytes."""

    def spans(self, text: str) -> list[tuple[int, int]]:
        sizes = (len(segment.encode("utf-8", "surrogatepass")) for segment in self.split(text))
        return list(pairwise(accumulate(sizes, initial=0)))


class Searching(TextSegmenter):
    """Breaks ``offsets``: looks for each segment and finds an earlier one like it."""

    def spans(self, text: str) -> list[tuple[int, int]]:
        segments = self.split(text)
        starts = map(text.find, segments)
        return [(start, start + len(each)) for start, each in zip(starts, segments, strict=True)]


class WronglyEnding(TextSegmenter):
    """Breaks ``offsets``: takes the last character for the end."""

    def spans(self, text: str) -> list[tuple[int, int]]:
        return [(start, end - 1) for start, end in super().spans(text)]


def changing(limit: int) -> Split:
    """Breaks ``deterministic``: cuts inside a word now and then."""
    calls = 0

    def split(text: str) -> list[str]:
        nonlocal calls
        calls += 1
        segments = TextSegmenter(limit).split(text)
        if calls > 1 and segments and segments[0][:2].isalnum():
            segments[:1] = filter(None, (segments[0][:1], segments[0][1:]))
        return segments

    return split


def cutting_at_ends_of_runs(limit: int) -> Split:
    """Breaks ``cut-after-last-newline``: indentation goes to the segment before."""

    def move(text: str, cut: int) -> int:
        run = find_run(text, cut)
        newline = "\n" in text[run.start : run.end]
        return run.end if newline and _units_fit(text, cut, limit) else cut

    return lambda text: _move_cuts(text, limit, move)


def cutting_at_starts_of_runs(limit: int) -> Split:
    """Breaks ``run-without-newline``: spaces go to the segment after."""

    def move(text: str, cut: int) -> int:
        run = find_run(text, cut)
        newline = "\n" in text[run.start : run.end]
        return cut if newline or not _units_fit(text, cut, limit) else run.start

    return lambda text: _move_cuts(text, limit, move)


def cutting_edges(limit: int) -> Split:
    """Breaks ``edges``: whitespace at the ends of a text is set apart."""

    def split(text: str) -> list[str]:
        segments = TextSegmenter(limit).split(text)
        if not text.isspace() and text[-1:].isspace():
            content = len(text.rstrip())
            if len(text) - find_unit_start(text, content - 1) <= limit:
                length = len(text) - content
                segments[-1:] = [segments[-1][:-length], segments[-1][-length:]]
        return segments

    return split


def setting_runs_apart(limit: int) -> Split:
    """Breaks ``whitespace-segment``: a run where a cut is becomes a segment."""

    def split(text: str) -> list[str]:
        cuts = set(accumulate(map(len, TextSegmenter(limit).split(text))))
        for cut in cuts - {len(text)}:
            run = find_run(text, cut)
            if run.cut is not None and run.start < run.end and _units_fit(text, cut, limit):
                cuts |= {run.start, run.end}
        return list(_cut(text, cuts))

    return split


def cutting_from_the_end(limit: int) -> Split:
    """Breaks ``too-long-run``: units that do not fit are cut every limit from their ends."""

    def split(text: str) -> list[str]:
        cuts = set(accumulate(map(len, TextSegmenter(limit).split(text))))
        for start, end in _units(text):
            if end - start > limit:
                inside = range(start + 1, end)
                cuts = cuts - set(inside) | set(range(end, start, -limit))
        return list(_cut(text, cuts))

    return split


def cutting_whitespace(limit: int) -> Split:
    """Breaks ``whitespace-only``: whitespace alone is cut everywhere."""
    return lambda text: list(text) if text.isspace() else TextSegmenter(limit).split(text)


def cutting_every_unit(limit: int) -> Split:
    """Breaks ``reference``: keeps every rule, and never merges."""

    def split(text: str) -> list[str]:
        if text.isspace():
            return TextSegmenter(limit).split(text)
        return [
            text[at : min(at + limit, end)]
            for start, end in _units(text)
            for at in range(start, end, limit)
        ]

    return split


def _units(text: str) -> Iterator[tuple[int, int]]:
    for at, character in enumerate(text):
        if not character.isspace():
            yield find_unit_start(text, at), find_unit_end(text, at)


def _units_fit(text: str, cut: int, limit: int) -> bool:
    """Whether the units on both sides of the run at a cut fit, and so the run has to be whole."""
    run = find_run(text, cut)
    if run.cut is None:
        return False
    before = run.cut - find_unit_start(text, run.start - 1)
    return max(before, find_unit_end(text, run.end) - run.cut) <= limit


def _move_cuts(text: str, limit: int, move: Callable[[str, int], int]) -> list[str]:
    """Move each cut of the right segments as long as the segments fit."""
    cuts = list(accumulate(map(len, TextSegmenter(limit).split(text))))
    for i, cut in enumerate(cuts[:-1]):
        moved = move(text, cut)
        if 0 < moved - (cuts[i - 1] if i else 0) <= limit and 0 < cuts[i + 1] - moved <= limit:
            cuts[i] = moved
    return list(_cut(text, set(cuts)))


def _cut(text: str, cuts: set[int]) -> Iterator[str]:
    for start, end in pairwise(sorted(cuts | {0, len(text)})):
        yield text[start:end]
