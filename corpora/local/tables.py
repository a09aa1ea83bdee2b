"""Rows of JSON and CSV files, by Python's own readers, which guess no type and change no text.

The columns that nobody asked for are read over, whatever they hold.
"""

import codecs
import csv
import io
import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

from corpora.local.content import DataFile, FileError, NumberedRow, split_compression
from corpora.wording import list_names, one_line, show_column

_SUFFIXES = {
    ".jsonl": "json",
    ".ndjson": "json",
    ".jsonlines": "json",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
}
#: As a person reads them.
SUFFIX_LIST = ", ".join(_SUFFIXES)
_DELIMITERS = {"csv": ",", "tsv": "\t"}
_BYTE_ORDER_MARK = "\ufeff"  # before the first row it is not part of any text
_PIECE = 1 << 16
_BLANK = " \t\r\n"  # to JSON
_BLANKS = re.compile(f"[{_BLANK}]*")
_BLANK_BYTES = _BLANK.encode()
_REMEDY_JSON = "give each line one object, or the file one list of them"
_REMEDY_COLUMN = "name another: --text-column"
_REMEDY_DELIMITER = "separate its fields with commas, or with tabs and name it .tsv"
# csv's default is 131,072 characters; a C long is all that it takes.
csv.field_size_limit(2**31 - 1)


class Object(list[tuple[str, Any]]):
    """A JSON object, as the pairs that it holds: a key may be there twice."""


class Integer(str):
    """A JSON integer, as it is written: Python refuses to make numbers of the longest."""

    __slots__ = ()


_DECODER = json.JSONDecoder(object_pairs_hook=Object, parse_int=Integer)


def find_table_kind(name: str, *, named_column: bool) -> str | None:
    """Which kind of table a file's name tells of, None for a text.

    A ``.json`` file is a table only for those who name a column of it.
    """
    suffix = PurePath(split_compression(name)[0]).suffix.lower()
    if suffix == ".json" and not named_column:
        return None
    return _SUFFIXES.get(suffix)


class Range(NamedTuple):
    """Neighbouring rows: of JSON, whole lines by their bytes; of Parquet, rows by their numbers.

    ``first`` is the number of the first line.
    """

    start: int
    stop: int
    first: int = 1


def read_texts(
    file: DataFile,
    kind: str,
    encoding: str,
    column: str,
    *,
    delimiter: str | None = None,
    rows: Range | None = None,
) -> Iterator[tuple[int, str]]:
    """Each row's number and its text, just as the file holds it; of all rows, or of a range.

    The number is that of the line on which the row begins, or the row's own if the file is one
    JSON list, or Parquet. Raises FileError for a row without a text in that column.
    """
    for place, number, value in _read_values(file, kind, encoding, column, delimiter, rows):
        if type(value) is not str:
            if value is None:
                raise FileError(
                    f"has no {show_column(column)}",
                    "give it one, or remove the row",
                    row=f"{place} {number}",
                )
            raise FileError(
                f": column {show_column(column)} should be string and is {name_type(value)}",
                _REMEDY_COLUMN,
                row=f"{place} {number}",
            )
        yield number, value


def _read_values(
    file: DataFile,
    kind: str,
    encoding: str,
    column: str,
    delimiter: str | None,
    rows: Range | None,
) -> Iterator[NumberedRow]:
    if kind == "parquet":
        from corpora.local import parquet

        return parquet.read_column(file, column, rows and slice(rows.start, rows.stop))
    if kind == "json":
        objects = (
            read_objects(file, encoding) if rows is None else _read_range(file, encoding, rows)
        )
        return (
            NumberedRow(place, number, get_value(row, column, f"{place} {number}"))
            for place, number, row in objects
        )
    return _read_csv(file, encoding, column, delimiter or _DELIMITERS[kind])


def get_value(row: Object, column: str, place: str) -> Any:
    """What a row holds in a column; raises FileError if that is not there, or there twice."""
    values = find_values(row, column)
    if len(values) == 1:
        return values[0]
    if values:
        raise FileError(f"has {show_column(column)} {len(values)} times", "give it once", row=place)
    names = _list_columns(list(dict.fromkeys(key for key, _ in row)))
    raise FileError(f"has no column {show_column(column)}, but {names}", _REMEDY_COLUMN, row=place)


def _list_columns(names: Sequence[str]) -> str:
    return list_names([show_column(name) for name in names], 20) or "none"


def find_values(row: Object, column: str) -> list[Any]:
    """The values of a column: first of that very name, then by its dots into objects."""
    if values := [value for key, value in row if key == column]:
        return values
    for dot in re.finditer(r"\.", column):
        below = [v for k, v in row if k == column[: dot.start()] and type(v) is Object]
        if values := [each for v in below for each in find_values(v, column[dot.end() :])]:
            return values
    return []


def name_type(value: Any) -> str:
    """A JSON value's type, in the words of the catalogue."""
    kinds: dict[type, str] = {
        str: "string",
        Integer: "integer",
        float: "number",
        bool: "boolean",
        list: "list",
        Object: "object",
        type(None): "null",
    }
    return kinds[type(value)]


def read_objects(file: DataFile, encoding: str) -> Iterator[NumberedRow]:
    """The objects of a file that holds one on each line, or one list of them.

    No more than a row is held, and a piece. Raises FileError for anything else.
    """
    with file.open_text(encoding, "\n") as text:
        head = text.read(_PIECE).removeprefix(_BYTE_ORDER_MARK)
        while head and not head.strip(_BLANK) and (piece := text.read(_PIECE)):
            head += piece
        if head.lstrip(_BLANK).startswith("["):
            yield from _read_list(head, text.read)
        else:
            # What the head ends in may be half a line.
            lines = itertools.chain(io.StringIO(head + text.readline(), newline="\n"), text)
            yield from _read_lines(lines)


def cut_lines(file: DataFile, size: int) -> Iterator[Range]:
    """Cut a file of JSON lines in UTF-8 into ranges of about so many bytes.

    It is read once, since rows are numbered by their lines. A file that holds one list gives
    nothing. Raises FileError.
    """
    with file.open() as content:
        start, first = 0, 1
        while block := content.read(size):
            while not start and not block.strip(_BLANK_BYTES) and (more := content.read(size)):
                block += more
            if not start and block.removeprefix(codecs.BOM_UTF8).lstrip(_BLANK_BYTES)[:1] == b"[":
                return
            if not block.endswith(b"\n"):
                block += content.readline()
            yield Range(start, start + len(block), first)
            start += len(block)
            first += block.count(b"\n")


def _read_range(file: DataFile, encoding: str, rows: Range) -> Iterator[NumberedRow]:
    with file.cut(rows.start, rows.stop).open_text(encoding, "\n") as text:
        first = text.readline()
        if not rows.start:
            first = first.removeprefix(_BYTE_ORDER_MARK)
        yield from _read_lines(itertools.chain([first], text), rows.first)


def _read_lines(lines: Iterable[str], first: int = 1) -> Iterator[NumberedRow]:
    for number, line in enumerate(lines, start=first):
        if line.strip(_BLANK):
            yield NumberedRow(
                "line", number, _check_object(_decode(line, number), f"line {number}")
            )


def _decode(line: str, number: int) -> Any:
    try:
        return _DECODER.decode(line)
    except json.JSONDecodeError as error:
        what = f"is not JSON: {error.msg} (column {error.colno})"
        raise FileError(what, _REMEDY_JSON, row=f"line {number}") from None
    except RecursionError:
        raise _refuse_depth(f"line {number}") from None


def _refuse_depth(row: str) -> FileError:
    return FileError("is nested too deeply to be read", "flatten it, or remove it", row=row)


def _check_object(value: Any, row: str) -> Object:
    if type(value) is not Object:
        raise FileError(f"is {_ARTICLES[name_type(value)]}, not a row", _REMEDY_JSON, row=row)
    return value


_ARTICLES = {
    "null": "null",
    "integer": "an integer",
    "object": "an object",
    **{name: f"a {name}" for name in ("string", "number", "boolean", "list")},
}


def _read_list(text: str, read: Callable[[int], str]) -> Iterator[NumberedRow]:
    """The objects of a JSON list, which begins in ``text`` and goes on in what ``read`` gives."""
    at = text.index("[") + 1
    ended = False

    def read_more() -> None:
        nonlocal text, at, ended
        # More each time, so that an object of any length is tried but a few times.
        piece = read(max(_PIECE, len(text) - at))
        ended = not piece
        text = text[at:] + piece
        at = 0

    def skip_blanks() -> str:
        """The next character, "" at the end of the file."""
        nonlocal at
        while True:
            at = _BLANKS.match(text, at).end()  # type: ignore[union-attr]
            if at < len(text) or ended:
                return text[at : at + 1]
            read_more()

    for number in itertools.count(1):
        row = f"row {number}"
        if skip_blanks() == "]" and number == 1:
            at += 1
            break
        while True:
            try:
                value, end = _DECODER.raw_decode(text, at)
            except json.JSONDecodeError as error:
                if ended or not _is_cut(error, text):
                    what = f"is not JSON: {error.msg}"
                    raise FileError(what, _REMEDY_JSON, row=row) from None
                read_more()
            except RecursionError:
                raise _refuse_depth(row) from None
            else:
                at = end
                break
        yield NumberedRow("row", number, _check_object(value, row))
        following = skip_blanks()
        at += 1
        if following == "]":
            break
        if following != ",":
            what = "is not JSON: Expecting ',' delimiter" if following else "is cut short after it"
            raise FileError(what, _REMEDY_JSON, row=row)
    if skip_blanks():
        raise FileError("is not JSON: it goes on after its list", _REMEDY_JSON)


def _is_cut(error: json.JSONDecodeError, text: str) -> bool:
    """Whether an error may come from the text's end alone: the longest word is -Infinity."""
    return error.msg.startswith("Unterminated string") or error.pos >= len(text) - 12


def _read_csv(file: DataFile, encoding: str, column: str, delimiter: str) -> Iterator[NumberedRow]:
    with file.open_text(encoding, "") as text:
        first = text.readline().removeprefix(_BYTE_ORDER_MARK)
        lines = csv.reader(itertools.chain([first], text), strict=True, delimiter=delimiter)
        rows = _number_rows(lines)
        header = next((row for _, row in rows if row), [])
        if header.count(column) != 1:
            if column in header:
                what = (
                    f"has column {show_column(column)} {header.count(column)} times in its header"
                )
                raise FileError(what, "give it once", row=f"line {lines.line_num}")
            what = f"has no column {show_column(column)}, but {_list_columns(header)}"
            other = len(header) == 1 and set(header[0]) & {";", "|", "\t", ","}
            raise FileError(what, _REMEDY_DELIMITER if other else _REMEDY_COLUMN)
        yield from _read_csv_rows(rows, header.index(column), len(header))


def _number_rows(lines: Any) -> Iterator[tuple[int, list[str]]]:
    """The rows, each with the number of its first line."""
    while True:
        number = lines.line_num + 1
        try:
            row = next(lines)
        except StopIteration:
            return
        except csv.Error as error:
            what = f"cannot be read: {one_line(error)}"
            raise FileError(what, "check its quotes", row=f"line {number}") from None
        yield number, row


def _read_csv_rows(
    rows: Iterable[tuple[int, list[str]]], index: int, width: int
) -> Iterator[NumberedRow]:
    blank = 0  # the line that may be a row whose only text is empty
    for number, row in rows:
        if not row:
            if width == 1:
                blank = blank or number
            continue
        if blank:
            raise FileError(
                "is blank, which may be a row or not",
                'write an empty text as "", or remove the line',
                row=f"line {blank}",
            )
        if len(row) != width:
            fields = "1 field" if len(row) == 1 else f"{len(row)} fields"
            raise FileError(
                f"has {fields}, and the header {width}",
                "quote a text that holds a delimiter, a quote or a line end",
                row=f"line {number}",
            )
        yield NumberedRow("line", number, row[index])
