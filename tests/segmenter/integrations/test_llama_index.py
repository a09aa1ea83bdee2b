import asyncio
import itertools

import pytest

pytest.importorskip(
    "llama_index.core", reason="llama-index-core is not installed: make integrations"
)
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import Document, MetadataMode, NodeRelationship, TextNode
from llama_index.core.utils import get_tokenizer

from segmenter import TextSegmenter
from segmenter.integrations.llama_index import LosslessNodeParser
from segmenter.testing.faults import FAULTS
from segmenter.tokens import TokenSegmenter
from tests.segmenter.integrations.examples import run_examples

TEXT = "one two.\n\n    three na na na na\n"
CHUNKS = ["one two.\n\n", "    three ", "na na na ", "na\n"]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_nodes_of_texts_that_lose_elsewhere_join_and_know_their_place(fault):
    if any("\ud800" <= each <= "\udfff" for each in fault.text):
        pytest.skip("a document of LlamaIndex holds no unpaired surrogate")
    parser = LosslessNodeParser(chunk_size=fault.max_chunk_length)
    nodes = parser.get_nodes_from_documents([Document(text=fault.text)])
    texts = [node.text for node in nodes]
    assert texts == TextSegmenter(fault.max_chunk_length).split(fault.text)
    assert [fault.text[node.start_char_idx : node.end_char_idx] for node in nodes] == texts
    assert "".join(texts) == fault.text


def test_a_repeated_text_is_not_looked_for():
    nodes = LosslessNodeParser(chunk_size=2).get_nodes_from_documents([Document(text="aaaaa")])
    assert [(n.start_char_idx, n.end_char_idx) for n in nodes] == [(0, 2), (2, 4), (4, 5)]


def test_nodes_have_the_relationships_and_the_metadata_of_the_others():
    documents = [
        Document(text=TEXT, id_="a", metadata={"n": 1}, excluded_embed_metadata_keys=["n"]),
        Document(text="short", id_="b"),
        Document(text="", id_="c"),
    ]
    nodes = LosslessNodeParser(chunk_size=10).get_nodes_from_documents(documents)
    assert [node.text for node in nodes] == [*CHUNKS, "short"]
    others = SentenceSplitter(chunk_size=1_000).get_nodes_from_documents(documents)
    assert set(nodes[4].relationships) == set(others[1].relationships)
    assert [node.ref_doc_id for node in nodes] == ["a"] * 4 + ["b"]
    for first, second in itertools.pairwise(nodes[:4]):
        assert first.relationships[NodeRelationship.NEXT].node_id == second.node_id
        assert second.relationships[NodeRelationship.PREVIOUS].node_id == first.node_id
    assert NodeRelationship.PREVIOUS not in nodes[4].relationships
    assert [node.metadata for node in nodes] == [{"n": 1}] * 4 + [{}]
    assert nodes[1].get_content(metadata_mode=MetadataMode.EMBED) == CHUNKS[1]


def test_it_is_a_step_of_a_pipeline_and_comes_back_from_json():
    parser = LosslessNodeParser(
        chunk_size=10, separators=[("\n", "a"), " "], include_metadata=False
    )
    again = LosslessNodeParser.from_json(parser.to_json())
    assert again.separators == (("\n", "a"), " ")
    assert (again.chunk_size, again.include_metadata) == (10, False)
    assert again.split_text("some text that is long") == parser.split_text("some text that is long")
    pipeline = IngestionPipeline(transformations=[LosslessNodeParser(chunk_size=10)])
    assert [node.text for node in pipeline.run(documents=[Document(text=TEXT)])] == CHUNKS
    nodes = asyncio.run(pipeline.arun(documents=[Document(text=TEXT + "!")]))
    assert "".join(node.text for node in nodes) == TEXT + "!"


def test_a_node_can_be_parsed_again():
    nodes = LosslessNodeParser(chunk_size=10)([TextNode(text=TEXT)])
    parts = LosslessNodeParser(chunk_size=4)(nodes)
    assert "".join(part.text for part in parts) == TEXT
    assert all(len(part.text) <= 4 for part in parts)


def test_a_function_for_ids_that_is_not_known_is_not_guessed():
    written = LosslessNodeParser(id_func=lambda number, node: str(number)).to_dict()
    with pytest.raises(ValueError, match="id_func"):
        LosslessNodeParser.from_dict(written)


def test_a_limit_in_tokens_of_tiktoken_holds():
    encode = get_tokenizer()  # LlamaIndex ships what tiktoken would download

    def count(text: str) -> int:
        return len(encode(text))

    for limit in (4, 32):
        for text in (*(fault.text for fault in FAULTS if len(fault.text) < 5_000), TEXT * 20):
            if any("\ud800" <= each <= "\udfff" for each in text):
                continue  # it is no text to tiktoken
            segments = TokenSegmenter(limit, count).split(text)
            assert "".join(segments) == text
            assert all(count(segment) <= limit or len(segment) == 1 for segment in segments)


def test_the_example_in_the_docs_holds():
    run_examples("LlamaIndex")


def test_what_text_segmenter_refuses_is_refused():
    with pytest.raises(ValueError, match="max_chunk_length must be positive, not 0"):
        LosslessNodeParser(chunk_size=0)
    with pytest.raises(ValueError, match="a separator must not be empty"):
        LosslessNodeParser(separators=[""])
