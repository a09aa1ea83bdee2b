"""The report of a run as Markdown, fit for a pull request."""

from collections.abc import Callable

import jinja2

from harness.report import retrieval, safe, tables
from harness.report.columns import Table
from harness.results.model import Environment, Run


def render_report(run: Run, bias: str = "") -> str:
    """The whole report; ``bias`` is Markdown whose headings begin at the third level."""
    return _template("report.md.j2").render(run=run, tables=tables, bias=bias)


def render_retrieval(run: Run) -> str:
    """The report of a run that measured what is found again."""
    return _template("retrieval.md.j2").render(run=run, tables=tables, retrieval=retrieval)


def render_summary(run: Run) -> str:
    """The answer, its table, and the command that made them."""
    if run.retrievals:
        return _template("retrieval-summary.md.j2").render(run=run, retrieval=retrieval)
    return _template("summary.md.j2").render(run=run, tables=tables)


def render_origin(environment: Environment) -> str:
    """What measured something, where, and by which command."""
    show: Callable[[Environment], str] = vars(_template("origin.md.j2").module)["show"]
    return show(environment).strip()


def render_table(table: Table) -> str:
    """One table with its notes, without its title."""
    show: Callable[[Table], str] = vars(_template("table.md.j2").module)["show"]
    return show(table).strip() + "\n"


def _template(name: str) -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("harness.report"),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # Markdown
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=safe.finish_markdown,
    )
    environment.filters |= {"cell": safe.cell, "line": safe.line, "ours": safe.Sentence}
    return environment.get_template(name)
