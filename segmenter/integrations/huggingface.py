"""The segmenter as a function for ``Dataset.map``; imports no library itself."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from segmenter.text_segmenter import SEPARATORS, TextSegmenter

# A batch of datasets, a table of Arrow, or a frame of pandas or polars: columns by their name.
Batch = Any


def segment_rows(
    column: str, max_chunk_length: int = 500, *, separators: Sequence[str] = SEPARATORS
) -> Callable[..., dict[str, list[Any]]]:
    """Return a function that turns a batch of rows into one row per segment.

    In each new row ``column`` holds the segment, ``start`` and ``end`` its place in the old row's
    text in code points, and every other column what the old row held. It is meant for
    ``dataset.map(segment_rows("text"), batched=True)``, in whichever format the data set is. What
    ``map`` is told to remove comes back with the new rows: to drop columns, call
    ``dataset.remove_columns`` before or after.

    Raises as TextSegmenter does. The function raises ValueError if there is a column ``start`` or
    ``end`` already, KeyError if there is no such column, and TypeError if it is given one row or
    columns without their names, or a text is not a str; each says what to do.
    """
    segmenter = TextSegmenter(max_chunk_length, separators=separators)

    def segment(batch: Batch, *more: object) -> dict[str, list[Any]]:
        if more:
            raise TypeError("columns came without their names; map without input_columns")
        columns = _read_columns(batch, column)
        texts = columns[column]
        for number, text in enumerate(texts):
            if not isinstance(text, str):
                raise TypeError(
                    f"row {number} of the batch has no text in {column!r} but "
                    f"{'None' if text is None else type(text).__name__}; filter such rows out first"
                )
        spans = [segmenter.spans(text) for text in texts]
        rows = {
            name: [value for value, each in zip(values, spans, strict=True) for _ in each]
            for name, values in columns.items()
        }
        rows[column] = [
            text[start:end] for text, each in zip(texts, spans, strict=True) for start, end in each
        ]
        rows["start"] = [start for each in spans for start, _ in each]
        rows["end"] = [end for each in spans for _, end in each]
        return rows

    return segment


def _read_columns(batch: Batch, column: str) -> dict[str, list[Any]]:
    """Return the values of every column, those of ``column`` as Python's own."""
    names = getattr(batch, "column_names", None)  # of a table of Arrow
    if names is None:
        names = getattr(batch, "columns", None)  # of a frame
    if names is None:
        if not isinstance(batch, Mapping):
            raise TypeError("columns came without their names; map without input_columns")
        names = batch
    names = list(names)
    if taken := [name for name in ("start", "end") if name in names]:
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
