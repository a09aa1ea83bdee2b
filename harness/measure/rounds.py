"""Rounds of turns: the one way in which anything here is timed.

In a round a splitter and its baseline each have a fresh process on the same core, the next core in
the next round, with the same seed of hashes, another one in the next round. They take turns over
one stratum of documents after the other: A B B A, and B A A B in odd rounds. What drifts meets both
alike; what differs between processes differs between rounds, which are the replicates. A turn takes
about TURN_SECONDS, however many passes over the stratum that is.
"""

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from harness.measure.strata import TURN_SECONDS, Stratum
from harness.results.model import Round, Workload
from harness.runner.executor import list_cores
from harness.runner.process import Loadable, Pass, SplitterError, SplitterProcess

_MOST_PASSES = 10_000
_ALIKE = 2.0  # sides whose speeds differ by less make the same number of passes


class Opener(Protocol):
    """Starts a process of a side, with a seed of hashes; it ends with the block."""

    def __call__(self, side: Loadable, *, seed: int) -> AbstractContextManager[SplitterProcess]: ...


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
    """What a pair of sides splits in a round: the strata of a corpus, at one limit."""

    corpus: str
    max_chunk_length: int
    strata: Sequence[Stratum]


class SideError(Exception):
    """One side of a pair failed at a task; ``side`` names it, ``error`` tells how."""

    def __init__(self, side: str, task: Task, error: SplitterError) -> None:
        super().__init__(f"{side}: {error}")
        self.side = side
        self.task = task
        self.error = error


class Pair:
    """A splitter and its baseline, which take turns.

    It remembers what each gave for each stratum: segments that differ from those of an earlier
    round are an error. ``expect`` tells what was verified before.
    """

    def __init__(
        self,
        contender: Loadable,
        baseline: Loadable,
        start: Opener,
    ) -> None:
        self.contender = contender
        self.baseline = baseline
        self._start = start
        self._cores = list_cores()
        self._given: dict[tuple[bool, str, int, str], str] = {}

    def expect(self, task: Task, stratum: Stratum, digest: str, *, baseline: bool) -> None:
        """Let turns over a stratum give this digest, or fail."""
        self._given[baseline, task.corpus, task.max_chunk_length, stratum.name] = digest

    def make_round(self, number: int, tasks: Iterable[Task]) -> Iterator[Round | SideError]:
        """The rounds of every task, one for each stratum, or who failed at the task."""
        pending = list(tasks)
        while pending:
            # Another pair of processes after a failure, whose process is gone.
            with contextlib.ExitStack() as stack:
                processes = self._open(number, pending[0], stack)
                if isinstance(processes, SideError):
                    yield processes
                    pending.pop(0)
                    continue
                while pending:
                    task = pending.pop(0)
                    done = self._make_rounds(number, task, processes)
                    if isinstance(done, SideError):
                        yield done
                        break
                    yield from done

    def _open(
        self, number: int, task: Task, stack: contextlib.ExitStack
    ) -> "list[SplitterProcess] | SideError":
        """The processes of contender and baseline, loaded for a task."""
        sides = (self.contender, self.baseline)
        processes = []
        for side in sides:
            try:
                processes.append(stack.enter_context(self._start(side, seed=number)))
            except SplitterError as error:
                return SideError(side.name, task, error)
        core = self._cores[number % len(self._cores)]
        with ThreadPoolExecutor(len(sides)) as threads:  # to import takes longer than to split
            loading = [threads.submit(p.load, task.max_chunk_length) for p in processes]
        for side, process, done in zip(sides, processes, loading, strict=True):
            try:
                done.result()
                process.keep_on_core(core)
            except SplitterError as error:
                return SideError(side.name, task, error)
        return processes

    def _make_rounds(
        self, number: int, task: Task, processes: Sequence[SplitterProcess]
    ) -> "list[Round] | SideError":
        sides = (self.contender, self.baseline)
        acting = 0
        try:
            for acting in (0, 1):
                processes[acting].load(task.max_chunk_length)
            rounds = []
            for stratum in task.strata:
                turns: tuple[list[Pass], list[Pass]] = ([], [])
                for acting in (0, 1):
                    warm_up = self._take(sides[acting], processes[acting], task, stratum, 1)
                    turns[acting].append(warm_up)
                passes = _count_passes(turns[0].pop(), turns[1].pop())
                for acting in (0, 1, 1, 0) if number % 2 == 0 else (1, 0, 0, 1):
                    turn = self._take(
                        sides[acting], processes[acting], task, stratum, passes[acting]
                    )
                    turns[acting].append(turn)
                rounds.append(self._record(number, task, stratum, passes, turns))
        except SplitterError as error:
            return SideError(sides[acting].name, task, error)
        return rounds

    def _take(
        self, side: Loadable, process: SplitterProcess, task: Task, stratum: Stratum, passes: int
    ) -> Pass:
        done = process.take_turn(stratum.spool, passes)
        key = (side is self.baseline, task.corpus, task.max_chunk_length, stratum.name)
        if self._given.setdefault(key, done.digest) != done.digest:
            process.close()
            raise SplitterError("changed", "in a later turn they were others")
        return done

    def _record(
        self,
        number: int,
        task: Task,
        stratum: Stratum,
        passes: tuple[int, int],
        turns: tuple[Sequence[Pass], Sequence[Pass]],
    ) -> Round:
        seconds = []
        for times, done in zip(passes, turns, strict=True):
            seconds += [each.cpu_seconds / times for each in done]
            seconds += [each.seconds / times for each in done]
        try:
            return Round(
                Workload(task.corpus, self.contender.name, task.max_chunk_length),
                self.baseline.name,
                stratum.name,
                number,
                stratum.code_points,
                *seconds,
            )
        except ValueError as error:  # no time at all
            raise SplitterError("failed", f"the clock is too coarse for it: {error}") from error


def _count_passes(contender: Pass, baseline: Pass) -> tuple[int, int]:
    """How many passes each makes in a turn, given one of each."""
    seconds = [max(each.cpu_seconds, 1e-9) for each in (contender, baseline)]
    numbers = [min(_MOST_PASSES, max(1, round(TURN_SECONDS / each))) for each in seconds]
    if max(seconds) < _ALIKE * min(seconds):
        numbers = [min(numbers)] * 2  # the first pass of a turn may take longer than the others
    return numbers[0], numbers[1]
