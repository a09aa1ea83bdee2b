"""``segbench run``: check, time, report."""

from collections.abc import Sequence
from pathlib import Path

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
from harness.cli.progress import Bars
from harness.measure.run import Plan, run
from harness.report.pages import REPORT_PAGE
from harness.report.terminal import print_run
from harness.results.estimates import ROUNDS_AT_LEAST
from harness.results.model import BASELINE
from harness.results.requirements import find_breaches, find_gaps
from harness.results.timings import TIMINGS, write_timings
from harness.results.verdict import Verdict, judge


@click.command("run")
@corpus_options
@splitter_options
@profile_option
@limits_option
@out_option
@rounds_option
@baseline_option
@pyperf_option
def run_command(
    corpus: CorpusOptions,
    splitter: SplitterOptions,
    profile: bool,
    limits: Sequence[int],
    out: Path | None,
    rounds: int,
    baseline: str | None,
    with_pyperf: bool,
) -> Verdict:
    """Check, time and report.

    Without --corpus, checks the builtin and the synthetic corpus and times the builtin one:
    synthetic texts exist to break rules, and their speed says nothing about real ones.
    """
    return measure(
        corpus,
        splitter,
        limits,
        out or name_folder(),
        check=("builtin", "synthetic"),
        time=("builtin",),
        rounds=rounds,
        profile=profile,
        baseline=baseline,
        with_pyperf=with_pyperf,
    )


def measure(
    corpus: CorpusOptions,
    splitter: SplitterOptions,
    limits: Sequence[int],
    folder: Path,
    *,
    check: Sequence[str],
    time: Sequence[str],
    rounds: int = ROUNDS_AT_LEAST,
    profile: bool = False,
    with_pyperf: bool = False,
    required: Sequence[str] = (),
    baseline: str | None = None,
) -> Verdict:
    """Run on the corpora that are named, else on those to ``check``, and time all that are named,
    else those to ``time``; nothing is timed if ``time`` is empty. ``required`` are the rules
    that every splitter has to keep, ``baseline`` is the splitter that speed is measured against."""
    contenders = [choose_splitter(name) for name in once(splitter.choose())]
    if baseline is not None:
        choose_splitter(baseline)  # one that is unknown is a wrong command
    chosen = load_corpora(corpus, check)
    named = bool(corpus.corpus_names or corpus.suite or corpus.mirror)
    plan = Plan(
        corpora=list(chosen.values()),
        timed=[each for name, each in chosen.items() if time and (named or name in time)],
        splitters=contenders,
        limits=once(limits),
        rounds=rounds,
        command=typed_command(),
        profile=profile or (splitter.every == "all" and bool(time)),
        timeout=corpus.timeout,
        baseline=baseline or BASELINE,
    )
    with Bars() as bars:
        learnt = run(plan, folder, bars)
    if with_pyperf:
        write_timings(folder / TIMINGS, learnt.rounds, learnt.counts)
    print_run(learnt, open_console())
    print_line(f"Report: {folder / REPORT_PAGE}")
    for line in (*find_breaches(learnt, required), *find_gaps(learnt, required)):
        say(line)
    return judge(learnt, required)
