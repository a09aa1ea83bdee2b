"""Split text into segments that join back to it exactly.

From segbench 0.2.0, segmenter/text_segmenter.py. The rules are in segmenter/SPEC.md there. It needs
only the standard library, so it can be copied into another project as it stands.

SPDX-License-Identifier: MIT
Copyright (c) 2026 The segbench authors
"""
# An exception's sentence stands where it is raised, and lines have up to 100 characters:
# ruff: noqa: E501, EM101, EM102, TRY003

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import accumulate, pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Pattern

SEPARATORS: tuple[str, ...] = (
    "\n\n",
    "],\n",
    "},\n",
    "),\n",
    "]\n",
    "}\n",
    ")\n",
    ",\n",
    "？\n",  # noqa: RUF001 - full width is meant
    "?\n",
    "！\n",  # noqa: RUF001 - full width is meant
    "!\n",
    "。\n",
    ".\n",
    "？",  # noqa: RUF001 - full width is meant
    "? ",
    "！",  # noqa: RUF001 - full width is meant
    "! ",
    "。",
    ". ",
    "; ",
    ": ",
    "—",
    "--",
    "，",  # noqa: RUF001 - full width is meant
    "、",
    ", ",
    "\u200b",
    " ",
)
"""Where text is cut by default, the most wanted first; each stays with the text before it."""

Separator = str | tuple[str, str]
"""What a text is cut after; or, of a pair, what stands before a cut and what stands after it."""


_UNORDERED: tuple[type, ...] = (AbstractSet, Mapping)

# When `_Splitting.find` changes to a pattern, and how far that looks at first.
_DENSE = 128
_WINDOW = 512


class TextSegmenter:
    r"""Splits text at the most wanted separators that keep every segment within the limit.

    The segments of a text joined are the text. None is longer than ``max_chunk_length`` code
    points. Whitespace between two pieces of content is cut after its last newline, or at its end
    where it has none, unless a single character with its whitespace is longer than the limit.

    ``separators`` are literal strings, the most wanted first; after them every character is one.
    A text is cut after a string; a pair of strings, such as ``("\n", "# ")``, is cut between them.

    Raises ValueError if the limit is not positive or a separator is empty, and TypeError if the
    limit is not an int (a bool is refused) or the separators are not strings or pairs of strings in
    an order.
    """

    def __init__(
        self, max_chunk_length: int = 500, *, separators: Sequence[Separator] = SEPARATORS
    ) -> None:
        """Refuse what cannot be a limit or separators."""
        # Not every caller is type-checked.
        if isinstance(max_chunk_length, bool) or not isinstance(max_chunk_length, int):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"max_chunk_length must be an int, not {_kind(max_chunk_length)}")
        if max_chunk_length <= 0:
            raise ValueError(f"max_chunk_length must be positive, not {max_chunk_length}")
        self._max_chunk_length = int.__index__(max_chunk_length)
        self._order = _Order(_check_separators(separators))

    def __repr__(self) -> str:
        """Show the limit, and the separators if they are not the default ones."""
        given = "" if self.separators == SEPARATORS else f", separators={self.separators!r}"
        return f"{type(self).__name__}({self._max_chunk_length}{given})"

    def __reduce__(self) -> tuple[object, ...]:
        """Return what makes an equal segmenter, in either form."""
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
    def separators(self) -> tuple[Separator, ...]:
        """The separators, the most wanted first."""
        return self._order.given

    def split(self, text: str) -> list[str]:
        """Return the segments of ``text`` in order; none for an empty text.

        Takes time and memory in proportion to the text. Raises TypeError if ``text`` is not a
        str.
        """
        # Not every caller is type-checked.
        if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"text must be a str, not {_kind(text)}")
        return _split(_plain(text), self._max_chunk_length, self._order)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return where the segments of ``text`` start and end, in code points.

        The spans are contiguous, and ``text[start:end]`` is the segment. Raises as `split` does.
        """
        return list(pairwise(accumulate(map(len, self.split(text)), initial=0)))


def _restore(
    form: type[TextSegmenter], max_chunk_length: int, separators: tuple[Separator, ...]
) -> TextSegmenter:
    # A subclass may take other arguments than these.
    segmenter = form.__new__(form)
    TextSegmenter.__init__(segmenter, max_chunk_length, separators=separators)
    return segmenter


def _check_separators(separators: Iterable[object]) -> tuple[Separator, ...]:
    if isinstance(separators, str):
        raise TypeError("separators must be a sequence of strings, not one string")
    # Not every caller is type-checked.
    iterable = isinstance(separators, Iterable)  # pyright: ignore[reportUnnecessaryIsInstance]
    if not iterable or isinstance(separators, _UNORDERED):
        raise TypeError(f"separators must be a sequence of strings, not {_kind(separators)}")
    order: list[Separator] = []
    for each in separators:
        if isinstance(each, str):
            order.append(_plain(each))
        elif isinstance(each, tuple) and len(each) == 2:  # noqa: PLR2004 - a pair
            before, after = _check_half(each[0]), _check_half(each[1])
            order.append((before, after) if after else before)
        else:
            kind = f"a tuple of {len(each)}" if isinstance(each, tuple) else _kind(each)
            raise TypeError(f"separators must be strings or pairs of strings, not {kind}")
    if "" in order:
        raise ValueError("a separator must not be empty")
    return tuple(order)


def _check_half(given: object) -> str:
    if not isinstance(given, str):
        raise TypeError(f"a pair of separators must be of strings, not {_kind(given)}")
    return _plain(given)


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


def _is_repeated(separator: str) -> bool:
    """Whether a separator is one character of content several times, as two hyphens are."""
    first = separator[:1]
    return len(separator) > 1 and not first.isspace() and not separator.strip(first)


def _ends_line(separator: str) -> bool:
    """Whether a separator is content and then a newline."""
    return separator.find("\n") == len(separator) - 1 > 0 and not separator[-2].isspace()


def _needs_scan(separator: str) -> bool:
    """Whether the cuts of a separator can only be known by going through the text from the left.

    So it is where an occurrence can overlap the one before it, or the whitespace in which that
    one was cut; and where its own whitespace is cut before its end.
    """
    if _is_repeated(separator):
        return False
    content = separator.rstrip()
    tail = separator[len(content) :]
    if "\n" in tail and not tail.endswith("\n"):
        return True
    if not content:
        return False
    overlaps = any(separator.startswith(separator[at:]) for at in range(1, len(separator)))
    return overlaps or separator[0].isspace()


def _compile(before: str, text: str, after: str = "") -> "Pattern[str]":
    """Return a pattern in which the text in the middle stands for itself."""
    import re  # noqa: PLC0415 - who imports this file does not wait for it

    return re.compile(before + re.escape(text) + after)


_Level = tuple[str, int, int, bool, bool, bool, bool]
"""A separator, its length and offset; if it is plain, scanned, repeated, and ends in a newline."""


class _Order:
    """The separators in order of preference, and what can be known of them before the text."""

    def __init__(self, given: tuple[Separator, ...]) -> None:
        self.given = given
        whole = [each if isinstance(each, str) else each[0] + each[1] for each in given]
        self.separators: tuple[str, ...] = ("", *whole, "")
        # How far from the start of a separator its cut is.
        offsets = [len(each) if isinstance(each, str) else len(each[0]) for each in given]
        self.offsets = [0, *offsets, 0]
        # What is cut before its end is scanned, and none of the other kinds.
        cut_inside = [False, *(not isinstance(each, str) for each in given), False]
        self.scanned = [
            inside or _needs_scan(each)
            for each, inside in zip(self.separators, cut_inside, strict=True)
        ]
        # In a run of such a character, cuts lie as far from each other as the separator is long.
        self.repeated = [
            _is_repeated(each) and not inside
            for each, inside in zip(self.separators, cut_inside, strict=True)
        ]
        # These begin with content: where no whitespace follows them, they are cut at their end.
        self.plain = [
            each[:1].strip() != "" and not scanned
            for each, scanned in zip(self.separators, self.scanned, strict=True)
        ]
        # The first levels in a row whose separators end a line: from lined on, before unlined.
        line_ends = [
            _ends_line(each) and not inside
            for each, inside in zip(self.separators, cut_inside, strict=True)
        ]
        self.lined = line_ends.index(True) if True in line_ends else 0
        self.unlined = self.lined
        while line_ends[self.unlined]:
            self.unlined += 1
        # What such a separator has before its newline.
        self.line_ends = {each[-2] for each in self.separators[self.lined : self.unlined]}
        self.firsts = [each[:1] for each in self.separators]
        # What a piece needs of its level, in one look-up.
        self.levels: list[_Level] = list(
            zip(
                self.separators,
                map(len, self.separators),
                self.offsets,
                self.plain,
                self.scanned,
                self.repeated,
                (each.endswith("\n") for each in self.separators),
                strict=True,
            )
        )
        # The level after each level, of which a text passes those that occur in it no more.
        self.following = list(range(1, len(self.separators) + 1))
        self.patterns: dict[int, Pattern[str]] = {}

    def pattern(self, level: int) -> "Pattern[str]":
        """Return what finds the separator of this level."""
        if level not in self.patterns:
            self.patterns[level] = _compile("", self.separators[level])
        return self.patterns[level]

    def line_pattern(self) -> "Pattern[str]":
        """Return what finds the newline of any separator from lined on and before unlined.

        Only the last character before the newline is looked at, so it can find too much.
        """
        if 0 not in self.patterns:  # level 0 has no separator
            self.patterns[0] = _compile(r"\n(?<=[", "".join(sorted(self.line_ends)), r"]\n)")
        return self.patterns[0]


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
        self.order = order
        self.separators = order.separators
        self.firsts = order.firsts
        self.offsets = order.offsets
        self.levels = order.levels
        self.lined = order.lined
        self.unlined = order.unlined
        self.every_character = len(order.separators) - 1
        self.following = order.following.copy()
        # Where each separator was found last: its next occurrence as long as it lies ahead.
        self.found = [-1] * len(self.separators)
        # How far a scan from the left has come.
        self.scan = [0] * len(self.separators)
        # The same for a line that ends in a separator.
        self.line_end = -1
        # The run of whitespace looked at last, and its cut.
        self.run_start = self.run_end = self.run_cut = -1

    def segments(self) -> list[str]:  # noqa: C901, PLR0912 - a call per segment costs a tenth
        """Return the segments of the text."""
        text = self.text
        limit = self.limit
        segments: list[str] = []
        levels = self.levels
        outer: list[tuple[int, int]] = []
        position, end = 0, self.length
        level = self.next_level(0, position, end)
        while True:
            separator, size, _, plain, scanned, repeated, closes_line = levels[level]
            while (horizon := position + limit) < end:
                if scanned:
                    cut = self.last_scanned_cut(level, position, end)
                elif (
                    not plain
                    and not closes_line
                    and text[horizon].isspace()
                    and text[horizon - 1].isspace()
                ):
                    cut = self.last_cut_in_run(separator, position)
                else:
                    found = text.rfind(separator, position, horizon)
                    if found < 0:
                        start = horizon - size + 1 if size <= limit else position
                        break
                    cut = found + size
                    if repeated:
                        cut = self.last_repeated_cut(separator, position, found)
                    elif (
                        text[cut].isspace() and not (closes_line and self.is_indented(cut))
                    ) or not (plain or (position < found and not text[found - 1].isspace())):
                        cut = self.last_cut(separator, position, found)
                if cut == position:
                    start = position
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

            cut = self.next_cut(level, start, position, end)
            if level == self.every_character:
                segments.extend(_slices(text, position, cut, limit))
                position = cut
            else:
                if cut < end:
                    outer.append((end, level))
                    end = cut
                level = self.next_level(level, position, end)

    def next_level(self, level: int, position: int, end: int) -> int:
        """Return the first level after this one that cuts the piece, which is over the limit.

        Most pieces of prose hold no line that ends in a separator, so all those levels are passed
        at once. Without that, the six corpora at 500 take 1.4 times as long, compiled 1.7 times.
        """
        text = self.text
        firsts = self.firsts
        offsets = self.offsets
        found_at = self.found
        following = self.following
        lined = self.lined
        unlined = self.unlined
        every_character = self.every_character
        last = end - 1
        if text[last].isspace():
            last -= 1
            if text[last].isspace():
                last = self.start_of_run(last) - 1
        ends_line = False
        before = level
        level = following[before]
        while level < every_character:
            if unlined > level >= lined and not ends_line:  # most levels are past unlined
                ends_line = self.line_end < last and self.ends_line(position, last)
                if not ends_line:
                    before = unlined - 1
                    level = following[before]
                    continue
            found = found_at[level]
            if found < position:
                found = text.find(firsts[level], position)
                if found >= 0:
                    found = self.find(level, found)
                if found < 0:
                    found_at[level] = self.length
                    level = following[before] = following[level]
                    continue
                found_at[level] = found
            if found + offsets[level] <= last:
                break
            before = level
            level = following[level]
        self.scan[level] = position
        return level

    def ends_line(self, position: int, last: int) -> bool:
        """Whether a line in this piece may end in a separator that ends lines.

        In prose the next newline often lies behind the piece. CPython finds that one sooner than a
        pattern can; the pattern passes the lines of prose whose paragraphs are wrapped.
        """
        text = self.text
        at = self.line_end
        if at < position:
            at = text.find("\n", position)
        if 0 <= at < last and text[at - 1 : at] not in self.order.line_ends:
            match = self.order.line_pattern().search(text, at + 1)
            at = match.start() if match else -1
        self.line_end = at if at >= 0 else self.length
        return self.line_end < last

    def find(self, level: int, found: int) -> int:
        """Return where the separator of this level is next, as str.find does, but quicker.

        ``found`` is where its first character is next, or -1: CPython looks for one character 30
        times as fast as for two. Where that is dense and the separator rare, as full stops are in a
        table of contents, a call for each would cost more than all else: a pattern then passes
        them. It looks at a window that grows, since it is slower than `str.find` where they are
        rare again.
        Without it, dot leaders at 500 take 2.5 times as long, tables 3 times.

        Whether the separator stands where its first character is, `str.find` tells: the compiled
        form calls it from C, which it cannot do for `startswith` with a start. With that, the six
        corpora at 20 take 1.3 times as long.
        """
        text = self.text
        separator = self.separators[level]
        first = separator[0]
        size = len(separator)
        width = _WINDOW
        while found >= 0 and text.find(separator, found, found + size) < 0:
            missed = found
            found = text.find(first, missed + 1)
            if 0 <= found < missed + _DENSE:
                stop = found + width + size
                match = self.order.pattern(level).search(text, found, stop)
                if match:
                    return match.start()
                found = text.find(first, stop - size + 1)
                width *= 4
        return found

    def last_cut(self, separator: str, position: int, found: int) -> int:
        """Return the last cut within the limit of the occurrence found or one before it.

        Position stands for none.
        """
        horizon = position + self.limit
        while found >= 0:
            cut = self.cut_at(found + len(separator))
            if cut <= horizon:
                return max(cut, position)
            if self.run_start - 1 <= position:
                break
            found = self.text.rfind(separator, position, self.run_start - 1)
        return position

    def is_indented(self, at: int) -> bool:
        """Whether the whitespace at this place, after a newline, is the indentation of content.

        Its run then is cut at this place, and need not be measured. Without that, code at 500 takes
        1.3 times as long.
        """
        text = self.text
        newline = text.find("\n", at)
        return newline > at and not text[at:newline].isspace()

    def last_cut_in_run(self, separator: str, position: int) -> int:
        """Return what last_cut does, where the limit lies in a run of whitespace.

        Where that is the indentation of a line that begins before the limit, the cut is known.
        """
        text = self.text
        horizon = position + self.limit
        if position and text[horizon - 1] == separator:
            newline = text.rfind("\n", position, horizon)
            if newline >= 0 and text[newline:horizon].isspace() and self.is_indented(horizon):
                return newline + 1
        self.cut_at(horizon)
        return self.last_cut(separator, position, text.rfind(separator, position, self.run_end))

    def last_repeated_cut(self, separator: str, position: int, found: int) -> int:
        """Return what last_cut does, for a separator that is one character several times.

        Its occurrences count from where a run of that character begins in the piece, which no
        cut before position has divided otherwise.
        """
        text = self.text
        size = len(separator)
        horizon = position + self.limit
        while found >= 0:
            before = text[position:found]
            start = position + len(before.rstrip(separator[0]))
            cut = found + size - (found - start) % size
            if cut == found + size and text[cut].isspace():
                cut = self.cut_at(cut)
            if cut <= horizon:
                return cut
            if found >= start + size:
                return found
            found = text.rfind(separator, position, start)
        return position

    def last_scanned_cut(self, level: int, position: int, end: int) -> int:
        """Return what last_cut does, for a separator that is scanned from the left."""
        text = self.text
        separator = self.separators[level]
        size = len(separator)
        offset = self.offsets[level]
        horizon = position + self.limit
        last = position
        at = self.scan[level]
        while (found := text.find(separator, at, end + size - offset)) >= 0:
            at = found + size
            cut = found + offset
            if text[cut - 1].isspace() or (cut < end and text[cut].isspace()):
                cut = self.cut_at(cut)
            if cut > horizon:
                break
            self.scan[level] = at
            last = max(last, cut)
        return last

    def next_cut(self, level: int, start: int, position: int, end: int) -> int:
        """Return the first cut after position; end where there is none.

        No separator that need not be scanned is before start.
        """
        if level == self.every_character:
            cut = self.cut_at(position + 1)
            if cut <= position:
                cut = self.cut_at(self.run_end + 1)
            return min(cut, end)
        text = self.text
        separator, size, offset, plain, scanned, _, closes_line = self.levels[level]
        at = self.scan[level] if scanned else start
        while True:
            found = self.found[level]
            if found < at:
                found = self.find(level, text.find(separator[0], at))
                if found < 0:
                    found = self.length
                self.found[level] = found
            at = found + size
            cut = found + offset
            if cut >= end:
                self.scan[level] = end
                return end
            if (not text[cut].isspace() or (closes_line and self.is_indented(cut))) and (
                plain or (not scanned and position < found and not text[found - 1].isspace())
            ):
                return cut
            cut = self.cut_at(cut)
            if cut > position:
                self.scan[level] = at
                return min(cut, end)
            if not scanned:
                at = max(at, self.run_end)

    def cut_at(self, at: int) -> int:
        """Return where a cut at this place moves to.

        That is the cut of the run of whitespace that it touches; the text's start or end for a
        run there, which gives no cut; and the place itself where there is no whitespace.
        """
        if self.run_start <= at <= self.run_end:
            return self.run_cut
        text = self.text
        start = end = at
        if at > 0 and text[at - 1].isspace():
            start -= 1
            if start > 0 and text[start - 1].isspace():
                start = self.start_of_run(start)
        if at < self.length and text[at].isspace():
            end = self.end_of_run(at)
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

    def start_of_run(self, at: int) -> int:
        """Return where the whitespace before this place starts.

        After the first, it is measured eight characters at a time, then 64, and so on, since most
        runs are short. A character at a time, code at 20, whose lines are indented, takes 1.2 times
        as long.
        """
        text = self.text
        if at > 0 and text[at - 1].isspace():
            at -= 1
        width = 1
        while at > 0 and text[at - 1].isspace():
            width *= 8
            window = text[max(0, at - width) : at]
            at -= len(window) - len(window.rstrip())
        return at

    def end_of_run(self, at: int) -> int:
        """Return where the whitespace after this place ends."""
        text = self.text
        if at < self.length and text[at].isspace():
            at += 1
        width = 1
        while at < self.length and text[at].isspace():
            width *= 8
            window = text[at : at + width]
            at += len(window) - len(window.lstrip())
        return at
