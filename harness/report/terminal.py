"""The tables of a run on a terminal: the answer last, next to the prompt."""

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from harness.report import retrieval, safe, tables
from harness.report.columns import Table
from harness.results.model import Run


def print_run(run: Run, console: Console) -> None:
    """Print what is most asked for; the per-corpus tables are left to the report."""
    if run.retrievals:
        _print_retrieval(run, console)
        return
    for table in (
        tables.texts(run.texts),
        tables.violations(run),
        tables.timings(run, detailed=False),
        tables.failures(run),
        tables.summary(run),
    ):
        if table.records:
            print_table(table, console)
    for line in (*tables.advise_separators(run), tables.answer_run(run)):
        console.print(Text(safe.lines(line)))


def _print_retrieval(run: Run, console: Console) -> None:
    for table in (
        tables.texts(run.texts),
        tables.failures(run),
        *(retrieval.recalls(run, *each) for each in retrieval.settings(run)),
    ):
        if table.records:
            print_table(table, console)
    for sentence in retrieval.answer_retrieval(run):
        console.print(Text(safe.lines(sentence)))


def print_table(table: Table, console: Console) -> None:
    """Print one table with its title and notes.

    Where the console is too narrow, columns go on below, after those that name the row.
    """
    console.print(Text(safe.line(table.title), style="bold"))
    for columns in _fit_columns(table, console):
        console.print(_arrange(table, columns))
    for note in table.notes:
        console.print(Text(safe.lines(note), style="dim"))
    console.print()


def _fit_columns(table: Table, console: Console) -> Iterator[list[int]]:
    """Numbers of columns that fit side by side, each time after those that name the row."""
    names = list(range(table.names))
    columns = list(names)
    for number in range(table.names, len(table.columns)):
        width = sum(_find_width(table, n) + len(" │ ") for n in [*columns, number]) + len("│")
        if columns != names and width > console.width:
            yield columns
            columns = list(names)
        columns.append(number)
    yield columns


def _find_width(table: Table, number: int) -> int:
    """What a column needs: titles and text may be wrapped between words, numbers may not."""
    column = table.columns[number]
    cells = [cells[number] for cells in table.cells]
    words = " ".join([column.title, *cells]).split()
    return max(map(len, [*words, *cells] if column.numeric else words))


def _arrange(table: Table, columns: Sequence[int]) -> RichTable:
    shown = RichTable()
    for number in columns:
        column = table.columns[number]
        shown.add_column(
            Text(safe.line(column.title)),
            justify="right" if column.numeric else "left",
            overflow="fold",
            width=_find_width(table, number) if column.numeric else None,
            no_wrap=number < table.names,
        )
    for cells in table.cells:
        shown.add_row(*(Text(cells[number]) for number in columns))
    return shown
