"""The options that commands share, each group of them read into a record."""

import functools
import os
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

import corpora
from harness.results.estimates import ROUNDS_AT_LEAST
from harness.results.folder import BENCH, CLAIMS, COMPARISON, ENVIRONMENT, WRITTEN_FILES
from harness.results.journal import JOURNAL, tell_resuming
from harness.results.model import BASELINE
from harness.results.verdict import IN_HOUSE
from harness.runner.process import SPLITTER_TIMEOUT
from harness.splitters import registry as splitters
from segmenter.separators import LISTS

Command = TypeVar("Command", bound=Callable[..., Any])
Decorator = Callable[[Command], Command]


def read_into(name: str, record: type, *options: Decorator[Any]) -> Decorator[Command]:
    """Give a command the options, and their values as the one argument ``name``.

    The options' parameters are fields of the record; its other fields keep their defaults.
    """
    parameters = [field.name for field in fields(record)]

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def run(*arguments: Any, **values: Any) -> Any:
            given = {each: values.pop(each) for each in parameters if each in values}
            values[name] = record(**given)
            return command(*arguments, **values)

        decorated: Any = run
        for option in reversed(options):
            decorated = option(decorated)
        return decorated  # type: ignore[no-any-return]

    return decorate


def list_typed(context: click.Context, *, besides: Collection[str]) -> list[str]:
    """The options that were typed, as ``--help`` names them, but for those parameters."""
    return [
        option.opts[0]
        for option in context.command.params
        if context.get_parameter_source(str(option.name)) is ParameterSource.COMMANDLINE
        and option.name not in besides
    ]


def complete_corpora(
    _context: click.Context, _parameter: click.Parameter, begun: str
) -> list[CompletionItem]:
    """The corpora with names of their own that begin so, then whatever the shell finds."""
    return _complete(begun, corpora.names()) or [CompletionItem(begun, type="file")]


def complete_splitters(
    _context: click.Context, _parameter: click.Parameter, begun: str
) -> list[CompletionItem]:
    """The declared splitters that begin so."""
    return _complete(begun, splitters.list_splitters())


def _complete(begun: str, names: Iterable[str]) -> list[CompletionItem]:
    return [CompletionItem(name) for name in names if name.startswith(begun)]


@dataclass(frozen=True, slots=True)
class CorpusOptions:
    """Which corpora, and how to read them. ``corpus_names`` is empty if none was named."""

    corpus_names: tuple[str, ...] = ()
    suite: str | None = None
    mirror: Path | None = None
    max_documents: int | None = None
    sample: int | None = None
    seed: int | None = None
    encoding: str | None = None
    text_column: str | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    timeout: float = corpora.TIMEOUT


@dataclass(frozen=True, slots=True)
class SplitterOptions:
    """Which splitters: those named, else the default ones or, with ``every`` "all", all."""

    splitter_names: tuple[str, ...]
    every: str
    separators: tuple[str, ...]

    def choose(self) -> Sequence[str]:
        """Their names. Raises click.UsageError for names beside the demand for all."""
        if self.splitter_names and self.every == "all":
            raise click.UsageError("give --splitter or --splitters all, not both")
        declared = splitters.list_splitters() if self.every == "all" else splitters.default_names()
        return add_separators(self.splitter_names or declared, self.separators)


def add_separators(names: Sequence[str], separators: Sequence[str]) -> Sequence[str]:
    """The splitters, and with them the segmenter with those lists of separators."""
    own = map(splitters.name_with_separators, separators)
    return list(dict.fromkeys([*(name for name in names if name == IN_HOUSE), *own, *names]))


@dataclass(frozen=True, slots=True)
class MeasuringOptions:
    """At which limits to measure, what beside them, and where to write."""

    limits: Sequence[int]
    out: Path | None
    profile: bool
    instructions: bool
    rounds: int = ROUNDS_AT_LEAST
    baseline: str | None = None
    with_pyperf: bool = False
    cluster: str | None = None
    workers: int | None = None


mirror_option = click.option(
    "--mirror",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder that holds data sets as OWNER/NAME/...",
)
loading_timeout_option = click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=corpora.TIMEOUT,
    show_default=True,
    metavar="SECONDS",
    help="Give up a corpus whose loading makes no progress for so long.",
)
timeout_option = click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=SPLITTER_TIMEOUT,
    show_default=True,
    metavar="SECONDS",
    help="Give up a splitter that takes longer to load or to split one document, and a corpus "
    "whose loading makes no progress for so long.",
)


def limits_option(*default: int) -> Decorator[Any]:
    """Give a command --max-chunk-length; the command's argument is ``limits``."""
    return click.option(
        "--max-chunk-length",
        "limits",
        type=click.IntRange(min=1),
        multiple=True,
        default=default,
        show_default=True,
        help="Limit: the most code points in a segment; may be repeated.",
    )


# Each says that a command has finished there.
_FINISHED = (ENVIRONMENT, BENCH, CLAIMS, COMPARISON)


def out_option(command: Command) -> Command:
    """Give a command --out, and --overwrite, without which no file there is replaced.

    The command's argument is ``out``.
    """

    @functools.wraps(command)
    def run(*arguments: Any, out: Path | None, overwrite: bool, **values: Any) -> Any:
        if overwrite and out is None:
            raise click.UsageError("--overwrite is for the folder of --out; leave it out")
        if out is not None and not overwrite:
            for name in _FINISHED:
                if os.path.lexists(out / name):
                    raise click.UsageError(
                        f"{out} holds the results of an earlier command ({name}); "
                        "give another folder, or --overwrite"
                    )
            if os.path.lexists(out / JOURNAL):
                raise click.UsageError(
                    f"{out} holds an interrupted check; give another folder, or --overwrite; "
                    f"{tell_resuming(out)}"
                )
            for name in WRITTEN_FILES:
                if os.path.lexists(out / name):
                    raise click.UsageError(
                        f"{out} holds {name}, which the results may replace; "
                        "give another folder, or --overwrite"
                    )
        return command(*arguments, out=out, **values)

    decorated: Any = run
    for option in (
        click.option(
            "--overwrite",
            is_flag=True,
            help="Replace the results that --out already holds.",
        ),
        click.option(
            "--out",
            type=click.Path(file_okay=False, path_type=Path),
            help="Folder to write to; by default a new one in reports/, named after the time.",
        ),
    ):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]


workers_option = click.option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    help="Processes that check at once; by default, one for each core that may be used.",
)
rounds_option = click.option(
    "--rounds",
    type=click.IntRange(min=ROUNDS_AT_LEAST),
    default=ROUNDS_AT_LEAST,
    show_default=True,
    help="Rounds in which each splitter takes turns with the baseline.",
)
pyperf_option = click.option(
    "--pyperf",
    "with_pyperf",
    is_flag=True,
    help="Also write the times to timings.json, which `python -m pyperf` reads.",
)
baseline_option = click.option(
    "--baseline",
    metavar="NAME",
    shell_complete=complete_splitters,
    help=f"Splitter that the speed of the others is compared with; {BASELINE} by default.",
)
separators_option = click.option(
    "--separators",
    type=click.Choice(list(LISTS)),
    multiple=True,
    metavar="NAME",
    help="Also measure the segmenter with these separators; may be repeated. "
    "`segbench list separators` gives the names.",
)
profile_option = click.option(
    "--profile",
    is_flag=True,
    help="Also try hostile texts and offsets, and measure growth and imports.",
)
growth_instructions_option = click.option(
    "--instructions",
    is_flag=True,
    help="With --profile: also count the instructions of growth, which takes minutes; needs "
    "valgrind.",
)

corpus_options = read_into(
    "corpus",
    CorpusOptions,
    click.option(
        "--corpus",
        "corpus_names",
        multiple=True,
        metavar="NAME",
        shell_complete=complete_corpora,
        help="Documents to measure on; may be repeated. A name that `segbench list` gives, "
        "a file or a folder, or its URL, such as s3://bucket/notes/; "
        "hf:OWNER/NAME[@REVISION][:CONFIG][/SPLIT]#COLUMN; or "
        "path/to/file.py:function or module:function, which returns a LangChain loader, "
        "documents or strings.",
    ),
    click.option(
        "--suite",
        type=click.Choice(list(corpora.suites())),
        help="A fixed sample of several corpora, instead of --corpus.",
    ),
    mirror_option,
    click.option(
        "--max-documents",
        type=click.IntRange(min=1),
        help="Use only the first so many documents of each corpus.",
    ),
    click.option(
        "--sample",
        type=click.IntRange(min=1),
        help="Use only so many documents of each corpus, chosen at random.",
    ),
    click.option(
        "--seed",
        type=int,
        help="Seed of --sample: the same one chooses the same documents; 0 by default.",
    ),
    click.option(
        "--encoding",
        metavar="NAME",
        help="Encoding of the files that --corpus names; UTF-8 by default.",
    ),
    click.option(
        "--text-column",
        metavar="COLUMN",
        help="Column with the text, in the files of rows that --corpus names: .jsonl, .ndjson, "
        ".jsonlines, .json, .csv, .tsv, .parquet. a.b is field b of object a.",
    ),
    click.option(
        "--include",
        multiple=True,
        metavar="PATTERN",
        help="Read only those files of a folder that match, as in .gitignore; may be repeated.",
    ),
    click.option(
        "--exclude",
        multiple=True,
        metavar="PATTERN",
        help="Leave out the files and folders of a folder that match; may be repeated.",
    ),
    timeout_option,
)
splitter_options = read_into(
    "splitter",
    SplitterOptions,
    click.option(
        "--splitter",
        "splitter_names",
        multiple=True,
        metavar="NAME",
        shell_complete=complete_splitters,
        help="Splitter to measure; may be repeated. A name that `segbench list` gives, "
        "module:factory, or path/to/file.py:factory.",
    ),
    click.option(
        "--splitters",
        "every",
        type=click.Choice(["default", "all"]),
        default="default",
        show_default=True,
        help="Without --splitter: the default splitters, or all, each in its own virtual "
        "environment and with --profile.",
    ),
    separators_option,
)
measuring_options = read_into(
    "measuring",
    MeasuringOptions,
    profile_option,
    growth_instructions_option,
    limits_option(20, 128, 500),
    out_option,
    rounds_option,
    baseline_option,
    pyperf_option,
    workers_option,
)
