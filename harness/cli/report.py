"""``segbench report``: the pages of a run that is measured."""

import webbrowser
from pathlib import Path

import click

from harness.cli.inputs import open_console, tell
from harness.cli.program import CannotMeasureError
from harness.report.pages import write_report
from harness.report.terminal import print_run
from harness.results.folder import read_run
from harness.results.verdict import Verdict


@click.command("report")
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@click.option("--open", "opened", is_flag=True, help="Open it in the browser.")
def report_command(folder: Path, opened: bool) -> Verdict:
    """Write the reports of a run again from its folder."""
    report = write_report(folder)
    print_run(read_run(folder), open_console())
    tell(f"Report: {report}")
    if opened and not webbrowser.open(report.resolve().as_uri()):
        raise CannotMeasureError(f"no browser was found; open {report} in one")
    return Verdict.WELL
