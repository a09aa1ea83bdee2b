"""Rounds of turns: the one way in which anything here is timed.

In a round every splitter and their baseline have a fresh process each, on the same core, the next
core in the next round, with the same seed of hashes, another one in the next round. All processes
are loaded before anything is timed. Then one splitter after the other takes turns with the baseline
over the strata of documents: A B over one stratum after the other, then B A over each, and so on;
odd rounds begin with B A. What differs between processes differs between rounds, which are
the replicates.

A turn is a pass over a stratum, timed in portions of about PORTION_SECONDS. Of each portion the two
quickest times of a round are kept: what else the machine does, and what happens seldom, such as a
full collection of garbage, makes a turn slower and never quicker. On a core that shares its units
with somebody else's, the speed changes by a factor of 1.7 many times a second.
"""

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from harness.measure.strata import Stratum
from harness.results.model import Round, Workload
from harness.runner.executor import call_all, list_cores
from harness.runner.process import TIMED_OUT, Loadable, SplitterError, SplitterProcess, Turn

PORTION_SECONDS = 0.001
_CYCLES_SECONDS = 0.24  # that all cycles over a stratum may take, if two do not take longer
_MOST_PASSES = 10_000
# Times are known to a hundredth at best. Wall-clock time only has to tell whether it differs from
# CPU time by a twentieth. More digits would make files longer, and figures no better.
_CPU_DIGITS, _WALL_DIGITS = 5, 3
_ALIKE = 2.0  # sides whose speeds differ by less are timed in the same way


class Opener(Protocol):
    """Starts a process of a side, with a seed of hashes; it ends with the block."""

    def __call__(self, side: Loadable, *, seed: int) -> AbstractContextManager[SplitterProcess]:
        """The process, which ends with the block."""


@contextlib.contextmanager
def open_process(side: Loadable, *, seed: int, timeout: float) -> Iterator[SplitterProcess]:
    """A fresh process of a splitter, with the variables of this one."""
    process = SplitterProcess(side, timeout=timeout, seed=seed)
    try:
        yield process
    finally:
        process.close()


@dataclass(frozen=True, slots=True)
class Task:
    """What a splitter and its baseline split in a round: the strata of a corpus, at one limit."""

    corpus: str
    max_chunk_length: int
    strata: Sequence[Stratum]


class SideError(Exception):
    """A contender or its baseline failed at a task; ``side`` names who, ``error`` tells how."""

    def __init__(self, contender: str, side: str, task: Task, error: SplitterError) -> None:
        super().__init__(f"{side}: {error}")
        self.contender = contender
        self.side = side
        self.task = task
        self.error = error


@dataclass(frozen=True, slots=True)
class _Side:
    """A splitter and its part: the only splitter of a run is its own baseline."""

    splitter: Loadable
    baseline: bool

    @property
    def key(self) -> tuple[str, bool]:
        return self.splitter.name, self.baseline


@dataclass(slots=True)
class _Known:
    """What a side gave for a stratum, and the CPU seconds of its quickest pass so far."""

    digest: str
    seconds: float


@dataclass(slots=True)
class _Plan:
    """How a pair splits a stratum in a round, and each side's turns so far.

    ``portions`` and ``passes`` are those of each side, ``cycles`` how many turns each takes.
    """

    stratum: Stratum
    portions: Sequence[int]
    passes: Sequence[int]
    cycles: int
    turns: tuple[list[Turn], list[Turn]] = field(default_factory=lambda: ([], []))


class Group:
    """Splitters that take turns with one baseline, one of them after the other.

    It remembers what each gave for each stratum: segments that differ from those of an earlier
    round are an error. ``expect`` tells what was verified before. In a round, each side takes up to
    ``cycles`` turns over a stratum.
    """

    def __init__(
        self,
        contenders: Iterable[Loadable],
        baseline: Loadable,
        start: Opener,
        *,
        cycles: int,
    ) -> None:
        self._contenders = [_Side(each, baseline=False) for each in contenders]
        self._baseline = _Side(baseline, baseline=True)
        self._start = start
        self._cycles = cycles
        self._cores = list_cores()
        self._known: dict[_Place, _Known] = {}

    def expect(
        self, splitter: Loadable, task: Task, stratum: Stratum, done: Turn, *, baseline: bool
    ) -> None:
        """Let the turns of a contender, or of the baseline, give what this one gave, or fail."""
        place = _place(_Side(splitter, baseline), task, stratum)
        self._known[place] = _Known(done.digest, sum(done.cpu_seconds))

    def make_round(
        self, number: int, tasks: Mapping[str, Iterable[Task]]
    ) -> Iterator[Round | SideError]:
        """The rounds of each contender's tasks, one for each stratum, or who failed at the task.

        When a time limit was exceeded, the contender's other tasks are left out.
        """
        pending = {name: given for name, each in tasks.items() if (given := list(each))}
        contenders = [each for each in self._contenders if each.splitter.name in pending]
        if not contenders:
            return
        core = self._cores[number % len(self._cores)]
        first = pending[contenders[0].splitter.name][0]
        with contextlib.ExitStack() as stack:
            processes = _Processes(self._start, number, core, stack)
            processes.load_all([*contenders, self._baseline], first.max_chunk_length)
            for place in range(len(contenders)):
                # The baseline's process grows older, so another one begins in the next round.
                contender = contenders[(place + number) % len(contenders)]
                for task in pending[contender.splitter.name]:
                    done = self._make_rounds(number, contender, task, processes)
                    if not isinstance(done, SideError):
                        yield from done
                        continue
                    yield done
                    if done.error.status == TIMED_OUT:
                        break

    def _make_rounds(
        self, number: int, contender: _Side, task: Task, processes: "_Processes"
    ) -> "list[Round] | SideError":
        pair = (contender, self._baseline)
        acting = contender
        try:
            for acting in pair:
                processes.load(acting, task.max_chunk_length)
            plans = []
            for stratum in task.strata:
                for acting in pair:
                    if _place(acting, task, stratum) not in self._known:
                        self._take(processes, acting, task, stratum, 1, 1)
                known = [self._known[_place(each, task, stratum)].seconds for each in pair]
                plans.append(_plan(stratum, known, self._cycles))
            # The turns over a stratum are far apart: no disturbance lasts for all of them.
            for cycle in range(max(plan.cycles for plan in plans)):
                for plan in plans:
                    if cycle >= plan.cycles:
                        continue
                    for at in (0, 1) if (number + cycle) % 2 == 0 else (1, 0):
                        acting = pair[at]
                        taken = self._take(
                            processes,
                            acting,
                            task,
                            plan.stratum,
                            plan.portions[at],
                            plan.passes[at],
                        )
                        plan.turns[at].append(taken)
            acting = contender
            return [self._record(number, contender, task, plan) for plan in plans]
        except SplitterError as error:
            return SideError(contender.splitter.name, acting.splitter.name, task, error)

    def _take(
        self,
        processes: "_Processes",
        side: _Side,
        task: Task,
        stratum: Stratum,
        portions: int,
        passes: int,
    ) -> Turn:
        process = processes.find(side)
        done = process.take_turn(stratum.spool, portions=portions, passes=passes)
        seconds = sum(done.cpu_seconds)
        known = self._known.setdefault(_place(side, task, stratum), _Known(done.digest, seconds))
        if known.digest != done.digest:
            process.close()
            raise SplitterError("changed", "its segments are not those that it gave before")
        known.seconds = min(known.seconds, seconds)
        return done

    def _record(self, number: int, contender: _Side, task: Task, plan: _Plan) -> Round:
        seconds: list[float] = []
        for turns in plan.turns:
            seconds += _find_quickest([turn.cpu_seconds for turn in turns], _CPU_DIGITS)
            seconds += _find_quickest([turn.seconds for turn in turns], _WALL_DIGITS)
        try:
            return Round(
                Workload(task.corpus, contender.splitter.name, task.max_chunk_length),
                self._baseline.splitter.name,
                plan.stratum.name,
                number,
                plan.stratum.code_points,
                *seconds,
            )
        except ValueError as error:  # no time at all
            raise SplitterError("failed", f"the clock is too coarse for it: {error}") from error


class _Processes:
    """The processes of a round, one for each side; one that is gone is started again."""

    def __init__(self, start: Opener, number: int, core: int, until: contextlib.ExitStack) -> None:
        self._start = start
        self._number = number
        self._core = core
        self._until = until
        self._running: dict[tuple[str, bool], SplitterProcess] = {}
        self._failed: dict[tuple[str, bool], SplitterError] = {}

    def load_all(self, sides: Iterable[_Side], max_chunk_length: int) -> None:
        """Load all sides, as many at once as there are cores: to import takes longer than a turn.

        Who fails is told by ``load``.
        """
        opened = []
        for side in sides:
            try:
                opened.append((side, self._open(side)))
            except SplitterError as error:
                self._failed[side.key] = error
        loading = call_all(
            [partial(self._prepare, process, max_chunk_length) for _, process in opened],
            stop=self._close_all,
        )
        for (side, _), each in zip(opened, loading, strict=True):
            try:
                each.result()
            except SplitterError as error:
                self._failed[side.key] = error

    def load(self, side: _Side, max_chunk_length: int) -> None:
        """Load a side for a limit. Raises SplitterError."""
        if error := self._failed.pop(side.key, None):
            raise error
        process = self._running.get(side.key)
        if process is None or process.closed:
            self._prepare(self._open(side), max_chunk_length)
        else:
            process.load(max_chunk_length)

    def find(self, side: _Side) -> SplitterProcess:
        """The process of a side that is loaded."""
        return self._running[side.key]

    def _open(self, side: _Side) -> SplitterProcess:
        process = self._until.enter_context(self._start(side.splitter, seed=self._number))
        self._running[side.key] = process
        return process

    def _close_all(self) -> None:
        for process in self._running.values():
            process.close()

    def _prepare(self, process: SplitterProcess, max_chunk_length: int) -> None:
        process.load(max_chunk_length)
        process.keep_on_core(self._core)  # after it has imported, which any core may do


_Place = tuple[tuple[str, bool], str, int, str]


def _place(side: _Side, task: Task, stratum: Stratum) -> _Place:
    return side.key, task.corpus, task.max_chunk_length, stratum.name


def _plan(stratum: Stratum, seconds: Sequence[float], most: int) -> _Plan:
    """Plan up to ``most`` turns of two sides, given the seconds of one pass of each."""
    seconds = [max(each, 1e-9) for each in seconds]
    passes = [min(_MOST_PASSES, max(1, round(PORTION_SECONDS / each))) for each in seconds]
    portions = [max(1, round(each / PORTION_SECONDS)) for each in seconds]
    if max(seconds) < _ALIKE * min(seconds):  # one of more would have a quicker quickest
        passes, portions = [min(passes)] * 2, [max(portions)] * 2
    cycle = sum(each * times for each, times in zip(seconds, passes, strict=True))
    cycles = min(most, max(2, 2 * round(_CYCLES_SECONDS / cycle / 2)))  # as many A B as B A
    return _Plan(stratum, portions, passes, cycles)


def _find_quickest(turns: Sequence[Sequence[float]], digits: int) -> list[float]:
    """The seconds of the stratum as the quickest turn over each portion has it, and the second."""
    ordered = [sorted(portion) for portion in zip(*turns, strict=True)]
    return [float(f"{sum(each[place] for each in ordered):.{digits}g}") for place in (0, 1)]
