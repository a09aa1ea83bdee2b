"""Writes the reports of a run folder from its files alone."""

from pathlib import Path

from harness.report import markdown
from harness.report.bias import read_bias
from harness.results.atomic import open_replacing
from harness.results.folder import REPORT_MARKDOWN, REPORT_PAGE, read_run
from harness.results.model import Run


def write_report(folder: Path, run: Run | None = None) -> Path:
    """Write ``report.md`` and ``report.html`` into a run folder; returns the path of the latter.

    They are of ``run``, or of what the folder's files hold. Raises MeasurementError if the folder
    holds no finished run, a file of it cannot be read, or it cannot be written to.
    """
    from harness.report import html  # matplotlib, which is slow

    run = run or read_run(folder)
    bias = read_bias(run)
    page = folder / REPORT_PAGE
    if run.retrievals:
        texts = (markdown.render_retrieval(run), html.render_retrieval_page(run))
    else:
        texts = (markdown.render_report(run, bias), html.render_report_page(run, bias))
    for path, text in zip((folder / REPORT_MARKDOWN, page), texts, strict=True):
        with open_replacing(path) as file:
            file.write(text)
    return page
