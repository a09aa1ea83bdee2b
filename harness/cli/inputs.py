"""What the options name: corpora, splitters, folders, the terminal."""

import os
import shlex
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import click
from rich.console import Console

import corpora
from corpora import Corpus
from harness.cli.ending import say
from harness.cli.options import CorpusOptions
from harness.cli.progress import show_fetching
from harness.results.errors import MeasurementError
from harness.results.escapes import escape
from harness.splitters import registry as splitters
from harness.splitters.registry import Splitter, UnknownSplitterError

_T = TypeVar("_T")


def load_corpora(options: CorpusOptions, default: Sequence[str]) -> dict[str, Corpus]:
    """The corpora by the names they were asked for; says what is missing of them.

    They are those that are named, else those of the mirror, else ``default``.
    """
    names = once(name_corpora(options).corpus_names or default)
    with show_fetching("fetching") as tell:
        if options.suite is not None:
            sampled = corpora.load_suite(
                options.suite, progress=tell, mirror=options.mirror, timeout=options.timeout
            )
            chosen = {corpus.name: corpus for corpus in sampled}
        else:
            loaded = corpora.load_all(
                names,
                progress=tell,
                mirror=options.mirror,
                timeout=options.timeout,
                first=options.max_documents,
                sample=options.sample,
                seed=options.seed,
                encoding=options.encoding,
                text_column=options.text_column,
                include=options.include,
                exclude=options.exclude,
            )
            chosen = dict(zip(names, loaded, strict=True))
    for corpus in chosen.values():
        for note in corpus.notes:
            say(note)
    return chosen


def name_corpora(options: CorpusOptions) -> CorpusOptions:
    """The same options with the mirror's corpora named if neither names nor a suite are given.

    Raises MeasurementError if the mirror holds none.
    """
    if options.suite is not None:
        plain = CorpusOptions(timeout=options.timeout, mirror=options.mirror, suite=options.suite)
        if options != plain:
            raise click.UsageError("a suite is a choice of its own; give --suite alone")
        return options
    if options.corpus_names or options.mirror is None:
        return options
    names = [entry.name for entry in corpora.entries() if entry.repository]
    held = tuple(name for name in names if corpora.find(name, mirror=options.mirror).place)
    if not held:
        raise MeasurementError(
            f"{options.mirror} holds none of {', '.join(names)}; give their folder"
        )
    return replace(options, corpus_names=held)


def choose_splitter(name: str) -> Splitter:
    """The splitter of that name; one that is unknown is a wrong command."""
    try:
        return splitters.load_splitter(name)
    except UnknownSplitterError as error:
        raise click.UsageError(str(error)) from error


def once(values: Iterable[_T]) -> list[_T]:
    """The values in order, each once."""
    return list(dict.fromkeys(values))


def name_folder(before: str = "") -> Path:
    """The folder to write to if none was given: of no other command, even of this second."""
    started = datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%SZ")
    return Path("reports", f"{before}{started}-{os.getpid()}")


def typed_command() -> str:
    """What was typed, as a shell takes it."""
    return shlex.join(["segbench", *sys.argv[1:]])


def open_console() -> Console:
    """Standard output as it is now; into a file or a pipe, nothing is wrapped."""
    return Console(width=None if sys.stdout.isatty() else 1000)


def print_line(line: str) -> None:
    """Write one line to standard output: foreign text in it cannot break the terminal."""
    click.echo(escape(line))
