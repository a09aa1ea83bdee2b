"""How a column reads what it shows."""

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from harness.report.columns import Column, Table, words
from harness.report.tables import advise_separators, cuts, structures
from harness.results.folder import read_run, write_run
from harness.results.model import CutCount, LineEnds, Run, Workload
from tests.harness.report.test_report import CHECKED


@dataclass
class Made:
    size: int
    inner: dict[str, int]


RECORDS = [Made(1_234, {"a.b": 1}), Made(0, {"c": 2})]


def test_a_column_reads_an_attribute_a_key_or_what_a_function_gives() -> None:
    columns = [
        Column("size", "size", "{:,}".format),
        Column("double", lambda made: 2 * made.size),
        words("c", lambda made: "yes" if "c" in made.inner else None),
    ]
    table = Table("Made", columns, RECORDS)
    assert table.rows == [[1_234, 2_468, None], [0, 0, "yes"]]
    assert table.cells == [["1,234", "2468", "–"], ["0", "0", "yes"]]


def test_a_name_leads_through_attributes_and_keys() -> None:
    assert Column("c", "made.inner.c").read({"made": RECORDS[1]}) == 2
    with pytest.raises(KeyError):
        Column("c", "made.inner.c").read({"made": RECORDS[0]})


def test_keys_may_be_missing_and_may_hold_dots() -> None:
    records = [{"than": {"a.b": {20: 1.5}}}, {"than": {}}, {}]
    column = Column("ratio", ("than", "a.b", 20))
    assert [column.read(record) for record in records] == [1.5, None, None]


def test_a_column_of_words_reads_what_its_title_names() -> None:
    assert words("size").read(RECORDS[0]) == 1_234
    assert not words("size").numeric


def make_run(at_ends: int, *, other: int | None = None, **ends: object) -> Run:
    """So many of 100 boundaries at line ends, and of the segmenter with the list that fits."""
    held = {"code_points": 5_000, "line_ends": 100, "cr_lf": 0, "separators": "lines", **ends}
    own = {"segmenter": at_ends} | ({} if other is None else {"segmenter-lines": other})
    rows = []
    for splitter, number in own.items():
        workload = Workload("books", splitter, 500)
        for place, count in (("paragraph", 0), ("line", number), ("word", 100 - number)):
            rows.append(CutCount(workload, place, count))
        rows.append(CutCount(workload, structure="fence", of=8, cut=2))
    counts = [replace(CHECKED.counts[0], workload=Workload("books", s, 500)) for s in own]
    line_ends = [LineEnds("books", **held)]  # type: ignore[arg-type]
    return replace(CHECKED, counts=counts, cuts=rows, line_ends=line_ends, violations=[])


def test_shares_of_places_and_of_what_was_cut_are_shown() -> None:
    run = make_run(25)
    (row,) = cuts(run).cells
    assert row == ["500", "segmenter", "100", "25.0%", "0.0%", "25.0%", "75.0%"]
    (row,) = structures(run).cells
    assert row == ["books", "fence", "500", "segmenter", "8", "2", "25.0%"]


def test_a_run_folder_keeps_what_is_known_of_boundaries(tmp_path: Path) -> None:
    run = make_run(25)
    write_run(tmp_path, run)
    assert (read_run(tmp_path).cuts, read_run(tmp_path).line_ends) == (run.cuts, run.line_ends)


def test_other_separators_are_named_where_lines_would_fit() -> None:
    only = (
        "`books`: only 3.0% of the boundaries of `segmenter` at 500 are at line ends, though lines"
    )
    assert advise_separators(make_run(3)) == [
        f"{only} have 50 code points on average. Try `--separators lines`."
    ]
    assert advise_separators(make_run(3, other=99, cr_lf=80)) == [
        f"{only} have 50 code points on average and 80% of them end in CR LF. "
        "`segmenter-lines` has 99.0%."
    ]


@pytest.mark.parametrize(
    ("at_ends", "given"),
    [
        (50, {}),
        (3, {"other": 3}),
        (3, {"line_ends": 9}),
        (3, {"line_ends": 0}),
        (3, {"separators": "prose"}),
    ],
    ids=["enough", "no better", "lines too long", "no lines", "prose"],
)
def test_nothing_is_advised_without_a_reason(at_ends: int, given: dict) -> None:
    assert advise_separators(make_run(at_ends, **given)) == []
