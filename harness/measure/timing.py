"""Times splitters against each other: each in its own process, in turns, on verified segments.

The machine's speed drifts while a run goes on, so splitters take turns: every round is one pass
of each over the whole corpus, in an order that is reversed every other round, and only passes of
the same round are compared. Before the rounds each makes one pass as warm-up. Every pass, the
warm-up too, is digested outside the timed calls; a splitter whose segments are not those that
were checked has no timing.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from harness.measure.spooling import SpooledCorpus
from harness.results.errors import MeasurementError
from harness.results.model import Count, Failure, Timing, Workload
from harness.runner.pool import SplitterPool
from harness.runner.process import TIMED_OUT, Pass, SplitterError, SplitterProcess
from harness.splitters.registry import Splitter

PASSES = 5
PASS_TIMEOUT = 900.0  # seconds


@dataclass(frozen=True, slots=True)
class TimingResult:
    """Timings of the rounds (from 0), the warm-up passes apart, and who could not be timed."""

    timings: list[Timing] = field(default_factory=list)
    warm_ups: list[Timing] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)


def time_workloads(
    corpora: Iterable[SpooledCorpus],
    splitters: Sequence[Splitter],
    limits: Sequence[int],
    counts: Iterable[Count],
    *,
    pool: SplitterPool,
    passes: int = PASSES,
    pass_timeout: float = PASS_TIMEOUT,
    progress: Callable[[int], None] | None = None,
) -> TimingResult:
    """Time ``passes`` passes of every workload that has a count.

    Workloads without one were not verified and are passed over. ``pass_timeout`` is how many
    seconds a splitter may take for a pass; one that exceeds it, or the time limit of ``pool``, is
    given up there. ``progress`` is called with how many documents were split since the last call.
    Raises CorpusError where a corpus cannot be read, and MeasurementError where it is not what was
    counted.
    """
    counted = {count.workload: count for count in counts}
    result = TimingResult()
    with ExitStack() as stack:
        processes = _Processes(pool, stack)
        for corpus in corpora:
            _time_corpus(
                corpus,
                splitters,
                limits,
                counted,
                passes,
                pass_timeout,
                processes,
                progress,
                result,
            )
    return result


class _Processes:
    """A process for each splitter, started when it is needed and again after it failed."""

    def __init__(self, pool: SplitterPool, stack: ExitStack) -> None:
        self._pool = pool
        self._stack = stack
        self._borrowed: dict[str, SplitterProcess] = {}

    def load(self, splitter: Splitter, max_chunk_length: int) -> SplitterProcess:
        process = self._borrowed.get(splitter.name)
        if process is None or process.closed:
            process = self._stack.enter_context(self._pool.borrow(splitter))
            self._borrowed[splitter.name] = process
        process.load(max_chunk_length)
        return process

    def give_up(self, splitter: Splitter, error: SplitterError) -> None:
        self._pool.give_up(splitter, error)


def _time_corpus(
    corpus: SpooledCorpus,
    splitters: Sequence[Splitter],
    limits: Sequence[int],
    counted: Mapping[Workload, Count],
    passes: int,
    pass_timeout: float,
    processes: _Processes,
    progress: Callable[[int], None] | None,
    result: TimingResult,
) -> None:
    """Time the workloads of one corpus and add to ``result``."""
    expected = {c.documents for c in counted.values() if c.workload.corpus == corpus.name}
    if not expected:
        return
    if expected != {corpus.documents}:
        raise MeasurementError(
            f"{corpus.name} changed while it was measured: {corpus.documents} documents, "
            f"before {', '.join(map(str, expected))}; run again"
        )
    for limit in limits:
        verified = [
            (splitter, count)
            for splitter in splitters
            if (count := counted.get(Workload(corpus.name, splitter.name, limit)))
        ]
        _take_turns(corpus.spool, verified, passes, pass_timeout, processes, progress, result)


def _take_turns(
    spool: Path,
    verified: Sequence[tuple[Splitter, Count]],
    passes: int,
    pass_timeout: float,
    processes: _Processes,
    progress: Callable[[int], None] | None,
    result: TimingResult,
) -> None:
    """Time splitters on one corpus at one limit and add to ``result``."""
    loaded: dict[Workload, SplitterProcess] = {}
    seconds: dict[Workload, list[float]] = {}

    def load(splitter: Splitter, count: Count) -> None:
        loaded[count.workload] = processes.load(splitter, count.workload.max_chunk_length)
        seconds[count.workload] = []

    def run_pass(_: Splitter, count: Count) -> None:
        done = loaded[count.workload].run_pass(spool, progress, timeout=pass_timeout)
        _verify(done, count)
        seconds[count.workload].append(done.seconds)

    remaining = list(verified)
    for step in (load, *[run_pass] * (1 + passes)):
        for contender in list(remaining):
            try:
                step(*contender)
            except SplitterError as error:
                workload = contender[1].workload
                failure = Failure(workload, error.status, error.detail, error.frames)
                result.failures.append(failure)
                remaining.remove(contender)
                if error.status == TIMED_OUT:
                    processes.give_up(contender[0], error)
        remaining.reverse()
    for contender in verified:
        if contender in remaining:
            workload = contender[1].workload
            warm_up, *values = seconds[workload]
            result.warm_ups.append(Timing(workload, 0, warm_up))
            result.timings.extend(
                Timing(workload, round_, value) for round_, value in enumerate(values)
            )


def _verify(done: Pass, count: Count) -> None:
    if done.digest != count.digest:
        raise SplitterError(
            "changed",
            f"its segments are not those that were checked ({count.segments:,} then, "
            f"{done.segments:,} now)",
        )
