"""LangChain's document loaders, both ways."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import corpora
from corpora import Corpus, CorpusError, Document

loaders = pytest.importorskip("langchain_core.document_loaders")
from langchain_core.document_loaders import BaseBlobParser, BaseLoader, Blob  # noqa: E402
from langchain_core.documents import Document as LangChainDocument  # noqa: E402

TEXT = "\ufeffone\r\ntwo\rthree\u2028four"


class Lines(BaseLoader):
    """Counts how far it was read."""

    def __init__(self, documents: list[LangChainDocument]) -> None:
        self.documents = documents
        self.given = 0

    def lazy_load(self) -> Iterator[LangChainDocument]:
        for document in self.documents:
            self.given += 1
            yield document


def test_loader_is_read_lazily_and_anew() -> None:
    loader = Lines([LangChainDocument(str(n), id=str(n)) for n in range(10)])
    corpus = corpora.from_langchain(loader)
    assert loader.given == 0
    assert next(iter(corpus)) == Document("0", "0")
    assert loader.given == 1
    assert list(corpus) == list(corpus) == [Document(str(n), str(n)) for n in range(10)]
    assert corpus.name == "Lines"
    assert corpora.from_langchain(loader, "mine").name == "mine"


def test_no_document_is_lost_for_its_id() -> None:
    page = {"source": "a.pdf"}
    loader = Lines(
        [
            LangChainDocument(TEXT, metadata=page),
            LangChainDocument("2", metadata=page),
            LangChainDocument("3", id="x", metadata=page),
            LangChainDocument("4"),
            LangChainDocument("5"),
            LangChainDocument("6", id="a.pdf#2"),
        ]
    )
    documents = list(corpora.from_langchain(loader))
    assert [d.text for d in documents] == [TEXT, "2", "3", "4", "5", "6"]
    assert len({d.id for d in documents}) == 6
    assert [d.id for d in documents][:5] == ["a.pdf", "a.pdf#2", "x", "document", "document#2"]


def test_loader_that_fails() -> None:
    class Failing(BaseLoader):
        def lazy_load(self) -> Iterator[LangChainDocument]:
            yield LangChainDocument("1")
            raise RuntimeError("no\nmore")

    corpus = corpora.from_langchain(Failing())
    with pytest.raises(
        CorpusError,
        match=re.escape("Failing: the loader failed after 1 documents with RuntimeError: no more"),
    ):
        list(corpus)


def test_loader_without_documents() -> None:
    with pytest.raises(CorpusError, match="Lines holds no document"):
        list(corpora.from_langchain(Lines([])))


def test_blob_parser(tmp_path: Path) -> None:
    """As a generic loader does it: blobs from files, each parsed into documents."""

    class Halves(BaseBlobParser):
        def lazy_parse(self, blob: Blob) -> Iterator[LangChainDocument]:
            text = blob.as_bytes().decode()
            for half in (text[: len(text) // 2], text[len(text) // 2 :]):
                yield LangChainDocument(half, metadata={"source": blob.source})

    class Generic(BaseLoader):
        def lazy_load(self) -> Iterator[LangChainDocument]:
            for path in sorted(tmp_path.iterdir()):
                yield from Halves().lazy_parse(Blob.from_path(path))

    (tmp_path / "a.txt").write_bytes(b"on\r\ne")
    assert list(corpora.from_langchain(Generic())) == [
        Document(str(tmp_path / "a.txt"), "on"),
        Document(f"{tmp_path / 'a.txt'}#2", "\r\ne"),
    ]


def test_as_langchain() -> None:
    corpus = Corpus("mine", lambda: iter([Document("a/1", TEXT), Document("a/2", "")]))
    loader = corpus.as_langchain()
    assert isinstance(loader, BaseLoader)
    loaded = loader.load()
    assert [(d.id, d.page_content) for d in loaded] == [("a/1", TEXT), ("a/2", "")]
    assert [d.metadata for d in loaded] == [
        {"source": "mine", "id": "a/1"},
        {"source": "mine", "id": "a/2"},
    ]


def test_there_and_back() -> None:
    documents = list(corpora.load("synthetic", first=50))
    loader = corpora.load("synthetic", first=50).as_langchain()
    assert list(corpora.from_langchain(loader)) == documents


def test_community_loaders(tmp_path: Path) -> None:
    community = pytest.importorskip(
        "langchain_community.document_loaders", reason="langchain-community is not installed"
    )
    (tmp_path / "a.txt").write_bytes(b"one\r\n")
    (tmp_path / "b.txt").write_bytes(b"two")
    text = community.TextLoader(str(tmp_path / "b.txt"), encoding="utf-8")
    assert list(corpora.from_langchain(text)) == [Document(str(tmp_path / "b.txt"), "two")]
    folder = community.DirectoryLoader(
        str(tmp_path),
        glob="*.txt",
        loader_cls=community.TextLoader,
        loader_kwargs={"encoding": "utf-8"},
    )
    # TextLoader itself turns CRLF into LF: what it gives is what is measured.
    assert sorted(d.text for d in corpora.from_langchain(folder)) == ["one\n", "two"]
    generic = pytest.importorskip("langchain_community.document_loaders.generic")
    parsers = pytest.importorskip("langchain_community.document_loaders.parsers.txt")
    loader = generic.GenericLoader.from_filesystem(
        str(tmp_path), glob="*.txt", parser=parsers.TextParser()
    )
    assert sorted(d.id for d in corpora.from_langchain(loader)) == [
        str(tmp_path / "a.txt"),
        str(tmp_path / "b.txt"),
    ]


def test_import_is_light() -> None:
    import subprocess
    import sys

    program = "import sys, corpora; print('langchain_core' in sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert result.stdout == "False\n"
