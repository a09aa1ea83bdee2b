"""``segbench retrieve``: what is written and printed, and what becomes of bad input."""

import csv
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from harness.cli.commands import segbench

TEXT = (
    "The key lies under the mat. The cat sat on it all day long, and nobody looked there.\n\n" * 2
)
LINES = "".join(f"On day {number} nothing of note happened in town.\n" for number in range(40))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/a.txt").write_text(LINES + "The key lies under the mat.\n" + LINES)
    row = {"question": "Where is the key?", "document": "a.txt", "answer": "under the mat"}
    (tmp_path / "questions.jsonl").write_text(json.dumps(row) + "\n")
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(segbench, ["retrieve", *arguments])


def run_on_notes(*arguments: str) -> Result:
    given = ("--corpus", "notes", "--questions", "questions.jsonl", "--max-chunk-length", "60")
    return run(*given, "--splitter", "fixed", "--out", "out", "--overwrite", *arguments)


def test_it_writes_a_folder_and_says_what_it_found(folder: Path) -> None:
    done = run_on_notes("--budget", "100", "--budget", "2000")
    assert done.exit_code == 0, done.output
    with (folder / "out/retrieval.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["splitter"], row["budget"]) for row in rows] == [
        ("segmenter", "100"),
        ("segmenter", "2000"),
        ("fixed", "100"),
        ("fixed", "2000"),
    ]
    assert rows[0]["recall"] == "1.0"
    assert "Questions asked: 1 of `notes`; by `bm25`" in done.stdout
    assert "Report: out/report.html" in done.stdout
    for name in ("report.md", "report.html"):
        assert "Content recall, notes at 60" in (folder / "out" / name).read_text()
    again = CliRunner().invoke(segbench, ["report", "out"])
    assert again.exit_code == 0
    assert "Content recall, notes at 60" in again.stdout


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["--questions", "questions.jsonl"], 2, "--questions needs one --corpus"),
        (["--corpus", "notes"], 2, "notes brings no questions"),
        (["--corpus", "legalbench_rag/x"], 2, "has no part 'x'"),
        (["--corpus", "builtin", "--mirror", "notes"], 2, "--mirror applies to no corpus here"),
        (["--retriever", "bm52"], 2, "no retriever is named 'bm52'; give bm25, lsa or module:"),
        (["--retriever", "absent_module:make"], 3, "absent_module:make raised ModuleNotFoundError"),
        (["--budget", "0"], 2, "0 is not in the range"),
        (["--splitter", "nobody"], 2, "no splitter is named 'nobody'"),
        (["--corpus", "covid_qa", "--mirror", "notes"], 3, "covid_qa"),
        (["--mirror", "notes"], 3, "notes holds no questions; fetch some: segbench prepare"),
    ],
)
def test_bad_input_is_one_line_and_the_right_status(
    folder: Path, arguments: list[str], status: int, said: str
) -> None:
    done = run(*arguments, "--out", "out")
    assert done.exit_code == status, done.output
    (line,) = done.stderr.splitlines()
    assert line.startswith("segbench: ")
    assert said in line
    assert not (folder / "out/environment.json").exists()


def test_a_mirror_gives_the_corpora_that_have_questions(folder: Path) -> None:
    text = "The virus spreads in air."
    row = {
        "document_id": 7,
        "context": text,
        "question": "How does it spread?",
        "is_impossible": False,
        "id": 1,
        "answers": {"text": ["in air"], "answer_start": [18]},
    }
    paper = {
        "id": "1",
        "title": "T",
        "abstract": "A",
        "full_text": {"section_name": ["S"], "paragraphs": [["P"]]},
    }
    for name, rows in (
        ("deepset/covid_qa_deepset/train-00000-of-00001.parquet", [row]),
        ("allenai/qasper/train-00000-of-00001.parquet", [paper]),
    ):
        path = folder / "mirror" / name
        path.parent.mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist(rows), path)
    done = run("--mirror", "mirror", "--splitter", "segmenter", "--out", "out")
    assert done.exit_code == 0, done.output
    assert "Questions asked: 1 of `covid_qa`" in done.stdout
    (line,) = done.stderr.splitlines()
    assert "left out: qasper: " in line
    assert "has no questions: no column qas" in line


def test_a_finished_run_is_not_replaced_unasked(folder: Path) -> None:
    assert run_on_notes().exit_code == 0
    again = run("--out", "out")
    assert again.exit_code == 2
    assert "out holds the results of an earlier command" in again.stderr


def test_a_question_that_cannot_be_used_is_named_with_its_line(folder: Path) -> None:
    row = {"question": "?", "document": "a.txt", "answer": "nothing of note"}
    (folder / "questions.jsonl").write_text(json.dumps(row))
    done = run_on_notes()
    assert done.exit_code == 3
    (line,) = done.stderr.splitlines()
    assert "questions.jsonl, line 1: the answer 'nothing of note' occurs more than once" in line


def test_an_embedding_function_that_gives_nan_is_named(folder: Path) -> None:
    (folder / "mymodel.py").write_text(
        "def make():\n    return lambda texts: [[float('nan')] * 3 for _ in texts]\n"
    )
    done = run_on_notes("--retriever", "mymodel.py:make", "--vectors", "vectors")
    assert done.exit_code == 3
    (line,) = done.stderr.splitlines()
    assert "mymodel.py:make gave a vector that is not finite" in line


def test_an_embedding_function_of_the_folder_is_found_by_its_module(folder: Path) -> None:
    (folder / "letters_model.py").write_text(
        "def make():\n    return lambda texts: [[t.count(c) + 1 for c in 'kym'] for t in texts]\n"
    )
    done = run_on_notes("--retriever", "letters_model:make", "--vectors", "vectors")
    assert done.exit_code == 0, done.output
    assert len(list((folder / "vectors").iterdir())) == 1


def test_a_splitter_that_fails_is_status_3(folder: Path) -> None:
    (folder / "bad.py").write_text("def make(limit):\n    raise OSError('no table')\n")
    done = run_on_notes("--splitter", "bad.py:make")
    assert done.exit_code == 3
    assert "no table" in (folder / "out/failures.jsonl").read_text()
    assert "bad.py:make" in done.stdout
