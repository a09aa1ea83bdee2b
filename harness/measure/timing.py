"""Times splitters against a baseline: what was checked, and only that, in rounds of turns."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from harness.measure.rounds import Group, SideError, Task, open_process
from harness.measure.spooling import SpooledCorpus
from harness.measure.strata import Stratum, cut_strata
from harness.results.errors import MeasurementError
from harness.results.estimates import ROUNDS_AT_LEAST
from harness.results.model import Count, Failure, Round, Workload
from harness.runner.executor import call_all
from harness.runner.pool import KEPT, SplitterPool, open_folder
from harness.runner.process import TIMED_OUT, Pass, SplitterError, Turn
from harness.splitters.registry import Splitter

PASS_TIMEOUT = 900.0  # seconds
UNTIMED = "untimed"
CYCLES = 4  # turns of each side over a stratum, in a round


@dataclass(frozen=True, slots=True)
class TimingResult:
    """The rounds of every workload that has them all, and who could not be timed."""

    rounds: list[Round] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)


def time_workloads(
    corpora: Iterable[SpooledCorpus],
    splitters: Sequence[Splitter],
    limits: Sequence[int],
    counts: Iterable[Count],
    baseline: Splitter,
    *,
    pool: SplitterPool,
    rounds: int = ROUNDS_AT_LEAST,
    pass_timeout: float = PASS_TIMEOUT,
    begin: Callable[[str, int], None] = lambda _stage, _total: None,
    advance: Callable[[int], None] = lambda _: None,
) -> TimingResult:
    """Time every workload that has a count in so many rounds, beside the baseline.

    The baseline is not timed against itself, unless it is the only splitter: then that tells the
    noise. Workloads without a count were not verified and are passed over. First everyone splits
    each corpus once: a splitter whose segments are not those that were counted is not timed, nor
    one that takes longer than ``pass_timeout`` seconds for that. ``begin`` is told a stage and its
    number of steps, ``advance`` how many more are done. Raises CorpusError if a corpus cannot be
    read, and MeasurementError if it is not what was counted.
    """
    counted = {count.workload: count for count in counts}
    result = TimingResult()
    contenders = [s for s in splitters if s.name != baseline.name] or list(splitters)
    with open_folder() as folder:
        verifier = _Verifier(pool, pass_timeout, folder, advance)
        start = partial(open_process, timeout=pool.timeout)
        groups = [
            Group(contenders[at : at + KEPT - 1], baseline, start, cycles=CYCLES)
            for at in range(0, len(contenders), KEPT - 1)
        ]
        tasks: dict[str, dict[Workload, Task]] = {each.name: {} for each in contenders}
        chosen = [corpus for corpus in corpora if _is_counted(corpus, counted)]
        steps = sum(corpus.documents for corpus in chosen) * len(limits) * (1 + len(contenders))
        begin("verifying", steps)
        for corpus in chosen:
            for limit in limits:
                verified = [
                    (each, count)
                    for each in contenders
                    if (count := counted.get(Workload(corpus.name, each.name, limit)))
                ]
                if verified:
                    verifier.prepare(
                        corpus, limit, baseline, verified, counted, groups, tasks, result
                    )
        begin("timing", rounds * sum(map(len, tasks.values())))
        done: dict[Workload, list[Round]] = {}
        for number in range(rounds):
            for group in groups:
                _make_round(number, group, tasks, done, result, advance)
    result.rounds.extend(
        each
        for pending in tasks.values()
        for workload in pending
        for each in done.get(workload, ())
    )
    return result


def _is_counted(corpus: SpooledCorpus, counted: Mapping[Workload, Count]) -> bool:
    expected = {c.documents for c in counted.values() if c.workload.corpus == corpus.name}
    if expected and expected != {corpus.documents}:
        raise MeasurementError(
            f"{corpus.name} changed while it was measured: {corpus.documents} documents, "
            f"before {', '.join(map(str, expected))}; run again"
        )
    return bool(expected)


@dataclass(frozen=True, slots=True)
class _Verifier:
    """Lets splitters split each corpus once before they are timed."""

    pool: SplitterPool
    pass_timeout: float
    folder: Path
    advance: Callable[[int], None]

    def prepare(
        self,
        corpus: SpooledCorpus,
        limit: int,
        baseline: Splitter,
        verified: Sequence[tuple[Splitter, Count]],
        counted: Mapping[Workload, Count],
        groups: Sequence[Group],
        tasks: Mapping[str, dict[Workload, Task]],
        result: TimingResult,
    ) -> None:
        """Add a task for every splitter that gives what was counted, and failures of the others."""
        place = self.folder / str(len(list(self.folder.iterdir())))
        own = Workload(corpus.name, baseline.name, limit)

        def cut(done: Pass) -> list[Stratum]:
            return cut_strata(corpus.spool, done.cpu_seconds, place)

        try:
            strata, given = self._verify(corpus, limit, baseline, counted.get(own), cut)
        except SplitterError as error:
            if own in counted:
                result.failures.append(Failure(own, error.status, error.detail, error.frames))
            for splitter, count in verified:
                if splitter.name != baseline.name:
                    detail = f"its baseline {baseline.name} failed: {error.detail}"
                    result.failures.append(Failure(count.workload, UNTIMED, detail))
            return
        if not strata:
            return  # no document has any text
        task = Task(corpus.name, limit, strata)
        for group in groups:
            for stratum, done in zip(strata, given, strict=True):
                group.expect(baseline, task, stratum, done, baseline=True)
        verifying = call_all(
            [
                partial(self._verify, corpus, limit, splitter, count, lambda _: strata)
                for splitter, count in verified
            ],
            stop=self.pool.close,
        )
        for (splitter, count), each in zip(verified, verifying, strict=True):
            try:
                _, gave = each.result()
            except SplitterError as error:
                _note(result, count.workload, error)
                if error.status == TIMED_OUT:
                    self.pool.give_up(splitter, error)
                continue
            tasks[splitter.name][count.workload] = task
            for group in groups:
                for stratum, done in zip(strata, gave, strict=True):
                    group.expect(splitter, task, stratum, done, baseline=False)

    def _verify(
        self,
        corpus: SpooledCorpus,
        limit: int,
        splitter: Splitter,
        count: Count | None,
        cut: Callable[[Pass], Sequence[Stratum]],
    ) -> tuple[Sequence[Stratum], list[Turn]]:
        """The strata, and what the splitter gives for each."""
        with self.pool.borrow(splitter) as process:
            process.load(limit)
            done = process.run_pass(corpus.spool, self.advance, timeout=self.pass_timeout)
            if count is not None and done.digest != count.digest:
                raise SplitterError(
                    "changed",
                    f"its segments are not those that were checked ({count.segments:,} then, "
                    f"{done.segments:,} now)",
                )
            strata = cut(done)
            return strata, [process.take_turn(each.spool) for each in strata]


def _make_round(
    number: int,
    group: Group,
    tasks: Mapping[str, dict[Workload, Task]],
    done: dict[Workload, list[Round]],
    result: TimingResult,
    advance: Callable[[int], None],
) -> None:
    for each in group.make_round(number, {name: t.values() for name, t in tasks.items()}):
        if isinstance(each, Round):
            done.setdefault(each.workload, []).append(each)
            strata = tasks[each.workload.splitter][each.workload].strata
            advance(each.stratum == strata[-1].name)
            continue
        pending = tasks[each.contender]
        for workload, task in list(pending.items()):
            if task is each.task or each.error.status == TIMED_OUT:
                del pending[workload]
                _note(result, workload, _blame(each))


def _blame(failed: SideError) -> SplitterError:
    if failed.side == failed.contender:
        return failed.error
    return SplitterError(UNTIMED, f"its baseline {failed.side} failed: {failed.error.detail}")


def _note(result: TimingResult, workload: Workload, error: SplitterError) -> None:
    result.failures.append(Failure(workload, error.status, error.detail, error.frames))
