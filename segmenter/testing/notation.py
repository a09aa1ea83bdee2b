"""Text in which every character can be seen: how examples are written and failures shown."""

import re
import unicodedata

SIGNS = {" ": "·", "\t": "→", "\n": "↵"}
_CHARACTERS = {sign: character for character, sign in SIGNS.items()}
_written = re.compile(r"\\u\{([0-9A-F]{1,6})\}|(.)", re.DOTALL)


def show_notation(text: str) -> str:
    r"""The text with signs for space, tab and newline, and with everything else visible.

    What does not print, or joins the character before it, becomes ``\u{...}``. `read_notation`
    gives the text back: the signs themselves and the backslash are written as ``\u{...}``.
    """
    return "".join(map(_show, text))


def _show(character: str) -> str:
    if character in SIGNS:
        return SIGNS[character]
    plain = character.isprintable() and not unicodedata.category(character).startswith("M")
    if plain and character != "\\" and character not in _CHARACTERS:
        return character
    return f"\\u{{{ord(character):X}}}"


def read_notation(shown: str) -> str:
    """The text that `show` writes so; raises ValueError for what it would not write."""
    text = "".join(map(_read, _written.finditer(shown)))
    if show_notation(text) != shown:
        raise ValueError(f"{shown!r} has to be written as {show_notation(text)!r}")
    return text


def _read(match: re.Match[str]) -> str:
    number, character = match.groups()
    if number is None:
        return _CHARACTERS.get(character, character)
    if int(number, 16) > 0x10FFFF:
        raise ValueError(f"{match.group()} is not a code point")
    return chr(int(number, 16))
