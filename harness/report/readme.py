"""Writes the result tables of README and docs from runs: ``python -m harness.report.readme``."""

import re
import sys
from pathlib import Path

from harness.report.bench import render_bench
from harness.report.markdown import render_summary, render_table
from harness.report.tables import summarize_limit
from harness.results.atomic import open_replacing
from harness.results.bench import holds_bench, read_bench
from harness.results.errors import MeasurementError
from harness.results.folder import read_run
from harness.results.model import Environment

BLOCK_BEGIN = "<!-- result: written by `python -m harness.report.readme` from {folder} -->"
BLOCK_END = "<!-- end of result -->"
PAGES = ("README.md", "docs/results.md", "docs/retrieval.md", "docs/speed.md")

# What a reader of the README may be using, in the settings that lose least, and a plain slice.
FEW = (
    "segmenter",
    "langchain",
    "langchain-keep",
    "fixed",
    "semantic-text-splitter-keep",
    "chonkie-recursive-fine",
    "haystack",
    "semchunk",
    "llama-index-sentence",
)

_ROOT = Path(__file__).parents[2]
_marks = re.compile(
    f"({re.escape(BLOCK_BEGIN).replace(re.escape('{folder}'), r'(?P<folder>[^ ,]+)(?:, (?P<every>every splitter))?(?: at (?P<limit>[0-9]+))?')}\n)"
    f".*?({re.escape(BLOCK_END)})",
    re.DOTALL,
)


def update_page(page: Path, root: Path = _ROOT) -> None:
    """Replace what stands between each pair of marks by the results of the run that it names.

    Folders are named as paths below ``root``. A mark that names a limit is given a table at that
    limit: of a few splitters, or of every one if it says so. Any other is given the whole summary
    of a run, or all tables of a bench. Raises MeasurementError if a folder holds no finished run,
    or speeds of code that no commit holds, or there are no marks.
    """
    text = page.read_text(encoding="utf-8")
    replaced, number = _marks.subn(
        lambda found: f"{found[1]}\n{_render(root / found['folder'], found)}\n{BLOCK_END}",
        text,
    )
    if not number:
        raise MeasurementError(
            f"{page} has no result block; put back the lines "
            f"{BLOCK_BEGIN.format(folder='reports/reference')} and {BLOCK_END}"
        )
    with open_replacing(page) as file:
        file.write(replaced)


def _render(folder: Path, found: re.Match[str]) -> str:
    if holds_bench(folder):
        bench = read_bench(folder)
        _require_commit(found["folder"], bench.environment)
        return render_bench(bench)
    run = read_run(folder)
    if run.rounds:
        _require_commit(found["folder"], run.environment)
    if found["limit"] is None:
        return render_summary(run)
    few = () if found["every"] else FEW
    return render_table(summarize_limit(run, int(found["limit"]), few))


def _require_commit(folder: str, where: Environment) -> None:
    if where.dirty or not where.commit:
        raise MeasurementError(
            f"the speeds in {folder} are of "
            + (f"{where.commit} with changes" if where.commit else "no commit")
            + ", so nobody could measure them again; commit what there is, and run it again"
        )


if __name__ == "__main__":
    try:
        for name in PAGES:
            update_page(_ROOT / name)
    except MeasurementError as error:
        sys.exit(f"segbench: {error}")
