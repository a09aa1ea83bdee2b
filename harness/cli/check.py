"""``segbench check``: the rules alone."""

from collections.abc import Sequence
from pathlib import Path

import click

from harness.cli.inputs import name_folder
from harness.cli.options import (
    CorpusOptions,
    SplitterOptions,
    corpus_options,
    limits_option,
    out_option,
    profile_option,
    splitter_options,
)
from harness.cli.run import measure
from harness.results.verdict import Verdict


@click.command("check")
@corpus_options
@splitter_options
@profile_option
@limits_option
@out_option
def check_command(
    corpus: CorpusOptions,
    splitter: SplitterOptions,
    profile: bool,
    limits: Sequence[int],
    out: Path | None,
) -> Verdict:
    """Check whether splitters keep the rules.

    Without --corpus, checks the builtin and the synthetic corpus.
    """
    return measure(
        corpus,
        splitter,
        limits,
        out or name_folder(),
        check=("builtin", "synthetic"),
        time=(),
        profile=profile,
    )
