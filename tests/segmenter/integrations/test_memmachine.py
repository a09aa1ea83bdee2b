"""MemMachine's event memory with the segmenter in it: needs memmachine-server and Python 3.12."""

import asyncio
import hashlib
import json
import shutil
from datetime import UTC, datetime, timedelta
from importlib.metadata import distribution
from pathlib import Path
from uuid import uuid4

import pytest

pytest.importorskip(
    "memmachine_server", reason="memmachine-server is not installed: make integrations"
)
import nltk
from memmachine_server.common.embedder import Embedder
from memmachine_server.common.resource_manager.database_manager import enable_sqlite_foreign_keys
from memmachine_server.common.vector_store.data_types import VectorStoreCollectionConfig
from memmachine_server.common.vector_store.sqlite_vector_store import (
    SQLiteVectorStore,
    SQLiteVectorStoreParams,
)
from memmachine_server.common.vector_store.vector_search_engine.usearch_engine import (
    USearchVectorSearchEngine,
)
from memmachine_server.episodic_memory.event_memory import event_memory
from memmachine_server.episodic_memory.event_memory.data_types import (
    Event,
    FormatOptions,
    ProducerContext,
    Segment,
    TextBlock,
)
from memmachine_server.episodic_memory.event_memory.deriver import Deriver
from memmachine_server.episodic_memory.event_memory.deriver.text_deriver import (
    SentenceTextDeriver,
    WholeTextDeriver,
)
from memmachine_server.episodic_memory.event_memory.segment_store.data_types import (
    SegmentStorePartitionConfig,
)
from memmachine_server.episodic_memory.event_memory.segment_store.sqlalchemy_segment_store import (
    SQLAlchemySegmentStore,
    SQLAlchemySegmentStoreParams,
)
from memmachine_server.episodic_memory.event_memory.segmenter import text_segmenter
from sqlalchemy.ext.asyncio import create_async_engine

from segmenter import EventSegmenter, TextSegmenter
from segmenter.integrations.langchain import LosslessTextSplitter
from segmenter.testing.faults import FAULTS
from tests.segmenter.integrations.examples import run_examples

# SQLite keeps text as UTF-8; a query shows so many segments and no more.
TEXTS = [
    fault.text
    for fault in FAULTS
    if 0 < len(fault.text) < 5_000 and not any("\ud800" <= each <= "\udfff" for each in fault.text)
]
START = datetime(2026, 11, 30, tzinfo=UTC)


class Digests(Embedder):
    """Vectors that are the same for the same text, without a model."""

    @property
    def model_id(self) -> str:
        return "digests"

    @property
    def dimensions(self) -> int:
        return 16

    @property
    def similarity_metric(self) -> object:
        return VectorStoreCollectionConfig(vector_dimensions=16).similarity_metric

    async def _ingest_embed(self, inputs: list[str], max_attempts: int = 1) -> list[list[float]]:
        return [[byte + 1 for byte in hashlib.md5(each.encode()).digest()] for each in inputs]

    _search_embed = _ingest_embed


@pytest.fixture(params=["whole text", "sentences"])
def deriver(request, monkeypatch, tmp_path):
    """What MemMachine embeds of a segment."""
    if request.param == "whole text":
        return WholeTextDeriver()
    # llama-index-core ships the data of NLTK that MemMachine would download.
    data = distribution("llama-index-core").locate_file("llama_index/core/_static/nltk_cache")
    # NLTK refuses files with several links, as those that uv installs.
    shutil.copytree(str(data), tmp_path / "nltk")
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path / "nltk")])
    return SentenceTextDeriver()


async def remember(texts: list[str], limit: int, folder: Path, deriver: Deriver) -> str:
    """What a query of the event memory shows of events, each of which has one of the texts."""
    engine = create_async_engine(f"sqlite+aiosqlite:///{folder / 'memory.db'}")
    enable_sqlite_foreign_keys(engine)
    segments = SQLAlchemySegmentStore(SQLAlchemySegmentStoreParams(engine=engine))
    vectors = SQLiteVectorStore(
        SQLiteVectorStoreParams(
            sqlalchemy_engine=engine,
            vector_search_engine_factory=lambda size, metric: USearchVectorSearchEngine(
                num_dimensions=size, similarity_metric=metric
            ),
        )
    )
    await segments.startup()
    await vectors.startup()
    schema = event_memory.EventMemory.expected_vector_store_collection_schema()
    memory = event_memory.EventMemory(
        event_memory.EventMemoryParams(
            segment_store_partition=await segments.open_or_create_partition(
                "tests", SegmentStorePartitionConfig()
            ),
            vector_store_collection=await vectors.open_or_create_collection(
                namespace="tests",
                name="events",
                config=VectorStoreCollectionConfig(
                    vector_dimensions=16, indexed_properties_schema=schema
                ),
            ),
            segmenter=text_segmenter.TextSegmenter(limit),
            deriver=deriver,
            embedder=Digests(),
        )
    )
    await memory.encode_events(
        Event(
            uuid=uuid4(),
            timestamp=START + timedelta(minutes=number),
            context=ProducerContext(producer=str(number)),
            blocks=[TextBlock(text=text)],
        )
        for number, text in enumerate(texts)
    )
    found = await memory.query("anything", vector_search_limit=1, expand_context=100_000)
    shown = memory.string_from_query_result(
        found, format_options=FormatOptions(date_style=None, time_style=None)
    )
    await vectors.shutdown()
    await segments.shutdown()
    await engine.dispose()
    return shown


def test_event_memory_shows_each_text_exactly(tmp_path, monkeypatch, deriver):
    limit = 12
    expected = "\n".join(
        f"{number}: {json.dumps(text, ensure_ascii=False)}" for number, text in enumerate(TEXTS)
    )
    assert len(TEXTS) > 20
    (tmp_path / "before").mkdir()
    assert asyncio.run(remember(TEXTS, limit, tmp_path / "before", deriver)) != expected
    monkeypatch.setattr(text_segmenter, "RecursiveCharacterTextSplitter", LosslessTextSplitter)
    assert asyncio.run(remember(TEXTS, limit, tmp_path, deriver)) == expected


def test_its_segmenter_gives_our_segments(monkeypatch):
    monkeypatch.setattr(text_segmenter, "RecursiveCharacterTextSplitter", LosslessTextSplitter)
    event = Event(uuid=uuid4(), timestamp=START, blocks=[TextBlock(text=text) for text in TEXTS])
    segments = asyncio.run(text_segmenter.TextSegmenter(9).segment(event))
    for index, text in enumerate(TEXTS):
        own = [each for each in segments if each.index == index]
        assert [each.block.text for each in own] == TextSegmenter(9).split(text)
        assert [each.offset for each in own] == list(range(len(own)))


def test_the_segmenter_of_events_gives_its_segments():
    event = Event(uuid=uuid4(), timestamp=START, blocks=[TextBlock(text=text) for text in TEXTS])
    ours = EventSegmenter(TextSegmenter(9), block_type=TextBlock, segment_type=Segment)
    segments = asyncio.run(ours.segment(event))
    assert {type(each) for each in segments} == {Segment}
    for index, text in enumerate(TEXTS):
        own = [each.block.text for each in segments if each.index == index]
        assert own == TextSegmenter(9).split(text)


def test_the_example_in_the_docs_holds(monkeypatch):
    monkeypatch.setattr(text_segmenter, "RecursiveCharacterTextSplitter", LosslessTextSplitter)
    run_examples("MemMachine")
