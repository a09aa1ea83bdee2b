from pathlib import Path

import pytest

from harness.runner.spool import read_segments, read_spool, write_segments, write_spool

HOSTILE = [
    ("plain", "text\r\nwith\rline ends\u2028\x00"),
    ("empty", ""),
    ("surrogates: a lone one, and two that JSON would join", "a\udc80b\ud83d\ude00"),
    ("\udcff", "\ufeffdeux\u0301 \U0001f600"),
]


def test_documents_come_back_exactly_and_in_order(tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    assert write_spool(spool, iter(HOSTILE)) == 4
    assert list(read_spool(spool)) == HOSTILE


def test_an_empty_spool_has_no_documents(tmp_path: Path) -> None:
    assert write_spool(tmp_path / "spool", []) == 0
    assert list(read_spool(tmp_path / "spool")) == []


@pytest.mark.parametrize("missing", [1, 5, 20])
def test_a_spool_that_is_cut_short_is_noticed(tmp_path: Path, missing: int) -> None:
    spool = tmp_path / "spool"
    write_spool(spool, [("id", "text")])
    spool.write_bytes(spool.read_bytes()[:-missing])
    with pytest.raises(ValueError, match="cut short"):
        list(read_spool(spool))


def test_segments_are_read_as_they_were_written(tmp_path: Path) -> None:
    given = [["ab", "", "\ud83d", "\ude00"], [], ["漢字 \0"]]
    path = tmp_path / "segments"
    with path.open("wb") as file:
        for segments in given:
            write_segments(file, segments)
    assert list(read_segments(path)) == given


def test_segments_that_are_cut_short_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "segments"
    with path.open("wb") as file:
        write_segments(file, ["one", "two"])
        whole = file.tell()
        write_segments(file, ["three"])
    content = path.read_bytes()
    for length in range(whole, len(content)):
        path.write_bytes(content[:length])
        assert list(read_segments(path)) == [["one", "two"]]
