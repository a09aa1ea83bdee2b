"""``segbench run``: check, time, report."""

from collections.abc import Sequence

import click

from harness.cli.ending import say
from harness.cli.inputs import (
    choose_splitter,
    load_corpora,
    name_folder,
    once,
    open_console,
    print_line,
    typed_command,
)
from harness.cli.options import (
    CorpusOptions,
    MeasuringOptions,
    SplitterOptions,
    corpus_options,
    measuring_options,
    splitter_options,
)
from harness.cli.progress import Bars
from harness.measure.cluster import AddressError
from harness.measure.run import Plan, run
from harness.report.terminal import print_run
from harness.results.folder import REPORT_PAGE
from harness.results.model import BASELINE
from harness.results.requirements import find_breaches, find_gaps
from harness.results.timings import TIMINGS, write_timings
from harness.results.verdict import Verdict, judge


@click.command("run")
@corpus_options
@splitter_options
@measuring_options
def run_command(
    corpus: CorpusOptions, splitter: SplitterOptions, measuring: MeasuringOptions
) -> Verdict:
    """Check, time and report.

    Without --corpus, checks the builtin and the synthetic corpus and times the builtin one:
    synthetic texts exist to break rules, and their speed says nothing about real ones.
    """
    return measure(corpus, splitter, measuring, check=("builtin", "synthetic"), time=("builtin",))


def measure(
    corpus: CorpusOptions,
    splitter: SplitterOptions,
    measuring: MeasuringOptions,
    *,
    check: Sequence[str],
    time: Sequence[str],
    required: Sequence[str] = (),
) -> Verdict:
    """Check the corpora that are named, time them, and report.

    If none is named, check those of ``check`` and time those of ``time``; nothing is timed if
    ``time`` is empty. ``required`` are the rules that every splitter has to keep.
    """
    folder = measuring.out or name_folder()
    contenders = [choose_splitter(name) for name in once(splitter.choose())]
    if measuring.baseline is not None:
        choose_splitter(measuring.baseline)  # one that is unknown is a wrong command
    chosen = load_corpora(corpus, check)
    named = bool(corpus.corpus_names or corpus.suite or corpus.mirror)
    plan = Plan(
        corpora=list(chosen.values()),
        timed=[each for name, each in chosen.items() if time and (named or name in time)],
        splitters=contenders,
        limits=once(measuring.limits),
        rounds=measuring.rounds,
        command=typed_command(),
        profile=measuring.profile or (splitter.every == "all" and bool(time)),
        timeout=corpus.timeout,
        baseline=measuring.baseline or BASELINE,
        cluster=measuring.cluster,
    )
    try:
        with Bars() as bars:
            learnt = run(plan, folder, bars)
    except AddressError as error:
        raise click.BadParameter(str(error), param_hint="--cluster") from error
    if measuring.with_pyperf:
        write_timings(folder / TIMINGS, learnt.rounds, learnt.counts)
    print_run(learnt, open_console())
    print_line(f"Report: {folder / REPORT_PAGE}")
    for line in (*find_breaches(learnt, required), *find_gaps(learnt, required)):
        say(line)
    return judge(learnt, required)
