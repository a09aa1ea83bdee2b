"""Runs what was asked for: check, then time, then report."""

import contextlib
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from corpora import Corpus
from harness.measure.check import (
    SHARDS_IN_FLIGHT,
    SPLITTERS_AT_ONCE,
    CheckResult,
    check_corpora,
)
from harness.measure.cluster import open_cluster
from harness.measure.excerpts import collect_excerpts
from harness.measure.growth import count_growth, measure_growth
from harness.measure.hostile import try_splitter
from harness.measure.imports import measure_imports
from harness.measure.machine import describe_environment, describe_texts, now
from harness.measure.spooling import (
    PartedCorpus,
    ShardedCorpus,
    spool_corpora,
)
from harness.measure.tally import ShardResult
from harness.measure.timing import UNTIMED, time_workloads
from harness.report.pages import write_report
from harness.results.folder import REPORTED_FILES, open_results, write_run
from harness.results.journal import JOURNAL, Header, Journal
from harness.results.model import BASELINE, Excerpt, Failure, Growth, Import, Run, Trial, Workload
from harness.runner.counting import require_valgrind
from harness.runner.executor import count_cores, open_process_pool
from harness.runner.pool import SplitterPool
from harness.runner.process import SPLITTER_TIMEOUT
from harness.splitters.contenders import Contenders, gather, list_exemptions
from harness.splitters.registry import Splitter, load_splitter


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure: what is timed is among the corpora; ``command`` is what was typed.

    ``profile`` asks for what is measured on no corpus as well: hostile texts, growth, imports;
    ``instructions`` asks for those of growth, too.
    ``timeout`` is how many seconds a splitter may take to load, and for a document. ``baseline`` is
    the splitter that speed is measured against. ``cluster`` is a Dask scheduler's address; without
    one, ``workers`` processes of this machine check, None for as many as it has cores to give.
    """

    corpora: Sequence[Corpus]
    timed: Sequence[Corpus]
    splitters: Sequence[Splitter]
    limits: Sequence[int]
    rounds: int
    command: str
    profile: bool = False
    instructions: bool = False
    timeout: float = SPLITTER_TIMEOUT
    baseline: str = BASELINE
    cluster: str | None = None
    workers: int | None = None


@dataclass(frozen=True, slots=True)
class Resumable:
    """What a check needs to be resumed: its arguments, and the folder in which they were typed.

    ``header`` is that of the check that is resumed, None if this one begins.
    """

    arguments: tuple[str, ...]
    folder: str
    header: Header | None = None


class Progress(Protocol):
    """Shows how far a run is: it counts documents, splitters if there are none, or rounds."""

    def begin(self, stage: str, total: int | None) -> None:
        """A stage begins, of ``total`` documents, or of a number that is not known."""

    def advance(self, documents: int) -> None:
        """So many more documents are done."""

    def say(self, line: str) -> None:
        """Something that whoever waits has to know."""


class CheckProgress(Progress, Protocol):
    """Shows how far each splitter is in the check as well."""

    def begin_check(self, splitters: Sequence[str], code_points: int | None) -> None:
        """Splitters begin, each with about so many code points, or a number that is not known."""

    def advance_check(self, splitter: str, code_points: int) -> None:
        """A splitter has split so many more code points."""


def run(
    plan: Plan, folder: Path, progress: CheckProgress, resumable: Resumable | None = None
) -> Run:
    """Measure, write the run folder and its report, and return what was measured.

    The folder is opened by ``open_results``. If the run is ``resumable``, what is checked is kept
    in its journal until the report is written. Raises MeasurementError and CorpusError.
    """
    started = now()
    valgrind = require_valgrind() if plan.instructions else None
    resumed = resumable is not None and resumable.header is not None
    with open_results(folder, REPORTED_FILES if resumed else (*REPORTED_FILES, JOURNAL)):
        contenders = gather(plan.splitters, lambda line: progress.begin(line, None))
        # First, since it is short: should it fail, no check and no timing is lost.
        with SplitterPool(timeout=plan.timeout) as pool:
            profile = _profile(contenders, pool, progress, valgrind) if plan.profile else Profile()
            learnt = _measure(plan, contenders, pool, progress, started, folder, resumable)
        learnt = replace(
            learnt,
            trials=profile.trials,
            growth=profile.growth,
            imports=profile.imports,
            environment=replace(learnt.environment, finished=now()),
        )
        write_run(folder, learnt)
    write_report(folder)
    (folder / JOURNAL).unlink(missing_ok=True)
    return learnt


def _measure(
    plan: Plan,
    contenders: Contenders,
    pool: SplitterPool,
    progress: CheckProgress,
    started: str,
    folder: Path,
    resumable: Resumable | None,
) -> Run:
    beside = contenders
    if plan.timed and plan.baseline not in {splitter.name for splitter in plan.splitters}:
        beside = gather([load_splitter(plan.baseline)], lambda line: progress.begin(line, None))
    environment = describe_environment(
        plan.command,
        [*contenders.splitters, *(s for s in beside.splitters if s not in contenders.splitters)],
        {**contenders.installations, **beside.installations},
    )
    environment = replace(environment, started=started, baseline=plan.baseline)
    if resumable is not None and resumable.header is not None:
        resumable.header.require(environment)
        environment = resumable.header.environment
    unavailable = [
        Failure(Workload(corpus.name, splitter, limit), "unavailable", reason)
        for corpus in plan.corpora
        for splitter, reason in contenders.unavailable.items()
        for limit in plan.limits
    ]
    if not contenders.splitters:
        return Run(environment, failures=unavailable)
    names = {corpus.name for corpus in plan.timed}
    spooled = [each for each in plan.corpora if each.name in names or each.parts is None]
    with contextlib.ExitStack() as stack:
        # A cluster's workers are likelier to see the folder of the results than a temporary one.
        corpora = stack.enter_context(spool_corpora(spooled, folder if plan.cluster else None))
        sharded: dict[str, ShardedCorpus] = {
            each.name: PartedCorpus(each) for each in plan.corpora if each.parts is not None
        }
        sharded.update({each.name: each for each in corpora})
        journal = None
        if resumable is not None:
            header = resumable.header or Header(resumable.arguments, resumable.folder, environment)
            journal = stack.enter_context(Journal(folder / JOURNAL, header, ShardResult))
        checked, excerpts = _check(
            plan,
            [sharded[each.name] for each in plan.corpora],
            contenders,
            folder,
            pool,
            progress,
            journal,
        )
        learnt = Run(
            environment,
            counts=checked.counts,
            boundaries=checked.boundaries,
            unavoidable=checked.unavoidable,
            cuts=checked.cuts,
            line_ends=checked.line_ends,
            violations=checked.violations,
            examples=checked.examples,
            failures=[*unavailable, *checked.failures],
            excerpts=excerpts,
            exemptions=list_exemptions(contenders.splitters),
            texts=describe_texts(plan.corpora, checked.texts),
        )
        if not names:
            return learnt
        failed = {failure.workload for failure in checked.failures}
        counts = [
            count
            for count in checked.counts
            if count.workload.corpus in names and count.workload not in failed
        ]
        baseline = next((s for s in beside.splitters if s.name == plan.baseline), None)
        if baseline is None:
            why = f"its baseline is unavailable: {beside.unavailable[plan.baseline]}"
            untimed = [Failure(count.workload, UNTIMED, why) for count in counts]
            return replace(learnt, failures=[*learnt.failures, *untimed])
        timed = time_workloads(
            [corpus for corpus in corpora if corpus.name in names],
            contenders.splitters,
            plan.limits,
            counts,
            baseline,
            pool=pool,
            rounds=plan.rounds,
            begin=progress.begin,
            advance=progress.advance,
        )
    return replace(learnt, rounds=timed.rounds, failures=[*learnt.failures, *timed.failures])


def _check(
    plan: Plan,
    corpora: Sequence[ShardedCorpus],
    contenders: Contenders,
    folder: Path,
    pool: SplitterPool,
    progress: CheckProgress,
    journal: Journal[ShardResult] | None,
) -> tuple[CheckResult, list[Excerpt]]:
    sizes = [corpus.size for corpus in corpora]
    known = [size for size in sizes if size is not None]
    with contextlib.ExitStack() as stack:
        executor, workers = stack.enter_context(
            _open_executor(plan, contenders, folder, pool, progress)
        )
        progress.begin_check(
            [splitter.name for splitter in contenders.splitters],
            sum(known) if len(known) == len(sizes) else None,
        )
        checked = check_corpora(
            corpora,
            contenders.splitters,
            plan.limits,
            pool=pool,
            executor=executor,
            progress=progress.advance_check,
            in_flight=max(SHARDS_IN_FLIGHT, 4 * workers),
            journal=journal,
        )
        if plan.cluster is not None:  # what is shown is whole documents, and few
            executor = stack.enter_context(open_process_pool(plan.workers))
        # No more than have a process each at once: a page with all of them would be too long.
        shown = contenders.splitters[:SPLITTERS_AT_ONCE]
        excerpts = collect_excerpts(
            corpora, shown, plan.limits, checked, pool=pool, executor=executor
        )
    return checked, excerpts


@contextlib.contextmanager
def _open_executor(
    plan: Plan, contenders: Contenders, folder: Path, pool: SplitterPool, progress: Progress
) -> Iterator[tuple[Executor, int]]:
    """Who checks shards, and how many at once."""
    if plan.cluster is None:
        workers = plan.workers or count_cores()
        with open_process_pool(workers) as executor:
            yield executor, workers
        return
    with open_cluster(
        plan.cluster, plan.corpora, contenders, folder, pool=pool, tell=progress.say
    ) as (executor, workers):
        yield executor, workers


@dataclass(frozen=True, slots=True)
class Profile:
    """What is measured without a corpus."""

    trials: Sequence[Trial] = ()
    growth: Sequence[Growth] = ()
    imports: Sequence[Import] = ()


def _profile(
    contenders: Contenders, pool: SplitterPool, progress: Progress, valgrind: str | None
) -> Profile:
    trials: list[Trial] = []
    growth: list[Growth] = []
    progress.begin("trying", len(contenders.splitters))
    for splitter in contenders.splitters:
        trials += try_splitter(splitter, pool)
        grown, failed = measure_growth([splitter], pool)
        growth += grown
        trials += failed
        progress.advance(1)
    if valgrind:
        progress.begin("counting instructions", None)
        growth, failed = count_growth(contenders.splitters, growth, valgrind)
        trials += failed
    progress.begin("weighing imports", None)
    return Profile(trials, growth, measure_imports(contenders))
