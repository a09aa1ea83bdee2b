"""Rounds of turns: base, head, and base again as the noise floor.

A round starts three fresh processes. In it the sides take turns over one block of documents after
the other, head, base, base again, and then in the reverse order: next to each other in time are
always a turn of head and one of base, and what drifts meets both alike. They share one core, the
next one in the next round: what else runs, on that core or on its twin, meets both alike too. What
counts is the CPU time of a turn: a splitter waits for nothing, so time in which its process did
not run is that of other programs.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from statistics import median

from harness.compare.checkouts import Checkout
from harness.compare.documents import Blocks
from harness.compare.sides import Side, start_side
from harness.compare.statistics import (
    ROUNDS_AT_LEAST,
    TOLERANCE,
    Interval,
    Speed,
    decide_speed,
    estimate_ratio,
)
from harness.results.errors import MeasurementError
from harness.runner.executor import list_cores

FIRST_ROUNDS = 8
MOST_ROUNDS = 64
PATIENCE = 140.0  # seconds

HEAD, BASE, AGAIN = "head", "base", "base again"
SIDES = (HEAD, BASE, AGAIN)


@dataclass(frozen=True, slots=True)
class Turn:
    """One side once over one block: CPU seconds, and those that went by."""

    cpu_seconds: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Round:
    """The turns of every side, block by block, in each of them as often as it was repeated."""

    turns: Mapping[str, Sequence[Sequence[Turn]]]

    def seconds(self, side: str) -> list[float]:
        """CPU seconds of one turn over each block, the median of its repeats."""
        return [median(turn.cpu_seconds for turn in block) for block in self.turns[side]]

    def ratios(self, side: str) -> list[float]:
        """By block, the median ratio of the side's turns to those of base next to them."""
        return [
            median(one.cpu_seconds / other.cpu_seconds for one, other in zip(*pair, strict=True))
            for pair in zip(self.turns[side], self.turns[BASE], strict=True)
        ]


@dataclass(frozen=True, slots=True)
class Measured:
    """The rounds of one corpus at one limit, and what they mean."""

    corpus: str
    max_chunk_length: int
    blocks: Blocks
    rounds: list[Round] = field(default_factory=list)
    ratio: Interval | None = None
    floor: Interval | None = None
    speed: Speed = Speed.UNDECIDED

    def judge(self, tolerance: float) -> "Measured":
        """With the ratio of head to base, that of base to base, and what they mean."""
        every = [each.seconds(BASE) for each in self.rounds]
        weights = [median(block) for block in zip(*every, strict=True)]
        ratio, floor = (
            estimate_ratio([each.ratios(side) for each in self.rounds], weights)
            for side in (HEAD, AGAIN)
        )
        speed = decide_speed(ratio, floor, tolerance)
        return replace(self, ratio=ratio, floor=floor, speed=speed)


def measure(
    base: Checkout,
    head: Checkout,
    workloads: Sequence[Measured],
    *,
    tolerance: float = TOLERANCE,
    patience: float = PATIENCE,
    begin: Callable[[str], None],
    advance: Callable[[int], None],
) -> list[Measured]:
    """Measure workloads, of which none has a round yet, until each is decided.

    After the first rounds, those that are not are measured for as many again, and so on, up to
    MOST_ROUNDS and as long as ``patience`` lasts, in seconds; ROUNDS_AT_LEAST are made anyway.
    Raises MeasurementError where a version fails, or gives segments that it did not give before.
    """
    began = time.monotonic()
    turns = _Turns(base, head, advance)
    measured = list(workloads)
    planned, done, longest = FIRST_ROUNDS, 0, 0.0
    while True:
        pending = [each for each in measured if not each.speed.decided]
        begin(f"rounds {done + 1} to {planned}")
        for number in range(done, planned):
            started = time.monotonic()
            if done >= ROUNDS_AT_LEAST and started - began + longest > patience:
                break
            turns.make_round(number, pending)
            longest = max(longest, time.monotonic() - started)
            done += 1
        measured = [each if each.speed.decided else each.judge(tolerance) for each in measured]
        if done < planned or planned == MOST_ROUNDS or all(e.speed.decided for e in measured):
            return measured
        planned = min(2 * planned, MOST_ROUNDS)


class _Turns:
    """Makes rounds, and remembers which segments each version gave for each block."""

    def __init__(self, base: Checkout, head: Checkout, advance: Callable[[int], None]) -> None:
        self._checkouts = {HEAD: head, BASE: base, AGAIN: base}
        self._digests: dict[tuple[bool, str, int, int], str] = {}
        self._cores = list_cores()
        self._advance = advance

    def make_round(self, number: int, workloads: Sequence[Measured]) -> None:
        """Add a round to each workload."""
        core = self._cores[number % len(self._cores)]
        with ExitStack() as stack:
            processes = {
                side: stack.enter_context(start_side(checkout, seed=number, core=core))
                for side, checkout in self._checkouts.items()
            }
            for workload in workloads:
                for side, process in processes.items():
                    process.load(workload.max_chunk_length)
                    self._take(side, process, workload, 0)  # warm-up
                workload.rounds.append(self._take_turns(processes, workload))

    def _take_turns(self, processes: Mapping[str, Side], workload: Measured) -> Round:
        blocks = range(len(workload.blocks.spools))
        turns: dict[str, list[list[Turn]]] = {side: [[] for _ in blocks] for side in SIDES}
        order = list(SIDES)
        for _ in range(workload.blocks.repeats):
            for block in blocks:
                for side in order:
                    turn = self._take(side, processes[side], workload, block)
                    turns[side][block].append(turn)
                order.reverse()
        return Round(turns)

    def _take(self, side: str, process: Side, workload: Measured, block: int) -> Turn:
        done = process.run_pass(workload.blocks.spools[block], self._advance)
        checkout = self._checkouts[side]
        key = (side == HEAD, workload.corpus, workload.max_chunk_length, block)
        if not done.cpu_seconds:
            raise MeasurementError(
                f"{workload.corpus} is too short for this machine's clock; give a longer --corpus"
            )
        if self._digests.setdefault(key, done.digest) != done.digest:
            raise MeasurementError(
                f"{checkout.name} does not give the same segments every time "
                f"({workload.corpus} at {workload.max_chunk_length}), so it is not timed"
            )
        return Turn(done.cpu_seconds, done.seconds)
