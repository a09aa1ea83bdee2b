"""Text as a cell of a CSV file: any text can be read back, and none is a formula.

A character that cannot be seen is written as ``\\u{202E}``, its code point; a newline stays. A cell
that a spreadsheet would compute gets an apostrophe before it.
"""

import re

_formula = re.compile(r"[=+\-@＝＋－＠]|'+[=+\-@＝＋－＠]")
_escape = re.compile(r"\\u\{([0-9A-F]{1,6})\}")


def write_cell(text: str) -> str:
    """The text as it stands in a file."""
    shown = "".join(map(_write, text.replace(r"\u{", r"\u{5C}u{")))
    return f"'{shown}" if _formula.match(shown) else shown


def read_cell(cell: str) -> str:
    """The text that ``write_cell`` wrote so."""
    shown = cell[1:] if cell.startswith("'") and _formula.match(cell[1:]) else cell
    return _escape.sub(_read, shown)


def _write(character: str) -> str:
    if character.isprintable() or character == "\n":
        return character
    return f"\\u{{{ord(character):X}}}"


def _read(found: re.Match[str]) -> str:
    number = int(found[1], 16)
    return chr(number) if number <= 0x10FFFF else found[0]
