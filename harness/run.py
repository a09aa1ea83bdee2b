"""Runs what was asked for: check, then time, then report."""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from corpora import Corpus
from harness.check import check, open_process_pool
from harness.machine import describe_environment, now
from harness.report.markdown import REPORT, write_report
from harness.results import Run, start_run, write_run
from harness.splitters import Splitter
from harness.timing import time_workloads


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure: what is timed is among the corpora; ``command`` is what was typed."""

    corpora: Sequence[Corpus]
    timed: Sequence[Corpus]
    splitters: Sequence[Splitter]
    limits: Sequence[int]
    passes: int
    command: str


class Progress(Protocol):
    """Shows how far a run is."""

    def begin(self, stage: str, total: int | None) -> None:
        """A stage begins, of ``total`` documents, or of a number that is not known."""

    def advance(self, documents: int) -> None:
        """So many more documents are done."""


def run(plan: Plan, folder: Path, progress: Progress) -> Run:
    """Measure, write the run folder and its report, and return what was learnt.

    The folder is tried before anything is measured, and holds nothing that looks like a run
    until all is measured. Raises MeasurementError and CorpusError.
    """
    created = not folder.exists()
    start_run(folder)
    (folder / REPORT).unlink(missing_ok=True)
    try:
        learnt = _measure(plan, progress)
        write_run(folder, learnt)
    except BaseException:
        if created:
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise
    write_report(folder)
    return learnt


def _measure(plan: Plan, progress: Progress) -> Run:
    environment = describe_environment(plan.command, plan.splitters)
    progress.begin("checking", None)
    with open_process_pool() as executor:
        checked = check(
            plan.corpora,
            plan.splitters,
            plan.limits,
            executor=executor,
            progress=progress.advance,
        )
    learnt = Run(
        environment,
        counts=checked.counts,
        violations=checked.violations,
        examples=checked.examples,
        failures=checked.failures,
    )
    if plan.timed:
        names = {corpus.name for corpus in plan.timed}
        splits = sum(c.documents for c in checked.counts if c.workload.corpus in names)
        progress.begin("timing", (1 + plan.passes) * splits)
        timed = time_workloads(
            plan.timed,
            plan.splitters,
            plan.limits,
            checked.counts,
            passes=plan.passes,
            progress=progress.advance,
        )
        learnt = replace(
            learnt,
            timings=timed.timings,
            warm_ups=timed.warm_ups,
            failures=[*checked.failures, *timed.failures],
        )
    return replace(learnt, environment=replace(environment, finished=now()))
