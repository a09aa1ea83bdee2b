"""The commands. What they do is done elsewhere."""

import shlex
import sys
import webbrowser
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self, TypeVar

import click
import rich.progress
from click.core import ParameterSource
from rich.console import Console

import corpora
from corpora import Corpus, CorpusError, Presence, RequestError
from harness.cli.bench import bench
from harness.cli.compare import Outcome, compare_folders, compare_versions
from harness.compare.checkouts import SEGMENTER
from harness.compare.report import print_page
from harness.measure import pyperf_timing
from harness.measure.check import end_processes
from harness.measure.profile import gather
from harness.measure.run import Plan, run
from harness.measure.timing import PASSES
from harness.report import show
from harness.report.pages import PAGE, write_report
from harness.report.tables import Column, Table, show_count
from harness.report.terminal import print_run, print_table
from harness.results.model import MeasurementError, Run, read_run
from harness.splitters import registry as splitters
from harness.splitters.registry import Splitter, UnknownSplitterError
from harness.verdict import BAD_ANSWER, BASELINE, IN_HOUSE, NOT_MEASURED, TOLERANCE, WELL, judge
from segmenter.testing import vectors

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
        except RequestError as error:
            raise click.UsageError(str(error)) from error
        except (CorpusError, MeasurementError, vectors.UnusableProgramError, OSError) as error:
            raise _Stop(str(error), NOT_MEASURED) from error


@click.group(cls=_Commands)
@click.version_option(package_name="segbench")
def segbench() -> None:
    """Check whether text splitters keep every character and fit, and time them.

    Exit status: 0 all well; 1 this project's segmenter broke a rule; 2 the command was wrong;
    3 something could not be measured.
    """


_mirror_option = click.option(
    "--mirror",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder that holds data sets as OWNER/NAME/...",
)
_timeout_option = click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=corpora.TIMEOUT,
    show_default=True,
    help="Seconds without progress after which loading is given up.",
)


def _corpus_options(command: Command) -> Command:
    for option in reversed(
        [
            click.option(
                "--corpus",
                "corpus_names",
                multiple=True,
                metavar="NAME",
                help="Documents to measure on; may be repeated. A name that `segbench list` gives, "
                "a file or a folder, or hf:OWNER/NAME[@REVISION][:CONFIG][/SPLIT]#COLUMN.",
            ),
            click.option(
                "--suite",
                type=click.Choice(list(corpora.suites())),
                help="A declared sample over several corpora, in place of --corpus.",
            ),
            _mirror_option,
            click.option(
                "--limit-documents",
                "first",
                type=click.IntRange(min=1),
                help="Only so many documents of each corpus, the first ones.",
            ),
            click.option(
                "--sample",
                type=click.IntRange(min=1),
                help="Only so many documents of each corpus, chosen by chance.",
            ),
            click.option(
                "--seed",
                type=int,
                default=0,
                show_default=True,
                help="Of --sample: the same seed chooses the same documents.",
            ),
            click.option(
                "--encoding",
                default="utf-8",
                show_default=True,
                help="Of the files that --corpus names.",
            ),
            click.option(
                "--text-column",
                metavar="COLUMN",
                help="Of the .jsonl, .csv and .parquet files that --corpus names; a dot enters a "
                "struct.",
            ),
            _timeout_option,
        ]
    ):
        command = option(command)
    return command


_limits_option = click.option(
    "--max-chunk-length",
    "limits",
    type=click.IntRange(min=1),
    multiple=True,
    default=(20, 128, 500),
    show_default=True,
    help="Limit in code points; may be repeated.",
)
_out_option = click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder to write to; without it reports/ and the time.",
)


def _workload_options(command: Command) -> Command:
    for option in reversed(
        [
            _corpus_options,
            click.option(
                "--splitter",
                "splitter_names",
                multiple=True,
                metavar="NAME",
                help="Splitter to measure; may be repeated. A name that `segbench list` gives, "
                "module:factory, or path/to/file.py:factory.",
            ),
            click.option(
                "--splitters",
                "every",
                type=click.Choice(["default", "all"]),
                default="default",
                show_default=True,
                help="Without --splitter: the few that always run, or all that are declared; "
                "those get environments of their own, and are profiled as well.",
            ),
            click.option(
                "--profile",
                is_flag=True,
                help="Also try hostile texts and offsets, and measure growth and imports.",
            ),
            _limits_option,
            _out_option,
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
@click.option(
    "--pyperf",
    "with_pyperf",
    is_flag=True,
    help="Time through pyperf's own runner, --passes processes of three values each.",
)
def time_command(with_pyperf: bool, **options: Any) -> int:
    """Time, after the check that verifies what is timed; by default on the builtin corpus."""
    if with_pyperf:
        return _time_with_pyperf(**options)
    return _run(check=("builtin",), time=("builtin",), **options)


def _time_with_pyperf(*, out: Path | None, passes: int, **options: Any) -> int:
    folder = out or _name_folder()
    path = folder / pyperf_timing.FILE
    path.unlink(missing_ok=True)
    status = _run(check=("builtin",), time=None, out=folder, **options)
    counts = read_run(folder).counts
    # Again where each is installed: pyperf must not time another release than was checked.
    contenders = gather(map(_load_splitter, _once(c.workload.splitter for c in counts)))
    place = {key: options[key] for key in ("first", "sample", "seed", "mirror", "timeout")}
    place |= {key: options[key] for key in ("encoding", "text_column")}
    names = options["corpus_names"] or _once(c.workload.corpus for c in counts)
    chosen = _load_corpora(_once(names), options["suite"], place)
    with _Bars() as bars:
        timed = pyperf_timing.time_with_pyperf(
            chosen.values(),
            contenders.splitters,
            counts,
            processes=passes,
            begin=lambda workload: bars.begin(workload, None),
        )
    pyperf_timing.write_benchmarks(path, timed)
    print_table(pyperf_timing.tabulate(timed), _console())
    for failure in timed.failures:
        click.echo(f"segbench: {failure.workload}: {failure.detail}", err=True)
    click.echo(f"Timings: {path}")
    return status or (NOT_MEASURED if timed.failures else WELL)


@segbench.command("claims")
@_corpus_options
@_out_option
def claims_command(
    corpus_names: Sequence[str], suite: str | None, out: Path | None, **options: Any
) -> int:
    """Answer the claims of the pull request that the segmenter comes from, each by a measurement.

    On the corpora that are named, else on those of the mirror, else on the builtin one. Takes a
    quarter of an hour, and longer when it makes its environments first. Exit status 1 tells that
    a claim is refuted, 3 that one could not be measured that should have been.
    """
    from harness.claims.claims import PAGE as CLAIMS_PAGE
    from harness.claims.claims import answer_claims, tabulate_claims

    corpus_names = _name_corpora(corpus_names, suite, options)
    real = _load_corpora(_once(corpus_names or ["builtin"]), suite, options)
    folder = out or _name_folder()
    with _Bars() as bars:
        answered = answer_claims(
            list(real.values()),
            corpora.load("synthetic"),
            folder,
            shlex.join(["segbench", *sys.argv[1:]]),
            progress=lambda line: bars.begin(line, None),
        )
    print_table(tabulate_claims(answered.claims), _console())
    click.echo(f"Answers: {folder / CLAIMS_PAGE}")
    return answered.status


class _Tolerance(click.FloatRange):
    """A range that holds no NaN, which is neither below its bounds nor above them."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if number != number:
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return number


@segbench.command("compare")
@click.argument(
    "folders", nargs=-1, type=click.Path(path_type=Path), metavar="[DIR DIR]", required=False
)
@click.option("--base", metavar="REV_OR_PATH", help="Version to compare with.")
@click.option(
    "--head", metavar="REV_OR_PATH", help="Version to judge; without it, the working tree."
)
@click.option(
    "--segmenter",
    default=SEGMENTER,
    show_default=True,
    metavar="PATH",
    help="Package or file with the TextSegmenter, below the top of both versions.",
)
@_corpus_options
@_limits_option
@_out_option
@click.option(
    "--tolerance",
    type=_Tolerance(min=1, max=10, min_open=True),
    default=TOLERANCE,
    show_default=True,
    help="Ratio of head's time to base's that is still fine.",
)
@click.option("--instructions", is_flag=True, help="Count instructions too; needs valgrind.")
@click.option(
    "--allow-different-segments",
    "different_segments",
    is_flag=True,
    help="Measure speed even where the segments differ, and let them.",
)
@click.option("--strict", is_flag=True, help="Exit with 3 where speed cannot be told.")
@click.pass_context
def compare_command(
    context: click.Context,
    /,
    folders: Sequence[Path],
    base: str | None,
    out: Path | None,
    tolerance: float,
    different_segments: bool,
    strict: bool,
    **options: Any,
) -> int:
    """Compare two versions of the segmenter, or two runs in their folders DIR.

    Both versions are measured in turns, by default on the builtin corpus; --base and --head are
    git revisions or folders. Speed is CPU time. Exit status: 0 fine, or cannot tell; 1 slower, or
    the segments differ; 2 the command was wrong; 3 nothing was measured.
    """
    folder = out or _name_folder("compare-")
    strictness: dict[str, Any] = {
        "tolerance": tolerance,
        "different_segments": different_segments,
        "strict": strict,
    }
    if folders:
        if base is not None or len(folders) != 2:
            raise click.UsageError("give two run folders, or --base and no folder")
        for option in context.command.params:
            typed = context.get_parameter_source(str(option.name)) is ParameterSource.COMMANDLINE
            if typed and option.name in options:
                raise click.UsageError(f"two runs are compared without {option.opts[0]}")
        before, after = folders
        outcome = compare_folders(before, after, folder, **strictness)
    elif base is None:
        raise click.UsageError("say with --base what to compare with, or give two run folders")
    else:
        outcome = _compare_versions(base, folder, strictness, **options)
    print_page(outcome.page, _console())
    click.echo(f"Report: {outcome.path}")
    return outcome.status


def _compare_versions(
    base: str,
    folder: Path,
    strictness: dict[str, Any],
    *,
    head: str | None,
    segmenter: str,
    limits: Sequence[int],
    corpus_names: Sequence[str],
    suite: str | None,
    instructions: bool,
    **options: Any,
) -> Outcome:
    corpus_names = _name_corpora(corpus_names, suite, options)
    chosen = _load_corpora(_once(corpus_names or ["builtin"]), suite, options)
    with _Bars() as bars:
        return compare_versions(
            base,
            head,
            segmenter,
            list(chosen.values()),
            _once(limits),
            folder,
            shlex.join(["segbench", *sys.argv[1:]]),
            bars,
            instructions=instructions,
            **strictness,
        )


@segbench.command("report")
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@click.option("--open", "opened", is_flag=True, help="Open it in the browser.")
def report_command(folder: Path, opened: bool) -> int:
    """Write the reports of a run anew from the files in its folder."""
    report = write_report(folder)
    _show(read_run(folder), report)
    if opened and not webbrowser.open(report.resolve().as_uri()):
        raise _Stop(f"no browser was found; open {report} in one", NOT_MEASURED)
    return 0


@segbench.command("show")
@click.argument(
    "file", type=click.Path(exists=True, dir_okay=False, allow_dash=True), metavar="FILE|-"
)
@click.option(
    "--splitter",
    "splitter_names",
    multiple=True,
    metavar="NAME",
    help="Splitter to show; may be repeated. Without it, segmenter and langchain.",
)
@click.option(
    "--max-chunk-length",
    "limits",
    type=click.IntRange(min=1),
    multiple=True,
    default=(500,),
    show_default=True,
    help="Limit in code points; may be repeated.",
)
@click.option(
    "--html",
    "page",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a page instead, in which splitters and limits can be chosen.",
)
def show_command(
    file: str, splitter_names: Sequence[str], limits: Sequence[int], page: Path | None
) -> int:
    """Show a text's segments, splitters side by side, whitespace made visible.

    FILE is UTF-8; - stands for standard input.
    """
    declared = map(_load_splitter, _once(splitter_names or (IN_HOUSE, BASELINE)))
    with _Bars() as bars:
        contenders = gather(declared, lambda line: bars.begin(line, None))
    with click.open_file(file, "rb") as content:
        name = "standard input" if file == "-" else file
        try:
            shown = show.view_text(name, content.read(), contenders.splitters, _once(limits))
        finally:
            end_processes()
    if page:
        show.write_page(page, shown)
        click.echo(f"Page: {page}")
    else:
        show.print_shown(shown, Console())
    for failure in shown.failures:
        click.echo(
            f"segbench: {failure.workload.splitter} {failure.status}: {failure.detail}", err=True
        )
    for splitter, reason in contenders.unavailable.items():
        click.echo(f"segbench: {splitter} is unavailable: {reason}", err=True)
    return NOT_MEASURED if shown.failures or contenders.unavailable else WELL


@segbench.command("prepare")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option(
    "--mirror",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder to fetch into, as OWNER/NAME/...; without it the Hugging Face cache.",
)
@click.option("--force", is_flag=True, help="Fetch again what is there already.")
@_timeout_option
def prepare_command(names: Sequence[str], mirror: Path | None, force: bool, timeout: float) -> int:
    """Fetch corpora ahead, verify them, and record what they come to.

    What was interrupted is resumed. Exit status 1 tells that a corpus is not what the catalogue
    promises.
    """
    records = {}
    for name in _once(names):
        with _show_fetching(name) as tell:
            records[name] = corpora.prepare(
                name, mirror=mirror, force=force, timeout=timeout, progress=tell
            )
    print_table(
        Table(
            "Prepared",
            [
                Column("corpus", numeric=False),
                Column("documents", show_count),
                Column("code points", show_count),
                Column("longest whitespace run", show_count),
                Column("digest", numeric=False),
            ],
            [
                (
                    name,
                    record.summary.documents,
                    record.summary.code_points,
                    record.summary.longest_whitespace_run,
                    record.summary.digest,
                )
                for name, record in records.items()
            ],
        ),
        _console(),
    )
    differences = [
        line
        for entry in corpora.entries()
        if entry.name in records
        for line in records[entry.name].differences(entry)
    ]
    for line in differences:
        click.echo(f"segbench: {line}", err=True)
    return 1 if differences else 0


@segbench.command("list")
@click.argument("kind", type=click.Choice(["corpora", "splitters"]), required=False)
@_mirror_option
@click.option("--measure", is_flag=True, help="Read the corpora that are here, to tell their size.")
def list_command(kind: str | None, mirror: Path | None, measure: bool) -> int:
    """Name what can be measured."""
    console = _console()
    if kind != "splitters":
        print_table(_tabulate_corpora(mirror, measure), console)
    if kind != "corpora":
        print_table(_tabulate_splitters(), console)
    return 0


@segbench.command("vectors")
@click.option(
    "--check",
    "program",
    metavar="COMMAND",
    help="Feed the vectors to this program, a line of JSON each, and compare its answers.",
)
def vectors_command(program: str | None) -> int:
    """Print the specification's cases for splitters in any language, a line of JSON each."""
    if program is None:
        vectors.write(sys.stdout)
        return WELL
    try:
        answers = vectors.check(shlex.split(program))
    except ValueError as error:
        raise click.UsageError(f"--check {program!r}: {error}") from error
    click.echo("\n".join(vectors.describe(answers)))
    if answers.wrong:
        return BAD_ANSWER
    return NOT_MEASURED if answers.unexcused else WELL


def _run(
    *,
    check: Sequence[str],
    time: Sequence[str] | None,
    corpus_names: Sequence[str],
    suite: str | None,
    splitter_names: Sequence[str],
    every: str,
    profile: bool,
    limits: Sequence[int],
    out: Path | None,
    passes: int = PASSES,
    **options: Any,
) -> int:
    """Run on the corpora that are named, else on those of the mirror, else on those to ``check``
    and to ``time`` by default; nothing is timed where ``time`` is None. ``options`` are those of
    ``corpora.load``."""
    declared = splitters.names() if every == "all" else splitters.default_names()
    contenders = [_load_splitter(name) for name in _once(splitter_names or declared)]
    corpus_names = _name_corpora(corpus_names, suite, options)
    chosen = _load_corpora(_once(corpus_names or check), suite, options)
    named = bool(corpus_names or suite)
    plan = Plan(
        corpora=list(chosen.values()),
        timed=[
            corpus
            for name, corpus in chosen.items()
            if time is not None and (named or name in time)
        ],
        splitters=contenders,
        limits=_once(limits),
        passes=passes,
        command=shlex.join(["segbench", *sys.argv[1:]]),
        profile=profile or (every == "all" and time is not None),
    )
    folder = out or _name_folder()
    with _Bars() as bars:
        learnt = run(plan, folder, bars)
    _show(learnt, folder / PAGE)
    return judge(learnt)


def _name_corpora(
    names: Sequence[str], suite: str | None, options: dict[str, Any]
) -> Sequence[str]:
    """The corpora that are named, else those of the mirror; none where a suite names them."""
    if suite is not None and (names or options["sample"] or options["first"]):
        raise click.UsageError("a suite is a choice of its own; give --suite alone")
    if options["mirror"] and not (names or suite):
        return _find_mirrored(options["mirror"])
    return names


def _find_mirrored(mirror: Path) -> list[str]:
    """The named corpora that a mirror holds; raises MeasurementError where it holds none."""
    names = [entry.name for entry in corpora.entries() if entry.repository]
    held = [name for name in names if corpora.find(name, mirror=mirror).place]
    if not held:
        raise MeasurementError(f"{mirror} holds none of {', '.join(names)}; give their folder")
    return held


def _load_corpora(
    names: Sequence[str], suite: str | None, options: dict[str, Any]
) -> dict[str, Corpus]:
    """The corpora by the names they were asked for; says what is missing of them."""
    with _show_fetching("fetching") as tell:
        if suite is None:
            chosen = {name: corpora.load(name, progress=tell, **options) for name in names}
        else:
            place = {key: options[key] for key in ("mirror", "timeout")}
            sampled = corpora.load_suite(suite, progress=tell, **place)
            chosen = {corpus.name: corpus for corpus in sampled}
    for corpus in chosen.values():
        for note in corpus.notes:
            click.echo(f"segbench: {note}", err=True)
    return chosen


@contextmanager
def _show_fetching(what: str) -> Iterator[corpora.Progress]:
    """A bar of bytes on standard error while there are any; nothing where that is no terminal."""
    with rich.progress.Progress(
        rich.progress.TextColumn("{task.description}"),
        rich.progress.BarColumn(),
        rich.progress.DownloadColumn(),
        rich.progress.TransferSpeedColumn(),
        console=Console(stderr=True),
        disable=not sys.stderr.isatty(),
        transient=True,
    ) as bars:
        task = bars.add_task(what, total=None, visible=False)

        def tell(done: int, total: int) -> None:
            bars.update(task, completed=done, total=total or None, visible=True)

        yield tell


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


def _name_folder(before: str = "") -> Path:
    return Path("reports", before + datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%SZ"))


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


def _tabulate_corpora(mirror: Path | None, measure: bool) -> Table:
    found = [corpora.find(name, mirror=mirror, measure=measure) for name in corpora.names()]
    return Table(
        "Corpora",
        [
            Column("corpus", numeric=False),
            Column("what", numeric=False),
            Column("documents", show_count),
            Column("here", numeric=False),
            Column("documents here", show_count),
            Column("code points", show_count),
            Column("longest whitespace run", show_count),
            Column("licence", numeric=False),
            Column("comes from", numeric=False),
        ],
        [_describe_corpus(presence) for presence in found],
        [
            "Documents: of the whole data set. The sizes are of what is here, where "
            "`segbench prepare` or --measure has read it.",
            *(note for presence in found for note in presence.notes),
        ],
    )


def _describe_corpus(presence: Presence) -> tuple[object, ...]:
    entry, summary = presence.entry, presence.summary
    return (
        entry.name,
        entry.description,
        entry.documents,
        presence.place or "no",
        summary and summary.documents,
        summary and summary.code_points,
        summary and summary.longest_whitespace_run,
        entry.licence,
        presence.source,
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


segbench.add_command(bench)
