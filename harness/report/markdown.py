"""The report of a run as Markdown, fit for a pull request."""

from pathlib import Path

import jinja2

from harness.report import tables
from harness.results import Run, open_replacing, read_run

REPORT = "report.md"


def write_report(folder: Path) -> Path:
    """Write ``report.md`` from the files of a run folder, and return its path.

    Raises MeasurementError where the folder holds no finished run, or cannot be written to.
    """
    text = render_report(read_run(folder))
    path = folder / REPORT
    with open_replacing(path) as file:
        file.write(text)
    return path


def render_report(run: Run) -> str:
    """The whole report."""
    return _template("report.md.j2").render(run=run, tables=tables)


def render_summary(run: Run) -> str:
    """The answer, its table, and the command that made them."""
    return _template("summary.md.j2").render(run=run, tables=tables)


def _template(name: str) -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("harness.report"),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # Markdown
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["cell"] = _escape_cell
    return environment.get_template(name)


def _escape_cell(text: str) -> str:
    return text.replace("|", r"\|")
