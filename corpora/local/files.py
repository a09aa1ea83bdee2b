"""The user's own files, and text files of data sets: bytes, decoded as they are."""

import codecs
import csv
import functools
import io
import sys
from collections.abc import Iterator
from pathlib import Path

from corpora.document import Corpus, CorpusError, Document, RequestError
from corpora.hub import rows

TABLES = {".jsonl": "json", ".parquet": "parquet", ".csv": "csv"}


def load(name: str, path: Path, encoding: str, text_column: str | None) -> Corpus:
    """A file, or all files below a folder but hidden ones, in the order of their paths.

    A file of rows gives a document for each row, from its ``text_column``, which may be a dotted
    path into a struct; its id is the file's and the row's number, from 1. Any other file is one
    document, its id the path below the folder. ``encoding`` is that of all but Parquet.
    Raises RequestError where the path, the encoding, or a needed column is not there.
    """
    try:
        io.TextIOWrapper(io.BytesIO(), encoding=encoding)  # which refuses base64 and its kind too
    except LookupError:
        raise RequestError(f"there is no encoding {encoding!r}; one is utf-8: --encoding") from None
    if not path.exists():
        raise RequestError(f"there is no file or folder {path}")
    if path.is_file() and path.suffix.lower() in TABLES and text_column is None:
        raise RequestError(f"{path} has columns; name the one with the text: --text-column")
    read = functools.partial(_read, path, encoding, text_column)
    return Corpus(name, read, str(path.absolute()))


def _read(path: Path, encoding: str, text_column: str | None) -> Iterator[Document]:
    files = [path] if path.is_file() else _find(path)
    root = path.parent if path.is_file() else path
    for file in files:
        identifier = file.relative_to(root).as_posix()
        kind = TABLES.get(file.suffix.lower())
        if kind is None:
            yield Document(identifier, read_text(file, encoding))
        elif text_column is None:
            raise RequestError(f"{file} has columns; name the one with the text: --text-column")
        else:
            texts = _read_table(file, kind, encoding, text_column)
            for number, text in enumerate(texts, start=1):
                if text is None:
                    raise CorpusError(
                        f"{file}: row {number} has no {text_column}; give it one, or remove the row"
                    )
                yield Document(f"{identifier}:{number}", text)


def _find(folder: Path) -> list[Path]:
    try:
        below = [path for path in folder.rglob("*") if path.is_file()]
    except OSError as error:
        raise CorpusError(f"{folder} cannot be listed: {error.strerror or error}") from None
    return sorted(
        (path for path in below if not _is_hidden(path.relative_to(folder))),
        key=lambda path: path.relative_to(folder).as_posix(),
    )


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def read_text(path: Path, encoding: str = "utf-8") -> str:
    """The file's text: no line end is translated and no byte order mark removed.

    Raises CorpusError for a file that cannot be read or is not in that encoding, naming the first
    byte that is not.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CorpusError(f"{path} cannot be read: {error.strerror or error}") from None
    try:
        return content.decode(encoding)
    except UnicodeError as error:
        raise CorpusError(f"{path} {_describe(error, encoding)}") from None


def _describe(error: UnicodeError, encoding: str) -> str:
    name = "UTF-8" if codecs.lookup(encoding).name == "utf-8" else encoding
    where = ""
    if isinstance(error, UnicodeDecodeError):
        where = f": byte {error.start} is 0x{error.object[error.start]:02x} ({error.reason})"
    return f"is not {name}{where}; convert it, or name its encoding: --encoding"


def _read_table(path: Path, kind: str, encoding: str, text_column: str) -> Iterator[str | None]:
    if kind == "csv":
        yield from _read_csv(path, encoding, text_column)
        return
    if not path.stat().st_size and kind == "json":
        return
    rows.import_datasets(str(path))
    columns = {text_column: "string"}
    try:
        for table in rows.read_files(kind, [str(path.absolute())], columns, encoding=encoding):
            yield from rows.get_column(table, text_column).to_pylist()
    except rows.RowError as error:
        raise CorpusError(f"{path}: {error}; name another: --text-column") from None
    except Exception as error:  # noqa: BLE001  whatever `datasets` meets in a damaged file
        if kind == "json":
            read_text(path, encoding)  # which names the byte, where it is that
        raise CorpusError(
            f"{path} cannot be read: {rows.one_line(error)}; check the file"
        ) from None


def _read_csv(path: Path, encoding: str, text_column: str) -> Iterator[str | None]:
    """By Python's own reader: `datasets`' takes texts such as NA for missing ones."""
    # A byte order mark before the first column's name is no part of any text.
    with_mark = "utf-8-sig" if codecs.lookup(encoding).name == "utf-8" else encoding
    csv.field_size_limit(sys.maxsize)  # else 131,072 characters
    try:
        with path.open(encoding=with_mark, newline="") as file:
            lines = csv.DictReader(file, strict=True)
            if text_column not in (lines.fieldnames or ()):
                there = ", ".join(lines.fieldnames or ["none"])
                raise CorpusError(
                    f"{path} has no column {text_column}, but {there}; name another: --text-column"
                )
            for row in lines:
                yield row[text_column]
    except UnicodeError:
        read_text(path, encoding)  # which names the byte
        raise
    except (OSError, csv.Error) as error:
        raise CorpusError(
            f"{path} cannot be read: {rows.one_line(error)}; check the file"
        ) from None
