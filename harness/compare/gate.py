"""Compares, and writes what was learnt."""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from corpora import Corpus
from harness.compare import report
from harness.compare.checkouts import Location, MissingError, open_checkout, was_added
from harness.compare.comparison import Comparison, Question, compare, try_alone
from harness.compare.report import Page
from harness.compare.runs import compare_runs, describe_runs, record_runs
from harness.measure.run import Progress
from harness.report.tables import tell_renamed
from harness.results.errors import MeasurementError
from harness.results.folder import read_run
from harness.results.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Compared:
    """The page, where it was written, and what it comes to; ``notes`` say what else failed.

    ``path`` is None if the page or a file beside it could not be written.
    """

    page: Page
    path: Path | None
    verdict: Verdict
    notes: Sequence[str] = ()


def compare_versions(
    base: str,
    head: str | None,
    base_segmenter: Location,
    head_segmenter: Location,
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
        with open_checkout(head, head_segmenter) as new:
            try:
                with open_checkout(base, base_segmenter) as old:
                    question = Question(old, new, limits, **strictness)
                    comparison = compare(question, corpora, command, progress)
            except MissingError as missing:
                if not was_added(missing, new):
                    raise
                added = try_alone(new, base, corpora, limits, command, progress)
                page = report.describe_addition(added)
                return _write(folder, page, added.record(), Verdict.WELL)
    except BaseException:
        if created:
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise
    page = report.describe(comparison)
    return _write(folder, page, report.record(comparison), comparison.verdict, comparison)


def compare_folders(
    before: Path,
    after: Path,
    folder: Path,
    *,
    different_segments: bool,
) -> Compared:
    """Compare two run folders and write what was learnt into ``folder``; what is allowed is as
    in Question.

    Raises MeasurementError where one is no finished run, or they have nothing in common.
    """
    runs = [read_run(before), read_run(after)]
    comparison = compare_runs(*runs)
    report.start_folder(folder)
    verdict = comparison.judge(different_segments=different_segments)
    notes = [
        f"{path}: {note}"
        for path, run in zip((before, after), runs, strict=True)
        for note in tell_renamed(run)
    ]
    compared = _write(folder, describe_runs(comparison), record_runs(comparison), verdict)
    return replace(compared, notes=[*notes, *compared.notes])


def _write(
    folder: Path,
    page: Page,
    record: dict[str, Any],
    verdict: Verdict,
    timed: Comparison | None = None,
) -> Compared:
    """Write what there is to write; where that fails, the page is still there to be shown."""
    notes = []
    path = None
    try:
        if timed is not None:
            report.write_timings(folder, timed)
        path = report.write_page(folder, page, record)
    except MeasurementError as error:
        notes.append(str(error))
        verdict = Verdict.NOT_MEASURED if verdict is Verdict.WELL else verdict
    if note := report.add_to_summary(page):
        notes.append(note)
    return Compared(page, path, verdict, notes)
