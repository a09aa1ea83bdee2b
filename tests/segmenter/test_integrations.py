import datasets
import pytest
from langchain_core.documents import Document

from segmenter.integrations.huggingface import segment_rows
from segmenter.integrations.langchain import SegmentTextSplitter

TEXT = "one two.\n\n    three na na na na\n"


def test_chunks_of_the_langchain_splitter_join_back():
    chunks = SegmentTextSplitter(10).split_text(TEXT)
    assert chunks == ["one two.\n\n", "    three ", "na na na ", "na\n"]


def test_langchain_documents_carry_metadata_and_the_place_of_their_chunk():
    splitter = SegmentTextSplitter(3, separators=[" "], add_start_index=True)
    parts = splitter.split_documents([Document("na na na", metadata={"source": "song"})])
    assert [(part.page_content, part.metadata) for part in parts] == [
        ("na ", {"source": "song", "start_index": 0}),
        ("na ", {"source": "song", "start_index": 3}),
        ("na", {"source": "song", "start_index": 6}),
    ]


def test_the_langchain_splitter_refuses_a_limit_as_the_segmenter_does():
    with pytest.raises(ValueError, match="max_chunk_length must be positive"):
        SegmentTextSplitter(0)


def test_a_data_set_gets_a_row_a_segment():
    rows = datasets.Dataset.from_dict({"id": ["a", "b", "c"], "text": [TEXT, "", "short"]})
    segments = rows.map(segment_rows("text", 10), batched=True)
    assert segments.to_dict() == {
        "id": ["a", "a", "a", "a", "c"],
        "text": ["one two.\n\n", "    three ", "na na na ", "na\n", "short"],
        "start": [0, 10, 20, 29, 0],
        "end": [10, 20, 29, 32, 5],
    }


@pytest.mark.parametrize(
    ("columns", "taken"),
    [(["start"], "start"), (["end", "id"], "end"), (["end", "start"], "start and end")],
)
def test_a_column_that_would_be_written_over_is_refused(columns, taken):
    batch = {"text": ["a b"], **{name: [7] for name in columns}}
    with pytest.raises(ValueError, match=f"^the data set has {taken} already; rename that [^\n]*$"):
        segment_rows("text")(batch)
    with pytest.raises(ValueError, match="has start already"):
        segment_rows("start")({"start": ["a b"]})


def test_a_row_that_is_no_batch_is_refused():
    rows = datasets.Dataset.from_dict({"text": [TEXT]})
    with pytest.raises(TypeError, match="text is one text, not a batch of them; map with batched"):
        rows.map(segment_rows("text", 10))


def make_rows() -> datasets.Dataset:
    return datasets.Dataset.from_dict({"id": [1, 2], "text": ["na na", "so"]})


@pytest.mark.parametrize(
    ("name", "library"),
    [
        ("arrow", "pyarrow"),
        ("numpy", "numpy"),
        ("pandas", "pandas"),
        ("polars", "polars"),
        ("torch", "torch"),
    ],
)
def test_a_data_set_may_be_in_any_format(name, library):
    pytest.importorskip(library)
    segments = make_rows().with_format(name).map(segment_rows("text", 3), batched=True)
    assert segments.with_format(None).to_dict() == {
        "id": [1, 1, 2],
        "text": ["na ", "na", "so"],
        "start": [0, 3, 0],
        "end": [3, 5, 2],
    }


@pytest.mark.parametrize("columns", ["text", ["text", "id"]])
def test_columns_without_names_are_refused(columns):
    with pytest.raises(
        TypeError, match=r"^columns came without their names; map without input_col"
    ):
        make_rows().map(segment_rows("text"), batched=True, input_columns=columns)


def test_columns_are_dropped_by_the_data_set():
    rows = make_rows().remove_columns("id").map(segment_rows("text"), batched=True)
    assert rows.column_names == ["text", "start", "end"]


def test_a_column_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(KeyError, match="the data set has no column 'txet' but id, text"):
        make_rows().map(segment_rows("txet"), batched=True)


@pytest.mark.parametrize(("value", "kind"), [(None, "None"), (5, "int")])
def test_a_row_without_text_is_named(value, kind):
    with pytest.raises(
        TypeError, match=f"row 1 of the batch has no text in 'text' but {kind}; filter such rows"
    ):
        segment_rows("text")({"text": ["a", value]})


def test_the_langchain_splitter_takes_no_option_that_it_does_not_have():
    with pytest.raises(TypeError, match="seperators"):
        SegmentTextSplitter(10).split_text(TEXT, seperators=["-"])
