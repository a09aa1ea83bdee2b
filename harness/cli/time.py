"""``segbench time``: the speed of what was checked."""

import click

from harness.cli.options import (
    CorpusOptions,
    MeasuringOptions,
    SplitterOptions,
    corpus_options,
    measuring_options,
    splitter_options,
)
from harness.cli.run import measure
from harness.results.verdict import Verdict


@click.command("time")
@corpus_options
@splitter_options
@measuring_options
def time_command(
    corpus: CorpusOptions, splitter: SplitterOptions, measuring: MeasuringOptions
) -> Verdict:
    """Check splitters, then time them.

    Only segments that are the same as in the check are timed, each splitter in turns with the
    baseline. Without --corpus, times the builtin corpus.
    """
    return measure(corpus, splitter, measuring, check=("builtin",), time=("builtin",))
