import re
from pathlib import Path

import pytest

from corpora import CorpusError
from harness.measure.kinds import KINDS, load_folders, load_kinds


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_has_about_the_length_asked_for_and_is_always_the_same(kind):
    text = KINDS[kind](10_000)
    assert 10_000 <= len(text) < 10_200
    assert text == KINDS[kind](10_000)
    assert KINDS[kind](20_000).startswith(text)
    assert KINDS[kind](0) == ""


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("dot leaders", r"\d+\.\d [A-Z][a-z ]+ \.{20,} \d+"),
        ("version numbers", r"[a-z]+-[a-z]+==\d+\.\d+\.\d+\.\d+"),
        ("time stamps", r"2024-05-\d\dT\d\d:\d\d:\d\d\.000Z"),
        ("colon-separated addresses", r"([0-9a-f]{2}:){5}[0-9a-f]{2} ([0-9a-f]{4}:){7}[0-9a-f]{4}"),
        ("deep indentation", r" {40}[a-z ]+"),
        ("closing brackets", r"\){80}"),
        ("runs of dashes", r"-{78}|\| [a-z ]{50} \| +\d+ \|"),
    ],
)
def test_every_line_is_of_its_kind(kind, line):
    lines = KINDS[kind](5_000).splitlines()
    assert all(re.fullmatch(line, each) for each in lines)


def test_a_subtitle_has_a_number_times_and_words():
    number, times, words = KINDS["subtitles"](5_000).split("\n\n")[40].split("\n")
    assert number == "41"
    assert times == "00:02:03,000 --> 00:02:03,900"
    assert words.endswith(".")


def test_kinds_are_corpora_of_code_and_of_each_made_text():
    kinds = {each.name: list(each) for each in load_kinds()}
    assert list(kinds) == ["code", *KINDS]
    code = kinds.pop("code")
    assert {document.id for document in code} >= {"code/argparse.py", "code/enum.py"}
    assert all(document.id.startswith("code/") for document in code)
    for name, (document,) in kinds.items():
        assert document.text == KINDS[name](50_000)


def test_each_folder_is_a_kind_and_its_files_are_read_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "tables/more").mkdir(parents=True)
    (tmp_path / "tables/b.csv").write_bytes(b"a,b\r\n1,\xc3\xa9\r\n")
    (tmp_path / "tables/more/a.csv").write_text("c\n")
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/a.log").write_bytes(b"fine\xff")
    (tmp_path / "README.md").write_text("no kind")
    logs, tables = load_folders(tmp_path)
    assert tables.name == "tables"
    assert [(each.id, each.text) for each in tables] == [
        ("b.csv", "a,b\r\n1,é\r\n"),
        ("more/a.csv", "c\n"),
    ]
    with pytest.raises(CorpusError, match=r"a\.log is not UTF-8: byte 4, invalid start byte"):
        list(logs)


def test_a_folder_without_folders_has_no_kinds(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="has no folder in it"):
        load_folders(tmp_path)
