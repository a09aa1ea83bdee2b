"""Signs for characters that cannot be seen, the same at the terminal and on the page."""

import unicodedata

from harness.results.escapes import escape
from segmenter.testing.notation import SIGNS

#: What is drawn in place of a character, and what it is called.
NAMED_SIGNS = {
    " ": (SIGNS[" "], "space"),
    "\t": (SIGNS["\t"], "tab"),
    "\n": (SIGNS["\n"], "newline"),
    "\r": ("←", "carriage return"),
    "\u00a0": ("⍽", "no-break space"),
    "\u3000": ("□", "ideographic space"),
    "\u2028": ("⏎", "line separator"),
    "\u2029": ("¶", "paragraph separator"),
}
# Joiners make what is around them look right; everything else of these kinds is invisible or
# changes how the rest looks.
_JOINERS = "\u200c\u200d"
_UNSEEN = {"Cc", "Cf", "Cs", "Zs", "Zl", "Zp", "Co", "Cn"}


def find_sign(character: str) -> str | None:
    r"""The sign of a character that cannot be seen; None for one that can be seen.

    It is ``\u{200B}`` if the character has no sign of its own.
    """
    if character in NAMED_SIGNS:
        return NAMED_SIGNS[character][0]
    if unicodedata.category(character) in _UNSEEN and character not in _JOINERS:
        return escape(character)
    return None


def show_signs(text: str) -> str:
    """The text with signs in place of what cannot be seen, spaces apart.

    A newline is kept after its sign.
    """
    shown = []
    for character in text:
        sign = None if character == " " else find_sign(character)
        shown.append(character if sign is None else f"{sign}\n" if character == "\n" else sign)
    return "".join(shown)
