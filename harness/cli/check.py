"""``segbench check``: the rules alone."""

import os
from collections.abc import Sequence
from pathlib import Path

import click

from harness.cli.options import (
    CorpusOptions,
    MeasuringOptions,
    SplitterOptions,
    corpus_options,
    growth_instructions_option,
    limits_option,
    list_typed,
    out_option,
    profile_option,
    splitter_options,
    workers_option,
)
from harness.cli.run import measure
from harness.measure.run import Resumable
from harness.results.journal import ResumeError, read_header
from harness.results.requirements import select_required
from harness.results.verdict import Verdict
from segmenter.testing.checks import UnknownRuleError


def _read_required(
    _context: click.Context, _parameter: click.Parameter, names: str | None
) -> Sequence[str]:
    if names is None:
        return ()
    try:
        return select_required(names)
    except UnknownRuleError as error:
        raise click.BadParameter(str(error)) from error


_RESUMABLE = f"{__name__}.resumable"
# These change nothing in the results, so that another value may be given with --resume.
_OF_THE_MACHINE = ("workers", "cluster")


class ResumableCommand(click.Command):
    """Takes all but --resume from the journal of the check that --resume names."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Raises ResumeError for a folder without an interrupted check."""
        arguments = tuple(args)
        rest = super().parse_args(ctx, args)
        folder: Path | None = ctx.params["resume"]
        if folder is None or ctx.resilient_parsing:
            ctx.meta[_RESUMABLE] = Resumable(arguments, str(Path.cwd()))
            return rest
        if others := list_typed(ctx, besides={"resume", *_OF_THE_MACHINE}):
            raise click.UsageError(
                f"--resume goes on with the options of before; leave out {', '.join(others)}"
            )
        header = read_header(folder)
        given = {each: ctx.params[each] for each in _OF_THE_MACHINE if ctx.params[each] is not None}
        folder = folder.absolute()
        try:
            os.chdir(header.folder)
        except OSError as error:
            raise ResumeError(
                f"the folder that the check was started in is gone: {header.folder}: "
                f"{error.strerror}; check again with --overwrite"
            ) from error
        ctx.params.clear()
        super().parse_args(ctx, list(header.arguments))
        ctx.params.update(given, resume=folder, out=None, overwrite=False)
        ctx.meta[_RESUMABLE] = Resumable(header.arguments, header.folder, header)
        return rest


@click.command("check", cls=ResumableCommand)
@corpus_options
@splitter_options
@profile_option
@growth_instructions_option
@limits_option(20, 128, 500)
@out_option
@click.option(
    "--require",
    "required",
    metavar="RULES",
    callback=_read_required,
    help="Rules, or sets of rules, that every splitter has to keep, with commas between: lossless, "
    "whitespace, join, fits, ... Without it, only this project's segmenter has to.",
)
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Let the workers of a Dask cluster check: its scheduler's address, such as "
    "tcp://host:8786.",
)
@workers_option
@click.option(
    "--resume",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Go on with the interrupted check in this folder, with the options that it had.",
)
@click.pass_context
def check_command(
    context: click.Context,
    corpus: CorpusOptions,
    splitter: SplitterOptions,
    profile: bool,
    instructions: bool,
    limits: Sequence[int],
    out: Path | None,
    required: Sequence[str],
    cluster: str | None,
    workers: int | None,
    resume: Path | None,
) -> Verdict:
    """Check whether splitters keep the rules.

    Without --corpus, checks the builtin and the synthetic corpus. Exit status with --require: 1 a
    splitter broke a required rule, 3 one could not be judged by it.
    """
    return measure(
        corpus,
        splitter,
        MeasuringOptions(
            limits, resume or out, profile, instructions, cluster=cluster, workers=workers
        ),
        check=("builtin", "synthetic"),
        time=(),
        required=required,
        resumable=context.meta[_RESUMABLE],
    )
