"""Texts of any length in the shapes that make splitters slow."""

import itertools
from collections.abc import Callable, Iterable, Mapping

Shape = Callable[[int], str]


def repeat(unit: str) -> Shape:
    """A text again and again, cut to the length."""
    return lambda length: (unit * (length // len(unit) + 1))[:length]


def fill(pieces: Iterable[str], length: int) -> str:
    """As many of endless pieces, whole, as it takes to reach the length."""
    drawn: list[str] = []
    missing = length
    for piece in pieces:
        if missing <= 0:
            break
        drawn.append(piece)
        missing -= len(piece)
    return "".join(drawn)


def _whitespace_runs(length: int) -> str:
    """Runs of spaces and of newlines in turns, each longer than the one before it."""
    runs = ("a" + " \n"[size % 2] * size for size in itertools.count(1))
    return fill(runs, length)[:length]


def _far_paragraph_break(length: int) -> str:
    return repeat("word, word. ")(length - 6) + "\n\nend."


def _leading_run(length: int) -> str:
    words = length // 20
    return " " * (length - words) + repeat("word ")(words)


def _trailing_run(length: int) -> str:
    words = length // 20
    return repeat("word ")(words) + " " * (length - words)


_SENTENCE = (
    "It was a long day, and nobody (not even the clerk) had read the letter; so it lay there. "
)
SHAPES: Mapping[str, Shape] = {
    "prose": repeat(_SENTENCE * 5 + "\n\n"),
    "one line": repeat(_SENTENCE),
    "unbroken run": repeat("a"),
    "spaces": repeat(" "),
    "newlines": repeat("\n"),
    "lines of one letter": repeat("a\n"),
    "words": repeat("word "),
    "hyphens": repeat("-"),
    "closing brackets": repeat("],\n"),
    "question marks": repeat("? "),
    "far paragraph break": _far_paragraph_break,
    "whitespace runs of every length": _whitespace_runs,
    "whitespace runs over the limit": repeat("word" + " " * 1_000),
    "leading run": _leading_run,
    "trailing run": _trailing_run,
    "CJK without spaces": repeat("漢字仮名交文書記録"),
    "emoji": repeat("😀👍🏽🎉"),
    "JSON in one line": repeat('{"id": 12, "name": "some name", "tags": ["a", "b"]}, '),
    "dash rules": repeat("-" * 78 + "\n"),
}
"""Name -> function from a length in code points to a text of just that length."""
