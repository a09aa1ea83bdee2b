import pytest
from hypothesis import given
from hypothesis import strategies as st

from segmenter.testing.notation import read_notation, show_notation


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a b\tc\n", "a·b→c↵"),
        ("·→↵\\", "\\u{B7}\\u{2192}\\u{21B5}\\u{5C}"),
        ("\r\u00a0\u200b\ud800\x00", "\\u{D}\\u{A0}\\u{200B}\\u{D800}\\u{0}"),
        ("e\u0301漢😀|", "e\\u{301}漢😀|"),
        ("", ""),
    ],
)
def test_nothing_is_invisible(text: str, shown: str) -> None:
    assert show_notation(text) == shown
    assert read_notation(shown) == text


@given(st.text(st.characters(exclude_categories=())))
def test_what_is_shown_is_read_back(text: str) -> None:
    assert read_notation(show_notation(text)) == text


@pytest.mark.parametrize("shown", ["a b", "\\", "\\u{61}", "\\u{d}", "\\u{}", "a\n", "\\u{110000}"])
def test_what_could_be_written_otherwise_is_refused(shown: str) -> None:
    with pytest.raises(ValueError, match=r"has to be written as|is not a code point"):
        read_notation(shown)
