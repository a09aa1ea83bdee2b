"""What the gate decides on made-up rounds, and the simulations in small."""

import math
from collections.abc import Sequence

import numpy
import pytest

from harness.compare.decision import GATE_CYCLES, Decision, Speed, decide, reject
from harness.measure.timing import CYCLES
from tests.harness.compare import simulate

STRATA = 4


def answer(
    truth: Sequence[float], *, scatter: float = 0.01, drift: float = 0.01, rounds: int = 8
) -> Decision:
    """What is decided where each stratum takes so many times as long, scattered evenly."""
    offsets = [scatter * (number % 3 - 1) for number in range(rounds)]
    logs = [
        [math.log(each) + offsets[(n + s) % rounds] for s, each in enumerate(truth)]
        for n in range(rounds)
    ]
    return decide(logs, [drift * (1 + (n % 3 - 1) / 10) for n in range(rounds)], workloads=6)


@pytest.mark.parametrize(
    ("truth", "speed"),
    [
        ([1.0] * STRATA, Speed.FINE),
        ([1.02] * STRATA, Speed.FINE),
        ([1.3] * STRATA, Speed.SLOWER),
        ([2.0] * STRATA, Speed.SLOWER),
        ([0.7] * STRATA, Speed.FASTER),
        ([1.05] * STRATA, Speed.UNDECIDED),
    ],
)
def test_the_mean_decides(truth: Sequence[float], speed: Speed) -> None:
    assert answer(truth).speed is speed


def test_one_stratum_decides_though_the_mean_is_fine() -> None:
    decision = answer([2.0, 0.8, 0.8, 0.8])
    assert decision.mean.ratio == pytest.approx(2.0**0.25 * 0.8**0.75, rel=0.01)
    assert decision.speed is Speed.SLOWER
    assert list(decision.slower) == [0]


def test_a_doubling_on_a_noisy_machine_is_slower() -> None:
    noisy = answer([1.04] * STRATA, scatter=0.1, drift=0.2)
    assert noisy.noise > 1.05
    assert noisy.speed is Speed.NOISY
    assert answer([2.0] * STRATA, scatter=0.1, drift=0.2).speed is Speed.SLOWER


def test_an_interval_below_the_tolerance_is_an_answer_on_a_noisy_machine_too() -> None:
    assert answer([1.0] * STRATA, drift=0.2).speed is Speed.FINE
    assert answer([0.7] * STRATA, drift=0.2).speed is Speed.FASTER


def test_what_the_noise_may_explain_is_not_slower() -> None:
    assert answer([1.2] * STRATA, drift=0.2).speed is Speed.NOISY
    assert answer([1.2] * STRATA).speed is Speed.SLOWER


def test_a_wider_tolerance_holds_for_the_strata_too() -> None:
    logs = [[math.log(1.2) + 0.001 * (n % 3 - 1)] * STRATA for n in range(8)]
    drifts = [0.01 * (-1) ** n for n in range(8)]
    assert decide(logs, drifts, 1).speed is Speed.SLOWER
    assert decide(logs, drifts, 1, tolerance=1.3).speed is Speed.FINE
    assert Speed.FINE.describe(1.3) == "less than 30 % slower"
    assert Speed.FINE.describe() == str(Speed.FINE) == "less than 5 % slower"


def test_holm_gives_the_later_ones_more() -> None:
    # With 8 rounds Student's t has 7 degrees of freedom: p is 0.0125 at t = 2.84, 0.05 / 3 = 0.0167
    # at 2.64. The second stratum's t is 2.75, so it passes only after the first has.
    def stratum(t: float) -> list[float]:
        scatter = [1.0, -1.0] * 4  # error: sqrt(8 / 7) / sqrt(8) = 0.378
        return [t * 0.3779645 + each for each in scatter]

    def reject_all(*distances: float) -> list[bool]:
        found: list[bool] = reject(numpy.array([*map(stratum, distances)]).T, 0.0, 0.05).tolist()
        return found

    assert reject_all(3.5, 2.75, 0.0, 0.0) == [True, True, False, False]
    assert reject_all(2.75, 2.75, 0.0, 0.0) == [False] * 4
    assert reject_all(0.0, 2.75, 0.0, 3.5) == [False, True, False, True]


@pytest.mark.parametrize("cycles", [CYCLES, GATE_CYCLES])
@pytest.mark.parametrize("name", list(simulate.MODELS))
def test_intervals_hold_the_truth(name: str, cycles: int) -> None:
    """A nominal 95 % in 2,000 trials: less than 93.5 % would be a fault, not chance."""
    generator = numpy.random.default_rng(1)
    made = simulate.make_rounds(
        simulate.MODELS[name], 1.3, 2_000, generator, workloads=1, cycles=cycles
    )
    assert min(simulate.find_coverage(made, 1.3).values()) > 0.935


def test_that_splitters_share_a_baseline_changes_no_interval() -> None:
    """Only their errors are alike: those of two processes are mostly those of one of them."""
    found = simulate.find_shared(simulate.MODELS["quiet"], 500, numpy.random.default_rng(1))
    assert found.each == pytest.approx(0.95, abs=0.02)
    assert 0.35 < found.correlation < 0.55
    assert found.all_ > 0.95**simulate.SPLITTERS


@pytest.mark.parametrize(
    ("model", "what", "least", "most"),
    [
        ("quiet", "the same", 0.0, 0.01),
        ("quiet", "at the tolerance", 0.0, 0.015),
        ("quiet", "+6 % everywhere", 0.95, 1.0),
        ("quiet", "+15 % in one stratum", 0.9, 1.0),
        ("noisy", "at the tolerance", 0.0, 0.015),
        ("noisy", "twice as slow", 0.99, 1.0),
        ("heavy-tailed", "the same", 0.0, 0.01),
        ("shared", "the same", 0.0, 0.01),
    ],
)
def test_how_often_the_gate_says_slower(model: str, what: str, least: float, most: float) -> None:
    truth = simulate.list_truths()[what]
    generator = numpy.random.default_rng(1)
    found = simulate.find_answers(simulate.MODELS[model], truth, 400, generator)
    assert least <= found.slower <= most
