"""The shapes that event memory uses: events with blocks go in, segments come out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeVar, overload
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

    A block that is not a TextBlock can be held, but the segmenters here refuse it. An event can be
    in a set: its hash is that of its uuid.
    """

    timestamp: datetime
    blocks: Sequence[object]
    context: Context = field(default_factory=NullContext)
    properties: Mapping[str, object] = field(default_factory=dict)
    uuid: UUID = field(default_factory=uuid4)

    def __hash__(self) -> int:
        return hash(self.uuid)


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of an event's block.

    ``index`` is the block's place in the event, ``offset`` the segment's place in the block;
    both count from 0. Timestamp, context and properties are the event's. A segment can be in a set:
    its hash is that of its uuid.
    """

    event_uuid: UUID
    index: int
    offset: int
    timestamp: datetime
    block: TextBlock
    context: Context = field(default_factory=NullContext)
    properties: Mapping[str, object] = field(default_factory=dict)
    uuid: UUID = field(default_factory=uuid4)

    def __hash__(self) -> int:
        return hash(self.uuid)


HostSegment = TypeVar("HostSegment")


class EventSegmenter(Generic[HostSegment]):
    """Splits an event's text blocks with a TextSegmenter.

    Events, blocks and segments are those of this module, or those of a host that has the same: then
    ``block_type`` is its class for text, made with ``text=``, and ``segment_type`` its class for
    segments, made with the fields of `Segment` by their names.
    """

    @overload
    def __init__(self: EventSegmenter[Segment], splitter: TextSegmenter) -> None: ...

    @overload
    def __init__(
        self,
        splitter: TextSegmenter,
        *,
        block_type: type[Any],
        segment_type: Callable[..., HostSegment],
    ) -> None: ...

    def __init__(
        self,
        splitter: TextSegmenter,
        *,
        block_type: type[Any] = TextBlock,
        segment_type: Callable[..., Any] = Segment,
    ) -> None:
        self.splitter = splitter
        self.block_type = block_type
        self.segment_type = segment_type

    async def segment(
        self, event: Any, *, format_options: object | None = None
    ) -> list[HostSegment]:
        """Return the segments of the event's text blocks, numbered by block and place in it.

        ``format_options`` belongs to the interface of event memory and changes nothing here.
        Raises NotImplementedError for a block that is not text.
        """
        return [
            _make_segment(self.segment_type, event, index, offset, self.block_type(text=text))
            for index, block in enumerate(event.blocks)
            for offset, text in enumerate(self.splitter.split(_read_text(block, self.block_type)))
        ]


class PassthroughSegmenter:
    """Makes one segment of each text block, whatever its length."""

    async def segment(self, event: Event, *, format_options: object | None = None) -> list[Segment]:
        """Return one segment per block; raises NotImplementedError for a block that is not text."""
        return [
            _make_segment(Segment, event, index, 0, TextBlock(_read_text(block, TextBlock)))
            for index, block in enumerate(event.blocks)
        ]


def _make_segment(
    segment_type: Callable[..., HostSegment], event: Any, index: int, offset: int, block: object
) -> HostSegment:
    return segment_type(
        uuid=uuid4(),
        event_uuid=event.uuid,
        index=index,
        offset=offset,
        timestamp=event.timestamp,
        block=block,
        context=event.context,
        properties=event.properties,
    )


def _read_text(block: object, block_type: type[Any]) -> str:
    if not isinstance(block, block_type):
        # The classes may differ in nothing but their module.
        given, expected = type(block), block_type
        raise NotImplementedError(
            f"Unsupported block type: {given.__name__} of {given.__module__}; this segmenter splits "
            f"{expected.__name__} of {expected.__module__}"
        )
    text: str = block.text
    return text


def render(segments: Iterable[Segment]) -> str:
    """Return the text of segments, put together in the order of their index and offset."""
    in_order = sorted(segments, key=lambda segment: (segment.index, segment.offset))
    return "".join(segment.block.text for segment in in_order)
