"""``segbench report``: the pages of a run that is measured."""

import webbrowser
from pathlib import Path

import click

from harness.cli.inputs import open_console, print_line
from harness.cli.program import CannotMeasureError
from harness.report.bench import tabulate_bench, write_bench_page
from harness.report.pages import write_report
from harness.report.terminal import print_run, print_table
from harness.results.bench import holds_bench, read_bench
from harness.results.folder import read_run
from harness.results.verdict import Verdict


@click.command("report")
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@click.option("--open", "opened", is_flag=True, help="Open it in the browser.")
def report_command(folder: Path, opened: bool) -> Verdict:
    """Write the reports of a run, or of a bench, again from its folder."""
    console = open_console()
    if holds_bench(folder):
        bench = read_bench(folder)
        report = write_bench_page(folder, bench)
        for table in tabulate_bench(bench):
            print_table(table, console)
        print_line(f"Page: {report}")
    else:
        run = read_run(folder)
        report = write_report(folder, run)
        print_run(run, console)
        print_line(f"Report: {report}")
    if opened and not webbrowser.open(report.resolve().as_uri()):
        raise CannotMeasureError(f"no browser was found; open {report} in one")
    return Verdict.WELL
