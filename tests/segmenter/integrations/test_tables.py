import duckdb
import pandas as pd
import polars as pl
import pytest

from segmenter import TextSegmenter
from segmenter.testing.faults import FAULTS

# None of them holds unpaired surrogates as text, but for pandas.
TEXTS = [
    fault.text
    for fault in FAULTS
    if fault.text and not any("\ud800" <= each <= "\udfff" for each in fault.text)
]
split = TextSegmenter(5).split


@pytest.fixture
def frame() -> pd.DataFrame:
    return pd.DataFrame({"id": range(len(TEXTS)), "text": TEXTS})


def test_segments_in_pandas_join(frame):
    segments = frame.assign(text=frame["text"].map(split)).explode("text")
    assert segments.groupby("id")["text"].sum().tolist() == TEXTS
    assert segments["text"].tolist() == [segment for text in TEXTS for segment in split(text)]


def test_segments_in_polars_join(frame):
    lists = pl.col("text").map_elements(split, return_dtype=pl.List(pl.String))
    segments = pl.DataFrame(frame.to_dict("list")).with_columns(lists).explode("text")
    joined = segments.group_by("id", maintain_order=True).agg(pl.col("text").str.join(""))
    assert joined["text"].to_list() == TEXTS


def test_segments_in_duckdb_join():
    database = duckdb.connect()
    database.create_function("segments", split, ["VARCHAR"], "VARCHAR[]")
    database.execute("CREATE TABLE texts (id INTEGER, text VARCHAR)")
    database.executemany("INSERT INTO texts VALUES (?, ?)", list(enumerate(TEXTS)))
    lists = database.execute("SELECT segments(text) FROM texts ORDER BY id").fetchall()
    assert [segments for (segments,) in lists] == [split(text) for text in TEXTS]
