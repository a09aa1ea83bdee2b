import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segmenter import TextSegmenter
from segmenter.context import windows
from segmenter.testing.strategies import inputs


def test_a_window_has_the_segments_that_fit_beside_its_own():
    text = "One. Two. Three. Four."
    spans = TextSegmenter(7).spans(text)
    found = windows(spans, before=5, after=7)
    assert [(text[start:end], text[low:high]) for (start, end), (low, high) in found] == [
        ("One. ", "One. Two. "),
        ("Two. ", "One. Two. Three. "),
        ("Three. ", "Two. Three. Four."),
        ("Four.", "Four."),
    ]


@given(inputs(), st.integers(0, 80), st.integers(0, 80))
def test_segments_stay_a_partition_and_windows_are_as_wide_as_they_may_be(given, before, after):
    spans = TextSegmenter(given.max_chunk_length).spans(given.text)
    found = windows(spans, before=before, after=after)
    assert [span for span, _ in found] == spans
    boundaries = [0, *itertools.accumulate(end - start for start, end in spans)]
    for (start, end), (low, high) in found:
        assert low == min(each for each in boundaries if start - before <= each <= start)
        assert high == max(each for each in boundaries if end <= each <= end + after)


def test_no_text_has_no_windows():
    assert windows([], before=3) == []
    assert windows([(0, 4)], before=3, after=3) == [((0, 4), (0, 4))]


@pytest.mark.parametrize("sides", [{"before": -1}, {"after": -1}])
def test_a_negative_side_is_refused(sides):
    with pytest.raises(ValueError, match="before and after must not be negative"):
        windows([(0, 4)], **sides)


@pytest.mark.parametrize("spans", [[(0, 4), (5, 6)], [(0, 4), (3, 6)]])
def test_spans_that_do_not_follow_one_another_are_refused(spans):
    with pytest.raises(ValueError, match=r"a span starts at [35], but the one before it ends at 4"):
        windows(spans)
