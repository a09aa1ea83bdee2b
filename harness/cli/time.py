"""``segbench time``: the speed of what was checked."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from harness.cli.ending import say
from harness.cli.inputs import load_corpora, load_splitter, name_folder, once, open_console, tell
from harness.cli.options import (
    CorpusOptions,
    SplitterOptions,
    baseline_option,
    corpus_options,
    limits_option,
    out_option,
    passes_option,
    profile_option,
    splitter_options,
)
from harness.cli.progress import Bars
from harness.cli.run import measure
from harness.measure import pyperf_timing
from harness.report.terminal import print_table
from harness.results.folder import read_run
from harness.results.verdict import Verdict
from harness.splitters.contenders import gather


@click.command("time")
@corpus_options
@splitter_options
@profile_option
@limits_option
@out_option
@passes_option
@baseline_option
@click.option(
    "--pyperf",
    "with_pyperf",
    is_flag=True,
    help="Time through pyperf's own runner, --passes processes of three values each.",
)
def time_command(
    corpus: CorpusOptions,
    splitter: SplitterOptions,
    profile: bool,
    limits: Sequence[int],
    out: Path | None,
    passes: int,
    baseline: str | None,
    with_pyperf: bool,
) -> Verdict:
    """Check splitters, then time them.

    Only segments that are the same as in the check are timed. Without --corpus, times the builtin
    corpus.
    """
    folder = out or name_folder()
    if with_pyperf:
        if baseline is not None:
            raise click.UsageError("pyperf gives seconds, not ratios; leave --baseline out")
        return _time_with_pyperf(corpus, splitter, limits, folder, passes, profile)
    return measure(
        corpus,
        splitter,
        limits,
        folder,
        check=("builtin",),
        time=("builtin",),
        passes=passes,
        profile=profile,
        baseline=baseline,
    )


def _time_with_pyperf(
    corpus: CorpusOptions,
    splitter: SplitterOptions,
    limits: Sequence[int],
    folder: Path,
    passes: int,
    profile: bool,
) -> Verdict:
    path = folder / pyperf_timing.FILE
    path.unlink(missing_ok=True)
    verdict = measure(
        corpus, splitter, limits, folder, check=("builtin",), time=(), profile=profile
    )
    counts = read_run(folder).counts
    # Again where each is installed: pyperf must not time another release than was checked.
    contenders = gather(map(load_splitter, once(c.workload.splitter for c in counts)))
    if not (corpus.corpus_names or corpus.suite):
        corpus = replace(corpus, corpus_names=tuple(once(c.workload.corpus for c in counts)))
    chosen = load_corpora(corpus, ())
    with Bars() as bars:
        timed = pyperf_timing.time_with_pyperf(
            chosen.values(), contenders.splitters, counts, processes=passes, begin=bars.begin
        )
    pyperf_timing.write_benchmarks(path, timed)
    print_table(pyperf_timing.tabulate(timed), open_console())
    for failure in timed.failures:
        say(f"{failure.workload}: {failure.detail}")
    tell(f"Timings: {path}")
    if verdict is Verdict.WELL and timed.failures:
        return Verdict.NOT_MEASURED
    return verdict
