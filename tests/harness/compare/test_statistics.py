"""The decision on speed, on ratios of which the right answer is known."""

import math
import random
from collections.abc import Callable

import pytest

from harness.compare import statistics
from harness.compare.statistics import (
    Interval,
    Speed,
    decide_speed,
    estimate_ratio,
    estimate_unpaired_ratio,
)

QUIET = Interval(1.0, 0.99, 1.01)


@pytest.mark.parametrize(
    ("ratio", "floor", "speed"),
    [
        (Interval(1.10, 1.06, 1.14), QUIET, Speed.SLOWER),
        (Interval(1.10, 1.04, 1.14), QUIET, Speed.UNDECIDED),
        (Interval(1.02, 1.00, 1.04), QUIET, Speed.FINE),
        (Interval(1.02, 1.00, 1.06), QUIET, Speed.UNDECIDED),
        (Interval(0.97, 0.94, 0.99), QUIET, Speed.FINE),
        (Interval(0.90, 0.85, 0.95), QUIET, Speed.FASTER),
        (Interval(1.50, 1.40, 1.60), Interval(1.0, 0.99, 1.06), Speed.NOISY),
        (Interval(1.50, 1.40, 1.60), Interval(1.0, 0.94, 1.01), Speed.NOISY),  # 1 / 0.94 > 1.05
        (Interval(0.50, 0.40, 0.60), Interval(1.2, 1.1, 1.3), Speed.NOISY),
    ],
)
def test_an_interval_and_a_floor_give_an_answer(
    ratio: Interval, floor: Interval, speed: Speed
) -> None:
    assert decide_speed(ratio, floor, 1.05) is speed


def test_only_an_answer_is_decided() -> None:
    assert [speed for speed in Speed if speed.decided] == [Speed.SLOWER, Speed.FASTER, Speed.FINE]


def test_the_tolerance_is_a_choice() -> None:
    assert decide_speed(Interval(1.10, 1.08, 1.12), QUIET, 1.2) is Speed.FINE


def test_rounds_that_agree_leave_no_doubt() -> None:
    assert estimate_ratio([[1.1, 1.1]] * 5) == Interval(
        *[pytest.approx(1.1)] * 3  # type: ignore[arg-type]
    )


def test_parts_count_for_their_share_of_the_work() -> None:
    """What doubles the time of a tenth of the work makes it 1.1 times as much."""
    assert estimate_ratio([[1.0, 2.0]] * 5, [9.0, 1.0]).ratio == pytest.approx(1.1)


def test_a_disturbed_round_moves_nothing() -> None:
    calm = [[1.0 + n / 1000] for n in range(-4, 5)]
    disturbed = [*calm[:-1], [9.0]]
    assert estimate_ratio(disturbed).ratio == estimate_ratio(calm).ratio == 1.0


def test_the_same_ratios_give_the_same_interval() -> None:
    ratios = [[1.0 + n / 100] for n in range(8)]
    assert estimate_ratio(ratios) == estimate_ratio(ratios)


def test_more_rounds_narrow_the_interval() -> None:
    noise = random.Random(1)
    ratios = [[noise.gauss(1, 0.05)] for _ in range(64)]
    few, many = estimate_ratio(ratios[:8]), estimate_ratio(ratios)
    assert many.high - many.low < (few.high - few.low) / 1.5


def test_too_few_rounds_are_refused() -> None:
    with pytest.raises(ValueError, match="4 rounds"):
        estimate_ratio([[1.0]] * 4)
    with pytest.raises(ValueError, match="4 values"):
        estimate_unpaired_ratio([1.0] * 9, [1.0] * 4)


def gauss(noise: random.Random) -> float:
    return noise.gauss(0, 0.03)


def mostly_calm(noise: random.Random) -> float:
    """One turn in five is disturbed by up to a factor of two, to either side."""
    return noise.gauss(0, 0.01) + (noise.uniform(-0.7, 0.7) if noise.random() < 0.2 else 0)


@pytest.mark.parametrize("spread", [gauss, mostly_calm])
def test_the_truth_is_rarely_left_out(
    spread: Callable[[random.Random], float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """100 comparisons of eight rounds of eight blocks, true ratio 1.05, interval of 99 %."""
    monkeypatch.setattr(statistics, "_RESAMPLES", 999)
    noise = random.Random(3)
    above = below = 0
    for _ in range(100):
        of_round = [noise.gauss(0, 0.01) for _ in range(8)]
        ratios = [[1.05 * math.exp(one + spread(noise)) for _ in range(8)] for one in of_round]
        interval = estimate_ratio(ratios)
        above += interval.low > 1.05
        below += interval.high < 1.05
    assert above <= 4
    assert below <= 4


def test_values_that_were_not_paired_have_a_ratio_of_medians() -> None:
    base, head = [1.0, 1.1, 0.9, 1.0, 5.0], [2.0, 2.1, 1.9, 2.0, 2.0]
    interval = estimate_unpaired_ratio(base, head)
    assert interval.ratio == 2.0
    assert interval.low < 2.0 <= interval.high
