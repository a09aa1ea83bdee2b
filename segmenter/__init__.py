"""A text splitter whose segments join back to the text exactly."""

from segmenter.text_segmenter import SEPARATORS, Separator, TextSegmenter

TYPE_CHECKING = False  # typing's own would cost more than all the rest of this import
if TYPE_CHECKING:
    from segmenter.events import (
        Context,
        Event,
        EventSegmenter,
        NullContext,
        PassthroughSegmenter,
        ProducerContext,
        Segment,
        TextBlock,
        render,
    )

COMPILED: bool = not hasattr(TextSegmenter.split, "__code__")
"""Whether the compiled form of the segmenter runs; else it is pure Python.

They give the same segments and the same errors. Compiled, TextSegmenter has no subclasses.
"""

__all__ = [
    "COMPILED",
    "SEPARATORS",
    "Context",
    "Event",
    "EventSegmenter",
    "NullContext",
    "PassthroughSegmenter",
    "ProducerContext",
    "Segment",
    "Separator",
    "TextBlock",
    "TextSegmenter",
    "render",
]


def __getattr__(name: str) -> object:
    # Who only splits text does not wait for dataclasses, datetime and uuid.
    if name in __all__:
        from segmenter import events

        return getattr(events, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
