import itertools

import datasets
import pytest

from segmenter.integrations.huggingface import join_rows, segment_rows
from segmenter.testing.faults import FAULTS

TEXT = "one two.\n\n    three na na na na\n"


def test_a_data_set_gets_a_row_a_segment():
    rows = datasets.Dataset.from_dict({"id": ["a", "b", "c"], "text": [TEXT, "", "short"]})
    segments = rows.map(segment_rows("text", 10), batched=True)
    assert segments.to_dict() == {
        "id": ["a", "a", "a", "a", "c"],
        "text": ["one two.\n\n", "    three ", "na na na ", "na\n", "short"],
        "segment_index": [0, 1, 2, 3, 0],
        "start": [0, 10, 20, 29, 0],
        "end": [10, 20, 29, 32, 5],
    }


@pytest.mark.parametrize(
    ("columns", "taken"),
    [
        (["start"], "start"),
        (["end", "id"], "end"),
        (["end", "start"], "start and end"),
        (["segment_index"], "segment_index"),
    ],
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
    segments = (
        make_rows().with_format(name).map(segment_rows("text", 3), batched=True, with_indices=True)
    )
    assert segments.with_format(None).to_dict() == {
        "id": [1, 1, 2],
        "text": ["na ", "na", "so"],
        "row": [0, 0, 1],
        "segment_index": [0, 1, 0],
        "start": [0, 3, 0],
        "end": [3, 5, 2],
    }
    if name in ("numpy", "torch"):  # a row of theirs is a mapping; its numbers are arrays
        joined = list(join_rows(segments, "text"))
        assert [(int(row["id"]), row["text"]) for row in joined] == [(1, "na na"), (2, "so")]


def make_faults() -> datasets.Dataset:
    """The texts that lose elsewhere, and one that is repeated, as rows with other columns."""
    texts = [fault.text for fault in FAULTS]  # but Arrow holds no unpaired surrogates
    texts = [text for text in texts if not any("\ud800" <= each <= "\udfff" for each in text)]
    texts += [TEXT, TEXT, "", TEXT]
    return datasets.Dataset.from_dict(
        {"name": [{"n": str(number)} for number in range(len(texts))], "text": texts}
    )


SPLIT = {"function": segment_rows("text", 5), "batched": True, "with_indices": True}


@pytest.mark.parametrize("processes", [None, 2])
def test_joined_rows_are_the_rows(processes):
    rows = make_faults()
    segments = rows.map(**SPLIT, batch_size=7, num_proc=processes)
    assert len(segments) > len(rows)
    back = datasets.Dataset.from_generator(
        join_rows, gen_kwargs={"rows": segments, "column": "text"}, features=rows.features
    )
    assert back.to_list() == [row for row in rows if row["text"]]
    joined = itertools.groupby(segments, key=lambda row: row["row"])
    texts = {number: "".join(part["text"] for part in parts) for number, parts in joined}
    assert texts == {number: text for number, text in enumerate(rows["text"]) if text}


def test_a_streamed_data_set_is_segmented_and_joined_as_it_comes():
    read = 0

    def count(row):
        nonlocal read
        read += 1
        return row

    rows = make_faults().to_iterable_dataset().map(count)
    joined = join_rows(rows.map(**SPLIT, batch_size=2), "text")
    assert next(joined) == make_faults()[0]
    assert read <= 6
    assert list(joined) == [row for row in make_faults() if row["text"]][1:]


def test_segments_can_be_joined_without_the_numbers_of_their_rows():
    segments = make_rows().map(segment_rows("text", 3), batched=True)
    assert list(join_rows(segments, "text")) == make_rows().to_list()
    assert list(join_rows([], "text")) == []


@pytest.mark.parametrize("kept", [[1, 2], [0, 2], [1, 0, 2], [0, 1, 1]])
def test_segments_out_of_order_or_left_out_are_not_joined(kept):
    segments = datasets.Dataset.from_dict({"text": ["a b c"]}).map(
        **SPLIT | {"function": segment_rows("text", 2)}
    )
    chosen = [segments[number] for number in kept]
    with pytest.raises(
        ValueError, match=r"^row \d holds segment \d, from \d, which does not follow"
    ):
        list(join_rows(chosen, "text"))


def test_segments_that_were_changed_are_not_joined():
    segments = make_rows().map(segment_rows("text", 3), batched=True)
    stripped = segments.map(lambda row: {"text": row["text"].strip()})
    with pytest.raises(
        ValueError, match=r"^row 0 holds 2 characters in 'text', but its place is 0"
    ):
        list(join_rows(stripped, "text"))


def test_rows_that_are_not_segments_are_not_joined():
    with pytest.raises(KeyError, match="the rows have no column 'segment_index' but id, text"):
        list(join_rows(make_rows(), "text"))


@pytest.mark.parametrize("columns", ["text", ["text", "id"]])
def test_columns_without_names_are_refused(columns):
    with pytest.raises(
        TypeError, match=r"^columns came without their names; map without input_col"
    ):
        make_rows().map(segment_rows("text"), batched=True, input_columns=columns)


def test_columns_are_dropped_by_the_data_set():
    rows = make_rows().remove_columns("id").map(segment_rows("text"), batched=True)
    assert rows.column_names == ["text", "segment_index", "start", "end"]


def test_a_column_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(KeyError, match="the data set has no column 'txet' but id, text"):
        make_rows().map(segment_rows("txet"), batched=True)


@pytest.mark.parametrize(("value", "kind"), [(None, "None"), (5, "int")])
def test_a_row_without_text_is_named(value, kind):
    with pytest.raises(
        TypeError, match=f"row 1 of the batch has no text in 'text' but {kind}; filter such rows"
    ):
        segment_rows("text")({"text": ["a", value]})
