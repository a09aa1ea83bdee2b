"""The commands that choose, fetch and list corpora, as a user meets them."""

import hashlib
import os
import re
import struct
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import corpora
from corpora import CorpusError, Document, Entry, Record, Summary
from harness.cli.commands import segbench
from harness.results.folder import read_run

SUMMARY = Summary(3, 40, 5, "ab" * 32)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "300")


def segbench_(*arguments: str) -> Result:
    result = CliRunner().invoke(segbench, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def check(*arguments: str) -> Result:
    limit = ("--splitter", "segmenter", "--max-chunk-length", "20", "--out", "run", "--overwrite")
    return segbench_("check", *arguments, *limit)


def counted() -> dict[str, tuple[int, int]]:
    counts = read_run(Path("run")).counts
    return {count.workload.corpus: (count.documents, count.code_points) for count in counts}


def refused(result: Result, exit_code: int) -> str:
    assert result.exit_code == exit_code, result.output
    (line,) = result.stderr.splitlines()
    assert line.startswith("segbench: ")
    assert not Path("run").exists()
    return line


def write(**texts: str) -> None:
    for name, text in texts.items():
        Path("mine", name).parent.mkdir(exist_ok=True)
        Path("mine", name).write_bytes(text.encode())


def test_own_folder() -> None:
    write(a="one\r\n", b="two", c="three")
    assert check("--corpus", "mine").exit_code == 0
    assert counted() == {"mine": (3, 13)}


def test_digest_of_the_texts_is_told() -> None:
    """Of a corpus that is read in parts, that of its documents' digests; else that of the whole."""
    write(a="one\r\n", b="two")
    first = hashlib.sha256(struct.pack("<QQ", 1, 5) + b"aone\r\n").digest()
    second = hashlib.sha256(struct.pack("<QQ", 1, 3) + b"btwo").digest()
    digest = hashlib.sha256(first + second).hexdigest()
    assert re.search(rf"mine .* documents:{digest} ", check("--corpus", "mine").stdout)
    digest = corpora.summarize(corpora.load("mine")).digest
    said = check("--corpus", "mine", "--max-documents", "2").stdout
    assert re.search(rf"mine.* {digest} ", said)


def test_own_folder_with_a_file_that_is_not_utf8() -> None:
    write(a="one")
    Path("mine/b.txt").write_bytes(b"caf\xe9")
    line = refused(check("--corpus", "mine"), 3)
    assert "mine/b.txt is not UTF-8: byte 3 is 0xe9" in line
    assert check("--corpus", "mine", "--encoding", "latin-1").exit_code == 0
    assert counted() == {"mine": (2, 7)}


def test_own_rows() -> None:
    Path("rows.jsonl").write_text('{"body": "a b"}\n{"body": "c"}\n')
    assert "--text-column" in refused(check("--corpus", "rows.jsonl"), 2)
    assert check("--corpus", "rows.jsonl", "--text-column", "body").exit_code == 0
    assert counted() == {"rows.jsonl": (2, 4)}


def test_options_apply_where_they_can() -> None:
    write(a="one", b="two")
    Path("rows.csv").write_bytes("text\nf\u00fcr\n".encode("latin-1"))
    options = ("--text-column", "text", "--encoding", "latin-1", "--exclude", "b")
    result = check("--corpus", "mine", "--corpus", "rows.csv", "--corpus", "builtin", *options)
    assert result.exit_code == 0
    assert {name: count for name, count in counted().items() if name != "builtin"} == {
        "mine": (1, 3),
        "rows.csv": (1, 3),
    }
    assert result.stderr == "segbench: mine: left out 1 file or folder by --exclude (b)\n"


def test_what_is_no_regular_file() -> None:
    os.mkfifo("pipe")
    line = refused(check("--corpus", "pipe"), 3)
    assert line == "segbench: pipe is a FIFO; only regular files are read, and folders"


def test_every_file_of_a_run_is_utf8() -> None:
    """Also where a file's name is not, or a text holds half of a surrogate pair."""
    write(a="one")
    Path("mine", os.fsdecode(b"caf\xe9.txt")).write_text("one two three four five six seven")
    Path("mine/rows.jsonl").write_text('{"text": "bad \\ud800 half, and some words more"}')
    Path("mine", os.fsdecode(b"\xff")).symlink_to("nowhere")
    names = [os.fsdecode(b"to\xe9.txt"), "mine"]
    Path(names[0]).write_text("a b c d e f g h i j k l m n o p q r s t u v w")
    chosen = [part for name in names for part in ("--corpus", name)]
    result = check(*chosen, "--text-column", "text", "--splitter", "langchain")
    assert result.exit_code == 0, result.output
    assert set(counted()) == {r"to\xe9.txt", "mine"}
    assert r"left out 1 link that leads nowhere (\xff)" in result.stderr
    files = [path for path in Path("run").rglob("*") if path.is_file()]
    assert len(files) > 8
    for path in files:
        path.read_bytes().decode("utf-8")  # raises for what is not
    documents = {example.violation.document for example in read_run(Path("run")).examples}
    assert {r"caf\xe9.txt", "rows.jsonl:1", r"to\xe9.txt"} <= documents


@pytest.mark.parametrize(
    "arguments",
    [
        ["--corpus", "no/such/folder"],
        ["--corpus", "hf:nothing"],
        ["--corpus", "builtn"],
        ["--corpus", "builtin", "--max-documents", "1", "--sample", "1"],
        ["--corpus", "builtin", "--sample", "0"],
        ["--corpus", "builtin", "--timeout", "0"],
        ["--corpus", "mine", "--encoding", "none"],
        ["--corpus", "mine", "--text-column", "text"],
        ["--corpus", "mine", "--include", "*.rst"],
        ["--corpus", "mine", "--exclude", ""],
        ["--corpus", "mine/a", "--exclude", "a"],
        ["--corpus", "builtin", "--encoding", "utf-8"],
        ["--corpus", "builtin", "--text-column", "text"],
        ["--corpus", "builtin", "--include", "*"],
        ["--corpus", "builtin", "--mirror", "mine"],
        ["--corpus", "builtin", "--seed", "0"],
        ["--corpus", "hf:../..#text"],
        ["--suite", "pr", "--encoding", "utf-8"],
        ["--suite", "pr", "--seed", "0"],
        ["--suite", "nothing"],
        ["--suite", "pr", "--corpus", "builtin"],
        ["--suite", "pr", "--sample", "5"],
    ],
)
def test_what_makes_no_sense(arguments: list[str]) -> None:
    write(a="one")
    refused(check(*arguments), 2)


def test_empty_folder() -> None:
    Path("mine").mkdir()
    assert "mine holds no document" in refused(check("--corpus", "mine"), 3)


def test_limit_and_sample_are_told() -> None:
    texts = {f"f{number}": "x" * number for number in range(1, 40)}
    write(**texts)
    assert check("--corpus", "mine", "--max-documents", "2").exit_code == 0
    assert counted() == {"mine[first 2]": (2, 1 + 10)}  # f1 and f10
    assert check("--corpus", "mine", "--sample", "5", "--seed", "1").exit_code == 0
    chosen = list(corpora.load("mine", sample=5, seed=1))
    assert counted() == {"mine[sample 5 seed 1]": (5, sum(len(d.text) for d in chosen))}


def test_what_is_chosen_is_timed() -> None:
    write(a="one two", b="three")
    options = ("--splitter", "segmenter", "--max-chunk-length", "20", "--out", "run", "--overwrite")
    result = segbench_("time", "--corpus", "mine", "--max-documents", "1", *options)
    assert result.exit_code == 0, result.output
    timed = {each.workload.corpus for each in read_run(Path("run")).rounds}
    assert timed == {"mine[first 1]"}


def test_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def load(name: str, **options: object) -> corpora.Corpus:
        asked.append((name, options["sample"], options["seed"]))
        return corpora.Corpus(name, lambda: iter([Document("a", name)]))

    monkeypatch.setattr(corpora, "load", load)
    assert check("--suite", "pr").exit_code == 0
    assert sum(sample for _, sample, _ in asked) == 2106  # type: ignore[misc]
    assert [name for name, _, _ in asked] == list(counted())
    assert len(asked) == 6


def test_notes_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = corpora.Corpus("mine", lambda: iter([Document("a", "b")]), "", ("mine has no c",))
    monkeypatch.setattr(corpora, "load_all", lambda *_, **__: [corpus])
    result = check("--corpus", "mine")
    assert result.exit_code == 0
    assert result.stderr == "segbench: mine has no c\n"


def prepared(documents: int) -> Record:
    return Record("qasper", "allenai/qasper", "0" * 40, Summary(documents, 1234567, 5, "ab" * 32))


@pytest.mark.parametrize(("documents", "exit_code"), [(1585, 0), (80, 1)])
def test_prepare(documents: int, exit_code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def prepare(name: str, **options: object) -> Record:
        asked.append((name, options["mirror"], options["force"], options["timeout"]))
        options["progress"](5, 10)  # type: ignore[operator]
        return prepared(documents)

    monkeypatch.setattr(corpora, "prepare", prepare)
    result = segbench_("prepare", "qasper", "--mirror", "m", "--force", "--timeout", "7")
    assert result.exit_code == exit_code
    assert asked == [("qasper", Path("m"), True, 7.0)]
    assert re.search(rf"qasper .* {documents:,} .* 1,234,567 .* {'ab' * 32}", result.stdout)
    assert ("the catalogue expects 1,585" in result.stderr) == (exit_code == 1)


def test_prepare_what_is_not_fetched() -> None:
    refused(segbench_("prepare", "builtin"), 2)
    assert segbench_("prepare").exit_code == 2


def test_prepare_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def prepare(_: str, **__: object) -> Record:
        raise CorpusError("qasper (allenai/qasper): it is gated; then run: hf auth login")

    monkeypatch.setattr(corpora, "prepare", prepare)
    assert refused(segbench_("prepare", "qasper"), 3).endswith("hf auth login")


def test_list(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = {entry.name: entry for entry in corpora.entries()}

    def find(name: str, *, mirror: Path | None, measure: bool) -> corpora.Presence:
        assert (mirror, measure) == (Path("m"), True)
        entry: Entry = entries[name]
        if name == "covid_qa":
            return corpora.Presence(entry, "hf://x", "m", SUMMARY, ("covid_qa lacks a split",))
        return corpora.Presence(entry, "hf://y", None, None)

    Path("m").mkdir()
    monkeypatch.setattr(corpora, "find", find)
    result = segbench_("list", "corpora", "--mirror", "m", "--measure")
    assert result.exit_code == 0, result.output
    (covid,) = (line for line in result.stdout.splitlines() if "covid_qa" in line and "147" in line)
    assert re.search(r"147 .* m .* 3 .* 40 .* 5 .* Apache-2.0 .* hf://x", covid)
    assert "covid_qa lacks a split" in result.stdout
    assert "CC-BY-4.0" in result.stdout
