"""What each rule says word for word, and how far segments that do not join are looked for."""

from typing import SupportsIndex

from segmenter import rules
from segmenter.rules import Breach, Splitting, find_run, find_violations
from tests.segmenter.test_rules import CountingText


def find(text, segments, limit):
    found = find_violations(text, segments, limit)
    return {name: breaches for name, breaches in found.items() if breaches}


def test_breaches_are_told_exactly():
    assert find("a \t b", ["a ", "\t", " b"], 9) == {
        "whitespace-segment": [
            Breach(2, False, "run 1-4 cut at 2 and elsewhere; expected: at 4 and nowhere else")
        ]
    }
    assert find(" a ", [" ", "a", " "], 9) == {
        "edges": [
            Breach(1, False, "run 0-1 cut at 1; expected: nowhere, since it begins the text"),
            Breach(2, False, "run 2-3 cut at 2; expected: nowhere, since it ends the text"),
        ]
    }
    assert find("    ", [" ", "   "], 3) == {
        "whitespace-only": [Breach(1, False, "run 0-4 cut at 1; expected: every 3")]
    }
    assert find("ab", ["a", "", "b"], 3) == {
        "empty": [Breach(1, False, "empty segment; expected: none")]
    }


def test_a_segment_without_a_place_is_where_the_one_before_it_ends():
    found = find("abcdef", ["XX", "ab", "", "YYY", "cd", "ZZZ"], 2)
    assert [breach.start for breach in found["fits"]] == [2, 4]
    assert [breach.start for breach in found["empty"]] == [2]
    assert [breach.start for breach in find("abc", ["XXX"], 2)["fits"]] == [0]
    assert [breach.start for breach in find("ab", ["a", "XX"], 1)["fits"]] == [1]


def test_a_unit_is_weighed_from_where_it_starts():
    # The unit is "b  ", whatever stands before it.
    assert [breach.unavoidable for breach in find("ab  c", ["ab ", " c"], 2)["too-long-run"]] == [
        True
    ]
    assert list(find("ab  c", ["ab ", " c"], 3)) == ["run-without-newline"]


def test_a_segment_at_the_start_of_the_text_is_found_there():
    assert Splitting("  abcd", ["  ab", "X"], 9).starts == [0, -1]
    assert Splitting("  abcd", ["  ab", "cd", "X"], 9).starts == [0, 4, -1]


def test_the_nearest_place_is_taken():
    # Right there, though the same stands further on.
    assert Splitting("ab ab ab", ["ab", "ab", "X"], 9).starts == [0, 3, -1]
    # And after a run that is longer than any look ahead.
    text = "a" + " " * 200 + "bc bc" + " " * 200 + "bc"
    assert Splitting(text, ["a", "bc", "X"], 9).starts == [0, 201, -1]
    long = "a sentence that is known anywhere"
    text = "a" + "." * 900 + long + "." * 900 + long
    assert Splitting(text, ["a", long, "X"], 9).starts == [0, 901, -1]


def test_a_segment_is_looked_for_beyond_what_those_before_it_could_hold():
    # Each that is not found could have held its length of text, twice over.
    text = "a" + "." * 170 + "b"
    assert Splitting(text, ["a", "X" * 40, "Y" * 40, "b"], 10).starts == [0, -1, -1, 171]
    assert Splitting(text, ["a", "X" * 40, "b"], 10).starts == [0, -1, -1]
    # What was found in between starts the count anew.
    text = "a" + "." * 60 + "c" + "." * 170 + "b"
    assert Splitting(text, ["a", "X" * 80, "c", "b"], 10).starts == [0, -1, 61, -1]
    # At most three times: the text is not searched to its end.
    text = "a" + "." * 200 + "b"
    assert Splitting(text, ["a", "X" * 40, "Y" * 40, "b"], 10).starts == [0, -1, -1, -1]
    # The limit alone is how far a segment is looked for after one that was found.
    assert Splitting("a" + "." * 100 + "b", ["a", "b", "X"], 100).starts == [0, 101, -1]
    assert Splitting("a" + "." * 101 + "b", ["a", "b", "X"], 100).starts == [0, -1, -1]


def test_content_is_looked_for_after_the_last_segment_found():
    assert Splitting(" " * 200 + "b", ["b", "X"], 9).starts == [200, -1]
    assert Splitting(" ab" + "." * 80 + "b", ["X", "ab", "b"], 100).starts == [-1, 1, 83]


def test_searches_in_vain_are_limited_whatever_is_found_between_them():
    text = CountingText("ab " * 10_000)
    segments = ["ab ", "X" * 20] * 10_000
    assert Splitting(text, segments, 10).loss.lost == 0
    assert text.looked_at < 200 * len(text)


def test_searches_that_find_cost_no_more_than_what_they_pass():
    sentences = [f"sentence {number:3} of a hundred" for number in range(100)]
    text = "".join("." * 500 + sentence for sentence in sentences)
    assert -1 not in Splitting(text, sentences, 10).starts


def test_a_unit_without_whitespace_beside_it_is_not_scanned(monkeypatch):
    monkeypatch.setattr(rules, "find_run", None)
    assert rules.find_unit_start("abc ", 2) == 2
    assert rules.find_unit_end(" abc", 1) == 2


class SlicedText(str):
    """Counts how often it is sliced."""

    slices = 0

    def __getitem__(self, place: SupportsIndex | slice) -> str:
        self.slices += 1
        return super().__getitem__(place)


def test_a_run_is_scanned_in_pieces_that_grow():
    text = SlicedText("a" + " " * 10_000 + "b")
    assert find_run(text, 10_001).start == 1
    assert text.slices <= 11


def test_a_run_of_any_length_is_found_from_any_place_in_it():
    for length in range(1, 70):
        text = "a" + " " * length + "b"
        for offset in range(1, length + 2):
            run = find_run(text, offset)
            assert (run.start, run.end, run.cut) == (1, length + 1, length + 1)
        assert find_run(" " * length, length) == (0, length, None)
        assert find_run(" " * length + "b", length // 2) == (0, length, None)


def test_a_long_segment_that_begins_with_whitespace_is_found_where_the_last_one_ends() -> None:
    segment = " " + "c" * 40
    assert Splitting(f"ab{segment}", ["ab", segment, "?"], 50).starts == [0, 2, -1]
