"""How a column reads what it shows."""

from dataclasses import dataclass

import pytest

from harness.report.tables import Column, Table, words


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
