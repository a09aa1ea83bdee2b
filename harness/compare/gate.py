"""Compares, and writes what was learnt."""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpora import Corpus
from harness.compare import report
from harness.compare.checkouts import open_checkout
from harness.compare.comparison import Question, compare
from harness.compare.report import Page
from harness.compare.runs import compare_runs, describe_runs, record_runs
from harness.measure.run import Progress
from harness.results.folder import read_run
from harness.results.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Compared:
    """The page that was written, where, and what it comes to."""

    page: Page
    path: Path
    verdict: Verdict


def compare_versions(
    base: str,
    head: str | None,
    segmenter: str,
    corpora: Sequence[Corpus],
    limits: Sequence[int],
    folder: Path,
    command: str,
    progress: Progress,
    **strictness: Any,
) -> Compared:
    """Compare two versions and write what was learnt into ``folder``.

    ``strictness`` are the other fields of Question. Raises CorpusError and MeasurementError; then
    nothing is written.
    """
    created = not folder.exists()
    report.start_folder(folder)
    try:
        with open_checkout(base, segmenter) as one, open_checkout(head, segmenter) as other:
            question = Question(one, other, limits, **strictness)
            comparison = compare(question, corpora, command, progress)
    except BaseException:
        if created:
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise
    report.write_timings(folder, comparison)
    page = report.describe(comparison)
    path = report.write_page(folder, page, report.record(comparison))
    return Compared(page, path, comparison.verdict)


def compare_folders(
    before: Path,
    after: Path,
    folder: Path,
    *,
    tolerance: float,
    different_segments: bool,
    strict: bool,
) -> Compared:
    """Compare two run folders and write what was learnt into ``folder``; what is allowed is as
    in Question.

    Raises MeasurementError where one is no finished run, or they have nothing in common.
    """
    comparison = compare_runs(read_run(before), read_run(after), tolerance=tolerance)
    report.start_folder(folder)
    page = describe_runs(comparison)
    path = report.write_page(folder, page, record_runs(comparison))
    verdict = comparison.judge(different_segments=different_segments, strict=strict)
    return Compared(page, path, verdict)
