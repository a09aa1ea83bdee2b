"""``segbench``, with all its commands."""

import click

from harness.cli.program import CommandGroup


@click.group(
    cls=CommandGroup,
    names=(
        "run",
        "check",
        "time",
        "report",
        "compare",
        "bench",
        "retrieve",
        "claims",
        "show",
        "vectors",
        "list",
        "prepare",
    ),
    context_settings={"help_option_names": ["-h", "--help"]},
    subcommand_metavar="COMMAND",
)
@click.version_option(package_name="segbench")
def segbench() -> None:
    """Check whether text splitters keep every character and fit, and time them.

    Exit status: 0 all well; 1 this project's segmenter broke a rule; 2 the command was wrong;
    3 something could not be measured.
    """
