"""Small random texts, heavy in what the rules are about."""

import random

from segmenter import SEPARATORS

_WHITESPACE = (
    " ",
    "  ",
    "\n",
    "\t",
    "\r\n",
    "\u00a0",
    "\u3000",
    "\x85",
    "\u2028",
    "     ",
    "\n   ",
)
_CONTENT = (
    "a",
    "bc",
    "def",
    "-",
    "---",
    ".",
    ",",
    "?",
    "]",
    "漢",
    "😀",
    "\ufeff",
    "\u200b",
    "\x00",
)
PIECES = (*SEPARATORS, *_WHITESPACE, *_CONTENT)
_LIMITS = (1, 2, 3, 4, 5, 7, 9, 12, 20, 33)


def make_text(seed: int, pieces: tuple[str, ...] = PIECES) -> tuple[str, int]:
    """A text and a limit, the same for the same seed on every platform and Python.

    A text is made of a few kinds of pieces only, so that they meet often.
    """
    # Of all that `random` offers, only this has the promise to give the same numbers for ever.
    number = random.Random(seed).random

    def choose(count: int) -> int:
        return int(number() * count)

    kinds = [pieces[choose(len(pieces))] for _ in range(6)]
    text = "".join(kinds[choose(len(kinds))] for _ in range(choose(41)))
    return text, _LIMITS[choose(len(_LIMITS))]
