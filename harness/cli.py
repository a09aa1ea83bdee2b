"""The commands. What they do is done elsewhere."""

import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self, TypeVar

import click
import rich.progress
from rich.console import Console

import corpora
from corpora import Corpus, CorpusError
from harness import splitters
from harness.report.markdown import REPORT, write_report
from harness.report.tables import Column, Table, show_count
from harness.report.terminal import print_run, print_table
from harness.results import MeasurementError, Run, read_run
from harness.run import Plan, run
from harness.splitters import Splitter, UnknownSplitterError
from harness.timing import PASSES
from harness.verdict import NOT_MEASURED, judge

INTERRUPTED = 130

T = TypeVar("T")
Command = TypeVar("Command", bound=Callable[..., Any])


class _Stop(click.ClickException):
    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code  # type: ignore[misc]  # click reads it from the instance


class _Commands(click.Group):
    """Commands return their exit status; whatever goes wrong is one line on standard error."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        try:
            status = super().main(*args, **{**kwargs, "standalone_mode": False})
        except click.exceptions.NoArgsIsHelpError as error:
            error.show()
            sys.exit(error.exit_code)
        except click.ClickException as error:
            message = " ".join(error.format_message().split())
            click.echo(f"segbench: {message}", err=True)
            sys.exit(error.exit_code)
        sys.exit(status)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise _Stop("interrupted; no report was written", INTERRUPTED) from None
        except (CorpusError, MeasurementError, OSError) as error:
            raise _Stop(str(error), NOT_MEASURED) from error


@click.group(cls=_Commands)
@click.version_option(package_name="segbench")
def segbench() -> None:
    """Check whether text splitters keep every character and fit, and time them.

    Exit status: 0 all well; 1 this project's segmenter broke a rule; 2 the command was wrong;
    3 something could not be measured.
    """


def _workload_options(command: Command) -> Command:
    for option in reversed(
        [
            click.option(
                "--corpus",
                "corpus_names",
                multiple=True,
                metavar="NAME",
                help="Documents to measure on; may be repeated. `segbench list` names them.",
            ),
            click.option(
                "--splitter",
                "splitter_names",
                multiple=True,
                metavar="NAME",
                help="Splitter to measure; may be repeated. Without it, all of them.",
            ),
            click.option(
                "--max-chunk-length",
                "limits",
                type=click.IntRange(min=1),
                multiple=True,
                default=(20, 128, 500),
                show_default=True,
                help="Limit in code points; may be repeated.",
            ),
            click.option(
                "--mirror",
                type=click.Path(exists=True, file_okay=False, path_type=Path),
                help="Folder that holds data sets as OWNER/NAME/...",
            ),
            click.option(
                "--out",
                type=click.Path(file_okay=False, path_type=Path),
                help="Folder of the run; without it reports/ and the time.",
            ),
        ]
    ):
        command = option(command)
    return command


_passes_option = click.option(
    "--passes",
    type=click.IntRange(min=PASSES),
    default=PASSES,
    show_default=True,
    help="Timed passes of each splitter over each corpus.",
)


@segbench.command("run")
@_workload_options
@_passes_option
def run_command(**options: Any) -> int:
    """Check, time and report.

    By default, checks the builtin and the synthetic corpus and times the builtin one: synthetic
    texts are there to break rules, and say nothing of the speed on real ones.
    """
    return _run(check=("builtin", "synthetic"), time=("builtin",), **options)


@segbench.command("check")
@_workload_options
def check_command(**options: Any) -> int:
    """Check the rules alone; by default on the builtin and the synthetic corpus."""
    return _run(check=("builtin", "synthetic"), time=None, **options)


@segbench.command("time")
@_workload_options
@_passes_option
def time_command(**options: Any) -> int:
    """Time, after the check that verifies what is timed; by default on the builtin corpus."""
    return _run(check=("builtin",), time=("builtin",), **options)


@segbench.command("report")
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
def report_command(folder: Path) -> int:
    """Write the report of a run anew from the files in its folder."""
    report = write_report(folder)
    _show(read_run(folder), report)
    return 0


@segbench.command("list")
@click.argument("kind", type=click.Choice(["corpora", "splitters"]), required=False)
def list_command(kind: str | None) -> int:
    """Name what can be measured."""
    console = _console()
    if kind != "splitters":
        print_table(_tabulate_corpora(), console)
    if kind != "corpora":
        print_table(_tabulate_splitters(), console)
    return 0


def _run(
    *,
    check: Sequence[str],
    time: Sequence[str] | None,
    corpus_names: Sequence[str],
    splitter_names: Sequence[str],
    limits: Sequence[int],
    mirror: Path | None,
    out: Path | None,
    passes: int = PASSES,
) -> int:
    """Run on the corpora that are named, else on those to ``check`` and to ``time`` by default;
    nothing is timed where ``time`` is None."""
    contenders = [_load_splitter(name) for name in _once(splitter_names or splitters.names())]
    chosen = [_load_corpus(name, mirror) for name in _once(corpus_names or check)]
    timed = () if time is None else corpus_names or time
    plan = Plan(
        corpora=chosen,
        timed=[corpus for corpus in chosen if corpus.name in timed],
        splitters=contenders,
        limits=_once(limits),
        passes=passes,
        command=shlex.join(["segbench", *sys.argv[1:]]),
    )
    folder = out or Path("reports", datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%SZ"))
    with _Bars() as bars:
        learnt = run(plan, folder, bars)
    _show(learnt, folder / REPORT)
    return judge(learnt)


class _Bars:
    """A bar for each stage on standard error; nothing where that is no terminal."""

    def __init__(self) -> None:
        self._progress = rich.progress.Progress(
            rich.progress.SpinnerColumn(),
            rich.progress.TextColumn("{task.description}"),
            rich.progress.BarColumn(),
            rich.progress.TextColumn("{task.completed:,.0f} documents"),
            rich.progress.TimeElapsedColumn(),
            console=Console(stderr=True),
            disable=not sys.stderr.isatty(),
        )

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def begin(self, stage: str, total: int | None) -> None:
        for task in self._progress.task_ids:
            self._progress.stop_task(task)
        self._task = self._progress.add_task(stage, total=total)

    def advance(self, documents: int) -> None:
        self._progress.advance(self._task, documents)


def _load_corpus(name: str, mirror: Path | None) -> Corpus:
    try:
        return corpora.load(name, mirror=mirror)
    except CorpusError as error:
        if name in corpora.names():
            raise
        raise click.UsageError(str(error)) from error


def _load_splitter(name: str) -> Splitter:
    try:
        return splitters.load_splitter(name)
    except UnknownSplitterError as error:
        raise click.UsageError(str(error)) from error


def _once(values: Iterable[T]) -> list[T]:
    return list(dict.fromkeys(values))


def _show(learnt: Run, report: Path) -> None:
    print_run(learnt, _console())
    click.echo(f"Report: {report}")


def _console() -> Console:
    """Standard output as it is now; into a file or a pipe, nothing is wrapped."""
    return Console(width=None if sys.stdout.isatty() else 1000)


def _tabulate_corpora() -> Table:
    return Table(
        "Corpora",
        [
            Column("corpus", numeric=False),
            Column("documents", show_count),
            Column("what", numeric=False),
            Column("licence", numeric=False),
        ],
        [
            (entry.name, entry.documents, entry.description, entry.licence)
            for entry in corpora.entries()
        ],
        ["Documents of the whole data set; a mirror may hold fewer."],
    )


def _tabulate_splitters() -> Table:
    return Table(
        "Splitters",
        [
            Column("splitter", numeric=False),
            Column("what", numeric=False),
            Column("requires", numeric=False),
        ],
        [
            (splitter.name, splitter.description, splitter.requirement)
            for splitter in map(splitters.load_splitter, splitters.names())
        ],
    )
