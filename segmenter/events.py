"""The shapes that event memory uses: events with blocks go in, segments come out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID, uuid4

from segmenter.text_segmenter import TextSegmenter


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A block of an event that is text."""

    text: str


@dataclass(frozen=True, slots=True)
class NullContext:
    """Nothing is known about where an event comes from."""


@dataclass(frozen=True, slots=True)
class ProducerContext:
    """An event comes from a named producer."""

    producer: str


Context = NullContext | ProducerContext


@dataclass(frozen=True, slots=True)
class Event:
    """What happened at a time, told in blocks.

    A block that is not a TextBlock can be held, but the segmenters here refuse it.
    """

    timestamp: datetime
    blocks: Sequence[object]
    context: Context = field(default_factory=NullContext)
    properties: Mapping[str, object] = field(default_factory=dict)
    uuid: UUID = field(default_factory=uuid4)


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of an event's block.

    ``index`` is the block's place in the event, ``offset`` the segment's place in the block;
    both count from 0. Timestamp, context and properties are the event's.
    """

    event_uuid: UUID
    index: int
    offset: int
    timestamp: datetime
    block: TextBlock
    context: Context = field(default_factory=NullContext)
    properties: Mapping[str, object] = field(default_factory=dict)
    uuid: UUID = field(default_factory=uuid4)


class EventSegmenter:
    """Splits an event's text blocks with a TextSegmenter."""

    def __init__(self, splitter: TextSegmenter) -> None:
        self.splitter = splitter

    async def segment(self, event: Event, *, format_options: object | None = None) -> list[Segment]:
        """Return the segments of the event's text blocks, numbered by block and place in it.

        ``format_options`` belongs to the interface of event memory and changes nothing here.
        Raises NotImplementedError for a block that is not text.
        """
        return [
            segment_of(event, index, offset, TextBlock(text))
            for index, block in enumerate(event.blocks)
            for offset, text in enumerate(self.splitter.split(text_of(block)))
        ]


class PassthroughSegmenter:
    """Makes one segment of each text block, whatever its length."""

    async def segment(self, event: Event, *, format_options: object | None = None) -> list[Segment]:
        """Return one segment per block; raises NotImplementedError for a block that is not text."""
        return [
            segment_of(event, index, 0, TextBlock(text_of(block)))
            for index, block in enumerate(event.blocks)
        ]


def segment_of(event: Event, index: int, offset: int, block: TextBlock) -> Segment:
    """Return a new segment that carries what it has from its event."""
    return Segment(
        event_uuid=event.uuid,
        index=index,
        offset=offset,
        timestamp=event.timestamp,
        block=block,
        context=event.context,
        properties=event.properties,
    )


def text_of(block: object) -> str:
    """Return a block's text; raises NotImplementedError for a block that is not text."""
    if not isinstance(block, TextBlock):
        raise NotImplementedError(f"Unsupported block type: {type(block).__name__}")
    return block.text


def render(segments: Iterable[Segment]) -> str:
    """Return the text of segments, put together in the order of their index and offset."""
    in_order = sorted(segments, key=lambda segment: (segment.index, segment.offset))
    return "".join(segment.block.text for segment in in_order)
