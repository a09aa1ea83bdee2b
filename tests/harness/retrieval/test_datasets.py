"""Gold of the data sets: from rows and files as they are laid out on the hub."""

import json
from typing import Any

import pytest

from corpora import Document
from corpora.hub.texts import BUILDERS
from harness.retrieval.datasets import (
    REACH,
    Found,
    find_covid_qa,
    find_legalbench_rag,
    find_nearest,
    find_qasper,
)
from harness.retrieval.questions import QuestionError

ARTICLE = "The virus spreads in air. The virus lives for days.\n"


def gold(found: Found) -> list[tuple[str, list[tuple[str, int, int]]]]:
    return [
        (question.text, [(gold.document, gold.start, gold.end) for gold in question.gold])
        for question in found.questions
    ]


def covid_row(**changes: object) -> dict[str, Any]:
    row = {
        "document_id": 7,
        "question": "How does it spread?\n",
        "is_impossible": False,
        "answers.text": ["in air"],
        "answers.answer_start": [18],
    }
    return {**row, **changes}


def test_covid_qa_takes_an_answer_where_its_row_says() -> None:
    found = find_covid_qa([covid_row()], [Document("7", ARTICLE)])
    assert gold(found) == [("How does it spread?", [("7", 18, 24)])]
    assert found.notes == []


def test_covid_qa_takes_the_nearest_place_and_says_so() -> None:
    row = covid_row(**{"answers.text": ["The virus"], "answers.answer_start": [25]})
    found = find_covid_qa([row], [Document("7", ARTICLE)])
    assert gold(found) == [("How does it spread?", [("7", 26, 35)])]
    assert found.notes == ["answers found up to 32 code points from the place that is given: 1"]


def test_covid_qa_counts_what_it_leaves_out() -> None:
    rows = [
        covid_row(),
        covid_row(),  # as often as the data set repeats itself
        covid_row(question="Is it impossible?", is_impossible=True),
        covid_row(document_id=8),
        covid_row(**{"answers.text": ["in water"]}),
        covid_row(**{"answers.text": ["  "]}),
        covid_row(**{"answers.text": [], "answers.answer_start": []}),
    ]
    found = find_covid_qa(rows, [Document("7", ARTICLE)])
    assert len(found.questions) == 1
    assert sorted(found.notes) == [
        "questions left out: about documents that are not used here: 1",
        "questions left out: the answer is not at its place or near it: 2",
        "questions left out: without an answer: 2",
        "repeated questions, each counted once: 1",
    ]


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (10, 10),
        (9, 10),
        (14, 14),
        (13, 14),
        (12, 14),  # as near as 10, and offsets that are off are too low
        (10 - REACH, 10),
        (10 - REACH - 1, -1),
        (14 + REACH, 14),
        (14 + REACH + 1, -1),
        (-1, 10),
        (10_000, -1),
    ],
)
def test_the_nearest_place_is_within_reach(place: int, expected: int) -> None:
    text = "." * 10 + "cat.cat" + "." * 60
    assert find_nearest(text, "cat", place) == expected


CONTRACT = "\ufeffThis Agreement is secret.\r\nNobody may tell. Nobody may ask."


def benchmark(*snippets: dict[str, Any], query: str = "May I?") -> bytes:
    return json.dumps({"tests": [{"query": query, "snippets": list(snippets)}]}).encode()


def snippet(start: int, end: int, answer: str, file: str = "nda/a.txt") -> dict[str, Any]:
    return {"file_path": file, "span": [start, end], "answer": answer}


def test_legalbench_rag_counts_a_leading_byte_order_mark() -> None:
    content = benchmark(snippet(28, 44, "Nobody may tell."), snippet(45, 60, "Nobody may ask."))
    found = find_legalbench_rag("nda.json", content, [Document("nda/a.txt", CONTRACT)])
    assert gold(found) == [("May I?", [("nda/a.txt", 28, 44), ("nda/a.txt", 45, 60)])]


def test_legalbench_rag_leaves_out_files_that_are_not_here() -> None:
    content = benchmark(snippet(0, 4, "x", "nda/b.txt"))
    found = find_legalbench_rag("nda.json", content, [Document("nda/a.txt", CONTRACT)])
    assert gold(found) == []
    assert found.notes == ["questions left out: about documents that are not used here: 1"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            benchmark(snippet(28, 44, "Nobody may talk.")),
            r"nda.json, question 1: at \[28, 44\] nda/a.txt has 'Nobody may tell.', not 'Nobody may",
        ),
        (benchmark(snippet(50, 99, "x")), r"question 1: the span \[50, 99\] is not within the 60"),
        (benchmark({"span": [0, 1], "answer": "x"}), "question 1: it lacks 'file_path'"),
        (b"{", "nda.json is not JSON"),
        (b"[]", 'nda.json has no list of "tests"'),
        (b'{"tests": 3}', 'nda.json has no list of "tests"'),
    ],
)
def test_damaged_benchmarks_are_errors(content: bytes, said: str) -> None:
    with pytest.raises(QuestionError, match=said):
        find_legalbench_rag("nda.json", content, [Document("nda/a.txt", CONTRACT)])


def qasper_row(*answers: tuple[str, list[list[str]]]) -> dict[str, Any]:
    """A paper with questions, each with one list of evidence for each annotator."""
    return {
        "id": "1912.1",
        "title": "Title",
        "abstract": "What we did.",
        "full_text.section_name": ["Intro", ""],
        "full_text.paragraphs": [["First one.", "Twice."], ["", "Twice.", "Last one."]],
        "qas.question": [question for question, _ in answers],
        "qas.answers": [
            {"answer": [{"evidence": each} for each in evidence]} for _, evidence in answers
        ],
    }


def find_in_paper(*answers: tuple[str, list[list[str]]]) -> tuple[Found, list[list[str]]]:
    row = qasper_row(*answers)
    text = BUILDERS["qasper"](row)
    found = find_qasper([row], [Document("1912.1", text)])
    gold = [[text[one.start : one.end] for one in each.gold] for each in found.questions]
    return found, gold


def test_qasper_takes_the_evidence_of_all_annotators() -> None:
    found, gold = find_in_paper(
        ("Who?", [["First one."], ["First one.", "Last one."], []]), ("What?", [["What we did."]])
    )
    assert gold == [["First one.", "Last one."], ["What we did."]]
    assert found.notes == []


def test_qasper_takes_the_first_of_equal_paragraphs() -> None:
    found, gold = find_in_paper(("Who?", [["Twice."]]))
    assert gold == [["Twice."]]
    (question,) = found.questions
    # "Title", "What we did.", "Intro", "First one." and two newlines after each come before it.
    assert question.gold[0].start == 5 + 2 + 12 + 2 + 5 + 2 + 10 + 2


def test_qasper_tells_of_evidence_without_a_place() -> None:
    found, gold = find_in_paper(
        ("Table?", [["FLOAT SELECTED: Table 1"]]),
        ("Both?", [["FLOAT SELECTED: Table 1", "First one."]]),
        ("None?", [[], [""]]),
    )
    assert gold == [["First one."]]
    assert found.notes == [
        "questions left out: without evidence in the text: 2",
        "evidence that is no paragraph of the text, such as a table: not counted: 1",
    ]
