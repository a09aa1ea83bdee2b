import datasets
import pytest

from segmenter.integrations.huggingface import segment_rows

TEXT = "one two.\n\n    three na na na na\n"


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
