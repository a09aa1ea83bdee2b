"""Tries intervals and the gate on made-up rounds: ``python -m tests.harness.compare.simulate``.

The time of a turn is what its stratum costs, times what its process has of good or bad luck (the
layout of memory, the seed of hashes: another one each round), times the machine's speed at that
moment, times noise of its own. The models differ in the last two. What is true is known, so it can
be counted how often an interval holds it and how often the gate answers rightly.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click
import numpy

from harness.compare.decision import LOOKS, TOLERANCE, Weighed, weigh
from harness.report.tables import Column, Table, show_count, words
from harness.report.terminal import print_table
from harness.results.estimates import CONFIDENCE, find_bounds

STRATA = 4
WORKLOADS = 6
_TRIALS = 4_000
SEED = 1855


@dataclass(frozen=True, slots=True)
class Model:
    """How times scatter, as standard deviations of their logarithms.

    ``luck`` is of a process, ``noise`` of a turn. ``drift`` is by how much the machine slows down
    in all, ``wander`` how much its speed changes from turn to turn, of which a share ``memory``
    lasts into the next. A share ``spikes`` of the turns takes longer, by a factor whose logarithm
    is exponential with the mean ``height``.
    """

    luck: float = 0.005
    noise: float = 0.01
    drift: float = 0.0
    wander: float = 0.0
    memory: float = 0.0
    spikes: float = 0.0
    height: float = 0.0


MODELS: Mapping[str, Model] = {
    "quiet": Model(),
    "noisy": Model(luck=0.015, noise=0.06),
    "drifting": Model(drift=0.5),
    "autocorrelated": Model(wander=0.02, memory=0.95),
    "heavy-tailed": Model(spikes=0.02, height=0.2),
}


@dataclass(frozen=True, slots=True)
class Rounds:
    """Made-up rounds.

    ``logs`` are of head's time divided by base's, with the axes trial, workload, round, stratum;
    ``drifts`` of base's second turns divided by its first, without strata.
    """

    logs: Any
    drifts: Any


def make_rounds(model: Model, truth: Any, trials: int, generator: Any) -> Rounds:
    """Rounds in which head takes ``truth`` times as long as base: a factor, or one a stratum."""
    rounds = max(LOOKS)
    shape = (trials, rounds, WORKLOADS, STRATA, 4)  # turns last, in the order of time
    times = generator.normal(0, model.noise, shape)
    if model.wander:
        times += _wander(model, shape, generator)
    if model.drift:
        turns = math.prod(shape[1:])
        times += numpy.linspace(0, model.drift, turns).reshape(shape[1:])
    if model.spikes:
        spikes = generator.random(shape) < model.spikes
        times += spikes * generator.exponential(model.height, shape)
    # Odd rounds begin with the other side.
    first = numpy.arange(rounds) % 2 == 0
    outer = times[..., [0, 3]]
    inner = times[..., [1, 2]]
    swap = first[None, :, None, None, None]
    base = numpy.exp(numpy.where(swap, inner, outer))
    head = numpy.exp(numpy.where(swap, outer, inner))
    luck = generator.normal(0, model.luck, (2, trials, rounds, 1, 1))
    logs = numpy.log(head.sum(-1) / base.sum(-1)) + numpy.log(truth) + luck[0] - luck[1]
    drifts = numpy.log(base[..., 1] / base[..., 0]).mean(-1)
    return Rounds(numpy.moveaxis(logs, 1, 2), numpy.moveaxis(drifts, 1, 2))


def _wander(model: Model, shape: Sequence[int], generator: Any) -> Any:
    from scipy.signal import lfilter

    turns = math.prod(shape[1:])
    steps = generator.normal(0, model.wander * math.sqrt(1 - model.memory**2), (shape[0], turns))
    return lfilter([1.0], [1.0, -model.memory], steps, axis=-1).reshape(shape)


def find_coverage(made: Rounds, truth: float) -> dict[int, float]:
    """By number of rounds, the share of intervals of a workload's mean that hold the truth."""
    shares = {}
    for rounds in LOOKS:
        means = made.logs[:, 0, :rounds].mean(-1)
        centre, half = find_bounds(means, (1 + CONFIDENCE) / 2)
        shares[rounds] = float((numpy.abs(centre - math.log(truth)) <= half).mean())
    return shares


@dataclass(frozen=True, slots=True)
class AnswerShares:
    """Shares of trials in which the gate said so, and the mean number of its rounds."""

    slower: float
    fine: float
    faster: float
    unknown: float
    rounds: float


def find_answers(made: Rounds) -> AnswerShares:
    """What the gate answers, which stops once every workload is decided or one is slower."""
    trials, workloads = made.logs.shape[:2]
    open_ = numpy.ones((trials, workloads), bool)
    slower, fine, faster = (numpy.zeros((trials, workloads), bool) for _ in range(3))
    rounds = numpy.zeros(trials)
    for look in LOOKS:
        looking = open_.any(-1)
        rounds[looking] = look
        found: Weighed = weigh(made.logs[:, :, :look], made.drifts[:, :, :look], workloads)
        for kept, now in ((slower, found.slower), (fine, found.fine), (faster, found.faster)):
            kept |= now & open_ & (~found.faster if kept is fine else True)
        open_ &= ~(found.slower | found.fine)
    any_slower = slower.any(-1)
    unknown = ~any_slower & open_.any(-1)
    known = ~any_slower & ~unknown
    any_faster = known & faster.any(-1)
    return AnswerShares(
        slower=float(any_slower.mean()),
        fine=float((known & ~any_faster).mean()),
        faster=float(any_faster.mean()),
        unknown=float(unknown.mean()),
        rounds=float(rounds.mean()),
    )


def list_truths() -> Mapping[str, Any]:
    """What head takes, by name: a factor, or one a stratum and workload."""
    one = numpy.ones((WORKLOADS, STRATA))
    one[0, 0] = 1.15
    return {
        "the same": 1.0,
        "at the tolerance": TOLERANCE,
        "+6 % everywhere": 1.06,
        "+15 % in one stratum": one,
        "-15 % everywhere": 0.85,
        "twice as slow": 2.0,
    }


@click.command()
@click.option("--trials", type=click.IntRange(min=10), default=_TRIALS, show_default=True)
@click.option("--seed", type=int, default=SEED, show_default=True)
def main(trials: int, seed: int) -> None:
    """Print how often intervals hold the truth, and what the gate answers."""
    from rich.console import Console

    generator = numpy.random.default_rng(seed)
    covered, answered = [], []
    for name, model in MODELS.items():
        for truth in (1.0, 1.3):
            shares = find_coverage(make_rounds(model, truth, trials, generator), truth)
            covered.append({"model": name, "truth": truth, "held": shares})
        for what, truth in list_truths().items():
            found = find_answers(make_rounds(model, truth, trials, generator))
            answered.append({"model": name, "head": what, "answers": found})
    percent = "{:.1%}".format
    console = Console(width=150)
    for table in (
        Table(
            f"Intervals at {CONFIDENCE:.0%} that hold the truth",
            [
                words("rounds of turns", "model"),
                Column("truth", "truth"),
                *(Column(f"{rounds} rounds", ("held", rounds), percent) for rounds in LOOKS),
            ],
            covered,
            [f"{show_count(trials)} trials a row, seed {seed}."],
        ),
        Table(
            "Answers of the gate",
            [
                words("rounds of turns", "model"),
                words("head"),
                Column("slower", "answers.slower", percent),
                Column("less than 5 % slower", "answers.fine", percent),
                Column("faster", "answers.faster", percent),
                Column("cannot tell", "answers.unknown", percent),
                Column("rounds", "answers.rounds", "{:.1f}".format),
            ],
            answered,
            [f"{show_count(trials)} trials a row of {WORKLOADS} workloads, seed {seed}."],
            names=2,
        ),
    ):
        print_table(table, console)


if __name__ == "__main__":
    main()
