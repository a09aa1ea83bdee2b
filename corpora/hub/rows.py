"""Rows of a data set's files, a few at a time, in a mirror, in the cache or on the hub.

Memory is bounded by a few rows: nothing is read ahead but a piece, and nothing is cached.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from corpora.document import CorpusError
from corpora.local import parquet
from corpora.local.content import FileError
from corpora.local.places import open_place
from corpora.local.tables import Integer, find_values, name_type, read_objects
from corpora.timeout import Sign


class ColumnValues(Protocol):
    """Values of a few rows, which become Python objects when they are asked for."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> Any: ...


class _ArrowColumn:
    def __init__(self, array: Any) -> None:
        self._array = array

    def __len__(self) -> int:
        return len(self._array)

    def __getitem__(self, index: int) -> Any:
        return self._array[index].as_py()


def import_datasets(corpus: str) -> Any:
    """The `datasets` library, kept from printing; raises CorpusError if it is not installed."""
    try:
        import datasets
    except ImportError:
        raise CorpusError(
            f"{corpus} needs the `datasets` library; run: pip install 'segbench[harness]'"
        ) from None
    # What goes wrong is raised, in one line; its own log would come before that.
    datasets.logging.set_verbosity(datasets.logging.CRITICAL)
    datasets.disable_progress_bars()
    # Else each load asks a server to count it, a mirror's too: three seconds if there is none.
    datasets.config.HF_UPDATE_DOWNLOAD_COUNTS = False
    return datasets


def read_rows(
    builder: str, place: str, columns: Mapping[str, str], give_sign: Sign
) -> Iterator[Mapping[str, ColumnValues]]:
    """Those columns of a file, which is local or an hf:// URL, for a few rows at a time.

    ``builder`` is "parquet" or "json". Raises FileError for a column of another type than given,
    and for a damaged file.
    """
    file = open_place(place, give_sign)
    if builder == "parquet":
        for batch in parquet.read_batches(file, columns):
            yield {column: _ArrowColumn(array) for column, array in batch.items()}
        return
    for number, (row_place, row_number, row) in enumerate(read_objects(file, "utf-8"), start=1):
        values = {}
        for column, expected in columns.items():
            found = find_values(row, column)
            if len(found) != 1 or not _has_type(found[0], expected):
                kind = name_type(found[0]) if found else "not there"
                raise FileError(
                    f": column {column} should be {expected} and is {kind}",
                    row=f"{row_place} {row_number}",
                )
            values[column] = found
        yield values
        if not number % parquet.ROWS_A_BATCH:
            give_sign()


def _has_type(value: Any, expected: str) -> bool:
    """Whether a JSON value has a type, in the catalogue's words; null may stand for anything."""
    if value is None:
        return True
    if expected.startswith("list<"):
        inner = expected.removeprefix("list<").removesuffix(">")
        return type(value) is list and all(_has_type(each, inner) for each in value)
    types: Mapping[str, type] = {"string": str, "integer": Integer, "boolean": bool}
    return type(value) is types[expected]


def check_libraries(corpus: str) -> None:
    """Raise CorpusError unless the libraries that read and find data sets are installed."""
    try:
        import huggingface_hub  # noqa: F401
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise CorpusError(
            f"{corpus} needs the `{error.name}` library; run: pip install 'segbench[harness]'"
        ) from None
