"""Folders: what is read, what is left out and told, and what stops."""

import os
import socket
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import corpora
from corpora import Corpus, CorpusError, RequestError

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    return Path("docs")


def write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)


def load(folder: Path, **options: Any) -> Corpus:
    return corpora.load(f"./{folder}", **options)


def ids(corpus: Corpus) -> list[str]:
    return [document.id for document in corpus]


def test_links_and_special_files_are_left_out_and_told(folder: Path) -> None:
    write(folder, "a.md", "b/c.md", ".hidden", ".git/config")
    (folder / "to file").symlink_to("a.md")
    (folder / "to folder").symlink_to("b")
    (folder / "to itself").symlink_to("to itself")
    for number in range(7):
        (folder / f"dangling{number}").symlink_to("nowhere")
    os.mkfifo(folder / "pipe")
    (folder / "to pipe").symlink_to("pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / "socket"))
    (folder / "null").symlink_to("/dev/null")
    corpus = load(folder)
    assert ids(corpus) == ["a.md", "b/c.md", "to file"]
    assert sorted(corpus.notes) == [
        "./docs: left out 1 FIFO (pipe)",
        "./docs: left out 1 link to a FIFO (to pipe)",
        "./docs: left out 1 link to a device (null)",
        "./docs: left out 1 link to a folder (to folder)",
        "./docs: left out 1 socket (socket)",
        "./docs: left out 2 hidden files and folders (.git, .hidden)",
        "./docs: left out 8 links that lead nowhere "
        "(dangling0, dangling1, dangling2, dangling3, dangling4 and 3 more)",
    ]


def test_binary_files_are_left_out_and_told(folder: Path) -> None:
    write(folder, "a.md")
    (folder / "b.png").write_bytes(PNG)
    (folder / "c.pyc").write_bytes(b"\xa7\r\r\n\x00\x00\x00\x00\xe3")
    (folder / "d.pdf").write_bytes(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + b"1 0 obj\n" * 5000)
    (folder / "nul.txt").write_bytes("é\0".encode())
    (folder / "empty").write_bytes(b"")
    with zipfile.ZipFile(folder / "e.zip", "w") as archive:
        archive.writestr("a", "a")
    for encoding in (None, "latin-1"):
        corpus = load(folder, encoding=encoding)
        assert ids(corpus) == ["a.md", "empty", "nul.txt"]
        assert corpus.notes == ("./docs: left out 4 binary files (b.png, c.pyc, d.pdf, e.zip)",)


def test_texts_that_begin_as_other_formats_do(folder: Path) -> None:
    for name, text in {
        "a": "BZh is how it begins",
        "b": "%PDF-1.7 is one version",
        "c": "PAR1",
    }.items():
        (folder / name).write_text(text)
    corpus = load(folder)
    assert (ids(corpus), corpus.notes) == (["a", "b", "c"], ())


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-16", "utf-32"])
def test_binary_files_beside_texts_full_of_nuls(encoding: str, folder: Path) -> None:
    (folder / "a.txt").write_bytes("für".encode(encoding))
    (folder / "b.png").write_bytes(PNG)
    (folder / "c.bin").write_bytes(b"\x00\xdc\x00\xdc\xdc\x00\xdc\x00" * 1000)
    corpus = load(folder, encoding=encoding)
    assert ids(corpus) == ["a.txt"]
    assert corpus.notes == ("./docs: left out 2 binary files (b.png, c.bin)",)


def test_folder_whose_files_are_all_left_out(folder: Path) -> None:
    (folder / "b.png").write_bytes(PNG)
    corpus = load(folder, encoding="latin-1")
    assert corpus.notes == ("./docs: left out 1 binary file (b.png)",)
    with pytest.raises(CorpusError, match="holds no document"):
        list(corpus)


def test_a_character_at_the_end_of_what_is_looked_at(folder: Path) -> None:
    (folder / "a.txt").write_bytes(b"\0" + b"a" * 7998 + "é".encode())
    assert ids(load(folder)) == ["a.txt"]


def test_text_in_utf_16_is_no_binary_file(folder: Path) -> None:
    (folder / "a.txt").write_bytes("für".encode("utf-16"))
    with pytest.raises(CorpusError, match=r"a.txt is not UTF-8: byte 0 .* name its encoding"):
        list(load(folder))
    assert [d.text for d in load(folder, encoding="utf-16")] == ["für"]


def test_all_files_that_cannot_be_read_are_named_at_once(folder: Path) -> None:
    write(folder, "a.md")
    (folder / "b.txt").write_bytes(b"caf\xe9")
    (folder / "c.csv").write_text("text\na\n")
    (folder / "d.jsonl").write_text('{"text": "a"}\n{')
    documents = iter(load(folder, text_column="text"))
    assert next(documents).id == "a.md"
    with pytest.raises(CorpusError) as caught:
        next(documents)
    assert str(caught.value) == (
        "2 files of docs cannot be read: b.txt is not UTF-8: byte 3 is 0xe9 (unexpected end of "
        "data), d.jsonl, line 2 is not JSON: Expecting property name enclosed in double quotes "
        "(column 2); convert it, or name its encoding: --encoding or give each line one object, "
        "or the file one list of them, or leave them out: --exclude"
    )
    assert ids(load(folder, text_column="text", exclude=["b.txt", "*.jsonl"])) == [
        "a.md",
        "c.csv:2",
    ]


def test_message_is_bounded(folder: Path) -> None:
    for number in range(300):
        (folder / f"{number:03}").write_bytes(b"\xff")
    with pytest.raises(CorpusError) as caught:
        list(load(folder))
    assert "300 files of docs cannot be read: 000 is not UTF-8" in str(caught.value)
    assert " and 280 more; convert it" in str(caught.value)


def test_folder_that_cannot_be_listed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, "a.md", "b/c.md")
    scandir = os.scandir

    def refuse(place: str) -> Any:
        if Path(place).name == "b":
            raise PermissionError(13, "Permission denied")
        return scandir(place)

    monkeypatch.setattr("corpora.local.places.os.scandir", refuse)
    with pytest.raises(CorpusError, match=r"^docs/b cannot be read: Permission denied; check its"):
        list(load(folder))


@pytest.mark.parametrize(
    ("include", "exclude", "expected"),
    [
        (["*.md"], [], ["a.md", "b/a.md", "b/c/a.md"]),
        (["*.md", "*.txt"], ["b/c/"], ["a.md", "a.txt", "b/a.md", "b/a.txt"]),
        (["**/*.md"], [], ["a.md", "b/a.md", "b/c/a.md"]),
        (["/*.md"], [], ["a.md"]),
        (["b/"], ["*.txt"], ["b/a.md", "b/c/a.md"]),
        ([], ["b"], ["a.md", "a.txt"]),
        (["b/**/a.md"], [], ["b/a.md", "b/c/a.md"]),
    ],
)
def test_patterns(
    include: list[str], exclude: list[str], expected: list[str], folder: Path
) -> None:
    for place in ("", "b/", "b/c/"):
        write(folder, f"{place}a.md", f"{place}a.txt")
    corpus = load(folder, include=include, exclude=exclude)
    assert ids(corpus) == expected


def test_what_patterns_leave_out_is_told(folder: Path) -> None:
    write(folder, "a.md", "a.txt", "b.md", "b/a.md", "b/b.txt")
    assert load(folder, include=["*.md"], exclude=["b/", "b.md"]).notes == (
        "./docs: left out 2 files and folders by --exclude (b.md, b/)",
        "./docs: left out 1 file that no --include matches (a.txt)",
    )


def test_patterns_that_match_nothing(folder: Path) -> None:
    write(folder, "a.md")
    assert load(folder, exclude=["*.txt"]).notes == ("./docs: --exclude *.txt matches nothing",)
    assert load(folder, include=["*.md", "*.rst"]).notes == (
        "./docs: --include *.rst matches nothing",
    )
    with pytest.raises(RequestError, match=r"no text below docs matches --include \*\.rst"):
        load(folder, include=["*.rst"])
    for pattern in ("", "#", "!a", "  "):
        with pytest.raises(RequestError, match="matches nothing; give a pattern"):
            load(folder, exclude=[pattern])


@pytest.mark.parametrize("pattern", ["*.bin", "b"])
def test_what_is_excluded_needs_not_be_readable(pattern: str, folder: Path) -> None:
    write(folder, "a.md")
    (folder / "b").mkdir()
    (folder / "b/rows.csv.bin").write_bytes(b"\xff")
    assert ids(load(folder, exclude=[pattern])) == ["a.md"]


def test_name_that_is_not_utf8(folder: Path) -> None:
    raw = os.fsencode(folder)
    for name in (b"caf\xe9.txt", rb"caf\xe9.txt", "café.txt".encode(), b"\xff.jsonl"):
        Path(os.fsdecode(raw + b"/" + name)).write_text('{"text": "a"}\n')
    corpus = load(folder, text_column="text")
    assert ids(corpus) == [r"\xff.jsonl:1", r"caf\xe9.txt", r"caf\xe9.txt#2", "café.txt"]
    broken = Path(os.fsdecode(raw + b"/caf\xe9.txt"))
    corpus = corpora.load(str(broken))
    assert (corpus.name, ids(corpus)) == (r"docs/caf\xe9.txt", [r"caf\xe9.txt"])
    corpus.origin.encode()
    broken.write_bytes(b"\xff")
    with pytest.raises(CorpusError) as caught:
        list(corpus)
    str(caught.value).encode()
    with pytest.raises(RequestError) as missing:
        corpora.load("none\udcff")
    str(missing.value).encode()


@pytest.mark.parametrize("name", ["nonexist", "qaspr"])
def test_corpus_that_is_not_there(name: str, folder: Path) -> None:
    with pytest.raises(RequestError) as caught:
        corpora.load(name)
    assert str(caught.value).startswith(f"no corpus, file or folder is named '{name}'; ")


def test_paths_that_are_neither_file_nor_folder(folder: Path) -> None:
    os.mkfifo("pipe")
    Path("dangling").symlink_to("nowhere")
    Path("loop").symlink_to("loop")
    for name, message in (
        ("pipe", "pipe is a FIFO; only regular files are read, and folders"),
        ("/dev/null", "/dev/null is a device; only regular files are read, and folders"),
        ("dangling", "dangling is a link that leads nowhere; give an existing file or folder"),
        ("loop", "loop cannot be read: Too many levels of symbolic links; check the path"),
        ("x" * 300 + "/", f"{'x' * 300} cannot be read: File name too long; check the path"),
    ):
        with pytest.raises(CorpusError) as caught:
            corpora.load(name)
        assert str(caught.value) == message


def test_file_that_becomes_a_fifo(folder: Path) -> None:
    write(folder, "a.md", "b.md")
    corpus = load(folder)
    (folder / "b.md").unlink()
    os.mkfifo(folder / "b.md")
    with pytest.raises(CorpusError, match=r"^docs/b\.md is a FIFO; only regular files are read"):
        list(corpus)


@pytest.fixture
def stalled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Reads that never end, as of some of the kernel's files or a network that is gone."""
    released = threading.Event()

    def wait(*_: object) -> bytes:
        released.wait(30)
        return b""

    monkeypatch.setattr("corpora.local.content._Watched.readinto", wait)
    monkeypatch.setattr("corpora.local.content._Watched.readall", wait)
    yield
    released.set()


@pytest.mark.parametrize("name", ["a.md", "a.jsonl", "a.csv", "a.md.gz"])
@pytest.mark.usefixtures("stalled")
def test_time_limit_of_a_file(name: str, folder: Path) -> None:
    write(folder, name)
    column = "text" if name in ("a.jsonl", "a.csv") else None
    corpus = corpora.load(f"docs/{name}", text_column=column, timeout=0.1)
    with pytest.raises(CorpusError) as caught:
        list(corpus)
    assert str(caught.value) == (
        f"docs/{name} cannot be read: nothing arrived for 0.1 s; "
        "leave it out, or give it more time, such as --timeout 600"
    )


@pytest.mark.usefixtures("stalled")
def test_time_limit_of_a_folder(folder: Path) -> None:
    write(folder, "a.md")
    with pytest.raises(CorpusError, match=r"^docs cannot be listed: nothing arrived for 0\.1 s; "):
        load(folder, timeout=0.1)


def test_named_corpus_beside_a_path_of_that_name(folder: Path) -> None:
    write(Path(), "synthetic")
    assert corpora.load("synthetic").notes == (
        "synthetic is the corpus of that name; the path is ./synthetic",
    )


def test_folder_named_as_a_table(folder: Path) -> None:
    write(folder, "x.jsonl/a.md", "x.csv/.hidden")
    assert ids(load(folder)) == ["x.jsonl/a.md"]
    assert ids(corpora.load("docs/x.jsonl")) == ["a.md"]
