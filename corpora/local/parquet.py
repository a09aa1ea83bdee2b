"""Columns of Parquet files, a few rows at a time.

``ParquetFile.iter_batches`` decodes page by page and enters structs, so that a column beside the
text is not even fetched. (``pyarrow.dataset``, which `datasets` scans with, decodes a row group
whole: if rows repeat a book, that is a gigabyte.) Columns are named first literally, then by
dotted paths into structs, such as ``document.text``; types in the catalogue's words, such as
``list<string>``.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import IO, Any

from corpora.local.content import DataFile, FileError, NumberedRow
from corpora.wording import list_names, one_line, show_column, truncate

# A NarrativeQA row is a whole book, so a batch must be small; Arrow is quick enough with it.
ROWS_A_BATCH = 16
PIECES_AT_MOST = 16  # of a row group
# Bytes fetched at once for a column: a request to the hub each, and memory for each column.
_BUFFER_SIZE = 4 << 20


def read_column(file: DataFile, column: str, rows: slice | None = None) -> Iterator[NumberedRow]:
    """The values of a column of texts; raises FileError if the file has none of that name.

    ``rows`` are those from ``start``, counted from 0, to before ``stop``; all without.
    """
    number = rows.start if rows else 0
    for batch in read_batches(file, {column: "string"}, rows):
        for value in batch[column]:
            number += 1
            try:
                text = value.as_py()
            except UnicodeDecodeError as error:
                what = f": column {show_column(column)} is not UTF-8: {error.reason}"
                raise FileError(what, row=f"row {number}") from None
            yield NumberedRow("row", number, text)


def cut_rows(file: DataFile, column: str, size: int) -> Iterator[tuple[slice, int]]:
    """Cut a file into neighbouring rows, with about so many bytes of a column, and tell how many.

    Small row groups stay together. A large one is cut into a few equal pieces: each reader has to
    decode what comes before its own. Raises FileError.
    """
    with file.open() as source:
        parquet = _open(source)
        check_columns(parquet.schema_arrow, {column: "string"})
        path = ".".join(find_column(parquet.schema_arrow, column) or ())
        start = stop = held = 0
        for number in range(parquet.num_row_groups):
            group = parquet.metadata.row_group(number)
            chunks = map(group.column, range(group.num_columns))
            length = sum(
                chunk.total_uncompressed_size for chunk in chunks if chunk.path_in_schema == path
            )
            if held and held + length > size:
                yield slice(start, stop), held
                start, held = stop, 0
            pieces = max(1, min(length // size, group.num_rows, PIECES_AT_MOST))
            for piece in range(pieces - 1):
                end = stop + group.num_rows * (piece + 1) // pieces
                yield slice(start, end), length // pieces
                start = end
            stop += group.num_rows
            held += length // pieces
        if stop > start:
            yield slice(start, stop), held


def read_batches(
    file: DataFile, columns: Mapping[str, str], rows: slice | None = None
) -> Iterator[Mapping[str, Any]]:
    """Arrow arrays of those columns, each for a few rows; of all rows, or as in ``read_column``.

    Raises FileError for a column of another type than given, and for a damaged file.
    """
    with file.open() as source:
        parquet = _open(source)
        paths = {column: find_column(parquet.schema_arrow, column) for column in columns}
        check_columns(parquet.schema_arrow, columns)
        groups, skipped, wanted = _find_rows(parquet, rows)
        batches = parquet.iter_batches(
            batch_size=ROWS_A_BATCH,
            row_groups=groups,
            columns=[".".join(path) for path in paths.values() if path],
            use_threads=False,
        )
        while True:
            try:
                batch = next(batches)
            except StopIteration:
                return
            except Exception as error:  # noqa: BLE001  whatever Arrow meets in a damaged file
                raise FileError(f"cannot be read: {one_line(error)}") from None
            if rows:
                before = min(skipped, len(batch))
                skipped -= before
                batch = batch.slice(before, wanted)
                wanted -= len(batch)
            yield {column: get_column(batch, path) for column, path in paths.items() if path}
            if rows and not wanted:
                return


def _find_rows(parquet: Any, rows: slice | None) -> tuple[Sequence[int], int, int]:
    """The row groups that hold rows, how many there are before them, and how many they are."""
    groups = range(parquet.num_row_groups)
    if rows is None:
        return groups, 0, parquet.metadata.num_rows
    ends = list(accumulate(parquet.metadata.row_group(number).num_rows for number in groups))
    first, last = bisect_right(ends, rows.start), bisect_left(ends, rows.stop)
    before = ends[first - 1] if first else 0
    return groups[first : last + 1], rows.start - before, rows.stop - rows.start


def _open(source: IO[bytes]) -> Any:
    try:
        import pyarrow.parquet as pq
    except ImportError:
        raise FileError(
            "needs the `pyarrow` library", "run: pip install 'segbench[harness]'"
        ) from None
    try:
        # Buffered ahead, a row group's columns would be in memory whole.
        return pq.ParquetFile(source, pre_buffer=False, buffer_size=_BUFFER_SIZE)
    except Exception as error:  # noqa: BLE001  whatever Arrow meets in a damaged file
        raise FileError(f"cannot be read: {one_line(error)}") from None


def get_column(table: Any, path: Sequence[str]) -> Any:
    """A column of an Arrow table or batch, in structs too."""
    import pyarrow.compute

    top, *below = path
    return pyarrow.compute.struct_field(table[top], below) if below else table[top]


def find_column(schema: Any, column: str) -> tuple[str, ...] | None:
    """The path to a column: its very name, else through the structs that its dots enter.

    Raises FileError for a name that is there twice.
    """
    found = len(schema.get_all_field_indices(column))
    if found == 1:
        return (column,)
    if found:
        raise FileError(f"has column {show_column(column)} {found} times", "give it once")
    for at, sign in enumerate(column):
        if sign != ".":
            continue
        struct = _get_struct(schema, column[:at])
        if struct is not None and (below := find_column(struct, column[at + 1 :])):
            return (column[:at], *below)
    return None


def _get_struct(schema: Any, name: str) -> Any:
    import pyarrow.types

    if len(schema.get_all_field_indices(name)) != 1:
        return None
    kind = schema.field(name).type
    return kind if pyarrow.types.is_struct(kind) else None


def check_columns(schema: Any, columns: Mapping[str, str]) -> None:
    """Raise FileError unless every column is there and has its type."""
    for column, expected in columns.items():
        path = find_column(schema, column)
        found = _name_type(_get_type(schema, path)) if path else None
        if found != expected:
            names = list_names([show_column(field.name) for field in schema], 20)
            there = f", where there are {names}" if found is None else ""
            raise FileError(
                f": column {show_column(column)} should be {expected} and is "
                f"{truncate(found) if found else 'not there'}{there}",
                "name another: --text-column",
            )


def _get_type(schema: Any, path: Sequence[str]) -> Any:
    name, *below = path
    kind = schema.field(name).type
    return _get_type(kind, below) if below else kind


def _name_type(kind: Any) -> str:
    import pyarrow as pa
    import pyarrow.types as types

    if isinstance(kind, pa.BaseExtensionType):
        return _name_type(kind.storage_type)
    if types.is_dictionary(kind) or types.is_run_end_encoded(kind):
        return _name_type(kind.value_type)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_list_view(kind):
        return f"list<{_name_type(kind.value_type)}>"
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return "string"
    if types.is_integer(kind):
        return "integer"
    return "boolean" if types.is_boolean(kind) else str(kind)
