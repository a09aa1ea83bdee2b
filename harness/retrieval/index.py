"""The segments of a whole corpus, as something to search in: their texts, and where they lie."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy
import numpy.typing

from corpora import Document
from harness.measure.excerpts import find_starts
from segmenter.rules import Splitting

Numbers = numpy.typing.NDArray[numpy.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """The segments of a corpus that are not whitespace alone, in the order of its documents.

    ``documents`` holds the number of each segment's document, ``starts`` its offset there, -1 for a
    segment that was not found in its document, ``lengths`` its code points.
    """

    texts: Sequence[str]
    documents: Numbers
    starts: Numbers
    lengths: Numbers

    @property
    def unplaced(self) -> int:
        """How many segments were not found in their documents."""
        return int((self.starts < 0).sum())


def build_index(
    documents: Sequence[Document], segments: Sequence[Sequence[str]], *, overlapping: bool = False
) -> Index:
    """The index of every document's segments; ``overlapping`` if they are known to share text.

    Segments that join to the text lie end to end. Others are searched from the left, each after the
    one before it, or after the start of that one if they overlap: those that are longer together
    than their text must.
    """
    texts: list[str] = []
    numbers: list[int] = []
    starts: list[int] = []
    for number, (document, parts) in enumerate(zip(documents, segments, strict=True)):
        if overlapping or sum(map(len, parts)) > len(document.text):
            places: Sequence[int] = find_starts(document.text, parts)
        else:
            places = Splitting(document.text, parts, max(map(len, parts), default=1) or 1).starts
        for part, place in zip(parts, places, strict=True):
            if part and not part.isspace():
                texts.append(part)
                numbers.append(number)
                starts.append(place)
    return Index(
        texts,
        numpy.array(numbers, dtype=numpy.int64),
        numpy.array(starts, dtype=numpy.int64),
        numpy.array([len(text) for text in texts], dtype=numpy.int64),
    )
