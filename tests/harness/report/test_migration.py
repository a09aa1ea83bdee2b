"""What is kept of stored segments, worked out by hand."""

import pytest

from harness.report.migration import Migration, classify_segments, find_migration
from harness.results.model import Span

TEXT = "One. Two. Three"


def test_the_same_place_other_edges_and_another_place_are_told_apart() -> None:
    stripped = ["One.", "Two.", "Three"]
    kept = ["One. ", "Two. Thr", "ee"]
    assert find_migration(TEXT, stripped, kept, 20) == Migration(edges=1, moved=2)
    assert find_migration(TEXT, kept, stripped, 20) == Migration(edges=1, moved=2)


def test_nothing_changes_between_equal_segments() -> None:
    segments = ["One. ", "Two. ", "Three"]
    migration = find_migration(TEXT, segments, segments, 5)
    assert migration == Migration(same=3)
    assert migration.changed == migration.changed_stripped == 0


def test_a_segment_that_the_text_does_not_hold_is_moved() -> None:
    after = ["Zero", "One. Two. Three"]
    assert find_migration(TEXT, ["One. Two. Three"], after, 20) == Migration(same=1, moved=1)


def test_equal_texts_in_other_places_are_not_the_same() -> None:
    assert classify_segments("abab", [Span(0, 2)], [Span(0, 2), Span(2, 4)]) == ["same", "moved"]


def test_segments_of_whitespace_alone_match_where_they_end() -> None:
    assert classify_segments("a  b", [Span(1, 3)], [Span(2, 3), Span(1, 2)]) == ["edges", "moved"]


def test_shares_are_of_the_new_segments() -> None:
    migration = Migration(same=1, edges=2, moved=1)
    assert (migration.after, migration.changed, migration.changed_stripped) == (4, 0.75, 0.25)
    assert Migration().changed == 0


@pytest.mark.parametrize("space", ["\u00a0", "\u3000", "\x1c", "\u2028"])
def test_edges_are_what_python_calls_whitespace(space: str) -> None:
    assert classify_segments(f"a{space}", [Span(0, 1)], [Span(0, 2)]) == ["edges"]
    assert classify_segments("a\u200b", [Span(0, 1)], [Span(0, 2)]) == ["moved"]
