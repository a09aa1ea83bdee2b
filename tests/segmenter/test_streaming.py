import random
import tracemalloc
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from segmenter import SEPARATORS, TextSegmenter
from segmenter.separators import LISTS
from segmenter.streaming import segment_stream
from segmenter.testing.faults import FAULTS
from segmenter.testing.strategies import inputs
from tests.segmenter.test_text_segmenter import PIECES, UNUSUAL_SEPARATORS, random_texts


def chop(text: str, sizes: Sequence[int], seed: int) -> Iterator[str]:
    """The text in random pieces of those sizes."""
    chance = random.Random(seed)
    at = 0
    while at < len(text):
        end = at + chance.choice(sizes)
        yield text[at:end]
        at = end


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_texts_that_lose_elsewhere_have_the_segments_of_the_whole(fault):
    segments = TextSegmenter(fault.max_chunk_length).split(fault.text)
    assert list(segment_stream(fault.text, fault.max_chunk_length)) == segments
    assert list(segment_stream([fault.text], fault.max_chunk_length)) == segments


@settings(max_examples=500, deadline=None)
@given(inputs(), st.integers())
def test_segments_are_those_of_the_whole_whatever_the_pieces(given, seed):
    text, limit = given
    pieces = chop(text, (0, 1, 2, 3, 20), seed)
    assert list(segment_stream(pieces, limit)) == TextSegmenter(limit).split(text)


@pytest.mark.parametrize("separators", [SEPARATORS, *UNUSUAL_SEPARATORS], ids=str)
def test_segments_are_those_of_the_whole_for_any_separators(separators):
    of_texts = (
        PIECES if separators == SEPARATORS else [*map("".join, separators), *" \nab-", " x", "\n  "]
    )
    for text, limit in random_texts(3, 1_000, of_texts):
        pieces = chop(text, (0, 1, 2, 3, 20), limit)
        segments = list(segment_stream(pieces, limit, separators=separators))
        assert segments == TextSegmenter(limit, separators=separators).split(text), (text, limit)


def test_real_documents_have_the_segments_of_the_whole(real_documents):
    for _, text in real_documents:
        for limit in (20, 128, 500):
            pieces = chop(text, (1, 100, 4096), limit)
            assert list(segment_stream(pieces, limit)) == TextSegmenter(limit).split(text)


@pytest.mark.parametrize("name", LISTS)
def test_the_lists_with_names_give_the_segments_of_the_whole(name, real_documents):
    for _, text in real_documents[:6]:
        segments = segment_stream(chop(text, (1, 50), 1), 60, separators=LISTS[name])
        assert list(segments) == TextSegmenter(60, separators=LISTS[name]).split(text)


def find_content(text: str, at: int) -> int:
    """Where content comes next; behind the text if none does."""
    while at < len(text) and text[at].isspace():
        at += 1
    return at


@given(inputs())
def test_a_segment_comes_as_soon_as_is_said(given):
    text, limit = given
    read = 0

    def pieces() -> Iterator[str]:
        nonlocal read
        for read, character in enumerate(text, 1):  # noqa: B007 - seen outside
            yield character

    start = 0
    for segment in segment_stream(pieces(), limit):
        content = find_content(text, start + limit)
        content = find_content(text, content + max(map(len, SEPARATORS)))
        assert read <= min(content + 1, len(text))
        start += len(segment)


def test_a_segment_does_not_wait_for_the_text():
    def pieces() -> Iterator[str]:
        yield "one two three"
        yield " four five six"
        raise AssertionError("it was certain before")

    assert next(segment_stream(pieces(), 9)) == "one two "


def test_as_much_is_held_whatever_the_length_of_the_text():
    def measure(pieces: int) -> int:
        tracemalloc.start()
        text = ("One sentence, with a list: a, b.\n\n    Indented.\n" * 20 for _ in range(pieces))
        for _ in segment_stream(text, 500):
            pass
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    measure(10)
    assert measure(1_000) < 1.5 * measure(100) < 200_000


@pytest.mark.parametrize("separators", [["\n\n"], [" "], ["zzz", " "]], ids=str)
def test_nothing_waits_for_a_separator_that_may_still_come(separators):
    read = given = 0

    def pieces() -> Iterator[str]:
        nonlocal read
        for _ in range(1_000):
            read += 4
            yield "word"

    for segment in segment_stream(pieces(), 10, separators=separators):
        assert read - given <= 10 + 3 + 2 * 4
        given += len(segment)
    assert given == 4_000


def test_what_text_segmenter_refuses_is_refused_at_once():
    with pytest.raises(ValueError, match="max_chunk_length must be positive, not 0"):
        segment_stream([], 0)
    with pytest.raises(TypeError, match="separators must be strings or pairs of strings, not None"):
        segment_stream([], separators=[None])
    with pytest.raises(TypeError, match="piece 1 must be a str, not bytes"):
        list(segment_stream(["a", b"b"]))
    assert list(segment_stream([])) == list(segment_stream(["", ""])) == []
