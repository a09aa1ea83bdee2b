"""What a table is: records, columns that each read a value of them, and how values are shown."""

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.report import safe

NOTHING = "–"

Value = str | tuple[str | int, ...] | Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Column:
    """What a table shows of each of its records, and how.

    ``value`` is the name of an attribute or key of the record, with dots if it leads on; or the
    keys that lead to a value which a record need not have; or a function of the record. Numbers
    are set to the right. In a column of ``faults`` every number but 0 is one.
    """

    title: str
    value: Value
    show: Callable[[Any], str] = str
    numeric: bool = True
    faults: bool = False

    def read(self, record: Any) -> Any:
        """The column's value of a record; None stands for what was not measured."""
        if callable(self.value):
            return self.value(record)
        if isinstance(self.value, tuple):
            for key in self.value:
                record = None if record is None else record.get(key)
            return record
        for name in self.value.split("."):
            record = record[name] if isinstance(record, Mapping) else getattr(record, name)
        return record


def words(title: str, value: Value = "") -> Column:
    """A column of words, by default those that the record has under the title."""
    return Column(title, value or title, numeric=False)


def figures(title: str, value: Value = "", *, faults: bool = False) -> Column:
    """A column of whole numbers, by default those that the record has under the title."""
    return Column(title, value or title, show_count, faults=faults)


@dataclass(frozen=True, slots=True)
class Table:
    """Records, and the columns that show them.

    ``empty`` is said in place of a table without records; without it, the table is left out. The
    first ``names`` columns name a record.
    """

    title: str
    columns: Sequence[Column]
    records: Sequence[Any]
    notes: Sequence[str] = ()
    empty: str = ""
    names: int = 1

    @property
    def rows(self) -> list[list[Any]]:
        """The values of each record, one per column."""
        return [[column.read(record) for column in self.columns] for record in self.records]

    @property
    def cells(self) -> list[list[str]]:
        """The rows as they are shown, on one line each and without control characters."""
        return [
            [
                NOTHING if value is None else _finish(column.show(value))
                for column, value in zip(self.columns, row, strict=True)
            ]
            for row in self.rows
        ]


@dataclass(frozen=True, slots=True)
class Spread:
    """A median with the lowest and the highest of the values it was taken from."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> "Spread":
        """The spread of some values, one at least."""
        numbers = sorted(values)
        return cls(statistics.median(numbers), numbers[0], numbers[-1])

    def __str__(self) -> str:
        return f"{self.median:.2f} ({self.low:.2f}–{self.high:.2f})"


class AtLeast(int):
    """A number of which only a lower bound is known."""


def show_count(value: float) -> str:
    """``1234567`` as ``1,234,567``; a half, which a median may have, is kept."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def show_share(value: float) -> str:
    """A share of 1, in per cent."""
    return f"{value:.1%}"


def show_loss(value: int) -> str:
    """As ``show_count``; ``at least 12`` if only a lower bound is known."""
    return f"at least {value:,}" if isinstance(value, AtLeast) else show_count(value)


def show_number(number: int, noun: str) -> str:
    """``1 document``, ``1,234 documents``."""
    return f"{show_count(number)} {noun}{'s' * (number != 1)}"


def show_digits(value: float) -> str:
    """Three significant digits, never in powers of ten: ``0.0123``, ``1.23``, ``1,230``."""
    rounded = float(f"{value:.3g}")
    decimals = 2 - math.floor(math.log10(rounded)) if rounded else 0
    return f"{rounded:,.{max(decimals, 0)}f}"


def _finish(shown: str) -> str:
    return shown if isinstance(shown, safe.Sentence) else safe.line(shown)


def show_exponent(value: float | str) -> str:
    """With two decimals; in words if it is too quick to tell."""
    return value if isinstance(value, str) else f"{value:.2f}"


def join_words(words: Iterable[str]) -> str:
    """``a, b and c``; one word at least."""
    *head, last = words
    return f"{', '.join(head)} and {last}" if head else last
