"""Signs for characters that cannot be seen, the same at the terminal and on the page."""

import unicodedata

from harness.results.escapes import escape

#: What is drawn in place of a character, and what it is called.
SIGNS = {
    " ": ("·", "space"),
    "\t": ("→", "tab"),
    "\n": ("↵", "newline"),
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
    """The sign of a character that cannot be seen, ``\\u{200B}`` if it has none of its own; None
    for one that can be seen."""
    if character in SIGNS:
        return SIGNS[character][0]
    if unicodedata.category(character) in _UNSEEN and character not in _JOINERS:
        return escape(character)
    return None


def show_signs(text: str) -> str:
    """The text with signs in place of what cannot be seen but spaces; a newline is kept after its
    sign."""
    shown = []
    for character in text:
        sign = None if character == " " else find_sign(character)
        shown.append(character if sign is None else f"{sign}\n" if character == "\n" else sign)
    return "".join(shown)
