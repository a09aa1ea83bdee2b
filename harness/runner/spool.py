"""Documents, and segments, in temporary files: how they travel between processes.

Processes share a file and none holds more than a document. JSON would not do: it joins two lone
surrogates into one character. Standard library only, since workers read and write it.
"""

import struct
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import IO

_LENGTHS = struct.Struct("<QQ")


def write_spool(path: Path, documents: Iterable[tuple[str, str]]) -> int:
    """Write (id, text) pairs to ``path`` and return how many there were."""
    number = 0
    with path.open("wb") as file:
        for number, document in enumerate(documents, start=1):  # noqa: B007
            fields = [field.encode("utf-8", "surrogatepass") for field in document]
            file.write(_LENGTHS.pack(*map(len, fields)))
            file.writelines(fields)
    return number


def read_spool(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the (id, text) pairs of ``path``; raises ValueError where the file is cut short."""
    with path.open("rb") as file:
        while lengths := file.read(_LENGTHS.size):
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


def write_segments(file: IO[bytes], segments: Sequence[str]) -> None:
    """Append one document's segments to a file that ``read_segments`` reads."""
    text = "".join(segments).encode("utf-8", "surrogatepass")
    file.write(_LENGTHS.pack(len(segments), len(text)))
    file.write(array("Q", map(len, segments)).tobytes())
    file.write(text)


def read_segments(path: Path) -> Iterator[list[str]]:
    """Yield the segments of each document; what is cut short at the file's end is left out."""
    with path.open("rb") as file:
        while len(head := file.read(_LENGTHS.size)) == _LENGTHS.size:
            number, size = _LENGTHS.unpack(head)
            lengths = array("Q")
            numbers = file.read(number * lengths.itemsize)
            text = file.read(size)
            if len(numbers) < number * lengths.itemsize or len(text) < size:
                return
            lengths.frombytes(numbers)
            joined = text.decode("utf-8", "surrogatepass")
            ends = accumulate(lengths, initial=0)
            yield [joined[start:end] for start, end in pairwise(ends)]
