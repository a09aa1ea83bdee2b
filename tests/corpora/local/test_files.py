"""The user's own files and folders."""

import json
from pathlib import Path
from typing import Any

import pytest

import corpora
from corpora import CorpusError, Document, RequestError

TEXT = "\ufeffone\r\ntwo\rthree\n\u2028four\x85 \u00a0\u3000\x00 \U0001f600\t"


def read(path: Path, **options: Any) -> list[tuple[str, str]]:
    return [(d.id, d.text) for d in corpora.load(str(path), **options)]


def error_of(path: Path, **options: Any) -> str:
    with pytest.raises(CorpusError) as caught:
        read(path, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert caught.value.__suppress_context__ or not caught.value.__context__
    return message


@pytest.mark.parametrize(
    "name", ["a.txt", "a.md", "a.rst", "a.py", "a", "a.log", "a b%20#é[1]*.txt"]
)
def test_file_is_its_bytes(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(TEXT.encode())
    assert read(tmp_path / name) == [(name, TEXT)]


def test_folder(tmp_path: Path) -> None:
    for name in ("b.txt", "a/z.md", "a/deep/x.py", "B", ".hidden", ".git/config", "a.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(f"{name}\r\n".encode())
    names = ["B", "a.txt", "a/deep/x.py", "a/z.md", "b.txt"]
    assert read(tmp_path) == [(name, f"{name}\r\n") for name in names]


def test_one_of_a_thousand_is_not_utf8(tmp_path: Path) -> None:
    for number in range(1000):
        (tmp_path / f"{number:03}.txt").write_bytes(b"text \xc3\xa9\n")
    (tmp_path / "777.txt").write_bytes("sieben für".encode("latin-1"))
    assert error_of(tmp_path) == (
        f"{tmp_path / '777.txt'} is not UTF-8: byte 8 is 0xfc (invalid start byte); "
        "convert it, or name its encoding: --encoding, or leave it out: --exclude"
    )


def test_encoding(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("für\r\n".encode("latin-1"))
    assert read(tmp_path, encoding="latin-1") == [("a.txt", "für\r\n")]
    assert "is not ascii: byte 1 is 0xfc" in error_of(tmp_path, encoding="ascii")
    assert "is not UTF-8: byte 1 is 0xfc" in error_of(tmp_path, encoding="utf8")
    (tmp_path / "a.txt").write_bytes("für\r\n".encode("utf-16"))
    assert read(tmp_path, encoding="utf-16") == [("a.txt", "für\r\n")]


@pytest.mark.parametrize("encoding", ["none", "base64", "", "a\0b"])
def test_no_such_encoding(encoding: str, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="Python has no text encoding"):
        read(tmp_path, encoding=encoding)


@pytest.mark.parametrize("name", ["none.txt", "no/such/file", "./none"])
def test_no_such_path(name: str) -> None:
    with pytest.raises(RequestError, match=f"{Path(name)} does not exist; "):
        corpora.load(name)


def test_name_wins_over_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "synthetic").write_text("mine")
    (tmp_path / "mine").write_text("mine")
    assert corpora.load("synthetic").origin != str(tmp_path / "synthetic")
    assert read(Path("mine")) == [("mine", "mine")]
    assert [d.text for d in corpora.load("./synthetic")] == ["mine"]


def test_empty_folder(tmp_path: Path) -> None:
    assert f"{tmp_path} holds no document" in error_of(tmp_path)


def test_unreadable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("a")

    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("corpora.local.content.os.open", refuse)
    assert error_of(tmp_path) == (
        f"{tmp_path / 'a.txt'} cannot be read: Permission denied; check the file, "
        "or leave it out: --exclude"
    )


ROWS = [{"text": TEXT.replace("\x00", ""), "n": 1}, {"text": "NA", "n": 2}, {"text": "", "n": 3}]


def write_rows(path: Path, rows: list[dict[str, Any]]) -> Path:
    if path.suffix == ".jsonl":
        lines = [json.dumps(row, ensure_ascii=bool(n)) + "\n" for n, row in enumerate(rows)]
        path.write_bytes("".join(lines).encode())
    elif path.suffix == ".csv":
        import csv

        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    else:
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.Table.from_pylist(rows), path)
    return path


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.csv", "rows.parquet", "r [1]*?.jsonl"])
def test_rows(name: str, tmp_path: Path) -> None:
    path = write_rows(tmp_path / name, ROWS)
    numbers = [2, 6, 7] if name.endswith(".csv") else [1, 2, 3]  # of lines, where there are some
    expected = [(f"{name}:{n}", row["text"]) for n, row in zip(numbers, ROWS, strict=True)]
    assert read(path, text_column="text") == expected
    assert read(tmp_path, text_column="text") == expected


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.csv", "rows.parquet"])
def test_rows_without_a_column(name: str, tmp_path: Path) -> None:
    path = write_rows(tmp_path / name, ROWS)
    with pytest.raises(RequestError, match="has columns; name the one with the text: --text-col"):
        corpora.load(str(path))
    assert "name the one with the text" in error_of(tmp_path)
    message = error_of(path, text_column="body")
    assert message.startswith(str(path))
    assert "text, n" in message
    assert message.endswith("name another: --text-column")


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.parquet"])
def test_rows_that_are_no_text(name: str, tmp_path: Path) -> None:
    path = write_rows(tmp_path / name, ROWS)
    assert "column n should be string and is integer" in error_of(path, text_column="n")
    path = write_rows(tmp_path / name, [{"text": "a"}, {"text": None}])
    place = "row 2" if name.endswith("parquet") else "line 2"
    assert f"{name}, {place} has no text; give it" in error_of(path, text_column="text")


def test_nested_column(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "rows.jsonl", [{"page": {"body": "a\r\n"}}])
    assert read(path, text_column="page.body") == [("rows.jsonl:1", "a\r\n")]


@pytest.mark.parametrize("content", [b"null", b"null\nnull\n", b'{"text": "a"}\nnull\n', b" null "])
def test_null_is_no_row(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(content)
    assert "is null, not a row" in error_of(tmp_path / "a.jsonl", text_column="text")


@pytest.mark.parametrize(
    ("name", "content", "cause"),
    [
        ("a.jsonl", b'{"text": "a"}\n{"text', "a.jsonl, line 2 is not JSON: Unterminated string"),
        ("a.jsonl", b'{"text": "a\xff"}', "is not UTF-8: byte 11 is 0xff"),
        ("a.jsonl", b"", "holds no document"),
        ("a.parquet", b"PAR1", "cannot be read"),
        ("a.parquet", b"", "cannot be read"),
        ("a.csv", b"", "has no column text, but none"),
        ("a.csv", b'text\n"a', "cannot be read: unexpected end of data"),
        ("a.csv", b"text\n" + b"a\n" * 9000 + b"\xff\n", "is not UTF-8: byte 18005 is 0xff"),
        ("a.csv", b"n,text\n1\n", "a.csv, line 2 has 1 field, and the header 2"),
        ("a.csv", b"text\n", "holds no document"),
    ],
)
def test_damaged_rows(name: str, content: bytes, cause: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    assert cause in error_of(tmp_path / name, text_column="text")


def test_csv_is_exact(tmp_path: Path) -> None:
    text = 'a "quoted"\r\nline, and\rmore\n' + "x" * 200_000
    content = b'\xef\xbb\xbftext,n\r\n"' + text.replace('"', '""').encode() + b'",1\r\nnull,2\r\n'
    (tmp_path / "a.csv").write_bytes(content)
    assert read(tmp_path / "a.csv", text_column="text") == [("a.csv:2", text), ("a.csv:6", "null")]


def test_csv_and_jsonl_in_an_encoding(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("text\nfür\n".encode("latin-1"))
    (tmp_path / "b.jsonl").write_bytes('{"text": "für"}\n'.encode("latin-1"))
    assert read(tmp_path, encoding="latin-1", text_column="text") == [
        ("a.csv:2", "für"),
        ("b.jsonl:1", "für"),
    ]


def test_text_files_need_no_library(tmp_path: Path) -> None:
    import subprocess
    import sys

    (tmp_path / "a.txt").write_text("a")
    program = (
        "import sys, corpora; print(*(d.id for d in corpora.load(sys.argv[1])));"
        "print(sorted({'datasets', 'pyarrow', 'fsspec', 'numpy'} & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert result.stdout == "a.txt\n[]\n"


def test_document_ids_are_unique(tmp_path: Path) -> None:
    write_rows(tmp_path / "a.jsonl", ROWS)
    write_rows(tmp_path / "a.csv", ROWS)
    (tmp_path / "a.txt").write_text("a")
    identifiers = [d.id for d in corpora.load(str(tmp_path), text_column="text")]
    assert len(set(identifiers)) == len(identifiers) == 7
    assert isinstance(next(iter(corpora.load(str(tmp_path), text_column="text"))), Document)
