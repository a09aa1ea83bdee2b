"""Where answers stand, and what is said of questions that cannot be used."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import corpora
from corpora import Document
from harness.retrieval.questions import (
    Gold,
    QuestionError,
    make_question,
    read_builtin_questions,
    read_question_file,
)

DOCUMENTS = [
    Document("a", "The cat sat\n  on the mat. The dog ran."),
    Document("b", "banana \u2028 \U0001f600 end"),
]


def read(folder: Path, *rows: object) -> list[tuple[str, list[tuple[str, int, int]]]]:
    path = folder / "questions.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines), encoding="utf-8")
    return [
        (question.text, [(gold.document, gold.start, gold.end) for gold in question.gold])
        for question in read_question_file(path, DOCUMENTS)
    ]


def test_an_answer_stands_where_its_text_does(tmp_path: Path) -> None:
    row = {"question": "Who ran?", "document": "a", "answer": "The dog"}
    assert read(tmp_path, row) == [("Who ran?", [("a", 26, 33)])]


def test_whitespace_of_an_answer_matches_any_other(tmp_path: Path) -> None:
    row = {"question": "Where?", "document": "a", "answer": " sat on the\tmat"}
    assert read(tmp_path, row) == [("Where?", [("a", 8, 24)])]


def test_spans_are_code_points_and_what_touches_is_one(tmp_path: Path) -> None:
    row = {"question": "?", "document": "b", "spans": [[9, 10], [0, 3], [2, 6], [10, 14]]}
    assert read(tmp_path, "", row, "  ") == [("?", [("b", 0, 6), ("b", 9, 14)])]


def test_a_line_separator_of_unicode_ends_no_line(tmp_path: Path) -> None:
    row = json.dumps({"question": "a\u2028b", "document": "b", "answer": "end"}, ensure_ascii=False)
    assert read(tmp_path, row) == [("a\u2028b", [("b", 11, 14)])]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"question": "?", "answer": "x"}, '"document" is missing'),
        ({"question": "?", "document": "c", "answer": "x"}, "the corpus has no document 'c'"),
        ({"document": "a", "answer": "x"}, '"question" is missing'),
        ({"question": "", "document": "a", "answer": "x"}, '"question" is not a text, or empty'),
        ({"question": "?", "document": "a"}, 'give either "spans" or "answer"'),
        (
            {"question": "?", "document": "a", "answer": "x", "spans": [[0, 1]]},
            'give either "spans" or "answer"',
        ),
        ({"question": "?", "document": "a", "answer": "owl"}, "'owl' does not occur in document"),
        (
            {"question": "?", "document": "a", "answer": "The"},
            "'The' occurs more than once in document 'a', at 0 and 26; give a longer one",
        ),
        ({"question": "?", "document": "b", "answer": "ana"}, "at 1 and 3"),
        ({"question": "?", "document": "a", "spans": []}, "give at least one pair"),
        ({"question": "?", "document": "a", "spans": [[3]]}, "is not a pair of whole numbers"),
        ({"question": "?", "document": "a", "spans": [[0, True]]}, "not a pair of whole numbers"),
        ({"question": "?", "document": "a", "spans": [[0, 1.5]]}, "not a pair of whole numbers"),
        ({"question": "?", "document": "a", "spans": [[-1, 4]]}, "[-1, 4] is not within the 38"),
        ({"question": "?", "document": "a", "spans": [[5, 5]]}, "[5, 5] is not within the 38"),
        ({"question": "?", "document": "a", "spans": [[30, 39]]}, "[30, 39] is not within the 38"),
        ({"question": "?", "document": "a", "spans": [[11, 14]]}, "is whitespace alone"),
        (
            '{"question": "?", "document": "a", "answer": "The dog", "answer": "sat"}',
            "'answer' stands twice",
        ),
        ({"question": "?", "document": "a", "answer": "猫"}, "the answer '猫' does not occur"),
        ({"question": "?", "document": "c", "answer": "x"}, "its documents are a, b"),
        ("{", "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
        ([1], "it is not a JSON object"),
    ],
)
def test_what_cannot_be_used_is_named_with_its_line(tmp_path: Path, row: object, said: str) -> None:
    good = {"question": "Who ran?", "document": "a", "answer": "The dog"}
    with pytest.raises(QuestionError) as raised:
        read(tmp_path, good, "", row)
    message = str(raised.value)
    assert message.startswith(f"{tmp_path / 'questions.jsonl'}, line 3: ")
    assert said in message
    assert "\n" not in message
    assert len(message) < 400


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(QuestionError, match=r"nowhere\.jsonl cannot be read: No such file"):
        read_question_file(tmp_path / "nowhere.jsonl", DOCUMENTS)
    with pytest.raises(QuestionError, match="holds no question"):
        read(tmp_path, "", "")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(QuestionError, match="pipe is not a regular file"):
        read_question_file(tmp_path / "pipe", DOCUMENTS)
    (tmp_path / "latin.jsonl").write_bytes(b'{"question": "caf\xe9"}')
    with pytest.raises(QuestionError, match="is not UTF-8 at byte 17"):
        read_question_file(tmp_path / "latin.jsonl", DOCUMENTS)


def test_gold_is_in_order_and_merged() -> None:
    question = make_question("?", [Gold("b", 4, 6), Gold("a", 5, 9), Gold("a", 0, 5)])
    assert question.gold == (Gold("a", 0, 9), Gold("b", 4, 6))


def find_pythons() -> list[str]:
    """The Pythons that this project runs on and that are here, this one first."""
    found = {f"{sys.version_info[0]}.{sys.version_info[1]}": sys.executable}
    roots = [Path.home() / ".pyenv/versions", Path("/opt/hostedtoolcache/Python")]
    for minor in range(11, 15):
        for root in roots:
            for path in sorted(root.glob(f"3.{minor}.*/**/bin/python3.{minor}")):
                found.setdefault(f"3.{minor}", str(path))
    return list(found.values())


def test_there_are_some_forty_questions_and_no_two_are_alike() -> None:
    questions = read_builtin_questions(list(corpora.load("builtin")))
    assert len(questions) >= 40
    assert len({question.text for question in questions}) == len(questions)
    assert len({question.gold for question in questions}) == len(questions)


@pytest.mark.parametrize("python", find_pythons())
def test_each_answer_occurs_once_in_the_topics_of_every_python_here(python: str) -> None:
    # Once among all topics, not only in its own: else what is found in another would count as
    # missed. Standard library only, so that a bare interpreter can answer.
    program = """
import json, re, sys
from pydoc_data.topics import topics
whole = " ".join(" ".join(topics[name].split()) for name in sorted(topics))
for line in open(sys.argv[1], encoding="utf-8"):
    row = json.loads(line)
    family, _, name = row["document"].partition("/")
    answer = " ".join(row["answer"].split())
    count = (" ".join(topics[name].split()).count(answer), whole.count(answer))
    if family != "prose" or count != (1, 1):
        print(row["document"], row["answer"], count)
"""
    path = Path(__file__).parents[3] / "harness/retrieval/builtin.jsonl"
    done = subprocess.run(
        [python, "-I", "-X", "utf8", "-c", program, str(path)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout == ""
