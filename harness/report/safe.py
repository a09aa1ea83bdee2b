r"""Foreign text made safe for what it is shown in.

A name, a detail, a command or a document may hold anything: escape sequences of terminals,
characters that turn the reading direction, markup. Whatever shows one passes it through here:

===============  ==================================================================================
terminal         ``line`` or ``lines``, printed as ``rich.text.Text``, never as markup
Markdown         ``markdown``; in a sentence of ours ``code``
HTML             ``line``, then escaped, both by the templates; a sentence of ours by ``sentence``
script element   ``embed``
CSV and JSON     ``harness.results.escapes`` and ``harness.results.atomic``
===============  ==================================================================================

What cannot be seen is written as ``\u{202E}``, its code point. What is long is cut.
"""

import json
import re
from typing import Any

from markdown_it import MarkdownIt
from markupsafe import Markup

from harness.results.escapes import escape

MOST = 500  # code points of one name or detail
_MOST_OF_A_NAME = 100  # in a sentence

# What Markdown would take for markup; an underscore between letters is none.
_special = re.compile(
    r"[\\`*\[\]<~$]|(?<![^\W_])_|_(?![^\W_])|&(?=[#a-z])|:(?=//)|(?<=www)\.", re.IGNORECASE
)
_ticks = re.compile("`+")
_sentences = MarkdownIt("zero").enable("backticks")


class Sentence(str):
    """Our own words as Markdown, in which foreign text stands as ``code`` alone."""

    __slots__ = ()


def line(text: str, most: int = MOST) -> str:
    """One line in which every character can be seen, at most so long."""
    return escape(cut(text, most))


def lines(text: str) -> str:
    """The same, of any length, with its newlines."""
    return escape(text, keep="\n")


def cut(text: str, most: int = MOST) -> str:
    """The text, or its beginning and how much is left out."""
    if len(text) <= most:
        return text
    return f"{text[:most]}… ({len(text) - most:,} more)"


def markdown(text: str) -> str:
    """Foreign text in a line of Markdown: it looks as it was typed."""
    return _special.sub(r"\\\g<0>", line(text))


def paragraph(text: str) -> str:
    """Words and foreign text as Markdown that shows them as they are, of any length."""
    return _special.sub(r"\\\g<0>", lines(text))


def code(name: str) -> Sentence:
    """A foreign name within a sentence of ours."""
    shown = line(name, _MOST_OF_A_NAME)
    fence = "`" * (max(map(len, _ticks.findall(shown)), default=0) + 1)
    room = " " if shown[:1] in ("`", " ", "") or shown[-1:] in ("`", " ") else ""
    return Sentence(f"{fence}{room}{shown}{room}{fence}")


def sentence(text: str) -> Markup:
    """A sentence of ours as HTML."""
    return Markup(_sentences.renderInline(text))


def embed(value: object) -> Markup:
    """JSON that can stand in a script element.

    It is ASCII, so that whatever cannot be seen is escaped, and has nothing that looks like markup.
    """
    packed = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return Markup(packed.replace("<", r"\u003c"))


def cell(text: str) -> Sentence:
    """A cell of a table in Markdown: a sentence of ours, or foreign text."""
    return Sentence((text if _is_ours(text) else markdown(text)).replace("|", r"\|"))


def finish_markdown(value: Any) -> Any:
    """What a template of Markdown shows of a value: a sentence of ours as it is."""
    return markdown(value) if isinstance(value, str) and not _is_ours(value) else value


def finish_html(value: Any) -> Any:
    """What a template of HTML escapes of a value: markup of ours as it is."""
    if isinstance(value, Sentence):
        return sentence(value)
    return line(value) if isinstance(value, str) and not _is_ours(value) else value


def _is_ours(text: str) -> bool:
    return isinstance(text, Sentence | Markup)
