"""The segmenter's rules one segment at a time, for what TextSegmenter cannot take.

TextSegmenter knows the whole text and where each segment must end at the latest. Here neither need
be known before the segment: the text may still grow, and the caller says how far a segment may
reach. That is slower, and the segments are the same.
"""

from collections import deque
from collections.abc import Sequence

from segmenter.text_segmenter import Separator


class _Level:
    """The cuts of one separator from where a piece of the text starts, as far as they are known."""

    __slots__ = ("cuts", "last", "offset", "searched", "separator")

    def __init__(self, separator: Separator, start: int) -> None:
        self.separator = "".join(separator)
        # How far from the start of an occurrence its cut is.
        self.offset = len(separator if isinstance(separator, str) else separator[0])
        # Every occurrence that starts before this place has been found.
        self.searched = start
        # The cuts that are not passed, and the last of all, or where the piece starts.
        self.cuts: deque[int] = deque()
        self.last = start


class Levels:
    """A text from ``position`` on, and the levels that are open there.

    A level is a separator's place in the order. A piece of the text is divided at its level's last
    cut that is within reach. Only if there is none, the piece up to the next cut is divided by the
    separators that follow, which are the levels below. So the next cut of any level above ends the
    piece, and it does not matter that nobody knows where that will be. After the last separator,
    every character is one.

    A cut that touches whitespace is that of its run, as in TextSegmenter.
    """

    def __init__(self, separators: Sequence[Separator], text: str = "") -> None:
        self.separators = separators
        self._longest = max((len("".join(each)) for each in separators), default=1)
        self.text = text
        self.position = 0
        # None stands for every character.
        self._open: list[_Level | None] = []
        self._descend()
        # The unit that does not fit and was cut last.
        self._unit_start = self._unit_end = 0
        # The run of whitespace looked at last, and its cut.
        self._run = (-1, -1, -1)

    def find_end(self, reach: int, *, final: bool) -> tuple[int, int]:
        """Return where the segment at the position ends, and how many levels are open there.

        It ends at ``reach`` at the latest, which is after the position. ``final`` tells whether the
        text ends where it ends; if not, all that `needed` asks for must be there. Nothing is
        decided before `advance`, so that the caller may try again with a shorter reach.
        """
        start, depth = self.position, len(self._open)
        if start < self._unit_end:
            return min(reach, self._unit_end), depth
        stop = self._end_of_run(reach)
        nearest = len(self.text) if final and len(self.text) <= reach else reach + 1
        for number, level in enumerate(self._open[:-1]):
            assert level is not None  # only the last one is
            self._search(level, stop)
            if level.cuts and level.cuts[0] == start:  # a unit that did not fit ended there
                del self._open[number + 1 :]
                break
            if level.cuts and level.cuts[0] < nearest:
                nearest, depth = level.cuts[0], number + 1
        if nearest <= reach:
            return nearest, min(depth, len(self._open))
        while (level := self._open[-1]) is not None:
            self._search(level, stop)
            last = start
            for cut in level.cuts:
                if cut > reach:
                    break
                last = cut
            if last > start:
                return last, len(self._open)
            self._descend()
        end = self._last_unit_end(reach)
        if end == start:
            self._unit_start, self._unit_end = start, self._next_unit_end()
            end = min(reach, self._unit_end)
        return end, len(self._open)

    def advance(self, end: int, depth: int) -> str:
        """Return the segment that ends there, and go on from its end."""
        segment = self.text[self.position : end]
        self.position = end
        del self._open[depth:]
        return segment

    def needed(self, reach: int) -> int:
        """Return how long a text must at least be before a segment with that reach is certain.

        It is certain when the text goes on, after ``reach``, with content; after as many characters
        as the longest separator has, with content again. So all whitespace that matters has ended.
        """
        for skipped in (0, self._longest):
            reach = self._end_of_run(reach + skipped)
            if reach >= len(self.text):
                return reach + 1
        return reach

    def extend(self, text: str) -> None:
        """Add to the text, and let go of what is before the position."""
        # Until the end of a unit has been passed, the levels above have yet to find it.
        gone = self.position if self.position > self._unit_end else self._unit_start
        self.text = self.text[gone:] + text
        self.position -= gone
        self._unit_start -= gone
        self._unit_end -= gone
        self._run = (-1, -1, -1)
        for level in self._open:
            if level is not None:
                level.searched -= gone
                level.last -= gone
                level.cuts = deque(cut - gone for cut in level.cuts)

    def _descend(self) -> None:
        number = len(self._open)
        if number < len(self.separators):
            self._open.append(_Level(self.separators[number], self.position))
        else:
            self._open.append(None)

    def _search(self, level: _Level, stop: int) -> None:
        """Find the cuts of all occurrences that start before a place, and forget those passed.

        One that is cut at its start may lie at the place itself.
        """
        size = len(level.separator)
        if not level.offset:
            stop += 1
        cuts = level.cuts
        while level.searched < stop:
            found = self.text.find(level.separator, level.searched, stop + size - 1)
            if found < 0:
                level.searched = stop
                break
            level.searched = found + size
            cut = self._cut_at(found + level.offset)
            if cut > level.last:
                cuts.append(cut)
                level.last = cut
        while cuts and cuts[0] < self.position:
            cuts.popleft()

    def _last_unit_end(self, reach: int) -> int:
        """Return where the last unit ends that is within reach; the position if none is."""
        at = reach
        while at > self.position:
            cut = self._cut_at(at)
            if self.position < cut <= reach:
                return cut
            at = self._run[0] - 1
        return self.position

    def _next_unit_end(self) -> int:
        cut = self._cut_at(self.position + 1)
        if cut <= self.position:
            end = self._run[1]
            cut = len(self.text) if end >= len(self.text) else self._cut_at(end + 1)
        return cut

    def _cut_at(self, at: int) -> int:
        """Return where a cut at this place moves to.

        That is the cut of the run of whitespace that it touches; the start of the text, or its end,
        for a run there; and the place itself if there is no whitespace. What was let go of ended
        with a cut, so whatever begins the text now has its cut there too.
        """
        start, end, cut = self._run
        if start <= at <= end:
            return cut
        text = self.text
        start, end = self._start_of_run(at), self._end_of_run(at)
        if start == end:
            return at
        if start == 0:
            cut = 0
        elif end == len(text):
            cut = end
        else:
            cut = text.rfind("\n", start, end) + 1 or end
        self._run = (start, end, cut)
        return cut

    def _start_of_run(self, at: int) -> int:
        width = 1
        while at > 0 and self.text[at - 1].isspace():
            width *= 8
            window = self.text[max(0, at - width) : at]
            at -= len(window) - len(window.rstrip())
        return at

    def _end_of_run(self, at: int) -> int:
        width = 1
        while at < len(self.text) and self.text[at].isspace():
            width *= 8
            window = self.text[at : at + width]
            at += len(window) - len(window.lstrip())
        return at
