"""The segmenter as a function for ``Dataset.map``, and back; imports no library itself."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from segmenter.text_segmenter import SEPARATORS, Separator, TextSegmenter

# A batch of datasets, a table of Arrow, or a frame of pandas or polars: columns by their name.
Batch = Any


ROW, INDEX, START, END = "row", "segment_index", "start", "end"


def segment_rows(
    column: str, max_chunk_length: int = 500, *, separators: Sequence[Separator] = SEPARATORS
) -> Callable[..., dict[str, list[Any]]]:
    """Return a function that turns a batch of rows into one row per segment.

    In each new row ``column`` holds the segment, ``segment_index`` its number within the old row,
    from 0, ``start`` and ``end`` its place in the old row's text in code points, and every other
    column what the old row held. With ``with_indices=True``, ``row`` is the old row's number. A row
    with an empty text has no segment.

    It is meant for ``dataset.map(segment_rows("text"), batched=True, with_indices=True)``, in any
    format, streamed, and in several processes. To drop columns, call ``dataset.remove_columns``
    before or after: what ``map`` is told to remove comes back with the new rows.

    Raises as TextSegmenter does. The function raises ValueError if a new column is there already,
    KeyError if there is no such column, and TypeError if it is given one row or columns without
    their names, or a text is not a str; each says what to do.
    """
    segmenter = TextSegmenter(max_chunk_length, separators=separators)

    def segment(batch: Batch, *more: Any) -> dict[str, list[Any]]:
        indices = _read_indices(more)
        columns = _read_columns(batch, column, [] if indices is None else [ROW])
        texts = columns[column]
        for number, text in enumerate(texts):
            if not isinstance(text, str):
                raise TypeError(
                    f"row {number} of the batch has no text in {column!r} but "
                    f"{'None' if text is None else type(text).__name__}; filter such rows out first"
                )
        spans = [segmenter.spans(text) for text in texts]
        if indices is not None:
            columns[ROW] = indices
        rows = {
            name: [value for value, each in zip(values, spans, strict=True) for _ in each]
            for name, values in columns.items()
        }
        rows[column] = [
            text[start:end] for text, each in zip(texts, spans, strict=True) for start, end in each
        ]
        rows[INDEX] = [index for each in spans for index, _ in enumerate(each)]
        rows[START] = [start for each in spans for start, _ in each]
        rows[END] = [end for each in spans for _, end in each]
        return rows

    return segment


def join_rows(rows: Iterable[Mapping[str, Any]], column: str) -> Iterator[dict[str, Any]]:
    """Yield the rows from which ``segment_rows`` made the segments, one after the other.

    ``rows`` are those of a data set, or any mappings, in their order; only the segments of one row
    are held. The new columns are left out. Of a row whose text was empty nothing is left to yield.

    Raises ValueError for a segment that does not follow the one before it, such as in a data set
    that was shuffled or filtered, but cannot see that the last segments of a row are missing.
    Raises KeyError for rows without such columns.
    """
    parts: list[str] = []
    first: dict[str, Any] = {}
    following: tuple[Any, int, int] | None = None
    for number, row in enumerate(rows):
        for name in (column, INDEX, START, END):
            if name not in row:
                raise KeyError(f"the rows have no column {name!r} but {', '.join(row)}")
        text, index, start, end = row[column], *(int(row[name]) for name in (INDEX, START, END))
        if index == start == 0:
            if parts:
                yield {**first, column: "".join(parts)}
            parts = []
            first = {name: row[name] for name in row if name not in (ROW, INDEX, START, END)}
        elif (row.get(ROW), index, start) != following:
            raise ValueError(
                f"row {number} holds segment {index}, from {start}, which does not follow the row "
                "before it; join rows in the order in which segment_rows made them, with none left "
                "out"
            )
        if start + len(text) != end:
            raise ValueError(
                f"row {number} holds {len(text)} characters in {column!r}, but its place is "
                f"{start} to {end}; join segments that were not changed"
            )
        parts.append(text)
        following = (row.get(ROW), index + 1, end)
    if parts:
        yield {**first, column: "".join(parts)}


def _read_indices(more: Sequence[Any]) -> list[int] | None:
    """Return the numbers of the rows, which map gives after the batch if it is asked to."""
    if not more:
        return None
    (indices, *others) = more
    if others or isinstance(indices, str) or any(not isinstance(each, int) for each in indices):
        raise TypeError("columns came without their names; map without input_columns")
    return list(indices)


def _read_columns(batch: Batch, column: str, numbered: Sequence[str]) -> dict[str, list[Any]]:
    """Return the values of every column, those of ``column`` as Python's own."""
    names = getattr(batch, "column_names", None)  # of a table of Arrow
    if names is None:
        names = getattr(batch, "columns", None)  # of a frame
    if names is None:
        if not isinstance(batch, Mapping):
            raise TypeError("columns came without their names; map without input_columns")
        names = batch
    names = list(names)
    if taken := [name for name in (*numbered, INDEX, START, END) if name in names]:
        raise ValueError(
            f"the data set has {' and '.join(taken)} already; rename that before segments "
            "get their own"
        )
    if column not in names:
        raise KeyError(f"the data set has no column {column!r} but {', '.join(names)}")
    if isinstance(batch[column], str):
        raise TypeError(f"{column} is one text, not a batch of them; map with batched=True")
    return {name: _read_values(batch[name]) for name in names}


def _read_values(values: Iterable[Any]) -> list[Any]:
    # Arrow, NumPy, torch, pandas and polars each have one of these.
    for method in ("to_pylist", "tolist", "to_list"):
        if hasattr(values, method):
            return list(getattr(values, method)())
    return list(values)
