"""Tries intervals and the gate on made-up rounds: ``python -m tests.harness.compare.simulate``.

Rounds are made as ``harness.measure.rounds`` takes them. The time of a portion is what it costs,
times what its process has of good or bad luck (the layout of memory, the seed of hashes: another
one each round), times the machine's speed at that moment, times noise of its own. The models differ
in the last two. What is true is known, so it can be counted how often an interval holds it and how
often the gate answers rightly.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy

from harness.compare.decision import GATE_CYCLES, LOOKS, TOLERANCE, Weighed, weigh
from harness.measure.timing import CYCLES
from harness.report.markdown import render_table
from harness.report.tables import Column, Table, figures, show_count, words
from harness.report.terminal import print_table
from harness.results.estimates import CONFIDENCE, find_bounds

STRATA = 4
PORTIONS = 4  # of a stratum
WORKLOADS = 6
SPLITTERS = 7  # that share the baseline's process in a run
SEED = 1855
MARK = "<!-- simulated -->\n"
_TRIALS = 4_000
_AT_ONCE = 64  # trials, which takes memory


@dataclass(frozen=True, slots=True)
class Model:
    """How times scatter, as standard deviations of their logarithms; a portion is a millisecond.

    ``luck`` is of a process, ``noise`` of a portion. ``drift`` is by how much the machine slows
    down in all, ``wander`` how much its speed changes, of which a share ``memory`` lasts for a
    portion.
    A share ``spikes`` of the portions takes longer, by a factor whose logarithm is exponential with
    the mean ``height``. ``shared`` is by how much the machine is slower while somebody else uses
    it, which begins or ends with a probability of ``change`` at each portion.
    """

    luck: float = 0.005
    noise: float = 0.01
    drift: float = 0.0
    wander: float = 0.0
    memory: float = 0.0
    spikes: float = 0.0
    height: float = 0.0
    shared: float = 0.0
    change: float = 0.0


MODELS: Mapping[str, Model] = {
    "quiet": Model(),
    "noisy": Model(luck=0.015, noise=0.06),
    "drifting": Model(drift=0.5),
    "autocorrelated": Model(wander=0.02, memory=0.99),
    "heavy-tailed": Model(spikes=0.02, height=0.2),
    "shared": Model(shared=math.log(1.75), change=1 / 40),
}


@dataclass(frozen=True, slots=True)
class Rounds:
    """Made-up rounds.

    ``logs`` are of head's time divided by base's, with the axes trial, workload, round, stratum;
    ``drifts`` of base's second quickest turns divided by its quickest, without strata.
    """

    logs: Any
    drifts: Any


def make_rounds(
    model: Model,
    truth: Any,
    trials: int,
    generator: Any,
    *,
    rounds: range = range(LOOKS[-1]),
    workloads: int = WORKLOADS,
    cycles: int = GATE_CYCLES,
    luck: Any = None,
) -> Rounds:
    """Rounds in which head takes ``truth`` times as long as base: a factor, or one a stratum.

    ``cycles`` is how many turns each of them takes over a stratum in a round.
    ``luck`` is that of the base's processes, by trial and round, of its own if none is given.
    """
    logs, drifts = [], []
    for begin in range(0, trials, _AT_ONCE):
        size = min(_AT_ONCE, trials - begin)
        own = None if luck is None else luck[begin : begin + size]
        found = _make(model, (size, len(rounds), workloads, cycles), generator, rounds, own)
        logs.append(found[0])
        drifts.append(found[1])
    made = numpy.concatenate(logs) + numpy.log(truth)  # trial, round, workload, stratum
    return Rounds(numpy.moveaxis(made, 1, 2), numpy.moveaxis(numpy.concatenate(drifts), 1, 2))


def _make(
    model: Model, sizes: tuple[int, int, int, int], generator: Any, rounds: range, luck: Any
) -> tuple[Any, Any]:
    """A workload's strata are split in cycles of two turns, each in portions, one after another.

    ``sizes`` are the numbers of trials, rounds, workloads and cycles.
    """
    shape = (*sizes, STRATA, 2, PORTIONS)
    times = generator.standard_normal(shape, numpy.float32) * model.noise
    of_round = math.prod(shape[2:])
    times += _slow_down(model, shape[:2], of_round, generator, rounds).reshape(shape)
    if model.spikes:
        spikes = generator.random(shape, numpy.float32) < model.spikes
        times += spikes * generator.exponential(model.height, shape)
    # The order is A B, and B A in every other cycle and round.
    number = numpy.arange(sizes[-1])[:, None, None]
    ahead = (numpy.array(rounds)[:, None, None, None, None] + number) % 2 == 0
    head = _find_quickest(numpy.where(ahead, times[..., 0, :], times[..., 1, :]))
    base = _find_quickest(numpy.where(ahead, times[..., 1, :], times[..., 0, :]))
    lucky = generator.normal(0, model.luck, (2, *shape[:2]))
    if luck is not None:
        lucky[1] = luck
    logs = numpy.log(head.sum(-1) / base.sum(-1)) + (lucky[0] - lucky[1])[..., None, None]
    return logs, numpy.log(base[..., 1] / base[..., 0]).mean(-1)


def _slow_down(
    model: Model, shape: tuple[int, int], portions: int, generator: Any, rounds: range
) -> Any:
    """The logarithm of how slow the machine is, by trial, round and portion of the round."""
    from scipy.signal import lfilter

    steps = numpy.arange(portions) / portions + numpy.array(rounds)[:, None]
    slow = numpy.broadcast_to(steps * model.drift / LOOKS[-1], (*shape, portions))
    if model.wander:
        step = model.wander * math.sqrt(1 - model.memory**2)
        noise = generator.normal(0, step, (*shape, portions))
        noise[..., 0] = generator.normal(0, model.wander, shape)
        slow = slow + lfilter([1.0], [1.0, -model.memory], noise, axis=-1)
    if model.shared:
        changes = generator.random((*shape, portions), numpy.float32) < model.change
        changes[..., 0] = generator.random(shape) < 0.5
        slow = slow + model.shared * numpy.logical_xor.accumulate(changes, axis=-1)
    return slow


def _find_quickest(times: Any) -> Any:
    """The quickest turns over the portions of each stratum, and the second quickest, added up.

    ``times`` has the axes trial, round, workload, cycle, stratum, portion.
    """
    two = numpy.partition(times, 1, axis=3)[:, :, :, :2]
    return numpy.exp(two).sum(-1).swapaxes(3, 4)


def find_coverage(made: Rounds, truth: float) -> dict[int, float]:
    """By number of rounds, the share of intervals of a workload's mean that hold the truth."""
    return {rounds: float(_hold(made, truth, rounds).mean()) for rounds in LOOKS}


def _hold(made: Rounds, truth: float, rounds: int) -> Any:
    """By trial, whether the interval of the first workload's mean holds the truth."""
    centre, half = find_bounds(made.logs[:, 0, :rounds].mean(-1), (1 + CONFIDENCE) / 2)
    return numpy.abs(centre - math.log(truth)) <= half


@dataclass(frozen=True, slots=True)
class Shared:
    """What becomes of the intervals of splitters that share the baseline's process.

    ``each`` is the share of intervals that hold the truth, ``all_`` that of trials in which those
    of all splitters do, ``correlation`` that of the errors of two of them.
    """

    each: float
    all_: float
    correlation: float


def find_shared(model: Model, trials: int, generator: Any) -> Shared:
    """What becomes of the intervals of splitters whose baseline is one process in each round."""
    rounds = range(LOOKS[0])
    luck = generator.normal(0, model.luck, (trials, len(rounds)))
    made = [
        make_rounds(
            model, 1.0, trials, generator, rounds=rounds, workloads=1, cycles=CYCLES, luck=luck
        )
        for _ in range(SPLITTERS)
    ]
    held = numpy.array([_hold(each, 1.0, len(rounds)) for each in made])
    errors = numpy.array([each.logs.mean((1, 2, 3)) for each in made])
    others = ~numpy.eye(SPLITTERS, dtype=bool)
    return Shared(
        each=float(held.mean()),
        all_=float(held.all(0).mean()),
        correlation=float(numpy.corrcoef(errors)[others].mean()),
    )


@dataclass(frozen=True, slots=True)
class AnswerShares:
    """Shares of trials in which the gate said so, and the mean number of its rounds."""

    slower: float
    fine: float
    faster: float
    unknown: float
    rounds: float


def find_answers(model: Model, truth: Any, trials: int, generator: Any) -> AnswerShares:
    """What the gate answers, which stops once every workload is decided or one is slower."""
    shape = (trials, WORKLOADS)
    open_ = numpy.ones(shape, bool)
    slower, fine, faster = (numpy.zeros(shape, bool) for _ in range(3))
    made_logs = numpy.zeros((*shape, LOOKS[-1], STRATA))
    made_drifts = numpy.zeros((*shape, LOOKS[-1]))
    rounds = numpy.zeros(trials)
    done = 0
    for look in LOOKS:
        looking = numpy.flatnonzero(open_.any(-1) & ~slower.any(-1))
        if not looking.size:
            break
        made = make_rounds(model, truth, looking.size, generator, rounds=range(done, look))
        made_logs[looking, :, done:look] = made.logs
        made_drifts[looking, :, done:look] = made.drifts
        rounds[looking] = done = look
        logs, drifts = made_logs[looking, :, :look], made_drifts[looking, :, :look]
        found: Weighed = weigh(logs, drifts, WORKLOADS)
        still = open_[looking]
        slower[looking] |= found.slower & still
        fine[looking] |= found.fine & still
        faster[looking] |= found.faster & still
        open_[looking] = still & ~found.slower & ~found.fine
    any_slower = slower.any(-1)
    unknown = ~any_slower & open_.any(-1)
    known = ~any_slower & ~unknown
    all_faster = known & faster.all(-1)
    return AnswerShares(
        slower=float(any_slower.mean()),
        fine=float((known & ~all_faster).mean()),
        faster=float(all_faster.mean()),
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


def simulate(trials: int, seed: int) -> Iterator[Table]:
    """How often intervals hold the truth, those that share a baseline, and the gate's answers."""
    generator = numpy.random.default_rng(seed)
    covered, shared, answered = [], [], []
    for name, model in MODELS.items():
        for truth in (1.0, 1.3):
            for cycles in (CYCLES, GATE_CYCLES):
                made = make_rounds(model, truth, trials, generator, workloads=1, cycles=cycles)
                held = find_coverage(made, truth)
                covered.append({"model": name, "truth": truth, "turns": cycles, "held": held})
        shared.append({"model": name, "found": find_shared(model, trials, generator)})
        for what, truth in list_truths().items():
            found = find_answers(model, truth, trials, generator)
            answered.append({"model": name, "head": what, "answers": found})
    percent = "{:.1%}".format
    made_by = f"{show_count(trials)} trials per row, seed {seed}"
    # 1.96 standard errors of a share.
    of_coverage, of_alarms = (1.96 * math.sqrt(p * (1 - p) / trials) for p in (0.95, 0.005))
    yield Table(
        f"Intervals at {CONFIDENCE:.0%} that hold the truth",
        [
            words("noise", "model"),
            Column("truth", "truth"),
            figures("turns"),
            *(Column(f"{rounds} rounds", ("held", rounds), percent) for rounds in LOOKS),
        ],
        covered,
        [
            f"{made_by}: a share of 95 % is known to ±{of_coverage:.1%}. A report takes {CYCLES} "
            f"turns, the gate {GATE_CYCLES}."
        ],
    )
    yield Table(
        f"{SPLITTERS} splitters that share the baseline's process, {LOOKS[0]} rounds",
        [
            words("noise", "model"),
            Column("interval of one holds the truth", "found.each", percent),
            Column("those of all do", "found.all_", percent),
            Column("correlation of errors", "found.correlation", "{:.2f}".format),
        ],
        shared,
        [
            f"{made_by}. If the errors were independent, those of all would hold in "
            f"{CONFIDENCE**SPLITTERS:.1%}."
        ],
    )
    yield Table(
        "Answers of the gate",
        [
            words("noise", "model"),
            words("head"),
            Column("slower", "answers.slower", percent),
            Column("less than 5 % slower", "answers.fine", percent),
            Column("faster", "answers.faster", percent),
            Column("cannot tell", "answers.unknown", percent),
            Column("rounds", "answers.rounds", "{:.1f}".format),
        ],
        answered,
        [
            f"{made_by}, of {WORKLOADS} workloads of {STRATA} strata: a share of 0.5 % is known to "
            f"±{of_alarms:.1%}."
        ],
        names=2,
    )


@click.command()
@click.option("--trials", type=click.IntRange(min=10), default=_TRIALS, show_default=True)
@click.option("--seed", type=int, default=SEED, show_default=True)
@click.option(
    "--write",
    "page",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help=f"Page that has two lines {MARK.strip()}, between which the tables go.",
)
def main(trials: int, seed: int, page: Path | None) -> None:
    """Print how often intervals hold the truth, and what the gate answers."""
    from rich.console import Console

    tables = []
    for table in simulate(trials, seed):
        print_table(table, Console(width=150))
        tables.append(table)
    if page is not None:
        before, _, after = page.read_text(encoding="utf-8").split(MARK)
        shown = "\n".join(f"{each.title}:\n\n{render_table(each)}" for each in tables)
        page.write_text(f"{before}{MARK}\n{shown}\n{MARK}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
