"""The real documents that lie beside the checkout, where they do."""

import json
from pathlib import Path

import pytest

import corpora

HUB = Path(__file__).parents[3] / "../shared/hub"

pytestmark = pytest.mark.skipif(not HUB.is_dir(), reason="no ../shared/hub beside the checkout")


@pytest.mark.parametrize(
    ("name", "documents", "code_points"),
    [
        ("qasper", 80, 1_802_193),
        ("covid_qa", 98, 2_303_726),
        ("conditionalqa", 59, 460_055),
        ("natural_questions", 20, 1_143_387),
        ("narrativeqa", 23, 5_858_542),
        ("legalbench_rag", 564, 26_982_877),
    ],
)
def test_counts(name: str, documents: int, code_points: int) -> None:
    lengths = {d.id: len(d.text) for d in corpora.load(name, mirror=HUB)}
    assert (len(lengths), sum(lengths.values())) == (documents, code_points)


def test_contracts_are_their_files() -> None:
    folder = HUB / "awinml/legalbench-rag/corpus"
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.glob("*/*")}
    read = {d.id: d.text.encode() for d in corpora.load("legalbench_rag", mirror=HUB)}
    assert read == files


def test_pages_are_those_of_the_file() -> None:
    pages = json.loads((HUB / "haitian-sun/ConditionalQA/documents.json").read_bytes())
    expected = {page["title"]: "\n".join(page["contents"]) for page in pages}
    assert {d.id: d.text for d in corpora.load("conditionalqa", mirror=HUB)} == expected


def test_books_are_those_of_the_files() -> None:
    import pyarrow.parquet as pq

    expected = {}
    for path in (HUB / "deepmind/narrativeqa/data").glob("*.parquet"):
        for row in pq.read_table(path, columns=["document"])["document"].to_pylist():
            expected[row["id"]] = row["text"]
    assert {d.id: d.text for d in corpora.load("narrativeqa", mirror=HUB)} == expected
