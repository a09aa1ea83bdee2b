"""Files are replaced whole or not at all, and hold valid UTF-8 and strict JSON whatever comes."""

import io
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from corpora.replacing import replacing
from harness.results.errors import MeasurementError, name_remedy


@contextmanager
def open_replacing(path: Path) -> Iterator[IO[str]]:
    r"""Write ``path`` beside its place and move it in when the block ends without an exception.

    Text is UTF-8 with ``\n`` line ends; a lone surrogate is written as ``\udc80``. Raises
    MeasurementError if the file cannot be written.
    """
    try:
        with (
            replacing(path) as file,
            io.TextIOWrapper(
                file, encoding="utf-8", errors="backslashreplace", newline="\n"
            ) as text,
        ):
            yield text
    except OSError as error:
        reason = error.strerror or type(error).__name__
        remedy = name_remedy(error) or "choose another folder"
        raise MeasurementError(f"cannot write {path}: {reason}; {remedy}") from error


def write_json(path: Path, value: object, *, indent: int | None = None) -> None:
    """Write one value as strict JSON in ASCII.

    Raises MeasurementError if the file cannot be written, or the value holds a number that is not
    finite.
    """
    text = _encode(path, value, indent)
    with open_replacing(path) as file:
        file.write(text + "\n")


def write_json_lines(path: Path, values: Iterable[object]) -> None:
    """Write one value per line, as ``write_json`` does."""
    with open_replacing(path) as file:
        file.writelines(_encode(path, value, None) + "\n" for value in values)


def _encode(path: Path, value: object, indent: int | None) -> str:
    separators = (",", ":") if indent is None else None
    try:
        return json.dumps(value, indent=indent, separators=separators, allow_nan=False)
    except ValueError as error:
        raise MeasurementError(
            f"{path} is not written: a measured number is not finite; measure again"
        ) from error
