r"""The project's one way to write a character that cannot be seen: ``\u{202E}``, its code point.

It is also how text stands in a cell of a CSV file: any text can be read back, and none is a
formula, since a cell that a spreadsheet would compute gets an apostrophe before it.
"""

import re

_formula = re.compile(r"'*[=+\-@＝＋－＠]")
_escape = re.compile(r"\\u\{([0-9A-F]{1,6})\}")


def escape(text: str, keep: str = "") -> str:
    r"""The text with ``\u{...}`` for what is not printable; ``keep`` stays as it is.

    Not printable are controls, line ends, bidirectional characters, lone surrogates, and spaces
    other than the common one.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else f"\\u{{{ord(c):X}}}" for c in text)


def quote(text: str) -> str:
    """The text as messages name it: in quotes, so that its ends show, and with nothing unseen."""
    mark = '"' if "'" in text and '"' not in text else "'"
    return f"{mark}{escape(text)}{mark}"


def write_line(text: str) -> str:
    """One line, neither end of which is a space; ``read_line`` gives the text back."""
    shown = escape(_write(text))
    return re.sub("^ | $", r"\\u{20}", shown)


def read_line(shown: str) -> str:
    """The text that ``write_line`` wrote so."""
    return _escape.sub(_read, shown)


def write_cell(text: str) -> str:
    """The text as it stands in a file; newlines stay."""
    shown = escape(_write(text), keep="\n")
    return f"'{shown}" if _formula.match(shown) else shown


def read_cell(cell: str) -> str:
    """The text that ``write_cell`` wrote so."""
    shown = cell[1:] if cell.startswith("'") and _formula.match(cell) else cell
    return read_line(shown)


def _write(text: str) -> str:
    """The text with what looks like an escape escaped."""
    return text.replace(r"\u{", r"\u{5C}u{")


def _read(found: re.Match[str]) -> str:
    number = int(found[1], 16)
    return chr(number) if number <= 0x10FFFF else found[0]
