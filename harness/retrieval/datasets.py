"""Questions of the data sets that come with them, each from its own columns or files.

What is missing or does not fit is left out and counted, so that a note can say so. What shows that
the data are damaged raises QuestionError.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from corpora import Document
from corpora.hub.texts import Row
from harness.results.errors import summarize_error
from harness.retrieval.questions import (
    Gold,
    GoldQuestion,
    QuestionError,
    check_spans,
    make_question,
    quote_text,
)

COVID_QA_COLUMNS = (
    "document_id",
    "question",
    "is_impossible",
    "answers.text",
    "answers.answer_start",
)
QASPER_COLUMNS = (
    "id",
    "title",
    "abstract",
    "full_text.section_name",
    "full_text.paragraphs",
    "qas.question",
    "qas.answers",
)
# How far from the place that its row names an answer may stand: some offsets are a little off,
# since they were counted in another form of the text. In the data set 16 is the farthest.
REACH = 32


@dataclass(slots=True)
class Found:
    """Distinct questions, and how often something was left out or mended, by what it was."""

    questions: dict[GoldQuestion, None] = field(default_factory=dict)
    told: Counter[str] = field(default_factory=Counter)

    def add(self, text: str, gold: Iterable[Gold]) -> None:
        """Keep a question; one with the same words and the same gold counts once."""
        question = make_question(text, gold)
        if question in self.questions:
            self.told["repeated questions, each counted once"] += 1
        self.questions[question] = None

    @property
    def notes(self) -> list[str]:
        """What was left out or mended, one line each."""
        return [f"{what}: {count:,}" for what, count in self.told.items()]


def find_covid_qa(rows: Iterable[Row], documents: Sequence[Document]) -> Found:
    """A question for each row that is not impossible; its gold is its answers.

    An answer that does not stand where its row says is taken from the nearest place within REACH.
    """
    texts = {document.id: document.text for document in documents}
    found = Found()
    for row in rows:
        name = str(row["document_id"])
        if row["is_impossible"] or not row["answers.text"]:
            found.told["questions left out: without an answer"] += 1
        elif name not in texts:
            found.told["questions left out: about documents that are not used here"] += 1
        else:
            text = texts[name]
            gold = []
            for answer, start in zip(row["answers.text"], row["answers.answer_start"], strict=True):
                place = find_nearest(text, answer, start) if answer.strip() else -1
                if place >= 0:
                    gold.append(Gold(name, place, place + len(answer)))
                if place not in (-1, start):
                    found.told[
                        f"answers found up to {REACH} code points from the place that is given"
                    ] += 1
            if len(gold) == len(row["answers.text"]):
                found.add(row["question"].strip(), gold)
            else:
                found.told["questions left out: the answer is not at its place or near it"] += 1
    return found


def find_nearest(text: str, part: str, place: int) -> int:
    """The offset of ``part`` that is nearest to ``place``, at most REACH away; -1 if there is none.

    Of two that are as near, the later.
    """
    if text.startswith(part, max(place, 0)) and place >= 0:
        return place
    first = max(0, place - REACH)
    places = []
    at = text.find(part, first, place + REACH + len(part))
    while at >= 0:
        places.append(at)
        at = text.find(part, at + 1, place + REACH + len(part))
    return min(places, key=lambda at: (abs(at - place), -at), default=-1)


def find_legalbench_rag(name: str, content: bytes, documents: Sequence[Document]) -> Found:
    """The questions of one benchmark file, ``name``; a snippet's gold is its span.

    Questions about documents that are not here are left out. Raises QuestionError if the file
    is not as it should be, or the text at a span is not its answer.
    """
    texts = {document.id: document.text for document in documents}
    found = Found()
    for number, test in enumerate(_read_tests(name, content), start=1):
        try:
            query, snippets = test["query"], test["snippets"]
            if not isinstance(query, str):
                raise QuestionError(f"its query is {type(query).__name__} and not a text")
            files = {snippet["file_path"] for snippet in snippets}
            if not snippets:
                found.told["questions left out: without an answer"] += 1
            elif not files <= texts.keys():
                found.told["questions left out: about documents that are not used here"] += 1
            else:
                found.add(query, [_check_snippet(snippet, texts) for snippet in snippets])
        except (KeyError, TypeError, QuestionError) as error:
            lacking = f"it lacks {error}" if isinstance(error, KeyError) else summarize_error(error)
            cause = str(error) if isinstance(error, QuestionError) else lacking
            raise QuestionError(f"{name}, question {number}: {cause}") from None
    return found


def _read_tests(name: str, content: bytes) -> list[Any]:
    try:
        tests = json.loads(content)["tests"]
    except (ValueError, RecursionError) as error:
        raise QuestionError(f"{name} is not JSON: {error}; fetch it again") from None
    except (KeyError, TypeError, IndexError):
        tests = None
    if not isinstance(tests, list):
        raise QuestionError(f'{name} has no list of "tests"; fetch it again')
    return tests


def _check_snippet(snippet: Mapping[str, Any], texts: Mapping[str, str]) -> Gold:
    file, answer = snippet["file_path"], snippet["answer"]
    (gold,) = check_spans(file, [snippet["span"]], texts[file])
    stands = texts[file][gold.start : gold.end]
    if stands != answer:
        raise QuestionError(
            f"at [{gold.start}, {gold.end}] {file} has {quote_text(stands)}, not {quote_text(answer)}"
        )
    return gold


def find_qasper(rows: Iterable[Row], documents: Sequence[Document]) -> Found:
    """The questions of ``qas``; their gold is the evidence paragraphs of all annotators.

    An evidence paragraph is a paragraph of the paper, or its abstract. Anything else, such as a
    table, has no place in the text; a question with nothing else is left out.
    """
    lengths = {document.id: len(document.text) for document in documents}
    found = Found()
    for row in rows:
        if row["id"] not in lengths:
            found.told["papers left out: not used here"] += 1
            continue
        places = _place_paragraphs(row)
        for query, answers in zip(row["qas.question"], row["qas.answers"], strict=True):
            evidence = {
                paragraph for answer in answers["answer"] for paragraph in answer["evidence"]
            }
            gold = [Gold(row["id"], *places[each]) for each in evidence if each in places]
            elsewhere = sum(each not in places and bool(each.strip()) for each in evidence)
            if gold:
                found.add(query, gold)
                if elsewhere:
                    what = "evidence that is no paragraph of the text, such as a table: not counted"
                    found.told[what] += elsewhere
            else:
                found.told["questions left out: without evidence in the text"] += 1
    return found


def _place_paragraphs(row: Row) -> dict[str, tuple[int, int]]:
    """Where each paragraph and the abstract stand in a paper's text, as the corpus builds it."""
    places: dict[str, tuple[int, int]] = {}
    at = 0
    parts = [(row["title"], False), (row["abstract"], True)]
    sections = zip(row["full_text.section_name"], row["full_text.paragraphs"], strict=True)
    for name, paragraphs in sections:
        if name:
            parts.append((name, False))
        parts += [(paragraph, True) for paragraph in paragraphs]
    for part, evidence in parts:
        if evidence and part.strip():
            places.setdefault(part, (at, at + len(part)))
        at += len(part) + len("\n\n")
    return places
