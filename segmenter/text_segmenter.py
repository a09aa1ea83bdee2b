"""Split text into segments that join back to it exactly.

From segbench 0.1.0, segmenter/text_segmenter.py. The rules are in segmenter/SPEC.md there. It needs
only the standard library, so it can be copied into another project as it stands.

SPDX-License-Identifier: MIT
Copyright (c) 2026 The segbench authors
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import accumulate, pairwise

SEPARATORS: tuple[str, ...] = (
    "\n\n",
    "],\n",
    "},\n",
    "),\n",
    "]\n",
    "}\n",
    ")\n",
    ",\n",
    "？\n",
    "?\n",
    "！\n",
    "!\n",
    "。\n",
    ".\n",
    "？",
    "? ",
    "！",
    "! ",
    "。",
    ". ",
    "; ",
    ": ",
    "—",
    "--",
    "，",
    "、",
    ", ",
    "\u200b",
    " ",
)
"""Where text is cut by default, the most wanted first; each stays with the text before it."""


class TextSegmenter:
    """Splits text at the most wanted separators that keep every segment within the limit.

    The segments of a text joined are the text. None is longer than ``max_chunk_length`` code
    points. Whitespace between two pieces of content is cut after its last newline, or at its end
    where it has none, unless a single character with its whitespace is longer than the limit.

    ``separators`` are literal strings, the most wanted first; after them every character is one.

    Raises ValueError if the limit is not positive or a separator is empty, and TypeError if the
    limit is not an int (a bool is refused) or the separators are not strings in an order.
    """

    def __init__(
        self, max_chunk_length: int = 500, *, separators: Sequence[str] = SEPARATORS
    ) -> None:
        if isinstance(max_chunk_length, bool) or not isinstance(max_chunk_length, int):
            raise TypeError(f"max_chunk_length must be an int, not {_kind(max_chunk_length)}")
        if max_chunk_length <= 0:
            raise ValueError(f"max_chunk_length must be positive, not {max_chunk_length}")
        self._max_chunk_length = int.__index__(max_chunk_length)
        self._order = _Order(_check_separators(separators))

    def __repr__(self) -> str:
        given = "" if self.separators == SEPARATORS else f", separators={self.separators!r}"
        return f"{type(self).__name__}({self._max_chunk_length}{given})"

    def __reduce__(self) -> tuple[object, ...]:
        # Pickle cannot see the attributes of the compiled form, and what the pure form has pickled
        # is to be read there. Subclasses, which only the pure form has, may have more attributes.
        added = dict(getattr(self, "__dict__", {}))
        added.pop("_max_chunk_length", None)
        added.pop("_order", None)
        return _restore, (type(self), self._max_chunk_length, self.separators), added or None

    @property
    def max_chunk_length(self) -> int:
        """The most code points a segment may have."""
        return self._max_chunk_length

    @property
    def separators(self) -> tuple[str, ...]:
        """The separators, the most wanted first."""
        return self._order.separators[1:-1]

    def split(self, text: str) -> list[str]:
        """Return the segments of ``text`` in order; none for an empty text.

        Takes time and memory in proportion to the text. Raises TypeError if ``text`` is not a
        str.
        """
        if not isinstance(text, str):
            raise TypeError(f"text must be a str, not {_kind(text)}")
        return _split(_plain(text), self._max_chunk_length, self._order)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return where the segments of ``text`` start and end, in code points.

        The spans are contiguous, and ``text[start:end]`` is the segment. Raises as `split` does.
        """
        return list(pairwise(accumulate(map(len, self.split(text)), initial=0)))


def _restore(
    form: type[TextSegmenter], max_chunk_length: int, separators: tuple[str, ...]
) -> TextSegmenter:
    # A subclass may take other arguments than these.
    segmenter = form.__new__(form)
    TextSegmenter.__init__(segmenter, max_chunk_length, separators=separators)
    return segmenter


def _check_separators(separators: object) -> tuple[str, ...]:
    if isinstance(separators, str):
        raise TypeError("separators must be a sequence of strings, not one string")
    if isinstance(separators, (Set, Mapping)) or not isinstance(separators, Iterable):
        raise TypeError(f"separators must be a sequence of strings, not {_kind(separators)}")
    order: list[str] = []
    for each in separators:
        if not isinstance(each, str):
            raise TypeError(f"separators must be strings, not {_kind(each)}")
        order.append(_plain(each))
    if "" in order:
        raise ValueError("a separator must not be empty")
    return tuple(order)


def _plain(text: str) -> str:
    """Return a str of the same characters, whatever a subclass of str says of itself."""
    return str.__str__(text)


def _kind(given: object) -> str:
    return "None" if given is None else type(given).__name__


def _split(text: str, limit: int, order: "_Order") -> list[str]:
    if len(text) <= limit:
        return [text] if text else []
    if limit == 1:
        return list(text)
    if text.isspace():
        return _slices(text, 0, len(text), limit)
    return _Splitting(text, limit, order).segments()


def _slices(text: str, start: int, end: int, limit: int) -> list[str]:
    return [text[at : min(at + limit, end)] for at in range(start, end, limit)]


def _needs_scan(separator: str) -> bool:
    """Whether the cuts of a separator can only be known by going through the text from the left.

    So it is where an occurrence can overlap the one before it, or the whitespace in which that
    one was cut; and where its own whitespace is cut before its end.
    """
    content = separator.rstrip()
    tail = separator[len(content) :]
    if "\n" in tail and not tail.endswith("\n"):
        return True
    if not content:
        return False
    overlaps = any(separator.startswith(separator[at:]) for at in range(1, len(separator)))
    return overlaps or separator[0].isspace()


class _Order:
    """The separators in order of preference, and what can be known of them before the text."""

    def __init__(self, separators: tuple[str, ...]) -> None:
        self.separators = ("", *separators, "")
        self.scanned = [_needs_scan(each) for each in self.separators]
        self.starts_with_content = [each[:1].strip() != "" for each in self.separators]
        # How many of the first need a newline.
        self.lined = 0
        while "\n" in self.separators[self.lined + 1]:
            self.lined += 1


class _Splitting:
    """One text on its way into segments.

    A *piece* is a stretch of text that is split by one separator, and a *level* the separator's
    place in the order. Level 0 is the text before any separator was tried, the last level is
    every character. A piece's cuts are never all looked up: from where the last segment ended,
    the next one ends at the last cut within the limit. Only where there is none is the piece up
    to the next cut split by the separators that follow.

    A cut that touches whitespace belongs to that run of whitespace, so it is known without the
    piece: wherever the piece ends, the same cuts lie in it.
    """

    def __init__(self, text: str, limit: int, order: _Order) -> None:
        self.text = text
        self.length = len(text)
        self.limit = limit
        self.separators = order.separators
        self.scanned = order.scanned
        self.starts_with_content = order.starts_with_content
        self.lined = order.lined
        self.every_character = len(order.separators) - 1
        # The level after each level, past those that occur no more.
        self.following = list(range(1, len(self.separators) + 1))
        # Where each separator was found last: its next occurrence as long as it lies ahead.
        self.found = [-1] * len(self.separators)
        # How far a scan from the left has come.
        self.scan = [0] * len(self.separators)
        # The run of whitespace looked at last, and its cut.
        self.run_start = self.run_end = self.run_cut = -1

    def segments(self) -> list[str]:
        text = self.text
        limit = self.limit
        segments: list[str] = []
        outer: list[tuple[int, int]] = []
        position, end = 0, self.length
        level = self.next_level(0, position, end)
        while True:
            separator = self.separators[level]
            size = len(separator)
            scanned = self.scanned[level]
            starts_with_content = self.starts_with_content[level]
            while (horizon := position + limit) < end:
                if scanned:
                    cut = self.last_scanned_cut(level, position, end)
                else:
                    found = text.rfind(separator, position, horizon)
                    cut = found + size
                    if starts_with_content:
                        if found < 0:
                            break
                        if text[cut].isspace():
                            cut = self.last_cut(separator, position)
                    elif (
                        found <= position
                        or text[cut].isspace()
                        or text[found - 1].isspace()
                        or (text[horizon].isspace() and text[horizon - 1].isspace())
                    ):
                        cut = self.last_cut(separator, position)
                if cut == position:
                    break
                segments.append(text[position:cut])
                position = cut
            else:
                if position < end:
                    segments.append(text[position:end])
                    position = end
                if not outer:
                    return segments
                end, level = outer.pop()
                continue

            cut = self.next_cut(level, position, end)
            if level == self.every_character:
                segments.extend(_slices(text, position, cut, limit))
                position = cut
            else:
                if cut < end:
                    outer.append((end, level))
                    end = cut
                level = self.next_level(level, position, end)

    def next_level(self, level: int, position: int, end: int) -> int:
        """The first level after this one that cuts the piece, which is longer than the limit."""
        text = self.text
        separators = self.separators
        found_at = self.found
        following = self.following
        last = end - 1
        while text[last].isspace():
            last -= 1
        if level < self.lined and text.find("\n", position, last) < 0:
            level = self.lined
        before = level
        level = following[before]
        while level < self.every_character:
            found = found_at[level]
            if found < position:
                found = found_at[level] = self.find(separators[level], position)
                if found < 0:
                    level = following[before] = following[level]
                    continue
            if found < last and found + len(separators[level]) <= last:
                break
            before = level
            level = following[level]
        self.scan[level] = position
        return level

    def find(self, separator: str, start: int) -> int:
        """As str.find, but quicker: CPython looks for one character far faster than for two."""
        text = self.text
        first = separator[0]
        found = text.find(first, start)
        if first == "\n" and found >= 0 and not text.startswith(separator, found):
            # Newlines are so many that a call for each costs more.
            return text.find(separator, found + 1)
        while found >= 0 and not text.startswith(separator, found):
            found = text.find(first, found + 1)
        return found

    def last_cut(self, separator: str, position: int) -> int:
        """The last cut after position and within the limit; position where there is none."""
        stop = horizon = position + self.limit
        if self.text[horizon].isspace() and self.text[horizon - 1].isspace():
            self.cut_at(horizon)
            stop = self.run_end
        while stop > position:
            found = self.text.rfind(separator, position, stop)
            if found < 0:
                break
            cut = self.cut_at(found + len(separator))
            if cut <= horizon:
                return max(cut, position)
            stop = self.run_start - 1
        return position

    def last_scanned_cut(self, level: int, position: int, end: int) -> int:
        """As last_cut, for a separator that is scanned from the left."""
        text = self.text
        separator = self.separators[level]
        horizon = position + self.limit
        last = position
        at = self.scan[level]
        while (found := text.find(separator, at, end)) >= 0:
            cut = found + len(separator)
            if text[cut - 1].isspace() or (cut < end and text[cut].isspace()):
                cut = self.cut_at(cut)
            if cut > horizon:
                break
            at = found + len(separator)
            last = max(last, cut)
        self.scan[level] = at
        return last

    def next_cut(self, level: int, position: int, end: int) -> int:
        """The first cut after position; end where there is none."""
        if level == self.every_character:
            at = position + 1
            while (cut := self.cut_at(at)) <= position:
                at += 1
            return min(cut, end)
        separator = self.separators[level]
        size = len(separator)
        at = self.scan[level] if self.scanned[level] else position
        while True:
            found = self.found[level]
            if found < at:
                found = self.found[level] = self.find(separator, at)
            at = found + size
            if found < 0 or at >= end:
                self.scan[level] = end
                return end
            cut = self.cut_at(at)
            if cut > position:
                self.scan[level] = at
                return min(cut, end)

    def cut_at(self, at: int) -> int:
        """Where a cut at this place moves to.

        That is the cut of the run of whitespace that it touches; the text's start or end for a
        run there, which gives no cut; and the place itself where there is no whitespace.
        """
        if self.run_start <= at <= self.run_end:
            return self.run_cut
        text = self.text
        start = end = at
        while start > 0 and text[start - 1].isspace():
            start -= 1
        while end < self.length and text[end].isspace():
            end += 1
        if start == end:
            return at
        self.run_start = start
        self.run_end = end
        if start == 0:
            self.run_cut = 0
        elif end == self.length:
            self.run_cut = end
        else:
            self.run_cut = text.rfind("\n", start, end) + 1 or end
        return self.run_cut
