"""Documents, and segments, in temporary files: how they travel between processes.

Processes share a file and none holds more than a document. JSON would not do: it joins two lone
surrogates into one character. Standard library only, since workers read and write it.
"""

import errno
import os
import struct
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import accumulate, pairwise
from pathlib import Path
from typing import IO

_LENGTHS = struct.Struct("<QQ")
_FULL = (errno.ENOSPC, errno.EDQUOT)


class StorageError(OSError):
    """A file of the harness cannot be read or written; the message is one line that says why."""

    def __init__(self, error: int, place: str) -> None:
        reason = os.strerror(error)
        message = f"{place} cannot be read or written: {reason}"
        if error in _FULL:
            message = (
                f"the folder {Path(place).parent} is full ({reason}); free some space there, "
                "or give another temporary folder with TMPDIR"
            )
        super().__init__(error, message)
        self._made_from = error, place

    def __reduce__(self) -> tuple[type["StorageError"], tuple[int, str]]:
        return StorageError, self._made_from

    def __str__(self) -> str:
        return str(self.strerror)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let an OSError be a StorageError that names ``path``: one that a write gives does not."""
    try:
        yield
    except OSError as error:
        raise StorageError(error.errno or errno.EIO, str(path)) from error


@contextmanager
def open_new(path: Path) -> Iterator[IO[bytes]]:
    """Write ``path`` from its beginning; raises StorageError if it cannot be opened or closed."""
    with naming(path):
        file = path.open("wb")
    try:
        yield file
    except BaseException:
        with suppress(OSError):  # what could not be written before cannot be now
            file.close()
        raise
    with naming(path):
        file.close()


def write_document(file: IO[bytes], document: tuple[str, str]) -> None:
    """Append an (id, text) pair to a file that ``read_spool`` reads."""
    fields = [field.encode("utf-8", "surrogatepass") for field in document]
    file.write(_LENGTHS.pack(*map(len, fields)))
    file.writelines(fields)


def write_spool(path: Path, documents: Iterable[tuple[str, str]]) -> int:
    """Write (id, text) pairs to ``path`` and return how many there were; raises StorageError."""
    number = 0
    with open_new(path) as file:
        for number, document in enumerate(documents, start=1):  # noqa: B007
            with naming(path):
                write_document(file, document)
    return number


def read_spool(
    path: Path, start: int = 0, documents: int | None = None
) -> Iterator[tuple[str, str]]:
    """Yield the (id, text) pairs of ``path``, from byte ``start`` on, so many or all.

    Raises ValueError if the file is cut short.
    """
    with path.open("rb") as file:
        file.seek(start)
        while documents != 0 and (lengths := file.read(_LENGTHS.size)):
            if len(lengths) < _LENGTHS.size:
                raise ValueError(f"{path} is cut short")
            id_length, text_length = _LENGTHS.unpack(lengths)
            fields = file.read(id_length + text_length)
            if len(fields) < id_length + text_length:
                raise ValueError(f"{path} is cut short")
            yield (
                fields[:id_length].decode("utf-8", "surrogatepass"),
                fields[id_length:].decode("utf-8", "surrogatepass"),
            )
            if documents is not None:
                documents -= 1
        if documents:
            raise ValueError(f"{path} is cut short")


def write_segments(file: IO[bytes], segments: Sequence[str]) -> None:
    """Append one document's segments to a file that ``read_segments`` reads."""
    text = "".join(segments).encode("utf-8", "surrogatepass")
    file.write(_LENGTHS.pack(len(segments), len(text)))
    file.write(array("Q", map(len, segments)).tobytes())
    file.write(text)


def read_segments(path: Path) -> Iterator[list[str]]:
    """Yield the segments of each document; what is cut short at the file's end is left out.

    A splitter's process wrote the file: raises ValueError if it is not a file of segments.
    """
    with path.open("rb") as file:
        there = os.fstat(file.fileno()).st_size
        while len(head := file.read(_LENGTHS.size)) == _LENGTHS.size:
            number, size = _LENGTHS.unpack(head)
            lengths = array("Q")
            if number * lengths.itemsize + size > there:
                return
            numbers = file.read(number * lengths.itemsize)
            text = file.read(size)
            if len(numbers) < number * lengths.itemsize or len(text) < size:
                return
            lengths.frombytes(numbers)
            joined = text.decode("utf-8", "surrogatepass")
            if sum(lengths) != len(joined):
                raise ValueError("the lengths of its segments are not those of their text")
            ends = accumulate(lengths, initial=0)
            yield [joined[start:end] for start, end in pairwise(ends)]
