"""The journal gives back what it was given, whatever was torn from it, and in which order."""

from collections import Counter
from dataclasses import dataclass, field
from dataclasses import replace as change
from pathlib import Path

import pytest

from harness.measure.tally import ShardResult, Tally
from harness.results.journal import Header, Journal, ResumeError, read_header
from harness.results.model import (
    Environment,
    Example,
    Failure,
    Installed,
    Violation,
    Workload,
)

HOSTILE = "\ud83d\ude00 \\u{41} \u2028\r\n\0 \U0001f600 "
ENVIRONMENT = Environment(
    "segbench check",
    {"segbench": "1", HOSTILE: "2"},
    "CPython 3.11",
    "Linux",
    "cpu",
    2,
    "abc",
    False,
    "2026-12-02T00:00:00+00:00",
    "",
    installed=[Installed(["segmenter"], "3.11", "", "", {"a": "1"})],
)
HEADER = Header(("--corpus", HOSTILE), "/a folder", ENVIRONMENT)


@dataclass(slots=True)
class Record:
    number: int
    name: str = ""
    counts: Counter[int] = field(default_factory=Counter)


def test_results_come_back_as_they_were(tmp_path: Path) -> None:
    workload = Workload(HOSTILE, "splitter", 5)
    tally = Tally(workload, documents=3, lengths=Counter({7: 2, 5: 1}), digests=bytearray(b"\xff"))
    violation = Violation("join", HOSTILE, 3, True, HOSTILE)
    tally.unavoidable["join"].show(Example(workload, violation, HOSTILE, "123"))
    tally.unavoidable["join"].count = 9
    result = ShardResult(
        [tally], [Failure(workload, "raised", "1", ("a", HOSTILE))], texts=bytearray(b"text")
    )
    result.fitting.update({"prose": 10, "code": 10})
    with Journal(tmp_path / "journal.jsonl", HEADER, ShardResult) as journal:
        journal.append((0, 0, 0), "texts", result)
    with Journal(tmp_path / "journal.jsonl", HEADER, ShardResult) as journal:
        found = journal.find((0, 0, 0))
    assert found == ("texts", result)
    assert [*found[1].fitting] == ["prose", "code"]
    assert read_header(tmp_path) == HEADER


def test_records_are_found_in_the_order_of_their_places_and_a_torn_one_is_absent(
    tmp_path: Path,
) -> None:
    path = tmp_path / "journal.jsonl"
    with Journal(path, HEADER, Record) as journal:
        for place in [(0, 0, 1), (0, 0, 0), (0, 0, 3), (0, 0, 4)]:
            journal.append(place, "texts", Record(sum(place)))
    path.write_bytes(path.read_bytes()[:-9])
    with Journal(path, HEADER, Record) as journal:
        assert journal.find((0, 0, 0)) == ("texts", Record(0))
        assert journal.find((0, 0, 1)) == ("texts", Record(1))
        assert journal.find((0, 0, 2)) is None
        journal.append((0, 0, 2), "texts", Record(2))
        assert journal.find((0, 0, 3)) == ("texts", Record(3))
        assert journal.find((0, 0, 4)) is None
        for place in [(1, 0, 1), (1, 0, 0)]:
            assert journal.find(place) is None
            journal.append(place, "texts", Record(sum(place)))
    with Journal(path, HEADER, Record) as journal:
        assert journal.find((0, 0, 2)) == ("texts", Record(2))
        assert journal.find((0, 0, 4)) is None
        assert journal.find((1, 0, 0)) == ("texts", Record(1))
        assert journal.find((1, 0, 1)) == ("texts", Record(2))


def test_a_journal_of_nothing_is_removed(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal.jsonl", HEADER, Record):
        assert read_header(tmp_path) == HEADER
    assert list(tmp_path.iterdir()) == []


def test_a_journal_has_one_writer(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    path = tmp_path / "journal.jsonl"
    with Journal(path, HEADER, Record) as journal:
        journal.append((0,), "texts", Record(1))
        with pytest.raises(ResumeError, match="is being written by a check that still runs"):
            Journal(path, HEADER, Record)
        assert path.exists()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"python": "CPython 3.12"}, "Python is not the same .*: CPython 3.11 then, CPython 3.12"),
        ({"commit": "def"}, "the commit is not the same .*: abc then, def now"),
        ({"dirty": True}, "the commit is not the same .*: abc then, abc with changes now"),
        ({"versions": {"segbench": "1"}}, "is not the same .*: 2 then, None now"),
        ({"installed": []}, "what is installed is not the same as before the interruption; "),
    ],
)
def test_another_environment_is_refused(changes: dict[str, object], said: str) -> None:
    with pytest.raises(ResumeError, match=said):
        HEADER.require(change(ENVIRONMENT, **changes))
    HEADER.require(change(ENVIRONMENT, started="later", cpu="another"))


def test_what_is_not_a_header_is_refused(tmp_path: Path) -> None:
    (tmp_path / "journal.jsonl").write_text("[]\n")
    with pytest.raises(ResumeError, match="does not say what was checked: Expected"):
        read_header(tmp_path)
