"""Rows of data files, read through `datasets`' own builders a few at a time.

Nothing is cached, so memory is bounded by a few rows. Columns are named by dotted paths that enter
structs, such as ``document.text``; types in the catalogue's words, such as ``list<string>``.
"""

import glob
import tempfile
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

from corpora.document import CorpusError

# A NarrativeQA row is a whole book, so a batch must be small; Arrow is quick enough with it.
ROWS_A_BATCH = 16


class RowError(Exception):
    """A data file or a row that is not as it should be; the message is the cause, in one line."""


def import_datasets(corpus: str) -> Any:
    """The `datasets` library, kept from printing; raises CorpusError where it is not installed."""
    try:
        import datasets
    except ImportError:
        raise CorpusError(
            f"{corpus} needs the `datasets` library; run: pip install 'segbench[harness]'"
        ) from None
    # What goes wrong is raised, in one line; its own log would come before that.
    datasets.logging.set_verbosity(datasets.logging.CRITICAL)
    datasets.disable_progress_bars()
    # Else each load asks a server to count it, a mirror's too: three seconds where there is none.
    datasets.config.HF_UPDATE_DOWNLOAD_COUNTS = False
    return datasets


def read_files(
    builder: str,
    files: Sequence[str],
    columns: Mapping[str, str],
    *,
    encoding: str = "utf-8",
) -> Generator[Any, None, None]:
    """Arrow tables with those columns and perhaps more, of a few rows each.

    ``builder`` is "parquet" or "json"; ``files`` are absolute local paths or hf:// URLs, of which
    all are read in this order. Raises RowError for a column of another type than given, and
    whatever `datasets` meets in a damaged file or on the way to it.
    """
    from datasets.packaged_modules.json.json import Json

    from corpora.local.parquet import RowReader

    local = [file for file in files if "://" not in file]
    options: dict[str, Any]
    if builder == "parquet":
        kind = RowReader
        options = {"columns": columns, "batch_size": ROWS_A_BATCH}
    else:
        kind = Json
        options = {"encoding": encoding}
        for file in local:
            _refuse_null(Path(file))
    # `datasets` takes * ? [ ] in a local path for patterns.
    data_files = [glob.escape(file) if file in local else file for file in files]
    # A builder locks its cache folder even when it streams; the user's is left alone.
    with tempfile.TemporaryDirectory(prefix="segbench-") as cache:
        reader = kind(cache_dir=cache, data_files={"all": data_files}, hash="0", **options)
        rows = reader.as_streaming_dataset(split="all")
        for table in rows.with_format("arrow").iter(batch_size=ROWS_A_BATCH):
            check_columns(table.schema, columns)
            yield table


def _refuse_null(path: Path) -> None:
    """Arrow's JSON reader ends the whole process at a block whose rows are all null."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            content = line.strip()
            if number == 1 and content.removeprefix(b"\xef\xbb\xbf").startswith(b"["):
                return  # one list, which is parsed otherwise
            if content.removeprefix(b"\xef\xbb\xbf") == b"null":
                raise RowError(f"line {number} of {path} is null and no row")


def get_column(table: Any, column: str) -> Any:
    """A column of an Arrow table, in structs too."""
    import pyarrow.compute

    top, *below = column.split(".")
    return pyarrow.compute.struct_field(table[top], below) if below else table[top]


def check_columns(schema: Any, columns: Mapping[str, str]) -> None:
    """Raise RowError unless every column is there and has its type."""
    for column, expected in columns.items():
        found = _type_of(schema, column.split("."))
        if found != expected:
            there = f", where there are {', '.join(schema.names)}" if found is None else ""
            raise RowError(
                f"column {column} should be {expected} and is {found or 'not there'}{there}"
            )


def _type_of(struct: Any, path: Sequence[str]) -> str | None:
    """The type of a nested column in the catalogue's words, None where there is no such column."""
    import pyarrow.types

    name, *below = path
    if struct.get_field_index(name) < 0:
        return None
    kind = struct.field(name).type
    if below:
        return _type_of(kind, below) if pyarrow.types.is_struct(kind) else None
    return _type_name(kind)


def _type_name(kind: Any) -> str:
    import pyarrow.types as types

    if types.is_list(kind) or types.is_large_list(kind):
        return f"list<{_type_name(kind.value_type)}>"
    if types.is_string(kind) or types.is_large_string(kind):
        return "string"
    if types.is_integer(kind):
        return "integer"
    return "boolean" if types.is_boolean(kind) else str(kind)


def one_line(error: BaseException) -> str:
    """An exception's message in one line that is not too long."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 300 else f"{text[:300]}…"
