"""Compares, and writes what was found."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from corpora import Corpus
from harness.compare import report
from harness.compare.checkouts import MissingError, SegmenterLocation, open_checkout, was_added
from harness.compare.comparison import (
    COMPARISON_TIMEOUT,
    Addition,
    Comparison,
    Question,
    compare,
    try_alone,
)
from harness.compare.report import Page
from harness.compare.runs import compare_runs, describe_runs, record_runs
from harness.measure.run import Progress
from harness.report.tables import tell_renamed
from harness.results.errors import MeasurementError
from harness.results.folder import (
    COMPARISON_FILES,
    open_results,
    read_run,
    start_folder,
    write_rounds,
)
from harness.results.verdict import Verdict

_WORST_FIRST = (Verdict.BAD, Verdict.NOT_MEASURED, Verdict.WELL)


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
    bases: Sequence[str],
    head: str | None,
    base_segmenter: SegmenterLocation,
    head_segmenter: SegmenterLocation,
    corpora: Sequence[Corpus],
    limits: Sequence[int],
    folder: Path,
    command: str,
    progress: Progress,
    *,
    pyperf: bool = False,
    **strictness: Any,
) -> Compared:
    """Compare a version with one or more others and write what was found into ``folder``.

    ``strictness`` are the other fields of Question; ``pyperf`` asks for files for it as well.
    Raises CorpusError and MeasurementError; then nothing is written.
    """
    answers: list[Comparison | Addition] = []
    shared = {"bases": len(bases), "timeout": COMPARISON_TIMEOUT / len(bases), **strictness}
    with open_results(folder, COMPARISON_FILES), open_checkout(head, head_segmenter) as new:
        for base in bases:
            try:
                with open_checkout(base, base_segmenter) as old:
                    question = Question(old, new, limits, **shared)
                    answers.append(compare(question, corpora, command, progress))
            except MissingError as missing:
                if not was_added(missing, new):
                    raise
                answers.append(try_alone(new, base, corpora, limits, command, progress))
    worst = min(answers, key=lambda each: _WORST_FIRST.index(each.verdict))
    # The one that decides is told first.
    ordered = sorted(answers, key=lambda each: each is not worst)
    page = report.join_pages([report.describe_answer(each) for each in ordered])
    records = [report.record(each) for each in ordered]
    record = records[0] if len(records) == 1 else {**records[0], "others": records[1:]}
    timed = [each for each in ordered if isinstance(each, Comparison)]
    return _write(folder, page, record, worst.verdict, timed, pyperf=pyperf)


def compare_folders(
    before: Path,
    after: Path,
    folder: Path,
    *,
    different_segments: bool,
) -> Compared:
    """Compare two run folders and write what was found into ``folder``.

    What is allowed is as in Question. Raises MeasurementError if one is not a finished run, or they
    have nothing in common.
    """
    runs = [read_run(before), read_run(after)]
    comparison = compare_runs(*runs)
    start_folder(folder, COMPARISON_FILES)
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
    timed: Sequence[Comparison] = (),
    *,
    pyperf: bool = False,
) -> Compared:
    """Write what there is to write; if that fails, the page is still there to be shown."""
    notes = []
    path = None
    try:
        rounds = [each for comparison in timed for each in comparison.rounds]
        if rounds:
            write_rounds(folder, rounds)
        if pyperf and rounds:
            report.write_comparison_timings(folder, timed[0])
        path = report.write_comparison(folder, page, record)
    except MeasurementError as error:
        notes.append(str(error))
        verdict = Verdict.NOT_MEASURED if verdict is Verdict.WELL else verdict
    if note := report.add_to_summary(page):
        notes.append(note)
    return Compared(page, path, verdict, notes)
