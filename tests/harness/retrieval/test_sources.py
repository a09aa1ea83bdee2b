"""Questions by the name of their corpus: from small copies of data sets, and real ones."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from corpora import CorpusError, RequestError
from harness.retrieval.questions import QuestionSet
from harness.retrieval.sources import Access, load_questions

HUB = Path(__file__).parents[3] / "../shared/hub"
real = pytest.mark.skipif(not HUB.is_dir(), reason="no ../shared/hub beside the checkout")

COVID_QA = "deepset/covid_qa_deepset/train-00000-of-00001.parquet"
QASPER = "allenai/qasper/{}-00000-of-00001.parquet"
BENCHMARKS = "awinml/legalbench-rag/benchmarks"
CONTRACTS = "awinml/legalbench-rag/corpus"


def write_table(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), path)


def covid_row(answer: str, start: int, **changes: object) -> dict[str, Any]:
    row = {
        "document_id": 7,
        "context": "The virus spreads in air.",
        "question": "How does it spread?",
        "is_impossible": False,
        "id": 1,
        "answers": {"text": [answer], "answer_start": [start]},
    }
    return {**row, **changes}


def load(mirror: Path, name: str, file: Path | None = None) -> QuestionSet:
    return load_questions(name, Access(mirror), file)


def answers(found: QuestionSet) -> list[list[str]]:
    texts = {document.id: document.text for document in found.documents}
    return [
        [texts[gold.document][gold.start : gold.end] for gold in question.gold]
        for question in found.questions
    ]


def test_the_builtin_questions_need_nothing() -> None:
    found = load_questions("builtin", Access())
    assert len(found.questions) >= 40
    assert len(answers(found)) == len(found.questions)
    assert len(found.digest) == 64


def test_covid_qa_from_a_mirror(tmp_path: Path) -> None:
    write_table(tmp_path / COVID_QA, [covid_row("in air", 18), covid_row("in water", 18, id=2)])
    found = load(tmp_path, "covid_qa")
    assert answers(found) == [["in air"]]
    assert found.notes == [
        "covid_qa, questions left out: the answer is not at its place or near it: 1"
    ]


def test_a_corpus_whose_questions_all_fail_is_an_error(tmp_path: Path) -> None:
    write_table(tmp_path / COVID_QA, [covid_row("in water", 18)])
    with pytest.raises(CorpusError, match="covid_qa has no question that can be asked here; covid"):
        load(tmp_path, "covid_qa")


def test_rows_that_are_not_as_they_should_be_are_named(tmp_path: Path) -> None:
    write_table(
        tmp_path / COVID_QA, [covid_row("in air", 18), covid_row("in air", 18, question=None)]
    )
    with pytest.raises(
        CorpusError, match=r"covid_qa: a question is not as it should be: Attribute"
    ):
        load(tmp_path, "covid_qa")
    rows = [covid_row("in air", 18)]
    del rows[0]["answers"]
    write_table(tmp_path / COVID_QA, rows)
    with pytest.raises(CorpusError, match=r"has no questions: no column answers; fetch it whole"):
        load(tmp_path, "covid_qa")


def qasper_row() -> dict[str, Any]:
    return {
        "id": "1912.1",
        "title": "Title",
        "abstract": "Abstract.",
        "full_text": {"section_name": ["Intro"], "paragraphs": [["First.", "Second."]]},
        "qas": {
            "question": ["Which?"],
            "answers": [{"answer": [{"evidence": ["Second."], "unanswerable": False}]}],
        },
    }


def test_qasper_has_questions_where_its_rows_do(tmp_path: Path) -> None:
    for split in ("train", "validation", "test"):
        row = qasper_row() | {"id": f"1912.{split}"}
        write_table(tmp_path / QASPER.format(split), [row])
    found = load(tmp_path, "qasper")
    assert answers(found) == [["Second."]] * 3


def test_qasper_without_its_questions_says_so(tmp_path: Path) -> None:
    row = qasper_row()
    del row["qas"]
    for split in ("train", "validation", "test"):
        write_table(tmp_path / QASPER.format(split), [row | {"id": split}])
    with pytest.raises(CorpusError, match=r"qasper: .*parquet has no questions: no column qas; "):
        load(tmp_path, "qasper")


def write_contracts(mirror: Path) -> None:
    for name, text in (("privacy_qa/p.txt", "We sell all."), ("cuad/c.txt", "Signed.")):
        path = mirror / CONTRACTS / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    test = {
        "query": "What do they sell?",
        "snippets": [{"file_path": "privacy_qa/p.txt", "span": [3, 11], "answer": "sell all"}],
    }
    (mirror / BENCHMARKS).mkdir(parents=True)
    (mirror / BENCHMARKS / "privacy_qa.json").write_text(json.dumps({"tests": [test]}))


@pytest.mark.parametrize("name", ["legalbench_rag", "legalbench_rag/privacy_qa"])
def test_legalbench_rag_uses_the_documents_of_parts_with_questions(
    tmp_path: Path, name: str
) -> None:
    write_contracts(tmp_path)
    found = load(tmp_path, name)
    assert found.corpus == name
    assert [document.id for document in found.documents] == ["privacy_qa/p.txt"]
    assert answers(found) == [["sell all"]]
    missing = ["legalbench_rag has no questions here about contractnli, cuad, maud: left out"]
    assert found.notes == ([] if "/" in name else missing)


def test_a_part_without_questions_here_is_an_error(tmp_path: Path) -> None:
    write_contracts(tmp_path)
    with pytest.raises(CorpusError, match=r"legalbench_rag/cuad: .*holds no cuad\.json; fetch it"):
        load(tmp_path, "legalbench_rag/cuad")
    with pytest.raises(RequestError, match="legalbench_rag has no part 'maude'; its parts are"):
        load(tmp_path, "legalbench_rag/maude")


def test_a_corpus_without_questions_of_its_own_is_a_wrong_command(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="synthetic brings no questions; give your own with"):
        load_questions("synthetic", Access())


def test_a_mirror_without_the_corpus_is_named(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"covid_qa .*holds no .*parquet"):
        load(tmp_path, "covid_qa")


def test_own_questions_about_files_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/a.txt").write_text("The key lies under the mat.")
    file = tmp_path / "questions.jsonl"
    row = {"question": "Where?", "document": "a.txt", "answer": "under the mat"}
    file.write_text(json.dumps(row))
    found = load_questions(str(tmp_path / "notes"), Access(), file)
    assert answers(found) == [["under the mat"]]


@real
def test_covid_qa_of_the_mirror() -> None:
    found = load(HUB, "covid_qa")
    assert (len(found.documents), len(found.questions)) == (98, 1_380)
    # As many as the rows that are left, each with the answer that it names.
    assert found.notes == [
        "covid_qa, answers found up to 32 code points from the place that is given: 455",
        "covid_qa, questions left out: the answer is not at its place or near it: 8",
        "covid_qa, repeated questions, each counted once: 1,319",
    ]
    assert 1_380 + 8 + 1_319 == 2_707


@real
def test_legalbench_rag_of_the_mirror() -> None:
    found = load(HUB, "legalbench_rag")
    assert len(found.documents) == 95 + 7
    # 977 and 174, of which two are asked twice.
    assert len(found.questions) == 977 + 172
