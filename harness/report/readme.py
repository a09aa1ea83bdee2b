"""Writes the README's result table from a run: ``python -m harness.report.readme``."""

import sys
from pathlib import Path

from harness.report.markdown import render_summary
from harness.results import MeasurementError, open_replacing, read_run

BEGIN = "<!-- result: written by `python -m harness.report.readme` from reports/reference -->"
END = "<!-- end of result -->"

_ROOT = Path(__file__).parents[2]


def update_readme(readme: Path, folder: Path) -> None:
    """Replace what stands between the marks of ``readme`` by the summary of a run folder.

    Raises MeasurementError where the folder holds no finished run, or the marks are missing.
    """
    text = readme.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise MeasurementError(
            f"{readme} has no result block; put back the lines {BEGIN} and {END}"
        )
    with open_replacing(readme) as file:
        file.write(f"{before}{BEGIN}\n\n{render_summary(read_run(folder))}\n{END}{after}")


if __name__ == "__main__":
    try:
        update_readme(_ROOT / "README.md", _ROOT / "reports" / "reference")
    except MeasurementError as error:
        sys.exit(f"segbench: {error}")
