"""Questions, and the spans of documents in which their answers stand.

Offsets are code points of the documents.
"""

import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from corpora import CorpusError, Document
from harness.results.escapes import quote

_BUILTIN_FILE = "builtin.jsonl"


class QuestionError(CorpusError):
    """A question that cannot be used; the message is one line: what, where, and what to do."""


@dataclass(frozen=True, slots=True, order=True)
class Gold:
    """A stretch of a document that answers a question; ``end`` is the offset after it."""

    document: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question and where its answer stands.

    ``gold`` is in order, and its stretches neither overlap nor touch.
    """

    text: str
    gold: tuple[Gold, ...]


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """The documents of a corpus and the questions that they answer.

    ``digest`` is the CorpusDigest of the documents, ``origin`` says where they come from. ``notes``
    say what was left out or guessed, one line each.
    """

    corpus: str
    documents: Sequence[Document]
    questions: Sequence[GoldQuestion]
    digest: str = ""
    origin: str = ""
    notes: Sequence[str] = ()


def make_question(text: str, gold: Iterable[Gold]) -> GoldQuestion:
    """The question with its gold in order, stretches that overlap or touch made one."""
    merged: list[Gold] = []
    for span in sorted(gold):
        last = merged[-1] if merged else None
        if last and last.document == span.document and span.start <= last.end:
            merged[-1] = Gold(last.document, last.start, max(last.end, span.end))
        else:
            merged.append(span)
    return GoldQuestion(text, tuple(merged))


def read_question_file(path: Path, documents: Sequence[Document]) -> list[GoldQuestion]:
    """The questions of a JSON lines file about these documents.

    Each line is an object with ``question``, ``document`` (a document's id), and either ``spans``,
    a list of [start, end] in code points, or ``answer``, a text that occurs exactly once in the
    document; a run of whitespace in the answer matches any other. Blank lines are skipped.

    Raises QuestionError, which names the line, for anything else, for a document that is not there,
    and for a file that cannot be read or holds no question.
    """
    if path.exists() and not path.is_file():  # a pipe would not end
        raise QuestionError(f"{path} is not a regular file; give a file of JSON lines")
    try:
        content = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise QuestionError(f"{path} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise QuestionError(
            f"{path} is not UTF-8 at byte {error.start:,}; convert it to UTF-8"
        ) from None
    return list(_parse_lines(str(path), content, documents))


def read_builtin_questions(documents: Sequence[Document]) -> list[GoldQuestion]:
    """The questions about Python's help topics that come with this package."""
    content = resources.files(__package__).joinpath(_BUILTIN_FILE).read_text(encoding="utf-8")
    return list(_parse_lines(_BUILTIN_FILE, content, documents))


def _parse_lines(name: str, content: str, documents: Sequence[Document]) -> Iterator[GoldQuestion]:
    texts = {document.id: document.text for document in documents}
    found = False
    # Not splitlines, which also cuts where JSON may hold a character such as U+2028.
    for number, line in enumerate(content.split("\n"), start=1):
        if not line.strip():
            continue
        found = True
        try:
            row = _parse_object(line)
            yield make_question(_get_text(row, "question"), _find_gold(row, texts))
        except QuestionError as error:
            raise QuestionError(f"{name}, line {number}: {error}") from None
    if not found:
        raise QuestionError(f"{name} holds no question; give one JSON object per line")


def _parse_object(line: str) -> dict[str, Any]:
    try:
        row = json.loads(line, object_pairs_hook=_refuse_repeated)
    except (ValueError, RecursionError) as error:
        raise QuestionError(f"it is not JSON: {error}") from None
    if not isinstance(row, dict):
        raise QuestionError("it is not a JSON object; give one with question and document")
    return row


def _refuse_repeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these pairs; JSON itself does not say which value of a repeated key counts."""
    row: dict[str, Any] = {}
    for key, value in pairs:
        if key in row:
            raise QuestionError(f"{quote_text(key)} stands twice; give it once")
        row[key] = value
    return row


def _get_text(row: Mapping[str, Any], key: str) -> str:
    value = row.get(key)
    if not isinstance(value, str) or not value.strip():
        there = "is missing" if key not in row else "is not a text, or empty"
        raise QuestionError(f'"{key}" {there}; give it a text')
    return value


def _find_gold(row: Mapping[str, Any], texts: Mapping[str, str]) -> list[Gold]:
    name = _get_text(row, "document")
    if name not in texts:
        some = ", ".join(itertools.islice(texts, 3)) + (", …" if len(texts) > 3 else "")
        raise QuestionError(f"the corpus has no document {quote(name)}; its documents are {some}")
    if ("spans" in row) == ("answer" in row):
        raise QuestionError('give either "spans" or "answer"')
    if "spans" in row:
        return check_spans(name, row["spans"], texts[name])
    return [find_answer(name, _get_text(row, "answer"), texts[name])]


def check_spans(name: str, spans: object, text: str) -> list[Gold]:
    """Gold from [start, end] pairs.

    Raises QuestionError unless each lies within the text and holds more than whitespace.
    """
    if not isinstance(spans, list) or not spans:
        raise QuestionError('"spans" is not a list of [start, end] pairs; give at least one pair')
    gold = []
    for span in spans:
        match span:
            case [int(start), int(end)] if not (isinstance(start, bool) or isinstance(end, bool)):
                pass
            case _:
                raise QuestionError(f"the span {span!r:.80} is not a pair of whole numbers")
        if not 0 <= start < end <= len(text):
            raise QuestionError(
                f"the span [{start}, {end}] is not within the {len(text):,} code points "
                f"of document {quote(name)}; spans are [start, end) with start < end"
            )
        if text[start:end].isspace():
            raise QuestionError(f"the span [{start}, {end}] of {quote(name)} is whitespace alone")
        gold.append(Gold(name, start, end))
    return gold


def find_answer(name: str, answer: str, text: str) -> Gold:
    """Where an answer stands; runs of whitespace match each other whatever they are made of.

    Raises QuestionError unless it occurs exactly once.
    """
    pattern = r"\s+".join(map(re.escape, answer.split()))
    # A lookahead finds places that overlap, too.
    places = list(itertools.islice(re.finditer(f"(?=({pattern}))", text), 2))
    if not places:
        raise QuestionError(
            f"the answer {quote_text(answer)} does not occur in document {quote(name)}; copy it from there"
        )
    if len(places) > 1:
        raise QuestionError(
            f"the answer {quote_text(answer)} occurs more than once in document {quote(name)}, at "
            f'{places[0].start()} and {places[1].start()}; give a longer one, or "spans"'
        )
    return Gold(name, *places[0].span(1))


def quote_text(text: str) -> str:
    """A text in quotes, cut to what fits a message."""
    return quote(text if len(text) <= 60 else f"{text[:59]}…")
