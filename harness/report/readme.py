"""Writes the README's result tables from runs: ``python -m harness.report.readme``."""

import re
import sys
from pathlib import Path

from harness.report.markdown import render_summary
from harness.results.atomic import open_replacing
from harness.results.errors import MeasurementError
from harness.results.folder import read_run

BEGIN = "<!-- result: written by `python -m harness.report.readme` from {folder} -->"
END = "<!-- end of result -->"

_ROOT = Path(__file__).parents[2]
_marks = re.compile(
    f"({re.escape(BEGIN).replace(re.escape('{folder}'), r'(?P<folder>[^ ]+)')}\n)"
    f".*?({re.escape(END)})",
    re.DOTALL,
)


def update_readme(readme: Path, root: Path = _ROOT) -> None:
    """Replace what stands between each pair of marks by the summary of the run that it names.

    Run folders are named as paths below ``root``. Raises MeasurementError where one holds no
    finished run, or there are no marks.
    """
    text = readme.read_text(encoding="utf-8")
    replaced, number = _marks.subn(
        lambda found: f"{found[1]}\n{render_summary(read_run(root / found['folder']))}\n{found[3]}",
        text,
    )
    if not number:
        raise MeasurementError(
            f"{readme} has no result block; put back the lines "
            f"{BEGIN.format(folder='reports/reference')} and {END}"
        )
    with open_replacing(readme) as file:
        file.write(replaced)


if __name__ == "__main__":
    try:
        update_readme(_ROOT / "README.md")
    except MeasurementError as error:
        sys.exit(f"segbench: {error}")
