"""Estimates of made-up rounds: the expected values were worked out by hand."""

import math
from collections.abc import Sequence

import pytest

from harness.results.estimates import Estimate, estimate, find_interval
from harness.results.model import Round, Workload


def make_round(
    number: int,
    ratio: float,
    *,
    corpus: str = "books",
    stratum: str = "short",
    splitter: str = "segmenter",
    wall: float = 1.0,
) -> Round:
    """A round in which the splitter is ``ratio`` times as fast as its baseline."""
    cpu = (0.012, 0.028)  # turns that differ: it is their sum that counts
    return Round(
        Workload(corpus, splitter, 500),
        "langchain",
        stratum,
        number,
        1000,
        *cpu,
        *(wall * seconds for seconds in cpu),
        *(0.030 * ratio, 0.010 * ratio),
        *(0.030 * ratio, 0.010 * ratio),
    )


def test_the_interval_is_students() -> None:
    # Mean 4.5, standard deviation sqrt(6), of which the error is sqrt(6 / 8) = 0.866025; the
    # table of Student's t has 2.364624 for 7 degrees of freedom and 95 %, 3.499483 for 99 %.
    mean, low, high = find_interval([1, 2, 3, 4, 5, 6, 7, 8], 0.95)
    assert mean == 4.5
    assert (low, high) == pytest.approx((4.5 - 2.047824, 4.5 + 2.047824), abs=1e-5)
    _, low, high = find_interval([1, 2, 3, 4, 5, 6, 7, 8], 0.99)
    assert (low, high) == pytest.approx((4.5 - 3.030641, 4.5 + 3.030641), abs=1e-5)


def test_seven_rounds_are_too_few() -> None:
    with pytest.raises(ValueError, match="7 rounds are too few"):
        find_interval([1.0] * 7, 0.95)
    assert estimate(make_round(number, 2.0) for number in range(7)) is None
    assert estimate([]) is None


def test_a_ratio_is_the_baselines_time_by_the_splitters() -> None:
    found = estimate(make_round(number, 2.0) for number in range(8))
    assert found is not None
    values = (found.ratio, found.low, found.high, found.lowest, found.highest, found.wall)
    assert values == pytest.approx((2.0,) * 6)
    assert found.rounds == 8
    assert str(found) == "2.00 (2.00–2.00)"


def test_rounds_are_averaged_by_their_logarithms() -> None:
    # Half of the rounds 1, half 4: the geometric mean is 2. The logarithms are 0 and ln 4, their
    # standard deviation ln 4 × sqrt(2 / 7); by sqrt(8) and 2.364624 the half width is 0.619496.
    found = estimate(make_round(number, 4.0 ** (number % 2)) for number in range(8))
    assert found is not None
    assert found.ratio == pytest.approx(2.0)
    assert math.log(found.high / found.ratio) == pytest.approx(0.619496, abs=1e-5)
    assert found.low * found.high == pytest.approx(4.0)


def test_each_corpus_counts_the_same_however_many_strata_it_has() -> None:
    rounds = [
        make_round(number, ratio, corpus=corpus, stratum=stratum)
        for number in range(8)
        for corpus, stratum, ratio in (
            ("books", "short", 1.0),
            ("books", "long", 4.0),  # books together: 2
            ("laws", "short", 8.0),
        )
    ]
    found = estimate(rounds)
    assert found is not None
    assert (found.ratio, found.lowest, found.highest) == pytest.approx((4.0, 2.0, 8.0))


def test_the_range_of_one_corpus_is_that_of_its_strata() -> None:
    rounds = [
        make_round(number, ratio, stratum=stratum)
        for number in range(8)
        for stratum, ratio in (("short", 1.0), ("long", 4.0))
    ]
    found = estimate(rounds)
    assert found is not None
    assert (found.ratio, found.lowest, found.highest) == pytest.approx((2.0, 1.0, 4.0))


def test_rounds_that_lack_a_stratum_are_left_out() -> None:
    rounds = [
        make_round(number, 2.0, stratum=stratum)
        for number in range(9)
        for stratum in ("short", "long")
    ]
    found = estimate(rounds[:-1])
    assert found is not None
    assert found.rounds == 8


@pytest.mark.parametrize(
    ("wall", "shown"), [(1.04, "2.00 (2.00–2.00)"), (0.5, "2.00 (2.00–2.00), wall 4.00")]
)
def test_wall_time_is_shown_where_threads_are_at_work(wall: float, shown: str) -> None:
    found = estimate(make_round(number, 2.0, wall=wall) for number in range(8))
    assert str(found) == shown


def test_rounds_of_two_splitters_have_no_one_ratio() -> None:
    rounds = [
        make_round(number, 2.0, splitter=name) for number in range(8) for name in ("one", "other")
    ]
    with pytest.raises(ValueError, match="no one ratio"):
        estimate(rounds)


@pytest.mark.parametrize("seconds", [0.0, math.inf, math.nan, -1.0])
def test_a_time_that_cannot_be_is_refused(seconds: float) -> None:
    times: Sequence[float] = [0.01] * 7
    with pytest.raises(ValueError, match="baseline_wall_second of books/segmenter/500 is"):
        Round(Workload("books", "segmenter", 500), "langchain", "short", 0, 1000, *times, seconds)


def test_an_estimate_is_a_value() -> None:
    assert Estimate(2, 1, 3, 1, 3, 2, 8) == Estimate(2, 1, 3, 1, 3, 2, 8)
