"""Where boundaries lie, and what they cut: each value follows from the definitions by hand."""

import pytest

from corpora.document import Document
from harness.measure import cuts
from harness.measure.cuts import (
    count_damage,
    count_line_ends,
    find_places,
    find_structure,
    guess_separators,
    list_cuts,
)
from segmenter.rules import Splitting


def place(segments: list[str], text: str | None = None) -> list[str]:
    text = "".join(segments) if text is None else text
    return find_places(text, list_cuts(Splitting(text, segments, max(1, len(text)))))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("One.\n\n", "Two", "paragraph"),
        ("One.\r\n\r\n", "Two", "paragraph"),
        ("One.\r\r", "Two", "paragraph"),
        ("One.\n", "\nTwo", "paragraph"),
        ("One. \n \t\n", "  Two", "paragraph"),
        ("One.\n", "Two", "line"),
        ("One.\r\n", "Two", "line"),
        ("One.\r", "Two", "line"),
        ("One.\r", "\nTwo", "line"),
        ("One.", "\n  Two", "line"),
        ("One.\n  ", "Two", "line"),
        ("One. ", "Two", "sentence"),
        ("One.", " Two", "sentence"),
        ("One?” ", "Two", "sentence"),
        ('(One!")  ', "Two", "sentence"),
        ("One… ", "two", "sentence"),
        ("一。", "二", "sentence"),
        ("「一。」", "二", "sentence"),
        ("「一。", "」二", "sentence"),
        ("一！", "二", "sentence"),
        ("one, ", "two", "clause"),
        ("one:  ", "two", "clause"),
        ("一、", "二", "clause"),
        ("one—", "two", "clause"),
        ("one -- ", "two", "clause"),
        ("one--", "two", "clause"),
        ("one ", "two", "word"),
        ("one", " two", "word"),
        ("one) ", "two", "word"),
        ("one-", "two", "word"),
        ("税务", "代理", "word"),
        ("one\u2028", "two", "word"),
        ("1.", "5", "inside-word"),
        ("one", ".two()", "inside-word"),
        ("don", "'t", "inside-word"),
        ("on", "e", "inside-word"),
        ("Caf", "é", "inside-word"),
        ("e", "\u0301", "inside-grapheme"),
        ("👩\u200d", "🔬", "inside-grapheme"),
        ("🇩🇪🇫", "🇷", "inside-grapheme"),
        ("ก", "ำ", "inside-grapheme"),
    ],
)
def test_a_boundary_has_the_first_place_that_applies(before, after, expected):
    assert place([before, after]) == [expected]
    assert place([f"Before it, {before}", f"{after} after it."]) == [expected]
    # A cached answer must not be that of a boundary whose neighbours differ further away.
    assert place([f"x\n\n{before}", f"{after}\n\nx"]) == [expected]


def test_a_run_is_measured_once_however_often_it_is_cut(monkeypatch):
    measured = []
    find_run = cuts.find_run
    monkeypatch.setattr(cuts, "find_run", lambda *given: measured.append(given) or find_run(*given))
    segments = ["a", *["    "] * 1_000, "b c", " ", " d"]
    assert place(segments) == ["word"] * 1_003
    assert len(measured) == 2


def test_a_splitter_that_strips_has_its_boundaries_in_the_whitespace():
    text = "One.\n\n  Two three, four. Five"
    assert place(["One.", "Two", "three,", "four.", "Five"], text) == [
        *("paragraph", "word", "clause", "sentence"),
    ]


def test_other_characters_are_lost_between_two_segments():
    assert place(["One", "Three"], "One two Three") == ["lost"]
    assert place(["One", "nowhere", "two"], "One two") == ["word"]
    assert place(["One"], "One two") == []


def damage(name: str, segments: list[str], limit: int) -> dict[str, tuple[int, int]]:
    text = "".join(segments)
    boundaries = list_cuts(Splitting(text, segments, limit))
    found = count_damage(text, find_structure(Document(name, text)), boundaries, limit)
    return {what: tuple(number) for what, number in found.items() if number.of}


def test_a_heading_is_orphaned_at_the_end_of_a_segment():
    segments = ["# A\n\n", "b\n\nC\n=\n\nd\n\n## E\n\n", "- f\n- g\n", "- h\n\n## I\n"]
    # The last heading has nothing after it, so nothing was taken from it.
    assert damage("a.md", segments, 100)["heading orphaned"] == (3, 2)


def test_fences_items_tables_and_rows_count_if_they_fit():
    fence = "```\na\n\nb\n```\n\n"
    table = "| a | b |\n| - | - |\n| c | d |\n\n"
    whole = damage("a.md", [fence, table, "- e\n- f\n"], 100)
    assert whole == {"fence": (1, 0), "table": (1, 0), "table row": (2, 0), "list item": (2, 0)}
    cut = damage("a.md", [fence[:6], fence[6:] + table[:24], table[24:] + "- e\n- ", "f\n"], 100)
    assert cut == {"fence": (1, 1), "table": (1, 1), "table row": (2, 1), "list item": (2, 1)}
    assert damage("a.md", [fence, "x\n"], 11) == {}
    assert damage("a.md", [fence, "x\n"], 12) == {"fence": (1, 0)}


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_functions_count_with_their_decorators(newline):
    segments = ["class A:\n    @b\n", "    def c(self):\n        pass\n\n", "async def d(): ...\n"]
    segments = [segment.replace("\n", newline) for segment in segments]
    assert damage("a.py", segments, 100) == {"function": (2, 1)}
    assert damage("a.py", segments, 20) == {"function": (1, 0)}
    assert damage("a.txt", segments, 100) == damage("b.py", ["def (", "\n"], 100) == {}


def test_tags_are_cut_inside():
    assert damage("a.html", ['<p title="a > b" ', 'id="c">1 < 2', "<br>"], 100) == {"tag": (2, 1)}


def test_closing_marks_that_begin_a_segment_are_of_all_boundaries():
    assert damage("a", ["「一。", "」二", "。三、", "四"], 9) == {"closing mark first": (3, 2)}
    assert damage("a", ["(one", ") two", "”"], 9) == {}


def test_line_ends_are_lf_cr_lf_or_cr():
    assert count_line_ends("a\nb\r\nc\rd\r\n\r\n") == {"all": 5, "cr_lf": 3}
    assert count_line_ends("") == {"all": 0, "cr_lf": 0}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a/B.MD", "", "markdown"),
        ("a.py", "", "python"),
        ("app.log", "", "lines"),
        ("1", "吾輩は猫である。", "cjk"),
        ("1", "GET /a\r\nGET /b\r\n", "lines"),
        ("1", "A line.\n\nAnother.", "prose"),
        ("1", "A line.", "prose"),
    ],
)
def test_the_list_that_fits_is_guessed_by_name_and_letters(name, text, expected):
    assert guess_separators(Document(name, text)) == expected
