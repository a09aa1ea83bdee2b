"""Segments of a text that arrives in pieces, each as soon as it is certain."""

from collections.abc import Iterable, Iterator, Sequence

from segmenter.levels import Levels
from segmenter.text_segmenter import SEPARATORS, Separator, TextSegmenter


def segment_stream(
    pieces: Iterable[str],
    max_chunk_length: int = 500,
    *,
    separators: Sequence[Separator] = SEPARATORS,
) -> Iterator[str]:
    """Yield the segments of the pieces joined, which are those of ``TextSegmenter.split``.

    A segment is certain when the text has gone on to content ``max_chunk_length`` code points after
    the segment's start, and to content again when as many more have come as the longest separator
    has. So output waits for that and for long whitespace to end, and the last segments for the end
    of the text. That much text is held, and the longest piece.

    Raises as TextSegmenter does when it is called, and TypeError for a piece that is not a str.
    """
    return _segment(pieces, TextSegmenter(max_chunk_length, separators=separators))


def _segment(pieces: Iterable[str], segmenter: TextSegmenter) -> Iterator[str]:
    limit = segmenter.max_chunk_length
    levels = Levels(segmenter.separators)
    held: list[str] = []
    length = needed = 0
    for number, piece in enumerate(pieces):
        if not isinstance(piece, str):
            kind = "None" if piece is None else type(piece).__name__
            raise TypeError(f"piece {number} must be a str, not {kind}")
        held.append(piece)
        length += len(piece)
        # Whitespace alone makes nothing certain, however much of it comes.
        if length < needed or piece.isspace():
            continue
        levels.extend("".join(held))
        held.clear()
        while (needed := levels.needed(levels.position + limit)) <= len(levels.text):
            yield levels.advance(*levels.find_end(levels.position + limit, final=False))
        length = len(levels.text) - levels.position
        needed -= levels.position
    levels.extend("".join(held))
    while levels.position < len(levels.text):
        yield levels.advance(*levels.find_end(levels.position + limit, final=True))
