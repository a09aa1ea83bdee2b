"""The first documents, samples, and suites."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import corpora
from corpora import Corpus, Document, RequestError
from corpora.selection import take_first, take_sample

DOCUMENTS = [Document(f"id{number}", f"text {number}") for number in range(200)]


def corpus_of(documents: list[Document]) -> Corpus:
    return Corpus("mine", lambda: iter(documents), "nowhere", ("a note",))


def sample(documents: list[Document], count: int, seed: int) -> list[str]:
    return [d.id for d in take_sample(corpus_of(documents), count, seed)]


def test_first_reads_no_further() -> None:
    def read() -> Iterator[Document]:
        yield from DOCUMENTS[:3]
        raise AssertionError("read beyond what was asked for")

    first = take_first(Corpus("mine", read), 3)
    assert list(first) == DOCUMENTS[:3]
    assert list(first) == DOCUMENTS[:3]
    assert first.name == "mine[first 3]"


def test_first_of_fewer_is_all() -> None:
    assert list(take_first(corpus_of(DOCUMENTS), 1000)) == DOCUMENTS


def test_sample_does_not_depend_on_the_order() -> None:
    shuffled = DOCUMENTS.copy()
    random.Random(1).shuffle(shuffled)
    assert sample(DOCUMENTS, 20, 7) == sample(shuffled, 20, 7) == sample(DOCUMENTS[::-1], 20, 7)


def test_sample_depends_on_the_seed() -> None:
    assert len({tuple(sample(DOCUMENTS, 20, seed)) for seed in (0, 1, 2, -1)}) == 4


def test_smaller_sample_begins_the_larger() -> None:
    assert sample(DOCUMENTS, 50, 3)[:20] == sample(DOCUMENTS, 20, 3)


def test_sample_has_each_document_once() -> None:
    assert sorted(sample(DOCUMENTS, 1000, 0)) == sorted(d.id for d in DOCUMENTS)
    assert len(set(sample(DOCUMENTS, 60, 0))) == 60


def test_sample_is_the_same_everywhere() -> None:
    # blake2b, keyed by the seed's digits, of the id; computed apart from the implementation.
    import hashlib

    def place(document: Document) -> bytes:
        return hashlib.blake2b(document.id.encode(), key=b"5", digest_size=16).digest()

    assert sample(DOCUMENTS, 10, 5) == [d.id for d in sorted(DOCUMENTS, key=place)[:10]]


def test_sample_is_fair() -> None:
    chosen = [identifier for seed in range(100) for identifier in sample(DOCUMENTS, 50, seed)]
    # Each of 200 is expected 25 times of 100, with a standard deviation of 4.3.
    assert all(5 <= chosen.count(document.id) <= 47 for document in DOCUMENTS)


def test_sample_tells_what_it_is() -> None:
    chosen = take_sample(corpus_of(DOCUMENTS), 5, 9)
    assert (chosen.name, chosen.origin, chosen.notes) == (
        "mine[sample 5 seed 9]",
        "nowhere",
        ("a note",),
    )


def test_every_corpus_can_be_sampled(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    (tmp_path / "b.txt").write_text("b")
    for name in ("builtin", "synthetic", str(tmp_path)):
        assert len(list(corpora.load(name, sample=2, seed=1))) == 2
        assert len(list(corpora.load(name, first=1))) == 1


@pytest.mark.parametrize(
    "options", [{"first": 0}, {"sample": -1}, {"first": 1, "sample": 1}, {"timeout": 0}]
)
def test_selection_that_makes_no_sense(options: dict[str, int]) -> None:
    with pytest.raises(RequestError):
        corpora.load("builtin", **options)  # type: ignore[arg-type]


def test_suite_of_the_pull_request() -> None:
    table = corpora._read_suites()["pr"]
    assert sum(table["documents"].values()) == 2106
    assert set(table["documents"]) == {e.name for e in corpora.entries() if e.repository}
    for entry in corpora.entries():
        assert entry.documents is None or table["documents"].get(entry.name, 0) <= entry.documents
    assert "not published" in corpora.suites()["pr"]


def test_unknown_suite() -> None:
    with pytest.raises(RequestError, match="no suite is named 'pull'; there are pr"):
        corpora.load_suite("pull")
