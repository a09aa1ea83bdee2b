"""A whole mirror: the small one of the project's own, and the real one if it is there."""

import json
from pathlib import Path

import pytest

import corpora

HUB = Path(__file__).parents[3] / "../shared/hub"
OWN = "own"
SHARED = "shared"
MIRRORS = [OWN, SHARED] if HUB.is_dir() else [OWN]

# Documents and code points, by mirror.
COUNTS = {
    "qasper": {OWN: (2, 127), SHARED: (80, 1_802_193)},
    "covid_qa": {OWN: (2, 46), SHARED: (98, 2_303_726)},
    "conditionalqa": {OWN: (2, 70), SHARED: (59, 460_055)},
    "natural_questions": {OWN: (1, 10), SHARED: (20, 1_143_387)},
    "narrativeqa": {OWN: (4, 58), SHARED: (23, 5_858_542)},
    "legalbench_rag": {OWN: (3, 51), SHARED: (564, 26_982_877)},
}


@pytest.fixture(params=MIRRORS)
def which(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def hub(which: str, mirror: Path) -> Path:
    return mirror if which == OWN else HUB


@pytest.mark.parametrize("name", COUNTS)
def test_counts(name: str, which: str, hub: Path) -> None:
    lengths = {d.id: len(d.text) for d in corpora.load(name, mirror=hub)}
    assert (len(lengths), sum(lengths.values())) == COUNTS[name][which]


def test_contracts_are_their_files(hub: Path) -> None:
    folder = hub / "awinml/legalbench-rag/corpus"
    paths = folder.glob("*/*.txt")
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
    read = {d.id: d.text.encode() for d in corpora.load("legalbench_rag", mirror=hub)}
    assert read == files


def test_pages_are_those_of_the_file(hub: Path) -> None:
    pages = json.loads((hub / "haitian-sun/ConditionalQA/documents.json").read_bytes())
    expected: dict[str, str] = {}
    for page in pages:  # the first of a title counts
        expected.setdefault(page["title"], "\n".join(page["contents"]))
    assert {d.id: d.text for d in corpora.load("conditionalqa", mirror=hub)} == expected


def test_books_are_those_of_the_files(hub: Path) -> None:
    import pyarrow.parquet as pq

    expected = {}
    for path in (hub / "deepmind/narrativeqa/data").glob("*.parquet"):
        for row in pq.read_table(path, columns=["document"])["document"].to_pylist():
            expected[row["id"]] = row["text"]
    assert {d.id: d.text for d in corpora.load("narrativeqa", mirror=hub)} == expected
