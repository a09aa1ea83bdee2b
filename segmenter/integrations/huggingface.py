"""The segmenter as a function for ``Dataset.map``; imports no library itself."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from segmenter.text_segmenter import SEPARATORS, TextSegmenter

Batch = Mapping[str, Sequence[Any]]


def segment_rows(
    column: str, max_chunk_length: int = 500, *, separators: Sequence[str] = SEPARATORS
) -> Callable[[Batch], dict[str, list[Any]]]:
    """Return a function that turns a batch of rows into a row a segment.

    In each new row ``column`` holds the segment, ``start`` and ``end`` its place in the old row's
    text in code points, and every other column what the old row held. It is meant for
    ``dataset.map(segment_rows("text"), batched=True)``. Raises as TextSegmenter does. The function
    raises ValueError where there is a column ``start`` or ``end`` already, and TypeError where it
    is given a row, not a batch.
    """
    segmenter = TextSegmenter(max_chunk_length, separators=separators)

    def segment(batch: Batch) -> dict[str, list[Any]]:
        if taken := [name for name in ("start", "end") if name in batch]:
            raise ValueError(
                f"the data set has {' and '.join(taken)} already; rename that before segments "
                "get their own"
            )
        if isinstance(batch[column], str):
            raise TypeError(f"{column} is one text, not a batch of them; map with batched=True")
        rows: dict[str, list[Any]] = {name: [] for name in [*batch, "start", "end"]}
        for number, text in enumerate(batch[column]):
            spans = segmenter.spans(text)
            for name in batch:
                if name != column:
                    rows[name] += [batch[name][number]] * len(spans)
            rows[column] += [text[start:end] for start, end in spans]
            rows["start"] += [start for start, _ in spans]
            rows["end"] += [end for _, end in spans]
        return rows

    return segment
