"""``segbench run``: check, time, report."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from corpora import CorpusError
from harness.cli.ending import Ending, describe_os_error, say
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
from harness.cli.status import INTERRUPTED
from harness.measure.cluster import AddressError
from harness.measure.run import Plan, Resumable, run
from harness.report.terminal import print_run
from harness.results.errors import MeasurementError
from harness.results.folder import REPORT_PAGE
from harness.results.journal import JOURNAL, ResumeError, tell_resuming
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
    resumable: Resumable | None = None,
) -> Verdict:
    """Check the corpora that are named, time them, and report.

    If none is named, check those of ``check`` and time those of ``time``; nothing is timed if
    ``time`` is empty. ``required`` are the rules that every splitter has to keep. A run that is
    ``resumable`` tells how to go on, should it be interrupted.
    """
    folder = measuring.out or name_folder()
    contenders = [choose_splitter(name) for name in once(splitter.choose())]
    if measuring.baseline is not None:
        choose_splitter(measuring.baseline)  # one that is unknown is a wrong command
    chosen = load_corpora(corpus, check)
    named = bool(corpus.corpus_names or corpus.suite or corpus.mirror)
    profile = measuring.profile or (splitter.every == "all" and bool(time))
    if measuring.instructions and not profile:
        raise click.UsageError("--instructions counts those of growth; give --profile as well")
    plan = Plan(
        corpora=list(chosen.values()),
        timed=[each for name, each in chosen.items() if time and (named or name in time)],
        splitters=contenders,
        limits=once(measuring.limits),
        rounds=measuring.rounds,
        command=typed_command(),
        profile=profile,
        instructions=measuring.instructions,
        timeout=corpus.timeout,
        baseline=measuring.baseline or BASELINE,
        cluster=measuring.cluster,
        workers=measuring.workers,
    )
    try:
        with _tell_resuming(folder), Bars() as bars:
            measured = run(plan, folder, bars, resumable)
    except AddressError as error:
        raise click.BadParameter(str(error), param_hint="--cluster") from error
    if measuring.with_pyperf:
        write_timings(folder / TIMINGS, measured.rounds, measured.counts)
    print_run(measured, open_console())
    print_line(f"Report: {folder / REPORT_PAGE}")
    for line in (*find_breaches(measured, required), *find_gaps(measured, required)):
        say(line)
    return judge(measured, required)


@contextlib.contextmanager
def _tell_resuming(folder: Path) -> Iterator[None]:
    """If the block fails and leaves a journal, say how to go on with what it kept."""
    try:
        yield
    except ResumeError:
        raise
    except KeyboardInterrupt:
        if not (folder / JOURNAL).exists():
            raise
        say(f"interrupted; {tell_resuming(folder)}")
        raise Ending(INTERRUPTED) from None
    except (CorpusError, MeasurementError, OSError) as error:
        if not (folder / JOURNAL).exists():
            raise
        what = describe_os_error(error) if isinstance(error, OSError) else str(error)
        raise MeasurementError(f"{what}; {tell_resuming(folder)}") from error
