"""Writes the reports of a run folder from its files alone."""

from pathlib import Path

from harness.report import markdown
from harness.report.bias import read_bias
from harness.results.atomic import open_replacing
from harness.results.folder import read_run

MARKDOWN = "report.md"
PAGE = "report.html"


def write_report(folder: Path) -> Path:
    """Write ``report.md`` and ``report.html`` from a run folder; returns the path of the latter.

    Raises MeasurementError where the folder holds no finished run, a file of it cannot be read, or
    it cannot be written to.
    """
    from harness.report import html  # matplotlib, which is slow

    run, bias = read_run(folder), read_bias()
    page = folder / PAGE
    if run.retrievals:
        texts = (markdown.render_retrieval(run), html.render_retrieval(run))
    else:
        texts = (markdown.render_report(run, bias), html.render_page(run, bias))
    for path, text in zip((folder / MARKDOWN, page), texts, strict=True):
        with open_replacing(path) as file:
            file.write(text)
    return page
