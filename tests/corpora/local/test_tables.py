"""Rows of every format: texts just as the file holds them, and what is wrong by file and line."""

import bz2
import csv
import gzip
import io
import itertools
import json
import lzma
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corpora
from corpora import CorpusError, RequestError

HARD = ["2024-05-01", "2024-05-01T10:00:00Z", "NA", "null", "", "007", "1e5", "True", "[1]", "nan"]


def read(path: Path, **options: Any) -> list[str]:
    return [d.text for d in corpora.load(str(path), **{"text_column": "text", **options})]


def error_of(path: Path, **options: Any) -> str:
    with pytest.raises(CorpusError) as caught:
        read(path, **options)
    message = str(caught.value)
    assert "\n" not in message
    return message.removeprefix(f"{path.parent}/")


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def as_lines(texts: list[str]) -> bytes:
    return "".join(json.dumps({"n": 1, "text": text}) + "\n" for text in texts).encode()


def as_list(texts: list[str]) -> bytes:
    return json.dumps([{"n": 1, "text": text} for text in texts], indent=1).encode()


def as_rows(delimiter: str) -> Callable[[list[str]], bytes]:
    def write(texts: list[str]) -> bytes:
        file = io.StringIO(newline="")
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerows([["n", "text"], *([1, text] for text in texts)])
        return file.getvalue().encode()

    return write


def as_parquet(texts: list[str]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = io.BytesIO()
    pq.write_table(pa.table({"n": [1] * len(texts), "text": pa.array(texts, pa.string())}), file)
    return file.getvalue()


def compress_zstd(content: bytes) -> bytes:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd.compress(content)  # type: ignore[no-any-return]


FORMATS: dict[str, Callable[[list[str]], bytes]] = {
    ".jsonl": as_lines,
    ".ndjson": as_lines,
    ".jsonlines": as_lines,
    ".json": as_list,
    ".csv": as_rows(","),
    ".tsv": as_rows("\t"),
    ".parquet": as_parquet,
}
COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": compress_zstd,
}
# What a text may hold and a reader may spoil. UTF-8 has no surrogates, but JSON can escape them.
PIECES = st.sampled_from(
    [
        *HARD,
        *'\x00\x01\x1a\x1b\x7f\x85\xa0\u2028\u2029\ufeff\ufffe\U0001f600é"\\,;\t\r\n /{}[]:',
        *("\r\n", "\\n", "\\u0041", '""', "\\N", "\x1c\x1d\x1e"),
    ]
)
TEXTS = st.lists(PIECES | st.text(st.characters(exclude_categories=["Cs"]))).map("".join)
# A low surrogate that follows a high one would be one character with it.
WITH_SURROGATES = st.lists(
    PIECES | st.sampled_from(["\ud800x", "\udbff ", "x\udc00", "\udfff"])
).map("".join)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), suffix=st.sampled_from([*FORMATS]), packed=st.sampled_from([*COMPRESSIONS]))
def test_any_text_comes_back(data: st.DataObject, suffix: str, packed: str) -> None:
    texts = data.draw(st.lists(WITH_SURROGATES if ".j" in suffix else TEXTS, min_size=1))
    with tempfile.TemporaryDirectory() as folder:
        content = COMPRESSIONS[packed](FORMATS[suffix](texts))
        path = write(Path(folder), f"rows{suffix}{packed}", content)
        assert read(path) == texts


@pytest.mark.parametrize("packed", COMPRESSIONS)
@pytest.mark.parametrize("suffix", FORMATS)
def test_hard_texts_come_back(suffix: str, packed: str, tmp_path: Path) -> None:
    """A text that looks like a date after much that does not, which schemas are guessed from."""
    texts = [*HARD, *["x" * (1 << 20)] * 2, "2024-05-01"]
    path = write(
        tmp_path, f"A{suffix.upper()}{packed}", COMPRESSIONS[packed](FORMATS[suffix](texts))
    )
    assert read(path) == texts
    assert [document.text for document in corpora.load(str(tmp_path), text_column="text")] == texts


@pytest.mark.parametrize("packed", [".gz", ".bz2", ".xz", ".zst"])
def test_compressed_text(packed: str, tmp_path: Path) -> None:
    path = write(tmp_path, f"a.txt{packed}", COMPRESSIONS[packed](b"\xef\xbb\xbfone\r\ntwo"))
    assert [(d.id, d.text) for d in corpora.load(str(path))] == [
        (f"a.txt{packed}", "\ufeffone\r\ntwo")
    ]


@pytest.mark.parametrize("packed", [".gz", ".bz2", ".xz", ".zst"])
@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".txt"])
def test_compressed_file_that_is_damaged(suffix: str, packed: str, tmp_path: Path) -> None:
    options = {} if suffix == ".txt" else {"text_column": "text"}
    content = COMPRESSIONS[packed](FORMATS.get(suffix, as_lines)([*HARD, "x" * 99999]))
    for damaged in (content[:-4], content[: len(content) // 2], b"text\nplain\n", b""):
        path = write(tmp_path, f"a{suffix}{packed}", damaged)
        if not damaged and packed in (".gz", ".bz2"):
            continue  # no byte is an empty file to these
        with pytest.raises(CorpusError, match=rf"a{suffix}{packed} cannot be read: "):
            list(corpora.load(str(path), **options))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "content", [gzip.compress(b"a" * 99), compress_zstd(b"a" * 99)], ids=["gzip", "zstd"]
)
@pytest.mark.parametrize("name", ["a.jsonl", "a.csv"])
def test_compressed_file_under_another_name(name: str, content: bytes, tmp_path: Path) -> None:
    message = error_of(write(tmp_path, name, content))
    assert "-compressed; name it ." in message


def test_zstd_without_its_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corpora.local.content._import_zstd", lambda: None)
    path = write(tmp_path, "a.jsonl.zst", compress_zstd(b""))
    assert error_of(path) == (
        "a.jsonl.zst is zstd-compressed, which this Python cannot read; "
        "run: pip install backports.zstd, or decompress it with: zstd -d"
    )


def test_columns_that_nobody_asked_for(tmp_path: Path) -> None:
    odd = [1, "1", 10**4299, -1.5, None, [1], {"a": 1}, [{"text": 1}], True, float("nan")]
    lines = "".join(json.dumps({"n": n, "text": f"t{n}"}) + "\n" for n in odd)
    lines += '{"n": ' + "9" * 5000 + ', "text": "large"}\n{"n": 1e999, "n": 2, "text": "twice"}'
    texts = [f"t{n}" for n in odd] + ["large", "twice"]
    assert read(write(tmp_path, "a.jsonl", lines)) == texts
    assert read(write(tmp_path, "a.json", f"[{','.join(lines.splitlines())}]")) == texts


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_csv_line_ends(newline: str, tmp_path: Path) -> None:
    content = newline.join(["id,text", "", "1,a", '2,"b\r\nc"', "", "3,", "", ""])
    assert read(write(tmp_path, "a.csv", content)) == ["a", "b\r\nc", ""]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-32-be", "latin-1"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.json"])
def test_byte_order_mark_is_no_part_of_a_name(
    name: str, mark: str, encoding: str, tmp_path: Path
) -> None:
    if mark and encoding == "latin-1":
        mark = ""
    content = 'text,n\n"é\nb",1\n' if name == "a.csv" else '[{"text": "é\\nb"}]'
    if name == "a.jsonl":
        content = content[1:-1]
    path = write(tmp_path, name, (mark + content).encode(encoding))
    assert read(path, encoding=encoding) == ["é\nb"]


def test_list_in_a_file_of_lines_and_lines_in_a_list(tmp_path: Path) -> None:
    assert read(write(tmp_path, "a.jsonl", ' \n [{"text":"a"},\n{"text":"b"} ]\n')) == ["a", "b"]
    assert read(write(tmp_path, "a.json", '{"text":"a"}\r\n\r\n{"text":"b"}')) == ["a", "b"]
    for name, content in (
        ("a.json", " [ ] "),
        ("a.json", ""),
        ("a.jsonl", "\n\n"),
        ("a.csv", "text"),
    ):
        assert "holds no document" in error_of(write(tmp_path, name, content))


@pytest.mark.parametrize("length", [65_530, 65_535, 65_536, 65_537, 131_070, 200_000])
def test_lists_are_read_in_pieces(length: int, tmp_path: Path) -> None:
    """Wherever a piece of the file ends: in an escape, a name, a number, between two rows."""
    rows = [{"text": "x" * length}, {"text": '\U0001f600\\"é'}, {"n": -1.5e-10, "text": "true"}]
    content = json.dumps(rows)
    assert read(write(tmp_path, "a.json", content)) == [row["text"] for row in rows]
    for shift in range(1, 60):
        path = write(tmp_path, "a.json", " " * shift + content)
        assert read(path) == [row["text"] for row in rows]


def test_names_with_dots(tmp_path: Path) -> None:
    row = {"a.b": "name", "a": {"b": "path", "b.c": "name below", "d": {"e": "deep"}}}
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.Table.from_pylist([row]), tmp_path / "a.parquet")
    write(tmp_path, "a.jsonl", json.dumps(row))
    write(tmp_path, "a.csv", "a,a.b\nx,name\n")
    for name in ("a.parquet", "a.jsonl"):
        for column, text in (("a.b", "name"), ("a.b.c", "name below"), ("a.d.e", "deep")):
            assert read(tmp_path / name, text_column=column) == [text]
    assert read(tmp_path / "a.csv", text_column="a.b") == ["name"]


def arrow_arrays() -> Iterator[Any]:
    import pyarrow as pa

    texts = pa.array(["b", "a", "b", "2024-05-01", ""])
    yield pytest.param(texts.dictionary_encode(), id="dictionary")
    yield pytest.param(texts.cast(pa.large_string()), id="large_string")
    yield pytest.param(texts.cast(pa.string_view()), id="string_view")
    yield pytest.param(
        pa.DictionaryArray.from_arrays(
            pa.array([0, 1, 0, 2, 3], pa.int8()),
            pa.array(["b", "a", "2024-05-01", ""]).cast(pa.large_string()),
        ),
        id="dictionary of large_string",
    )


@pytest.mark.parametrize("array", [*arrow_arrays()])
@pytest.mark.parametrize("nested", [False, True])
def test_parquet_strings(array: Any, nested: bool, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"text": array})
    if nested:
        table = pa.table({"page": pa.StructArray.from_arrays([array], names=["text"])})
    pq.write_table(table, tmp_path / "a.parquet")
    column = "page.text" if nested else "text"
    assert read(tmp_path / "a.parquet", text_column=column) == ["b", "a", "b", "2024-05-01", ""]


def test_pandas_categories(tmp_path: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame({"text": pd.Categorical(["b", "a", "b"])})
    frame.to_parquet(tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet") == ["b", "a", "b"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "id,text\n1,a,b,c\n", "line 2 has 4 fields, and the header 2; quote a text"),
        ("a.csv", "id,text\n1,a\n2\n", "line 3 has 1 field, and the header 2; quote a text"),
        ("a.csv", "id;text\n1;a\n", "has no column text, but id;text; separate its fields with"),
        ("a.csv", "id, text\n1,a\n", "has no column text, but id, ' text'; name another: --text"),
        (
            "a.csv",
            "\x1b[2J,\u202e\n",
            "has no column text, but '\\u{1B}[2J', '\\u{202E}'; name another",
        ),
        ("a.jsonl", f'{{"{"x" * 999}": 1}}', f"line 1 has no column text, but {'x' * 60}…; name"),
        ("a.tsv", 'id\ttext\n1\t"a\nb"\n2\ta\tb', "line 4 has 3 fields, and the header 2"),
        ("a.csv", "text,text\none,two\n", "line 1 has column text 2 times in its header; give"),
        ("a.csv", 'text\n"a" b\n', "line 2 cannot be read: ',' expected after '\"'; check its"),
        ("a.csv", 'text\na\n"b\nc', "line 3 cannot be read: unexpected end of data; check its"),
        ("a.csv", "text\na\n\nb\n", "line 3 is blank, which may be a row or not; write an"),
        ("a.jsonl", '{"text": "a"}\n\n{"text": null}\n', "line 3 has no text; give it one, or"),
        ("a.jsonl", '{"text": "a"}\n{text', "line 2 is not JSON: Expecting property name"),
        ("a.jsonl", '{"text": "a"}\n{"n": "b"}\n', "line 2 has no column text, but n; name"),
        ("a.jsonl", '{"text": "a", "text": "b"}', "line 1 has text 2 times; give it once"),
        ("a.jsonl", '{"a": "b"} {"a": "c"}', "line 1 is not JSON: Extra data (column 12); give"),
        ("a.jsonl", '{"text": "a\tb"}', "line 1 is not JSON: Invalid control character at"),
        ("a.jsonl", '"a"', "line 1 is a string, not a row; give each line one object"),
        ("a.jsonl", '{"text": 12}', "line 1: column text should be string and is integer; name"),
        ("a.jsonl", '{"text": NaN}', "line 1: column text should be string and is number; name"),
        ("a.jsonl", '{"text": ["a"]}', "line 1: column text should be string and is list; name"),
        ("a.json", '[{"text": "a"}, {"text": null}]', "row 2 has no text; give it one, or"),
        ("a.json", '[{"text": "a"}, "b"]', "row 2 is a string, not a row; give each line"),
        ("a.json", '[{"text": "a"} {"text": "b"}]', "row 1 is not JSON: Expecting ',' delimiter"),
        ("a.json", '[{"text": "a"}, {"tex', "row 2 is not JSON: Unterminated string"),
        ("a.json", '[{"text": "a"}', "row 1 is cut short after it; give"),
        ("a.json", '[{"text": "a"},]', "row 2 is not JSON: Expecting value; give"),
        ("a.json", '[{"text": "a"}] x', "is not JSON: it goes on after its list; give"),
        ("a.json", '{\n "text": "a"\n}', "line 1 is not JSON: Expecting property name"),
    ],
)
def test_rows_that_are_wrong(name: str, content: str, message: str, tmp_path: Path) -> None:
    expected = f"{name}, {message}" if message.startswith(("line", "row")) else f"{name} {message}"
    assert error_of(write(tmp_path, name, content)).startswith(expected)


@pytest.mark.parametrize("depth", [20_000, 1_000_000])
@pytest.mark.parametrize("name", ["a.jsonl", "a.json"])
def test_nested_too_deeply(name: str, depth: int, tmp_path: Path) -> None:
    """Even in a column that nobody reads; in a process of its own, since parsers crash on it."""
    deep = '{"text": "b", "n": ' + '{"n":[' * depth + "1" + "]}" * depth + "}"
    rows = ['{"text": "a"}', deep]
    content = "\n".join(rows) if name == "a.jsonl" else f"[{','.join(rows)}]"
    path = write(tmp_path, name, content)
    program = "import sys, corpora; list(corpora.load(sys.argv[1], text_column='text'))"
    result = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    place = "line 2" if name == "a.jsonl" else "row 2"
    assert result.stderr.splitlines()[-1] == (
        f"corpora.document.CorpusError: {path}, {place} is nested too deeply to be read; "
        "flatten it, or remove it"
    )


@pytest.mark.parametrize("encoding", ["utf-8", "shift_jis", "utf-16-le"])
@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.csv", "a.jsonl.gz"])
def test_byte_that_cannot_be_decoded(name: str, encoding: str, tmp_path: Path) -> None:
    """Its place is told wherever it is, also beyond what is read at once."""
    rows = '{"text": "あ"}\n' * 40_000
    if name == "a.json":
        rows = f"[{rows.strip().replace(chr(10), ',')},"
    elif name == "a.csv":
        rows = "text\n" + "あ\n" * 40_000
    bad = {"utf-8": b"\xff", "shift_jis": b"\x80\xff", "utf-16-le": b"\x00\xdc\x00\x00"}[encoding]
    whole = rows.encode(encoding) + bad
    path = write(tmp_path, name, gzip.compress(whole) if name.endswith(".gz") else whole)
    with pytest.raises(UnicodeDecodeError) as expected:
        whole.decode(encoding)
    shown = "UTF-8" if encoding == "utf-8" else encoding
    assert f"is not {shown}: byte {expected.value.start} is 0x" in error_of(path, encoding=encoding)


def test_column_without_a_name(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="a column has a name; give it: --text-column"):
        read(write(tmp_path, "a.jsonl", "{}"), text_column="")


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.parquet", "a.txt", "a.jsonl.gz"])
def test_pointer_of_git_lfs(name: str, tmp_path: Path) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
    path = write(tmp_path, name, pointer)
    column = None if name == "a.txt" else "text"
    assert error_of(path, text_column=column) == (
        f"{name} is a pointer of Git LFS and not the file itself; run: git lfs pull"
    )


@pytest.mark.parametrize("name", ["a.tar", "a.tar.gz", "a.docx", "a.png", "a.bin"])
def test_file_that_is_no_text(name: str, tmp_path: Path) -> None:
    header = b"a.txt".ljust(257, b"\0") + b"ustar\x0000"
    contents = {
        "a.tar": (header, "is a tar archive; unpack it"),
        "a.tar.gz": (gzip.compress(header), "is a tar archive; unpack it"),
        "a.docx": (b"PK\x03\x04\xff", "is a zip archive, as .docx and .xlsx are too; extract its"),
        "a.png": (b"\x89PNG\r\n\x1a\n\0", "is a picture; name a file of text"),
        "a.bin": (b"\xff\0", "is binary, not text; name a file of text"),
    }
    content, message = contents[name]
    path = write(tmp_path, name, content)
    assert error_of(path, text_column=None).startswith(f"{name} {message}")


def test_memory_is_bounded_by_a_row(tmp_path: Path) -> None:
    """A list of 64 MB on one line, CSV and lines of as much, each in a process of its own."""
    status = Path("/proc/self/status")
    if not status.exists():
        pytest.skip("this platform does not tell a process's peak")
    program = (
        "import re, sys, corpora\n"
        "number = sum(1 for _ in corpora.load(sys.argv[1], text_column='text'))\n"
        "status = open('/proc/self/status').read()\n"
        "print(number, int(re.search(r'VmHWM:\\s*(\\d+) kB', status)[1]) // 1024)"
    )
    text = "some words " * 1000
    row = json.dumps({"n": 1, "text": text})
    peaks = {}
    for name, opening, each, closing in (
        ("a.json", "[", row + ",", row + "]"),
        ("a.jsonl", "", row + "\n", row),
        ("a.csv", "n,text\n", f"1,{text}\n", f"1,{text}"),
    ):
        with (tmp_path / name).open("w") as file:
            file.write(opening)
            file.writelines(itertools.repeat(each, 5999))
            file.write(closing)
        assert (tmp_path / name).stat().st_size > 64e6
        result = subprocess.run(
            [sys.executable, "-c", program, str(tmp_path / name)],
            capture_output=True,
            text=True,
            check=True,
        )
        number, peaks[name] = map(int, result.stdout.split())
        assert number == 6000
    assert max(peaks.values()) < 60, f"MB by file: {peaks}"


def test_options_that_apply_to_nothing(tmp_path: Path) -> None:
    text, rows = write(tmp_path, "a.txt", "a"), write(tmp_path, "a.csv", "text\na\n")
    parquet = write(tmp_path, "a.parquet", as_parquet(["a"]))
    for path, options in (
        (text, {"text_column": "text"}),
        (text, {"include": ["*.txt"]}),
        (rows, {"text_column": "text", "exclude": ["*.txt"]}),
        (parquet, {"text_column": "text", "encoding": "utf-8"}),
        ("builtin", {"encoding": "utf-8"}),
        ("builtin", {"mirror": tmp_path}),
        ("synthetic", {"text_column": "text"}),
        ("builtin", {"seed": 1}),
        ("hf:o/n#text", {"text_column": "text"}),
    ):
        with pytest.raises(RequestError, match=r"applies to no corpus here; |give --sample too"):
            corpora.load(str(path), **options)  # type: ignore[arg-type]
    loaded = corpora.load_all([str(text), str(rows), "builtin"], text_column="text")
    assert [next(iter(corpus)).text for corpus in loaded[:2]] == ["a", "a"]
