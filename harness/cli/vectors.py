"""``segbench vectors``: the specification's cases for other languages."""

import shlex
import sys

import click

from harness.cli.inputs import print_line
from harness.cli.program import CannotMeasureError
from harness.results.escapes import quote
from harness.results.verdict import Verdict
from segmenter.testing import vectors


@click.command("vectors")
@click.option(
    "--check",
    "program",
    metavar="COMMAND",
    help="Give the cases to this program, one line of JSON each, and compare its answers.",
)
def vectors_command(program: str | None) -> Verdict:
    """Print the specification's test cases as JSON lines.

    They are for splitters in any programming language. Exit status of --check: 0 every answer is
    right; 1 one is wrong; 2 the command was wrong; 3 the program gave no answer.
    """
    if program is None:
        vectors.write(sys.stdout)
        return Verdict.WELL
    try:
        answers = vectors.check_program(shlex.split(program))
    except ValueError as error:
        raise click.UsageError(f"--check {quote(program)}: {error}") from error
    except vectors.UnusableProgramError as error:
        raise CannotMeasureError(str(error)) from error
    for line in vectors.describe_results(answers):
        print_line(line)
    if answers.wrong:
        return Verdict.BAD
    return Verdict.NOT_MEASURED if answers.unexcused else Verdict.WELL
