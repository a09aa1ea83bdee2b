"""Corpora cut into parts: together they are the corpus, wherever its files lie."""

import bz2
import json
import os
import pickle
import random
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import corpora
from corpora import Corpus, CorpusError, Document, RequestError

SIZES = (1, 7, 100, 1_000, 1_000_000)


def read_parts(corpus: Corpus, size: int) -> list[Document]:
    """What other processes read."""
    assert corpus.parts is not None
    return [
        document
        for part in corpus.parts(size)
        for document in pickle.loads(pickle.dumps(part)).read()
    ]


def make_texts(number: int) -> list[str]:
    chosen = random.Random(number)
    letters = 'ab é漢\U0001f600\r\n\u2028\x85\t"\\'
    return ["".join(chosen.choices(letters, k=chosen.randrange(90))) for _ in range(number)]


def write_lines(path: Path, texts: list[str]) -> None:
    lines = [
        json.dumps({"text": text}, ensure_ascii=number % 2 == 0)
        for number, text in enumerate(texts)
    ]
    path.write_bytes(
        ("\ufeff\r\n \n" + "\n\n".join(lines[:9]) + "\r\n" + "\n".join(lines[9:])).encode()
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of every kind of file; some rows are cut at odd places for every size."""
    root = tmp_path / "files"
    (root / "deep" / "er").mkdir(parents=True)
    texts = make_texts(60)
    write_lines(root / "a.jsonl", texts)
    (root / "a.json").write_text(json.dumps([{"text": text} for text in texts[:5]]))
    (root / "list.jsonl").write_text(json.dumps([{"text": text} for text in texts[:7]], indent=1))
    (root / "deep" / "b.txt").write_bytes("één\r\n".encode())
    (root / "deep" / "er" / "c.md").write_bytes(b"")
    (root / "deep-er.csv").write_text('n,text\n1,"a\nb"\n2,"c"\n')
    (root / "d.jsonl.bz2").write_bytes(bz2.compress(b'{"text": "one"}\n{"text": "two"}\n'))
    table = pa.table({"n": range(60), "text": texts})
    pq.write_table(table, root / "few.parquet", row_group_size=7)
    pq.write_table(table, root / "one.parquet")
    pq.write_table(table.slice(0, 0), root / "none.parquet")
    return root


@pytest.fixture
def memory(folder: Path) -> Iterator[str]:
    """The same behind a URL."""
    system = fsspec.filesystem("memory")
    for path in folder.rglob("*"):
        if path.is_file():
            system.pipe(f"/segbench/{path.relative_to(folder)}", path.read_bytes())
    yield "memory://segbench"
    system.rm("/segbench", recursive=True)


@pytest.mark.parametrize("size", SIZES)
def test_parts_are_the_corpus(size: int, folder: Path) -> None:
    corpus = corpora.load(str(folder), text_column="text")
    whole = list(corpus)
    assert len(whole) == 60 + 5 + 7 + 2 + 2 + 2 + 60 + 60
    assert read_parts(corpus, size) == whole


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ["a.jsonl", "list.jsonl", "few.parquet", "one.parquet"])
def test_parts_of_a_file_are_the_file(name: str, size: int, folder: Path) -> None:
    corpus = corpora.load(str(folder / name), text_column="text")
    assert read_parts(corpus, size) == list(corpus)


def test_parts_are_as_large_as_asked_for(folder: Path) -> None:
    for name, most in (("a.jsonl", 1_800), ("few.parquet", 1_200), ("one.parquet", 1_200)):
        corpus = corpora.load(str(folder / name), text_column="text")
        assert corpus.parts is not None
        parts = list(corpus.parts(1_000))
        assert len(parts) > 3
        assert max(part.size for part in parts) <= most, name
        sizes = [sum(len(document.text.encode()) for document in part.read()) for part in parts]
        assert max(sizes) <= most, name
        assert corpus.size is not None
        assert corpus.size() == sum(part.size for part in parts)


def test_the_first_part_is_there_before_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"text": "one"}\n' * 1_000 + b'{"text": "\xff"}\n')
    corpus = corpora.load(str(path), text_column="text")
    assert corpus.parts is not None
    first = next(corpus.parts(160))
    assert [document.id for document in first.read()] == [f"a.jsonl:{n}" for n in range(1, 11)]


def test_errors_name_what_a_whole_reading_names(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    good = b'{"text": "one"}\n'
    for bad in (b'{"text": "\xff"}\n', b'{"text": 3}\n', b'{"txt": ""}\n', b"{\n", b"[]\n"):
        path.write_bytes(good * 50 + bad + good * 50)
        corpus = corpora.load(str(path), text_column="text")
        with pytest.raises(CorpusError) as expected:
            list(corpus)
        with pytest.raises(CorpusError) as caught:
            read_parts(corpus, 100)
        assert str(caught.value) == str(expected.value)
        assert "byte 810" in str(caught.value) or "line 51" in str(caught.value)


def test_documents_before_an_error_are_given(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"text": "one"}\n' * 3 + b"{\n")
    corpus = corpora.load(str(path), text_column="text")
    assert corpus.parts is not None
    (part,) = corpus.parts(1_000)
    documents = part.read()
    assert [next(documents).id for _ in range(3)] == ["a.jsonl:1", "a.jsonl:2", "a.jsonl:3"]
    with pytest.raises(CorpusError, match="line 4 is not JSON"):
        next(documents)


@pytest.mark.parametrize("name", ["a.jsonl", "few.parquet", "deep/b.txt"])
def test_a_file_that_has_changed_is_refused(name: str, folder: Path) -> None:
    corpus = corpora.load(str(folder), text_column="text")
    assert corpus.parts is not None
    part = next(part for part in corpus.parts(100) if part.url.endswith(name))
    assert list(part.read())
    path = folder / name
    status = path.stat()
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    with pytest.raises(CorpusError, match=rf"{name} was changed meanwhile: it had .*; start again"):
        list(part.read())


def test_equal_commands_have_equal_parts(folder: Path) -> None:
    first, second = (corpora.load(str(folder), text_column="text") for _ in range(2))
    assert first.parts is not None
    assert second.parts is not None
    assert list(first.parts(100)) == list(second.parts(100))
    assert repr(list(first.parts(100))) == repr(list(second.parts(100)))


@pytest.mark.parametrize("name", ["deep-er.csv", "d.jsonl.bz2", "a.json"])
def test_a_single_file_that_cannot_be_cut_has_no_parts(name: str, folder: Path) -> None:
    assert corpora.load(str(folder / name), text_column="text").parts is None


def test_what_has_to_be_read_in_one_go_has_no_parts(folder: Path) -> None:
    for options in ({"first": 3}, {"sample": 3}):
        assert corpora.load(str(folder), text_column="text", **options).parts is None
    assert corpora.load("builtin").parts is None


def test_other_encodings_are_not_cut(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(('{"text": "ਊ"}\n' * 40).encode("utf-16"))
    (tmp_path / "b.jsonl").write_bytes(b"")
    corpus = corpora.load(str(tmp_path), text_column="text", encoding="utf-16")
    assert [d.text for d in read_parts(corpus, 10)] == ["ਊ"] * 40


def test_a_folder_that_cannot_be_listed_has_no_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_text("one")
    (tmp_path / "locked").mkdir()
    scan = os.scandir

    def refuse(path: str) -> object:
        if str(path).rstrip("/").endswith("locked"):
            raise PermissionError(13, "Permission denied")
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    corpus = corpora.load(str(tmp_path))
    with pytest.raises(CorpusError, match="locked cannot be read: Permission denied"):
        read_parts(corpus, 10)


@pytest.mark.parametrize("size", SIZES)
def test_a_url_is_read_as_a_path_is(size: int, memory: str, folder: Path) -> None:
    corpus = corpora.load(memory, text_column="text", exclude=["*.csv", "er/"])
    here = corpora.load(str(folder), text_column="text", exclude=["*.csv", "er/"])
    assert list(corpus) == list(here)
    assert read_parts(corpus, size) == list(here)
    assert corpus.origin == corpus.name == memory
    assert [note.removeprefix(memory) for note in corpus.notes] == [
        note.removeprefix(str(folder)) for note in here.notes
    ]


def test_a_url_of_a_file(memory: str, folder: Path) -> None:
    url = f"{memory}/few.parquet"
    expected = list(corpora.load(str(folder / "few.parquet"), text_column="text"))
    corpus = corpora.load(url, text_column="text")
    assert list(corpus) == read_parts(corpus, 100) == expected
    assert list(corpora.load(f"{memory}/deep/b.txt")) == [Document("b.txt", "één\r\n")]


def test_a_file_url_is_the_path(folder: Path) -> None:
    corpus = corpora.load(f"file://{folder}", text_column="text")
    assert corpus.origin == str(folder)
    assert list(corpus) == list(corpora.load(str(folder), text_column="text"))


def test_a_binary_file_behind_a_url_is_told(memory: str) -> None:
    fsspec.filesystem("memory").pipe("/segbench/x.bin", b"\0\xff" * 99)
    corpus = corpora.load(memory, text_column="text")
    with pytest.raises(CorpusError, match=r"x.bin is binary, not text; .* --exclude"):
        list(corpus)


def test_content_that_changed_behind_a_url_is_refused(memory: str) -> None:
    corpus = corpora.load(f"{memory}/deep/b.txt")
    assert corpus.parts is not None
    (part,) = corpus.parts(100)
    fsspec.filesystem("memory").pipe("/segbench/deep/b.txt", "één\r\n".encode())
    with pytest.raises(CorpusError, match=r"b\.txt was changed meanwhile"):
        list(part.read())


@pytest.mark.parametrize(
    ("url", "kind", "message"),
    [
        ("s3://bucket/a.txt", CorpusError, "Install s3fs to access S3; run: pip install s3fs"),
        ("nothing://a", RequestError, "nothing://a cannot be read: Protocol not known: nothing"),
        (
            "memory://none/a.txt",
            RequestError,
            "memory://none/a.txt does not exist; give an existing",
        ),
        ("file:///none/a.txt", RequestError, "/none/a.txt does not exist; give an existing"),
        ("ftp://me:secret@host/a", RequestError, "the URL of host has a password"),
        ("zip://a::memory://b", RequestError, "has URLs within each other"),
        ("hf://datasets/a/b#text", RequestError, "give hf:OWNER/NAME#COLUMN"),
    ],
)
def test_a_url_that_cannot_be_read(url: str, kind: type[Exception], message: str) -> None:
    with pytest.raises(CorpusError) as caught:
        corpora.load(url)
    assert type(caught.value) is kind
    assert message in str(caught.value)
    assert "secret" not in str(caught.value)
