"""Loading by name, and the contract that every corpus keeps."""

import hashlib
import subprocess
import sys

import pytest

import corpora
from corpora import Corpus, CorpusDigest, CorpusError, Document, RequestError


def test_names_are_the_catalogues() -> None:
    assert corpora.names() == [
        "builtin",
        "synthetic",
        "qasper",
        "covid_qa",
        "conditionalqa",
        "natural_questions",
        "narrativeqa",
        "legalbench_rag",
    ]
    assert corpora.names() == [entry.name for entry in corpora.entries()]


def test_every_entry_tells_what_it_is() -> None:
    for entry in corpora.entries():
        assert entry.description
        assert entry.licence
        assert not entry.repository or entry.files
        assert not entry.columns or entry.id in entry.columns


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("qaspr", "did you mean qasper?"),
        ("Narrative_QA", "did you mean narrativeqa"),
        ("nothing like it", "there are builtin, synthetic, qasper"),
        ("", "there are builtin"),
    ],
)
def test_unknown_name(name: str, hint: str) -> None:
    with pytest.raises(RequestError) as caught:
        corpora.load(name)
    assert str(caught.value).startswith(f"no corpus, file or folder is named '{name}'; ")
    assert hint in str(caught.value)


def test_empty_corpus_is_an_error() -> None:
    corpus = Corpus("mine", lambda: iter(()), "an empty folder")
    with pytest.raises(CorpusError, match=r"mine holds no document \(an empty folder\)"):
        list(corpus)


def test_import_is_light() -> None:
    program = (
        "import sys, corpora; list(corpora.load('builtin')); list(corpora.load('synthetic'));"
        "print(sorted({'datasets', 'pyarrow', 'fsspec', 'numpy', 'pandas'} & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert result.stdout == "[]\n"


def test_digest_is_that_of_the_bytes() -> None:
    documents = [Document("a", "é\r\n"), Document("b", "\ud800")]
    corpus = Corpus("mine", lambda: iter(documents))
    assert corpus.digest is None
    next(iter(corpus))
    assert corpus.digest is None, "it was not read to its end"
    list(corpus)
    content = [(b"a", b"\xc3\xa9\r\n"), (b"b", b"\xed\xa0\x80")]
    parts = [
        part
        for identifier, text in content
        for part in (
            len(identifier).to_bytes(8, "little"),
            len(text).to_bytes(8, "little"),
            identifier,
            text,
        )
    ]
    assert corpus.digest == hashlib.sha256(b"".join(parts)).hexdigest()


def test_digest_tells_id_and_text_apart() -> None:
    digests = set()
    for documents in ([("a", "bc")], [("ab", "c")], [("a", "b"), ("", "c")], [("a", "b")]):
        digest = CorpusDigest()
        for identifier, text in documents:
            digest.add(Document(identifier, text))
        digests.add(digest.hexdigest())
    assert len(digests) == 4


def test_summary() -> None:
    documents = [Document("1", "a \u3000\n b"), Document("2", ""), Document("3", "   \t")]
    summary = corpora.summarize(Corpus("mine", lambda: iter(documents)))
    assert summary.documents == 3
    assert summary.code_points == 10
    assert summary.longest_whitespace_run == 4


@pytest.mark.parametrize(("text", "longest"), [("", 0), ("ab", 0), ("a b", 1), ("\r\n", 2)])
def test_longest_whitespace_run(text: str, longest: int) -> None:
    corpus = Corpus("mine", lambda: iter([Document("1", text)]))
    assert corpora.summarize(corpus).longest_whitespace_run == longest


def test_find_installed() -> None:
    presence = corpora.find("synthetic")
    assert presence.place == "installed"
    assert presence.summary is not None
    assert presence.summary.documents == 3000


def test_find_knows_names_only() -> None:
    with pytest.raises(RequestError, match="did you mean qasper"):
        corpora.find("qaspr")
