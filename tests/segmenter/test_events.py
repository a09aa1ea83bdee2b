import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from segmenter import (
    Event,
    EventSegmenter,
    NullContext,
    PassthroughSegmenter,
    ProducerContext,
    TextBlock,
    TextSegmenter,
    render,
)

TEXTS = ["First sentence. Second one.\n\nThird.", "", "    indented\n", "short"]


def run(coroutine: Coroutine[object, object, object]) -> object:
    """The coroutine's result; in a thread, since other tests may leave a loop in this one."""
    with ThreadPoolExecutor(1) as executor:
        return executor.submit(asyncio.run, coroutine).result()


@dataclass
class ImageBlock:
    url: str


def event_of(*blocks: object) -> Event:
    return Event(
        timestamp=datetime(2026, 11, 30, tzinfo=UTC),
        blocks=blocks,
        context=ProducerContext("someone"),
        properties={"language": "en"},
    )


SPLITTING = [EventSegmenter(TextSegmenter(10)), EventSegmenter(TextSegmenter())]


@pytest.mark.parametrize("segmenter", [*SPLITTING, PassthroughSegmenter()])
def test_segments_render_to_the_blocks(segmenter):
    event = event_of(*map(TextBlock, TEXTS))
    segments = run(segmenter.segment(event))
    assert render(segments) == "".join(TEXTS)
    assert render(reversed(segments)) == "".join(TEXTS)


def test_text_segmenter_numbers_blocks_and_their_segments():
    segments = run(
        EventSegmenter(TextSegmenter(10)).segment(
            event_of(TextBlock("one. two three."), TextBlock(" "))
        )
    )
    assert [(each.index, each.offset, each.block.text) for each in segments] == [
        (0, 0, "one. "),
        (0, 1, "two three."),
        (1, 0, " "),
    ]


def test_an_empty_block_has_no_segment_in_one_and_one_in_the_other():
    event = event_of(TextBlock(""))
    assert run(EventSegmenter(TextSegmenter()).segment(event)) == []
    assert [each.block.text for each in run(PassthroughSegmenter().segment(event))] == [""]


def test_segments_carry_what_they_have_from_their_event_and_a_uuid_of_their_own():
    event = event_of(TextBlock("a b c"))
    segments = run(EventSegmenter(TextSegmenter(2)).segment(event, format_options={"any": 1}))
    assert len({segment.uuid for segment in segments} | {event.uuid}) == 4
    for segment in segments:
        assert segment.event_uuid == event.uuid
        assert segment.timestamp == event.timestamp
        assert segment.context == ProducerContext("someone")
        assert segment.properties == {"language": "en"}


def test_an_event_without_context_has_the_null_context():
    event = Event(timestamp=datetime(2026, 11, 30, tzinfo=UTC), blocks=[])
    assert event.context == NullContext()


@pytest.mark.parametrize("segmenter", [SPLITTING[0], PassthroughSegmenter()])
def test_a_block_that_is_not_text_is_refused_by_name(segmenter):
    event = event_of(TextBlock("text"), ImageBlock("picture.png"))
    with pytest.raises(NotImplementedError, match="Unsupported block type: ImageBlock"):
        run(segmenter.segment(event))


def test_an_error_names_both_classes_that_have_one_name():
    other = type("TextBlock", (), {"__module__": "host", "text": "text"})
    expected = "Unsupported block type: TextBlock of host; this segmenter splits TextBlock of segmenter.events"
    for segmenter in (SPLITTING[0], PassthroughSegmenter()):
        with pytest.raises(NotImplementedError, match=f"^{expected}$"):
            run(segmenter.segment(event_of(other())))


def test_events_and_segments_can_be_in_sets_and_keys():
    event = event_of(TextBlock("a b c"))
    segments = run(EventSegmenter(TextSegmenter(2)).segment(event))
    assert len({*segments, *segments}) == 3
    assert {event: 1}[event] == 1


@dataclass
class HostBlock:
    text: str


@dataclass
class HostSegment:
    uuid: object
    event_uuid: object
    index: int
    offset: int
    timestamp: datetime
    block: HostBlock
    context: object
    properties: object


def test_the_classes_of_a_host_come_out():
    event = event_of(HostBlock("one. two three."), HostBlock("four"))
    segmenter = EventSegmenter(TextSegmenter(10), block_type=HostBlock, segment_type=HostSegment)
    segments = run(segmenter.segment(event))
    assert [(each.index, each.offset, each.block) for each in segments] == [
        (0, 0, HostBlock("one. ")),
        (0, 1, HostBlock("two three.")),
        (1, 0, HostBlock("four")),
    ]
    assert {each.event_uuid for each in segments} == {event.uuid}
    assert {type(each) for each in segments} == {HostSegment}
    with pytest.raises(
        NotImplementedError, match=r"TextBlock of segmenter.events; this .* HostBlock"
    ):
        run(segmenter.segment(event_of(TextBlock("text"))))
