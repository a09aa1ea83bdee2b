"""This project's own splitter."""

from collections.abc import Callable
from typing import Any

from segmenter import TextSegmenter


def text_segmenter(max_chunk_length: int, **options: Any) -> Callable[[str], list[str]]:
    """TextSegmenter's ``split``; ``options`` are its keyword arguments."""
    return TextSegmenter(max_chunk_length, **options).split
