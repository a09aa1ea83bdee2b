"""This project's own splitter."""

from collections.abc import Callable
from typing import Any

from segmenter import TextSegmenter


def text_segmenter(max_chunk_length: int, **options: Any) -> Callable[[str], list[str]]:
    """TextSegmenter's ``split``; ``options`` are its keyword arguments."""
    return TextSegmenter(max_chunk_length, **options).split


def text_segmenter_offsets(
    max_chunk_length: int, **options: Any
) -> Callable[[str], list[tuple[str, int, int]]]:
    """TextSegmenter's ``spans``, each after the segment that ``split`` gives for it."""
    segmenter = TextSegmenter(max_chunk_length, **options)
    return lambda text: [
        (segment, *span)
        for segment, span in zip(segmenter.split(text), segmenter.spans(text), strict=True)
    ]
