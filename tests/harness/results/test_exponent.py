"""The exponent of growth, of work that is counted and not timed."""

from collections.abc import Callable

import pytest

from harness.results.exponent import TOO_QUICK, find_exponent

LENGTHS = (1_000, 2_000, 4_000, 8_000)


class Counting(str):
    """A text that counts the characters that are looked at."""

    looked_at = 0

    def __getitem__(self, place: object) -> str:
        found = super().__getitem__(place)  # type: ignore[index]
        self.looked_at += len(found)
        return found


def slice_evenly(text: str) -> list[str]:
    return [text[start : start + 100] for start in range(0, len(text), 100)]


def take_from_the_front(text: Counting) -> list[str]:
    """What is left is copied for every segment: the square of the length."""
    segments = []
    start = 0
    while start < len(text):
        text[start:]
        segments.append(text[start : start + 100])
        start += 100
    return segments


@pytest.mark.parametrize("fixed", [0, 5_000])
@pytest.mark.parametrize(
    ("split", "low", "high"), [(slice_evenly, 0.9, 1.1), (take_from_the_front, 1.9, 2.1)]
)
def test_the_exponent_is_that_of_the_work_whatever_it_costs_to_begin(
    split: Callable[[str], list[str]], low: float, high: float, fixed: int
) -> None:
    work = {}
    for length in LENGTHS:
        text = Counting("x" * length)
        split(text)
        work[length] = float(fixed + text.looked_at)
    exponent = find_exponent(work, 1)
    assert isinstance(exponent, float)
    assert low < exponent < high


def test_the_four_lengths_begin_with_the_first_that_needs_enough() -> None:
    work = {length: length**2 / 1e9 for length in (500, *LENGTHS, 16_000)} | {250: 5.0e-9}
    assert find_exponent(work, 1e-3) == pytest.approx(2)


def test_what_is_too_quick_has_no_exponent() -> None:
    assert find_exponent(dict.fromkeys(LENGTHS, 0.001), 0.02) == TOO_QUICK
    assert find_exponent({**dict.fromkeys(LENGTHS, 0.001), 16_000: 0.05}, 0.02) == TOO_QUICK


@pytest.mark.parametrize(
    "work",
    [
        {},
        {1_000: 1.0, 2_000: 2.0, 4_000: 4.0},
        {1_000: 1.0, 3_000: 2.0, 4_000: 4.0, 8_000: 9.0},
        {1_000: 1.0, 2_000: 2.0, 4_000: 2.0, 8_000: 9.0},
    ],
)
def test_without_four_doubled_lengths_that_need_more_each_there_is_none(
    work: dict[int, float],
) -> None:
    assert find_exponent(work, 0.02) is None
