"""This project's own splitter."""

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import segmenter
from segmenter import TextSegmenter
from segmenter.separators import LISTS

SOURCE = Path(segmenter.__file__).with_name("text_segmenter.py")


def text_segmenter(
    max_chunk_length: int, separators: str = "memmachine"
) -> Callable[[str], list[str]]:
    """TextSegmenter's ``split``, with a named list of separators."""
    return TextSegmenter(max_chunk_length, separators=LISTS[separators]).split


def pure_text_segmenter(max_chunk_length: int, **options: Any) -> Callable[[str], list[str]]:
    """The same from the source, even if TextSegmenter is compiled."""
    return load_pure()(max_chunk_length, **options).split


def load_pure() -> type[TextSegmenter]:
    """The TextSegmenter of the source, even if ``import segmenter`` gives the compiled one."""
    spec = importlib.util.spec_from_file_location("pure_text_segmenter", SOURCE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    pure: type[TextSegmenter] = module.TextSegmenter
    return pure


def text_segmenter_offsets(
    max_chunk_length: int, separators: str = "memmachine"
) -> Callable[[str], list[tuple[str, int, int]]]:
    """TextSegmenter's ``spans``, each after the segment that ``split`` gives for it."""
    made = TextSegmenter(max_chunk_length, separators=LISTS[separators])
    return lambda text: [
        (segment, *span) for segment, span in zip(made.split(text), made.spans(text), strict=True)
    ]
