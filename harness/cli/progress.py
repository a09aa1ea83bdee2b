"""How far a command is, on standard error; nothing if that is not a terminal."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

import rich.progress
from rich.console import Console

import corpora
from harness.cli.ending import say
from harness.results.escapes import escape


class Bars:
    """A bar for each stage."""

    def __init__(self) -> None:
        self._progress = rich.progress.Progress(
            rich.progress.SpinnerColumn(),
            rich.progress.TextColumn("{task.description}", markup=False),
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

    def begin(self, stage: str, total: int | None = None) -> None:
        """A stage begins, of ``total`` documents, or of a number that is not known."""
        for task in self._progress.task_ids:
            self._progress.stop_task(task)
        self._task = self._progress.add_task(escape(stage), total=total)

    def advance(self, documents: int) -> None:
        """So many more documents are done."""
        self._progress.advance(self._task, documents)

    def say(self, line: str) -> None:
        """A line of its own on standard error, above the bars."""
        say(line)


@contextmanager
def show_fetching(what: str) -> Iterator[corpora.FetchProgress]:
    """A bar of bytes, while there are any."""
    with rich.progress.Progress(
        rich.progress.TextColumn("{task.description}", markup=False),
        rich.progress.BarColumn(),
        rich.progress.DownloadColumn(),
        rich.progress.TransferSpeedColumn(),
        console=Console(stderr=True),
        disable=not sys.stderr.isatty(),
        transient=True,
    ) as bars:
        task = bars.add_task(escape(what), total=None, visible=False)

        def tell(done: int, total: int) -> None:
            bars.update(task, completed=done, total=total or None, visible=True)

        yield tell
