"""Time grows no faster than the text: shown by the work done, not by the clock.

Work is the lines of the segmenter that are run, and the characters that methods of str look at or
copy for it. Counting needs the pure form: compiled code runs no lines, and asks no subclass of str.
"""

import random
import re
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import pytest

from harness.measure.shapes import SHAPES
from harness.splitters.adapters.segmenter import SOURCE, load_pure

LIMITS = [1, 20, 500, 100_000, 10_000_000]

# No shape needs more for a character, whatever the limit; more separators would.
MOST_PER_CHARACTER = 50
# Below this, a shape whose runs grow with its length may need more for each character.
FREE_PER_CHARACTER = 10


class CountedText(str):
    """A text that counts which of its characters are looked at, and refuses all else."""

    visited = 0

    def find(self, part: str, start: int = 0, end: int = sys.maxsize) -> int:
        found = super().find(part, start, end)
        self._visit(start, end if found < 0 else found + len(part))
        return found

    def rfind(self, part: str, start: int = 0, end: int = sys.maxsize) -> int:
        found = super().rfind(part, start, end)
        self._visit(start if found < 0 else found, end)
        return found

    def startswith(self, part: str, start: int = 0) -> bool:
        self.visited += len(part)
        return super().startswith(part, start)

    def isspace(self) -> bool:
        self.visited += len(self)
        return super().isspace()

    def __iter__(self) -> Iterator[str]:
        self.visited += len(self)
        return super().__iter__()

    def __getitem__(self, place: int | slice) -> str:
        found = super().__getitem__(place)
        self.visited += len(found)
        return found

    def _visit(self, start: int, end: int) -> None:
        self.visited += max(min(end, len(self)) - start, 0)


def _refuse(*_: object) -> None:
    raise AssertionError("a method of str was called that CountedText does not count")


_FREE = {"__new__", "__getattribute__", "__class__", "__len__", "__init_subclass__", "__doc__"}
for _name in set(vars(str)) - set(vars(CountedText)) - _FREE:
    setattr(CountedText, _name, _refuse)


class CountedPattern:
    """A pattern that counts which characters of a CountedText it passes."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.pattern = pattern

    def search(self, text: CountedText, start: int, end: int = sys.maxsize) -> re.Match[str] | None:
        found = self.pattern.search(text, start, end)
        text._visit(start, found.end() if found else end)
        return found


def split_uncopied(segmenter: Any) -> Callable[[str], list[str]]:
    """What ``split`` does with a plain str: of another, as CountedText is, it makes one first."""
    module = type(segmenter).split.__globals__
    compile_pattern = module["_compile"]

    def split(text: str) -> list[str]:
        module["_compile"] = lambda *parts: CountedPattern(compile_pattern(*parts))
        try:
            return module["_split"](text, segmenter._max_chunk_length, segmenter._order)
        finally:
            module["_compile"] = compile_pattern

    return split


def count_work(split: Callable[[str], list[str]], text: str) -> int:
    """Characters looked at, and lines run where the text is short enough to trace them."""
    counted = CountedText(text)
    lines = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal lines
        if frame.f_code.co_filename != str(SOURCE):
            return None
        lines += event == "line"
        return trace

    tracing = sys.gettrace()
    if len(text) < 100_000:
        sys.settrace(trace)
    try:
        segments = split(counted)
    finally:
        sys.settrace(tracing)
    assert "".join(segments) == text
    return lines + counted.visited


def assert_linear(
    split: Callable[[str], list[str]], make_text: Callable[[int], str], length: int
) -> None:
    few = max(count_work(split, make_text(length)), FREE_PER_CHARACTER * length)
    many = count_work(split, make_text(4 * length))
    assert many <= 4.4 * few
    assert many <= MOST_PER_CHARACTER * 4 * length


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("shape", SHAPES)
def test_work_grows_no_faster_than_the_text(shape, limit):
    length = 110_000 if limit == 100_000 else 8_000  # so that runs of whitespace are over the limit
    assert_linear(split_uncopied(load_pure()(limit)), SHAPES[shape], length)


@pytest.mark.parametrize("limit", [1, 20, 500])
@pytest.mark.parametrize(
    "separators",
    [
        *(["--", "---"], ["aba", "-"], ["- -"], [" and ", "\n## "], [" \n ", " "]),
        *([".\n ", "\n x"], [("\n", "# "), ("", "\n")], [("a", "a"), ("-", " ")]),
    ],
    ids=repr,
)
def test_work_for_other_separators_grows_no_faster_than_the_text(separators, limit):
    first, *others = map("".join, separators)
    pieces = [first, *others, *first, "a", "\n"]

    def mix(length: int) -> str:
        return "".join(random.Random(0).choices(pieces, k=length))[:length]

    split = split_uncopied(load_pure()(limit, separators=separators))
    for make_text in (mix, lambda length: (first * length)[:length]):
        assert_linear(split, make_text, 4_000)


def find_again(self: Any, level: int, position: int, end: int) -> int:
    """Forgets where separators were found, and looks for each of them to the end of the text."""
    self.found = [-1] * len(self.found)
    self.following = list(range(1, len(self.separators) + 1))
    return self.next_level_once(level, position, end)


def walk_to_the_end(self: Any, at: int) -> int:
    """Looks at all that follows a cut."""
    _ = self.text[at:]
    return self.cut_at_once(at)


@pytest.mark.parametrize(
    ("method", "slow", "shape"),
    [
        ("next_level", find_again, "JSON in one line"),
        ("cut_at", walk_to_the_end, "lines of one letter"),
    ],
)
def test_a_quadratic_variant_is_found_out(method, slow, shape):
    make = load_pure()
    splitting = make.split.__globals__["_Splitting"]
    setattr(splitting, f"{method}_once", getattr(splitting, method))
    setattr(splitting, method, slow)
    with pytest.raises(AssertionError, match="<="):
        assert_linear(split_uncopied(make(20)), SHAPES[shape], 2_000)


def test_what_cannot_be_counted_is_refused():
    with pytest.raises(AssertionError, match="does not count"):
        count_work(lambda text: [text.strip()], "text")
