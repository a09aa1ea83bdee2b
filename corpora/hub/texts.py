"""How a row becomes a document's text, one function per data set.

A row maps the columns that the catalogue names, such as ``"document.text"``, to their values.
A function raises TypeError or ValueError if a value that it needs is null or does not fit.
"""

from collections.abc import Callable, Mapping
from typing import Any

Row = Mapping[str, Any]


def qasper(row: Row) -> str:
    """Title, abstract, then each section's name if not empty and its paragraphs, empty ones too."""
    parts = [row["title"], row["abstract"]]
    sections = zip(row["full_text.section_name"], row["full_text.paragraphs"], strict=True)
    for name, paragraphs in sections:
        if name:
            parts.append(name)
        parts.extend(paragraphs)
    return "\n\n".join(parts)


def covid_qa(row: Row) -> str:
    """The article."""
    return _whole(row["context"])


def conditionalqa(row: Row) -> str:
    """The page's elements with their tags, one per line."""
    return "\n".join(row["contents"])


def natural_questions(row: Row) -> str:
    """The tokens that are not HTML, one space between them."""
    tokens = zip(row["document.tokens.token"], row["document.tokens.is_html"], strict=True)
    return " ".join([token for token, is_html in tokens if not is_html])


def narrativeqa(row: Row) -> str:
    """The story or the script."""
    return _whole(row["document.text"])


def _whole(text: str | None) -> str:
    if text is None:
        raise ValueError("its text is null")
    return text


BUILDERS: Mapping[str, Callable[[Row], str]] = {
    "qasper": qasper,
    "covid_qa": covid_qa,
    "conditionalqa": conditionalqa,
    "natural_questions": natural_questions,
    "narrativeqa": narrativeqa,
}
