"""Names, counts and foreign messages as parts of one line."""

from collections.abc import Sequence

NAMES_AT_MOST = 5
LENGTH_AT_MOST = 300


def one_line(error: BaseException) -> str:
    """An exception's message in one line that is not too long."""
    text = " ".join(str(error).split()) or type(error).__name__
    return truncate(text)


def truncate(text: str, length: int = LENGTH_AT_MOST) -> str:
    """The text, or its beginning and a sign that there is more."""
    return text if len(text) <= length else f"{text[:length]}…"


def show_column(name: str) -> str:
    """A column's name as it is, in quotes if it could be mistaken, cut to fit into a line."""
    plain = name.isprintable() and name == name.strip(" ,") and name
    return truncate(name if plain else quote_name(name), 60)


def decode_name(name: str) -> str:
    r"""A file's name as valid Unicode: a byte that is not UTF-8 becomes ``\xNN``.

    Control characters stay, so it is not yet safe for a terminal.
    """
    try:
        content = name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a surrogate that stands for no byte
        content = name.encode("utf-8", "backslashreplace")
    return content.decode("utf-8", "backslashreplace")


def quote_name(name: str) -> str:
    r"""A name in quotes, so that its ends show, with ``\u{...}`` for what is not printable.

    The harness quotes so too; its own function has to work without this package.
    """
    shown = "".join(c if c.isprintable() else f"\\u{{{ord(c):X}}}" for c in decode_name(name))
    mark = '"' if "'" in shown and '"' not in shown else "'"
    return f"{mark}{shown}{mark}"


def list_names(names: Sequence[str], at_most: int = NAMES_AT_MOST) -> str:
    """The first names, and how many more there are."""
    shown = ", ".join(names[:at_most])
    more = len(names) - at_most
    return f"{shown} and {more:,} more" if more > 0 else shown
