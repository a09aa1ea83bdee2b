"""Files that may be damaged, foreign or hostile: read whole, or refused in one line."""

import csv
import io
import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from harness.results.errors import MeasurementError, summarize_error

_MOST_IN_A_CELL = 2**30


@contextmanager
def reading(path: Path, remedy: str) -> Iterator[None]:
    """Raise MeasurementError, with the file and the remedy, for whatever is wrong with it."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or summarize_error(error)).lower()
        raise MeasurementError(f"{path} cannot be read: {reason}; {remedy}") from error
    except RecursionError as error:
        raise MeasurementError(f"{path} cannot be read: it is nested too deep; {remedy}") from error
    except (ValueError, TypeError, LookupError, ArithmeticError, csv.Error) as error:
        raise MeasurementError(
            f"{path} cannot be read: {summarize_error(error)}; {remedy}"
        ) from error


def read_text(path: Path) -> str:
    """The content of a regular file that is UTF-8; line ends are kept.

    Raises OSError for a link, a device or a pipe, which are not opened, and ValueError for what
    is not UTF-8.
    """
    _require_regular(path.lstat().st_mode)
    # Should it be replaced just now: neither is a link followed, nor does a pipe block.
    flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, os.O_RDONLY | flags)
    with os.fdopen(descriptor, encoding="utf-8", newline="") as file:
        _require_regular(os.fstat(descriptor).st_mode)
        return file.read()


def _require_regular(mode: int) -> None:
    if stat.S_ISLNK(mode):
        raise OSError(0, "it is a symbolic link")
    if not stat.S_ISREG(mode):
        raise OSError(0, "it is not a regular file")


def read_json(path: Path) -> Any:
    """The value of a JSON file; raises as ``read_text``, and ValueError for what is not JSON."""
    return parse_json(read_text(path))


def parse_json(text: str) -> Any:
    """One value of strict JSON: NaN and Infinity are refused."""
    return json.loads(text, parse_constant=_refuse_constant)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def read_csv(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """The header of a CSV file, and its rows, each with the number of its last line.

    Raises as ``read_text``, and ValueError for a header that has a name twice, or a row that is
    longer or shorter than the header.
    """
    text = io.StringIO(read_text(path), newline="")
    previous = csv.field_size_limit(_MOST_IN_A_CELL)
    try:
        reader = csv.reader(text, strict=True)
        header = next(reader, [])
        if len(set(header)) < len(header):
            raise ValueError("a column is there twice")
        rows = [(reader.line_num, row) for row in reader]
    finally:
        csv.field_size_limit(previous)
    for number, row in rows:
        if len(row) != len(header):
            raise ValueError(f"line {number} has {len(row)} cells, the header has {len(header)}")
    return header, rows
