import logging

import pytest

pytest.importorskip("haystack", reason="haystack-ai is not installed: make integrations")
from haystack import Document, Pipeline
from haystack.components.preprocessors import RecursiveDocumentSplitter

from segmenter import TextSegmenter
from segmenter.integrations.haystack import LosslessDocumentSplitter
from segmenter.testing.faults import FAULTS
from tests.segmenter.integrations.examples import run_examples

TEXT = "one two.\n\n    three na na na na\n"
CHUNKS = ["one two.\n\n", "    three ", "na na na ", "na\n"]


def split(splitter: object, *documents: Document) -> list[Document]:
    return splitter.run(documents=list(documents))["documents"]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_documents_of_texts_that_lose_elsewhere_join_and_know_their_place(fault):
    if any("\ud800" <= each <= "\udfff" for each in fault.text):
        pytest.skip("a document of Haystack holds no unpaired surrogate")
    parts = split(LosslessDocumentSplitter(fault.max_chunk_length), Document(content=fault.text))
    contents = [part.content for part in parts]
    assert contents == TextSegmenter(fault.max_chunk_length).split(fault.text)
    for part in parts:
        assert fault.text.startswith(part.content, part.meta["split_idx_start"])


def test_documents_have_the_metadata_of_haystacks_own():
    document = Document(content="\fa b\f\fc d\fe", meta={"file": ["x"]})
    parts = split(LosslessDocumentSplitter(4), document)
    own = split(
        RecursiveDocumentSplitter(split_length=4, split_unit="char", separators=[" "]), document
    )
    assert set(own[0].meta) - set(parts[0].meta) == {"_split_overlap"}
    for part, number in zip(parts, range(len(parts)), strict=True):
        assert part.meta["source_id"] == part.meta["parent_id"] == document.id
        assert part.meta["split_id"] == number
        assert part.meta["file"] == ["x"]
        start = part.meta["split_idx_start"]
        first = start + len(part.content) - len(part.content.lstrip("\f"))
        assert part.meta["page_number"] == 1 + document.content.count("\f", 0, first)
    assert "".join(part.content for part in parts) == document.content
    parts[0].meta["file"].append("y")
    assert parts[1].meta["file"] == document.meta["file"] == ["x"]


def test_form_feeds_alone_are_on_the_page_they_start_on():
    (part,) = split(LosslessDocumentSplitter(4), Document(content="\f\f"))
    (own,) = split(
        RecursiveDocumentSplitter(split_length=4, split_unit="char", separators=[" "]),
        Document(content="\f\f"),
    )
    assert part.meta["page_number"] == own.meta["page_number"] == 1


def test_a_document_without_text_is_left_out_and_named(caplog):
    empty, none = Document(content=""), Document(meta={"n": 1})
    with caplog.at_level(logging.WARNING):
        assert split(LosslessDocumentSplitter(), empty, none) == []
    assert [record.getMessage() for record in caplog.records] == [
        f"document {each.id} has no text and is left out" for each in (empty, none)
    ]


def test_it_is_a_component_of_a_pipeline_and_comes_back_from_yaml():
    pipeline = Pipeline()
    pipeline.add_component("splitter", LosslessDocumentSplitter(10, [("\n", "x"), " "]))
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["segmenter.integrations.haystack"])
    ran = again.run({"splitter": {"documents": [Document(content=TEXT)]}})
    parts = ran["splitter"]["documents"]
    assert [part.content for part in parts] == TextSegmenter(
        10, separators=[("\n", "x"), " "]
    ).split(TEXT)
    assert [
        part.content for part in split(LosslessDocumentSplitter(10), Document(content=TEXT))
    ] == CHUNKS


def test_the_example_in_the_docs_holds():
    run_examples("Haystack")


def test_what_text_segmenter_refuses_is_refused():
    with pytest.raises(ValueError, match="max_chunk_length must be positive, not 0"):
        LosslessDocumentSplitter(0)
