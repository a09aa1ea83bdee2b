"""Any data set of the hub, through ``datasets.load_dataset`` and the real client."""

import csv
import gzip
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

import corpora
from corpora import CorpusError, Document, RequestError
from corpora.hub.public import _SPECIFICATION
from tests.corpora.hub.fake_hub import FakeHub, commit_of

TEXT = "\ufeffone\r\ntwo\rthree\u2028four\x85 \u00a0\u3000"
README = b"""---
configs:
- config_name: first
  default: true
  data_files:
  - split: train
    path: first/train.parquet
  - split: test
    path: first/test.parquet
- config_name: second
  data_files:
  - split: train
    path: second/train.parquet
---
"""


def to_parquet(rows: list[dict[str, Any]]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), buffer)
    return buffer.getvalue()


FILES = {
    "README.md": README,
    "first/train.parquet": to_parquet(
        [
            {"text": TEXT, "page": {"body": "a"}, "n": 1},
            {"text": "b", "page": {"body": "c"}, "n": 2},
        ]
    ),
    "first/test.parquet": to_parquet([{"text": "t", "page": {"body": "d"}, "n": 3}]),
    "second/train.parquet": to_parquet([{"text": "j\r\n"}]),
}


def read(name: str) -> list[Document]:
    return list(corpora.load(name, timeout=20))


def error_of(name: str) -> str:
    with pytest.raises(CorpusError) as caught:
        read(name)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(f"{name} (")
    return message


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("hf:o/n#c", ("o/n", None, None, None, "c")),
        ("hf:o/n.m-1@abc#c.d", ("o/n.m-1", "abc", None, None, "c.d")),
        ("hf:o/n:cfg/train#c", ("o/n", None, "cfg", "train", "c")),
        ("hf:o/n@v1.0:cfg/train#text", ("o/n", "v1.0", "cfg", "train", "text")),
        ("hf:o/n/test#a#b", ("o/n", None, None, "test", "a#b")),
        ("hf:o/n@refs/convert/parquet#c", ("o/n", "refs/convert/parquet", None, None, "c")),
        ("hf:o/n@refs/pr/3/train#c", ("o/n", "refs/pr/3", None, "train", "c")),
    ],
)
def test_names(name: str, parts: tuple[str | None, ...]) -> None:
    match = _SPECIFICATION.fullmatch(name)
    assert match is not None
    assert match.group("repository", "revision", "config", "split", "column") == parts


@pytest.mark.parametrize(
    "name",
    [
        *("hf:", "hf:o/n", "hf:n#c", "hf:o/n#", "hf:o/n@#c", "hf:o/n/#c", "hf:o/n@..#c"),
        *("hf:../..#c", "hf:./n#c", "hf:o/..#c", "hf:o/.n#c", "hf:o/n--m#c", "hf:o/n.#c"),
        *("hf:/etc/passwd#c", "hf:o/é#c", "hf:~/n#c"),
    ],
)
def test_names_of_another_form(name: str) -> None:
    with pytest.raises(RequestError, match=re.escape("hf:OWNER/NAME[@REVISION][:CONFIG]")):
        corpora.load(name)


def test_rows_are_documents(fake_hub: FakeHub) -> None:
    fake_hub.add("o/n", FILES)
    assert read("hf:o/n#text") == [
        Document("train:1", TEXT),
        Document("train:2", "b"),
        Document("test:1", "t"),
    ]
    assert read("hf:o/n/test#page.body") == [Document("test:1", "d")]
    assert read("hf:o/n:second#text") == [Document("train:1", "j\r\n")]


def test_revision(fake_hub: FakeHub) -> None:
    fake_hub.add("o/n", FILES)
    old = {**FILES, "first/test.parquet": to_parquet([{"text": "old"}])}
    fake_hub.add("o/n", old, revision="v1")
    assert read("hf:o/n@v1/test#text") == [Document("test:1", "old")]
    commit = commit_of("o/n", "v1")
    assert read(f"hf:o/n@{commit}/test#text") == [Document("test:1", "old")]


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("hf:o/n#body", "column body should be string and is not there, where there are text"),
        ("hf:o/n#n", "column n should be string and is integer"),
        ("hf:o/n#page", "column page should be string and is struct<body: string>"),
        ("hf:o/n/dev#text", "it has no split dev but train, test"),
        ("hf:o/n:third#text", "third"),
        ("hf:o/n@v9#text", "it has no such revision"),
        ("hf:o/other#text", "the hub has no such data set, or it is private or was renamed"),
        ("hf:o/gated#text", "it is gated"),
        ("hf:o/script#text", "only a loading script"),
        ("hf:o/empty#text", "o/empty"),
    ],
)
def test_failures(name: str, cause: str, fake_hub: FakeHub) -> None:
    fake_hub.add("o/n", FILES)
    fake_hub.add("o/gated", FILES)
    fake_hub.gated.add("o/gated")
    fake_hub.add("o/script", {"README.md": b"", "script.py": b""})
    fake_hub.add("o/empty", {"README.md": b""})
    assert cause in error_of(name)


def test_row_without_text(fake_hub: FakeHub) -> None:
    rows = [{"text": "a"}, {"text": None}]
    fake_hub.add("o/n", {"train.parquet": to_parquet(rows)})
    assert "train.parquet, row 2 has no text; give it one" in error_of("hf:o/n#text")


@pytest.fixture
def namesake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that has the name of a data set, in the current one."""
    folder = tmp_path / "o/n"
    folder.mkdir(parents=True)
    (folder / "train.jsonl").write_text('{"text": "of this machine"}\n')
    monkeypatch.chdir(tmp_path)
    return folder


def test_folder_of_that_name_is_never_read(fake_hub: FakeHub, namesake: Path) -> None:
    (namesake / "n.py").write_text("")
    assert "the hub has no such data set" in error_of("hf:o/n@main/train#text")
    fake_hub.add("o/n", FILES)
    assert read("hf:o/n@main/train#text") == [Document("train:1", TEXT), Document("train:2", "b")]


@pytest.mark.usefixtures("namesake")
def test_folder_of_that_name_is_never_read_offline(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import datasets
    from huggingface_hub import constants

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", str(cache / "datasets"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    assert "HF_HUB_OFFLINE is set" in error_of("hf:o/n#text")


ODD_TEXTS = ["2024-05-01", "NA", "null", "", "007", "1e5", "a\r\nb\rc\u2028d\x00", " x "]


@pytest.mark.parametrize("name", ["t.jsonl", "t.json", "t.csv", "t.tsv", "t.jsonl.gz", "t.csv.gz"])
def test_texts_are_the_files_own(name: str, fake_hub: FakeHub) -> None:
    """Of files that `datasets` itself would read by guessing types."""
    rows = [{"n": str(n), "text": text} for n, text in enumerate(ODD_TEXTS)]
    if ".json" in name:
        lines = [json.dumps(row) for row in [*rows, {"n": 1, "text": "\ud800"}]]
        content = f"[{','.join(lines)}]" if name == "t.json" else "\n".join(lines)
    else:
        file = io.StringIO(newline="")
        writer = csv.writer(file, delimiter="\t" if name == "t.tsv" else ",")
        writer.writerows([["n", "text"], *(row.values() for row in rows)])
        content = file.getvalue()
    encoded = content.encode()
    if name.endswith(".gz"):
        encoded = gzip.compress(encoded)
    fake_hub.add("o/n", {"README.md": b"", name: encoded})
    expected = ODD_TEXTS + ["\ud800"] * (".json" in name)
    documents = read("hf:o/n#text")
    assert [document.text for document in documents] == expected
    assert [d.id for d in documents] == [f"train:{n}" for n in range(1, len(expected) + 1)]


def test_json_that_is_nested_too_deeply(fake_hub: FakeHub) -> None:
    deep = b'{"text": "a"}\n{"text": "b", "n": ' + b"[" * 20_000 + b"]" * 20_000 + b"}"
    fake_hub.add("o/n", {"README.md": b"", "train.jsonl": deep})
    assert "train.jsonl, line 2 is nested too deeply to be read" in error_of("hf:o/n#text")


def test_options_of_the_card(fake_hub: FakeHub) -> None:
    card = "---\nconfigs:\n- config_name: a\n  data_files: t.csv\n  {}\n---\n"
    content = b"n;text\n1;a,b\n"
    fake_hub.add("o/n", {"README.md": card.format('sep: ";"').encode(), "t.csv": content})
    assert [document.text for document in read("hf:o/n#text")] == ["a,b"]
    fake_hub.add("o/m", {"README.md": card.format("skiprows: 1").encode(), "t.csv": content})
    assert "its card asks to read it with skiprows" in error_of("hf:o/m#text")


def test_no_network(cache: Path) -> None:
    assert error_of("hf:o/n#text").endswith("; with a network, run the same again")


def test_no_progress(fake_hub: FakeHub) -> None:
    fake_hub.add("o/n", FILES)
    fake_hub.stalled.add("README.md")
    with pytest.raises(CorpusError, match=r"nothing arrived for 0\.5 s"):
        list(corpora.load("hf:o/n#text", timeout=0.5))


def test_offline(fake_hub: FakeHub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import datasets
    from huggingface_hub import constants

    fake_hub.add("o/n", FILES)
    datasets.load_dataset("o/n", cache_dir=datasets.config.HF_DATASETS_CACHE)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    before = len(fake_hub.requests)
    assert [d.text for d in read("hf:o/n/train#text")] == [TEXT, "b"]
    assert "HF_HUB_OFFLINE is set, and it is not in the cache" in error_of("hf:o/m#text")
    assert len(fake_hub.requests) == before
