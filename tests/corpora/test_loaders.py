"""LangChain's document loaders, both ways, and functions that load documents."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import corpora
from corpora import Corpus, CorpusError, Document, RequestError

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
            LangChainDocument("7", metadata={**page, "page": 0}),
        ]
    )
    documents = list(corpora.from_langchain(loader))
    assert [d.text for d in documents] == [TEXT, "2", "3", "4", "5", "6", "7"]
    assert len({d.id for d in documents}) == 7
    assert [d.id for d in documents][:5] == ["a.pdf", "a.pdf#2", "x", "document", "document#2"]
    assert documents[6].id == "a.pdf#page=0"


def test_loader_that_fails() -> None:
    class Failing(BaseLoader):
        def lazy_load(self) -> Iterator[LangChainDocument]:
            yield LangChainDocument("1")
            raise RuntimeError("no\nmore")

    corpus = corpora.from_langchain(Failing())
    with pytest.raises(
        CorpusError,
        match=r"^Failing failed after 1 document: RuntimeError: no more \(.*test_loaders.py, line \d",
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
    program = "import sys, corpora; print('langchain_core' in sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert result.stdout == "False\n"


def write(folder: Path, code: str) -> str:
    """A file with that code, as `--corpus` names its function ``load``."""
    (folder / "mine.py").write_text(code, encoding="utf-8")
    return f"{folder / 'mine.py'}:load"


HAYSTACK = """
class Document:
    id = "digest"

    def __init__(self, content, **meta):
        self.content, self.meta = content, meta
"""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("def load(): return ['one', 'two']", [("document", "one"), ("document#2", "two")]),
        ("def load():\n yield 'one'", [("document", "one")]),
        (
            HAYSTACK + "def load(): return [Document('a', file_path='x', page_number=2),"
            " Document('b', url='y'), Document('c')]",
            [("x#page=2", "a"), ("y", "b"), ("digest", "c")],
        ),
        (
            "from langchain_core.documents import Document\n"
            "def load(): return (Document(t, metadata={'source': 's'}) for t in 'ab')",
            [("s", "a"), ("s#2", "b")],
        ),
        (
            "from corpora import Document\nclass load:\n"
            " def lazy_load(self): yield Document('own', 'text')",
            [("own", "text")],
        ),
    ],
)
def test_function_gives_what_libraries_call_documents(
    code: str, expected: list[tuple[str, str]], tmp_path: Path
) -> None:
    name = write(tmp_path, code)
    corpus = corpora.load(name)
    assert [(d.id, d.text) for d in corpus] == expected
    assert [(d.id, d.text) for d in corpus] == expected  # called again
    assert corpus.name == name
    assert corpus.notes == (
        f"{name} loads its texts on this machine, so others cannot rebuild them from its name",
    )


def test_function_of_a_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "beside_segbench.py").write_text("TEXTS = ['here']")
    (tmp_path / "pipeline_of_mine.py").write_text(
        "from beside_segbench import TEXTS\nclass Mine:\n load = staticmethod(lambda: TEXTS)"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    for name in ("pipeline_of_mine:Mine.load", "./pipeline_of_mine.py:Mine.load"):
        assert [d.text for d in corpora.load(name)] == ["here"]


def test_function_is_read_lazily(tmp_path: Path) -> None:
    name = write(tmp_path, "def load():\n yield 'one'\n yield 'two'\n raise ValueError('no more')")
    assert [d.text for d in corpora.load(name, first=2)] == ["one", "two"]
    with pytest.raises(
        CorpusError,
        match=r"mine.py:load failed after 2 documents: ValueError: no more \(.*line 4\); fix the loader$",
    ):
        list(corpora.load(name))


@pytest.mark.parametrize(
    ("code", "cause"),
    [
        ("def load(): return 'text'", "returned str; it must take no argument, and return a Lang"),
        ("def load(): pass", "returned NoneType; it must take no argument"),
        ("class L:\n def lazy_load(self): yield 1\ndef load(): return L", "returned type; it must"),
        ("async def load(): return []", "returned coroutine; it must"),
        ("def load(path): return []", "failed after 0 documents: TypeError: .*it must take no arg"),
        ("def load(): return [1]", "document 1, of type int, has no text; give"),
        (
            HAYSTACK + "def load(): return ['a', Document(None)]",
            "document 2, of type Document, has no text",
        ),
        ("import sys\ndef load(): sys.exit('bye')", "failed after 0 documents: SystemExit: bye"),
        ("def load(): return []", "holds no document"),
    ],
)
def test_function_that_gives_something_else(code: str, cause: str, tmp_path: Path) -> None:
    corpus = corpora.load(write(tmp_path, code))
    with pytest.raises(CorpusError, match=f"mine.py:load:? {cause}") as failed:
        list(corpus)
    assert "\n" not in str(failed.value)


def test_function_that_hangs(tmp_path: Path) -> None:
    code = "import threading\ndef load():\n yield 'one'\n threading.Event().wait()"
    documents = iter(corpora.load(write(tmp_path, code), timeout=0.5))
    assert next(documents).text == "one"
    with pytest.raises(
        CorpusError, match=r"mine.py:load cannot be read: nothing arrived for 0.5 s"
    ):
        next(documents)


@pytest.mark.parametrize(
    ("code", "error", "cause"),
    [
        ("load = ['text']", RequestError, "load of .*mine.py is a list, not a function; it must"),
        ("lode = print", RequestError, "mine.py has no load; name a function of it"),
        ("import nothing_here", CorpusError, "cannot be imported: ModuleNotFoundError: No module"),
        ("1 / 0", CorpusError, r"imported: ZeroDivisionError: division by zero \(.*line 1\); fix"),
        ("def", CorpusError, "cannot be imported: SyntaxError: invalid syntax"),
    ],
)
def test_function_that_is_not_there(
    code: str, error: type[CorpusError], cause: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=cause) as failed:
        corpora.load(write(tmp_path, code))
    assert type(failed.value) is error
    assert "\n" not in str(failed.value)


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("nowhere/mine.py:load", "nowhere/mine.py is not a file; give"),
        ("nothing_here:load", "no module is named nothing_here; as a corpus, nothing_here:load na"),
        ("nothing_here.sub:load", "no module is named nothing_here.sub"),
    ],
)
def test_module_that_is_not_there(name: str, cause: str) -> None:
    with pytest.raises(RequestError, match=cause):
        corpora.load(name)


def test_file_whose_name_looks_like_a_function(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py:load").write_text("text")
    assert [d.text for d in corpora.load("mine.py:load")] == ["text"]
