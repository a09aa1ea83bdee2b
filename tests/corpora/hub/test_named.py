"""The named corpora, through the real builders of `datasets`, on files of the same nesting."""

import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest

import corpora
from corpora import CorpusError
from tests.corpora.hub.small_mirror import EXPECTED, narrativeqa_rows, write_parquet


@pytest.mark.parametrize("name", EXPECTED)
def test_text_is_the_sources_own(name: str, mirror: Path) -> None:
    corpus = corpora.load(name, mirror=mirror)
    for _ in range(2):  # each iteration reads anew, in the same order
        documents = list(corpus)
        assert [(d.id, d.text) for d in documents] == list(EXPECTED[name].items())


def read(name: str, mirror: Path) -> list[corpora.Document]:
    return list(corpora.load(name, mirror=mirror))


def error_of(name: str, mirror: Path | None) -> str:
    """The message, which is one line and comes without the exceptions before it."""
    with pytest.raises(CorpusError) as caught:
        list(corpora.load(name, mirror=mirror))
    message = str(caught.value)
    assert "\n" not in message
    assert caught.value.__suppress_context__ or not caught.value.__context__
    return message


def test_streaming_leaves_the_users_cache_and_terminal_alone(
    mirror: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    import datasets

    cache = tmp_path / "cache"
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", cache)
    for name in EXPECTED:
        read(name, mirror)
    (mirror / "deepmind/narrativeqa/data/test-00000-of-00001.parquet").write_bytes(b"PAR1 no")
    error_of("narrativeqa", mirror)
    assert not cache.exists()
    assert capfd.readouterr() == ("", "")


def test_reading_stops_where_the_reader_stops(mirror: Path) -> None:
    (mirror / "deepmind/narrativeqa/data/test-00000-of-00001.parquet").write_bytes(b"PAR1 no")
    documents = iter(corpora.load("narrativeqa", mirror=mirror))
    assert next(documents).id == "book1"


def test_mirror_that_is_no_folder(tmp_path: Path) -> None:
    assert f"{tmp_path / 'none'} is not a folder" in error_of("qasper", tmp_path / "none")


@pytest.mark.parametrize("name", EXPECTED)
def test_mirror_without_the_files(name: str, mirror: Path) -> None:
    entry = next(entry for entry in corpora.entries() if entry.name == name)
    shutil.rmtree(mirror / entry.repository)
    message = error_of(name, mirror)
    assert re.search(rf"holds no .+; run: segbench prepare {name} --mirror \S+$", message)
    assert f"({entry.repository}, " in message
    assert f"revision {entry.revisions[0]}" in message


def test_unreadable_parquet_names_everything(mirror: Path) -> None:
    path = mirror / "allenai/qasper/train-00000-of-00001.parquet"
    path.write_bytes(path.read_bytes()[:-20])
    message = error_of("qasper", mirror)
    assert message.startswith(
        "qasper (allenai/qasper, config qasper, split train, revision 06806e46"
    )
    assert message.endswith(f"; fetch it again: segbench prepare qasper --mirror {mirror} --force")


def test_folder_in_the_place_of_a_file(mirror: Path) -> None:
    path = mirror / "deepset/covid_qa_deepset/train-00000-of-00001.parquet"
    path.unlink()
    path.mkdir()
    assert "covid_qa (deepset/covid_qa_deepset" in error_of("covid_qa", mirror)


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("covid_qa", "deepset/covid_qa_deepset/train-00000-of-00001.parquet"),
        ("conditionalqa", "haitian-sun/ConditionalQA/documents.json"),
        ("legalbench_rag", "awinml/legalbench-rag/corpus/cuad/B.txt"),
    ],
)
def test_empty_file(name: str, file: str, mirror: Path) -> None:
    (mirror / file).write_bytes(b"")
    assert f"{file} is empty; run: " in error_of(name, mirror)


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"[",
        b"[]",
        b"{}",
        b"\xff\xfe",
        b"\n",
        b"<html></html>",
        b"null",
        b" null\n",
        b"\xef\xbb\xbfnull",
        b"[null]",
    ],
)
def test_json_that_is_no_list_of_pages(content: bytes, mirror: Path) -> None:
    (mirror / "haitian-sun/ConditionalQA/documents.json").write_bytes(content)
    assert "; fetch it again: segbench prepare conditionalqa --mirror" in error_of(
        "conditionalqa", mirror
    )


def test_parquet_without_rows(mirror: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema({"document_id": pa.int64(), "context": pa.string()})
    path = mirror / "deepset/covid_qa_deepset/train-00000-of-00001.parquet"
    pq.write_table(schema.empty_table(), path)
    assert "split train, revision main or refs/convert/parquet): it holds no row" in error_of(
        "covid_qa", mirror
    )


@pytest.mark.parametrize(
    ("row", "cause"),
    [
        ({"document_id": 1, "text": "x"}, "column context should be string and is not there"),
        ({"document_id": 1, "context": 5}, "column context should be string and is integer"),
        ({"document_id": 1, "context": ["x"]}, "should be string and is list<string>"),
        ({"document_id": None, "context": "x"}, "column document_id should be integer and is null"),
    ],
)
def test_other_columns_than_expected(row: dict[str, object], cause: str, mirror: Path) -> None:
    write_parquet(mirror / "deepset/covid_qa_deepset/train-00000-of-00001.parquet", [row])
    assert cause in error_of("covid_qa", mirror)


def test_struct_without_its_field(mirror: Path) -> None:
    rows = narrativeqa_rows(1, "x", 1)
    del rows[0]["document"]["text"]
    folder = mirror / "deepmind/narrativeqa/data"
    write_parquet(folder / "train-00000-of-00002.parquet", rows)
    message = error_of("narrativeqa", mirror)
    assert "split train, revision main): " in message, "two files of one split that do not agree"
    (folder / "train-00001-of-00002.parquet").unlink()
    message = error_of("narrativeqa", mirror)
    assert "column document.text should be string and is not there" in message


@pytest.mark.parametrize(
    ("second", "cause"),
    [
        ({"document_id": 2, "context": None}, "document 2 has no text: its text is null"),
        (
            {"document_id": None, "context": "y"},
            "document None has no text: its document_id is null",
        ),
    ],
)
def test_null(second: dict[str, object], cause: str, mirror: Path) -> None:
    rows = [{"document_id": 1, "context": "x"}, second]
    write_parquet(mirror / "deepset/covid_qa_deepset/train-00000-of-00001.parquet", rows)
    assert cause in error_of("covid_qa", mirror)


def test_parallel_lists_of_different_length(mirror: Path) -> None:
    row = {"id": "1", "document": {"tokens": {"token": ["a", "b"], "is_html": [False]}}}
    path = "google-research-datasets/natural_questions/dev/validation-00000-of-00001.parquet"
    write_parquet(mirror / path, [row])
    assert "document '1' has no text: " in error_of("natural_questions", mirror)


def test_text_file_that_is_not_utf8(mirror: Path) -> None:
    (mirror / "awinml/legalbench-rag/corpus/cuad/B.txt").write_bytes(b"caf\xe9 noir")
    message = error_of("legalbench_rag", mirror)
    assert "cuad/B.txt is not UTF-8: byte 3 is 0xe9" in message
    assert "revision 2b9c248bc8179ef0908fd6ba01d50b156facd48b" in message


def test_layout_of_the_hub_serves_as_a_mirror(mirror: Path) -> None:
    folder = mirror / "allenai/qasper"
    (folder / "qasper/train").mkdir(parents=True)
    (folder / "train-00000-of-00001.parquet").rename(folder / "qasper/train/0000.parquet")
    assert [document.id for document in read("qasper", mirror)] == ["1910.1", "1910.2"]


def test_mirror_with_a_name_full_of_signs(mirror: Path) -> None:
    odd = mirror.rename(mirror.with_name("a b%20#é'"))
    for name, expected in EXPECTED.items():
        assert [document.text for document in read(name, odd)] == list(expected.values())


def test_mirror_with_a_name_that_is_a_pattern(mirror: Path) -> None:
    odd = mirror.rename(mirror.with_name("mirror [1]*?"))
    for name, expected in EXPECTED.items():
        assert [document.text for document in read(name, odd)] == list(expected.values())


def test_what_a_mirror_lacks_is_said(mirror: Path) -> None:
    folder = mirror / "deepmind/narrativeqa/data"
    assert corpora.load("narrativeqa", mirror=mirror).notes == (
        f"narrativeqa has no split validation in {mirror}",
    )
    (folder / "train-00001-of-00002.parquet").unlink()
    assert corpora.load("narrativeqa", mirror=mirror).notes == (
        f"narrativeqa has 1 of 2 files of split train in {mirror}",
        f"narrativeqa has no split validation in {mirror}",
    )
    assert corpora.load("covid_qa", mirror=mirror).notes == ()


@pytest.mark.parametrize("depth", [20_000, 1_000_000])
def test_json_that_is_nested_too_deeply(depth: int, mirror: Path) -> None:
    path = mirror / "haitian-sun/ConditionalQA/documents.json"
    deep = "[" * depth + "]" * depth
    path.write_text(f'[{{"title": "a", "contents": ["b"]}}, {{"other": {deep}}}]')
    message = error_of("conditionalqa", mirror)
    assert "documents.json, row 2 is nested too deeply to be read; fetch it again: " in message


def test_texts_like_dates_are_texts(mirror: Path) -> None:
    path = mirror / "haitian-sun/ConditionalQA/documents.json"
    pages = [{"title": "2024-05-01", "contents": ["2024-05-01", "2024-05-01T00:00:00Z"], "n": "x"}]
    large = f'{{"title": "b", "contents": [], "n": {"9" * 5000}}}'
    path.write_text(f"[{json.dumps(*pages)}, {large}]")
    assert read("conditionalqa", mirror) == [
        corpora.Document("2024-05-01", "2024-05-01\n2024-05-01T00:00:00Z"),
        corpora.Document("b", ""),
    ]


@pytest.mark.parametrize(
    ("contents", "found"), [('"x"', "string"), ("[1]", "list"), ('["a", ["b"]]', "list")]
)
def test_json_of_another_type(contents: str, found: str, mirror: Path) -> None:
    path = mirror / "haitian-sun/ConditionalQA/documents.json"
    path.write_text(f'[{{"title": "a", "contents": {contents}}}]')
    message = error_of("conditionalqa", mirror)
    assert f"row 1: column contents should be list<string> and is {found}; fetch it" in message


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("covid_qa", "deepset/covid_qa_deepset/train-00000-of-00001.parquet"),
        ("legalbench_rag", "awinml/legalbench-rag/corpus/cuad/B.txt"),
    ],
)
def test_fifo_that_took_the_place_of_a_file(name: str, file: str, mirror: Path) -> None:
    corpus = corpora.load(name, mirror=mirror)
    (mirror / file).unlink()
    os.mkfifo(mirror / file)
    with pytest.raises(CorpusError, match="is a FIFO; only regular files are read"):
        list(corpus)


def test_record_that_is_a_fifo(mirror: Path) -> None:
    os.mkfifo(mirror / "allenai/qasper/segbench.json")
    assert len(read("qasper", mirror)) == 2


def test_relative_mirror(mirror: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(mirror.parent)
    for name, expected in EXPECTED.items():
        assert [document.id for document in read(name, Path("mirror"))] == list(expected)


def test_without_libraries(mirror: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert error_of("qasper", mirror).endswith("pip install 'segbench[harness]'")
