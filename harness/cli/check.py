"""``segbench check``: the rules alone."""

from collections.abc import Sequence
from pathlib import Path

import click

from harness.cli.options import (
    CorpusOptions,
    MeasuringOptions,
    SplitterOptions,
    corpus_options,
    limits_option,
    out_option,
    profile_option,
    splitter_options,
)
from harness.cli.run import measure
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


@click.command("check")
@corpus_options
@splitter_options
@profile_option
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
def check_command(
    corpus: CorpusOptions,
    splitter: SplitterOptions,
    profile: bool,
    limits: Sequence[int],
    out: Path | None,
    required: Sequence[str],
    cluster: str | None,
) -> Verdict:
    """Check whether splitters keep the rules.

    Without --corpus, checks the builtin and the synthetic corpus. Exit status with --require: 1 a
    splitter broke a required rule, 3 one could not be judged by it.
    """
    measuring = MeasuringOptions(limits, out, profile, cluster=cluster)
    return measure(
        corpus, splitter, measuring, check=("builtin", "synthetic"), time=(), required=required
    )
