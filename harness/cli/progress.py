"""How far a command is, on standard error; nothing if that is not a terminal."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Self

import rich.progress
from rich.console import Console
from rich.text import Text

import corpora
from harness.cli.ending import say
from harness.results.escapes import escape


class Bars:
    """A bar for each stage, and in the check for each splitter."""

    def __init__(self) -> None:
        self._progress = rich.progress.Progress(
            rich.progress.SpinnerColumn(),
            rich.progress.TextColumn("{task.description}", markup=False),
            rich.progress.BarColumn(),
            rich.progress.TextColumn("{task.completed:,.0f} {task.fields[unit]}"),
            _RateColumn(),
            rich.progress.TimeElapsedColumn(),
            rich.progress.TimeRemainingColumn(),
            console=Console(stderr=True),
            disable=not sys.stderr.isatty(),
        )
        self._splitters: dict[str, rich.progress.TaskID] = {}

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def begin(self, stage: str, total: int | None = None) -> None:
        """A stage begins, of ``total`` documents, or of a number that is not known."""
        self._stop()
        self._task = self._add(stage, total, "documents")

    def advance(self, documents: int) -> None:
        """So many more documents are done."""
        self._progress.advance(self._task, documents)

    def say(self, line: str) -> None:
        """A line of its own on standard error, above the bars."""
        say(line)

    def begin_check(self, splitters: Sequence[str], code_points: int | None) -> None:
        """Splitters begin, each with about so many code points, or a number that is not known."""
        self._stop()
        self._splitters = {
            splitter: self._add(f"checking {splitter}", code_points, "code points")
            for splitter in splitters
        }

    def advance_check(self, splitter: str, code_points: int) -> None:
        """A splitter has split so many more code points."""
        self._progress.advance(self._splitters[splitter], code_points)

    def _add(self, stage: str, total: int | None, unit: str) -> rich.progress.TaskID:
        return self._progress.add_task(escape(stage), total=total, unit=unit)

    def _stop(self) -> None:
        for task in self._progress.task_ids:
            self._progress.stop_task(task)


class _RateColumn(rich.progress.ProgressColumn):
    """How much is done in a second, as far as that is known."""

    def render(self, task: rich.progress.Task) -> Text:
        """The cell."""
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f}/s")


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
