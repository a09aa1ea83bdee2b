"""A corpus in one temporary file, so that every worker reads the same documents.

Two processes share it and neither holds more than a document. JSON would not do: it joins two
lone surrogates into one character. Standard library only, since workers read it.
"""

import struct
from collections.abc import Iterable, Iterator
from pathlib import Path

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
