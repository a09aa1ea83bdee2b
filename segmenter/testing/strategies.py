"""Hypothesis strategies for what splitters stumble over."""

from typing import NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from segmenter import SEPARATORS

#: Every character that is whitespace, the common ones first.
WHITESPACE = (
    " \n\t\r\u00a0\u3000\f\v\x1c\x1d\x1e\x1f\x85\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f"
)

#: Content that is taken for whitespace, for no character, or for several, or that is part of a
#: separator: zero-width characters, clusters, hyphens, marks.
_UNUSUAL = (
    *("\u200b", "\u200d", "\ufeff", "\u2060", "\x00", "\u00ad", "\u0301", "\ufffd"),
    *("😀", "👩\u200d🚒", "漢"),
    *("-", "---", ".", ",", ")", "]", "?", "。", "！"),
)

#: Unpaired, or side by side as if they were a pair.
_SURROGATES = ("\ud800", "\udc00", "\ud83d\ude00")

#: Line ends and blank lines, indented or not.
_LINE_ENDS = ("\n", "\n\n", "\r\n", "\n    ", "\n\t", " \n \n ", "\r\n\r\n", "\n\n\n")


class Input(NamedTuple):
    """A text and the limit to split it at."""

    text: str
    max_chunk_length: int


def _runs(characters: SearchStrategy[str]) -> SearchStrategy[str]:
    return st.builds(lambda character, length: character * length, characters, st.integers(1, 30))


_words = st.sampled_from(["a", "b", "ab", "abc", "word"])
_whitespace = st.sampled_from(list(WHITESPACE))
_separators = st.sampled_from(list(reversed(SEPARATORS)))
_pieces = st.one_of(
    _words,
    st.just(" "),
    _whitespace,
    st.sampled_from(_LINE_ENDS),
    _separators,
    st.sampled_from(_UNUSUAL),
    st.sampled_from(_SURROGATES),
    _runs(_whitespace),
    _runs(st.sampled_from(["x", "-", "。"])),
    st.text(max_size=6),
    st.characters(),
)


_blank = st.one_of(_whitespace, st.sampled_from(_LINE_ENDS), _runs(_whitespace))
_edges = st.just("") | _separators | _blank


@st.composite
def inputs(draw: st.DrawFn) -> Input:
    """A text of words, separators, whitespace runs and strange characters; and a limit.

    Now and then the text has separators at its edges, or is whitespace alone. The limit is small,
    or one that the text or its beginning just fits or does not.
    """
    pieces = draw(st.lists(_pieces, max_size=20) | st.lists(_blank, max_size=4))
    text = "".join([draw(_edges), *pieces, draw(_edges)])
    beginning = len("".join(pieces[: draw(st.integers(0, len(pieces)))]))
    near = st.sampled_from([beginning, len(text)]).flatmap(
        lambda length: st.integers(max(1, length - 1), length + 1)
    )
    return Input(text, draw(st.integers(1, 12) | st.integers(1, 40) | near))
