"""``segbench time``: the speed of what was checked."""

from collections.abc import Sequence
from pathlib import Path

import click

from harness.cli.inputs import name_folder
from harness.cli.options import (
    CorpusOptions,
    SplitterOptions,
    baseline_option,
    corpus_options,
    limits_option,
    out_option,
    profile_option,
    pyperf_option,
    rounds_option,
    splitter_options,
)
from harness.cli.run import measure
from harness.results.verdict import Verdict


@click.command("time")
@corpus_options
@splitter_options
@profile_option
@limits_option
@out_option
@rounds_option
@baseline_option
@pyperf_option
def time_command(
    corpus: CorpusOptions,
    splitter: SplitterOptions,
    profile: bool,
    limits: Sequence[int],
    out: Path | None,
    rounds: int,
    baseline: str | None,
    with_pyperf: bool,
) -> Verdict:
    """Check splitters, then time them.

    Only segments that are the same as in the check are timed, each splitter in turns with the
    baseline. Without --corpus, times the builtin corpus.
    """
    return measure(
        corpus,
        splitter,
        limits,
        out or name_folder(),
        check=("builtin",),
        time=("builtin",),
        rounds=rounds,
        profile=profile,
        baseline=baseline,
        with_pyperf=with_pyperf,
    )
