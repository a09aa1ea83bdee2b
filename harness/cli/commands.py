"""``segbench``, with all its commands."""

import click

from harness.cli.bench import bench_command
from harness.cli.check import check_command
from harness.cli.claims import claims_command
from harness.cli.compare import compare_command
from harness.cli.list import list_command
from harness.cli.prepare import prepare_command
from harness.cli.program import CommandGroup
from harness.cli.report import report_command
from harness.cli.retrieve import retrieve_command
from harness.cli.run import run_command
from harness.cli.show import show_command
from harness.cli.time import time_command
from harness.cli.vectors import vectors_command


@click.group(
    cls=CommandGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    subcommand_metavar="COMMAND",
)
@click.version_option(package_name="segbench")
def segbench() -> None:
    """Check whether text splitters keep every character and fit, and time them.

    Exit status: 0 all well; 1 this project's segmenter broke a rule; 2 the command was wrong;
    3 something could not be measured.
    """


for command in (
    run_command,
    check_command,
    time_command,
    report_command,
    compare_command,
    bench_command,
    retrieve_command,
    claims_command,
    show_command,
    vectors_command,
    list_command,
    prepare_command,
):
    segbench.add_command(command)
