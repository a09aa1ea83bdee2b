"""Paired differences and what chance makes of them."""

from collections.abc import Sequence

import numpy
import pytest

from harness.retrieval.differences import PairedDifference, estimate_differences


def estimate_difference(values: Sequence[float], others: Sequence[float]) -> PairedDifference:
    (found,) = estimate_differences([(values, others)])
    return found


def test_the_mean_is_that_of_the_pairs() -> None:
    found = estimate_difference([1.0, 0.5, 0.0, 1.0], [0.0, 0.5, 1.0, 0.5])
    assert found.mean == pytest.approx((1 + 0 - 1 + 0.5) / 4)
    assert found.low <= found.mean <= found.high
    assert not found.beyond_chance


def test_the_same_values_give_the_same_interval() -> None:
    values = numpy.random.default_rng(3).random(200).tolist()
    others = numpy.random.default_rng(4).random(200).tolist()
    assert estimate_difference(values, others) == estimate_difference(values, others)


def test_the_interval_is_that_of_the_normal_law_for_many_pairs() -> None:
    paired = numpy.random.default_rng(5).normal(0.1, 0.5, 2_000)
    found = estimate_difference(paired.tolist(), [0.0] * 2_000)
    error = paired.std(ddof=1) / numpy.sqrt(2_000)
    assert found.low == pytest.approx(paired.mean() - 1.96 * error, abs=0.1 * error)
    assert found.high == pytest.approx(paired.mean() + 1.96 * error, abs=0.1 * error)
    assert found.beyond_chance


@pytest.mark.parametrize("difference", [0.0, 0.25])
def test_pairs_that_all_differ_alike_leave_nothing_to_chance(difference: float) -> None:
    found = estimate_difference([0.5 + difference] * 9, [0.5] * 9)
    assert found == PairedDifference(difference, difference, difference)
    assert found.beyond_chance is (difference != 0)


def test_what_cannot_be_paired_is_refused() -> None:
    for values, others in (([1.0], [1.0, 2.0]), ([], [])):
        with pytest.raises(ValueError, match="cannot be paired"):
            estimate_difference(values, others)


def test_pairs_are_estimated_together_as_they_are_alone() -> None:
    generator = numpy.random.default_rng(6)
    pairs = [(generator.random(50).tolist(), generator.random(50).tolist()) for _ in range(7)]
    together = estimate_differences(pairs)
    for pair, found in zip(pairs, together, strict=True):
        alone = estimate_difference(*pair)
        for name in ("mean", "low", "high"):
            assert getattr(found, name) == pytest.approx(getattr(alone, name), abs=1e-12)
    assert estimate_differences([]) == []
