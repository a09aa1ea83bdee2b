"""Other projects' splitters, each with its limit in characters unless it says otherwise.

Factories: called with a limit, and options as keyword arguments of what they make, they give a
function that splits a text. Those whose names end in ``offsets`` give a function of (segment,
start, end) triples instead, as the splitter says where its segments lie. Each imports its package
when it is called; standard library only beside it.
"""

from collections.abc import Callable
from typing import Any

SplitFunction = Callable[[str], list[str]]
OffsetsFunction = Callable[[str], list[tuple[str, int, int]]]


def fixed(max_chunk_length: int) -> SplitFunction:
    """Slices of the limit's length: the floor."""
    return lambda text: [
        text[start : start + max_chunk_length] for start in range(0, len(text), max_chunk_length)
    ]


def semantic_text_splitter(max_chunk_length: int, **options: Any) -> SplitFunction:
    from semantic_text_splitter import TextSplitter

    chunks: SplitFunction = TextSplitter(max_chunk_length, **options).chunks
    return chunks


def semantic_text_splitter_offsets(max_chunk_length: int, **options: Any) -> OffsetsFunction:
    """It gives where a chunk starts, in characters."""
    from semantic_text_splitter import TextSplitter

    splitter = TextSplitter(max_chunk_length, **options)
    return lambda text: [
        (chunk, start, start + len(chunk)) for start, chunk in splitter.chunk_indices(text)
    ]


def chonkie(max_chunk_length: int, *, chunker: str, **options: Any) -> SplitFunction:
    """One of chonkie's chunkers, by its class name."""
    chunk = _make_chonkie(max_chunk_length, chunker, options)
    return lambda text: [found.text for found in chunk(text)]


def chonkie_offsets(max_chunk_length: int, *, chunker: str, **options: Any) -> OffsetsFunction:
    chunk = _make_chonkie(max_chunk_length, chunker, options)
    return lambda text: [(found.text, found.start_index, found.end_index) for found in chunk(text)]


def _make_chonkie(
    max_chunk_length: int, chunker: str, options: dict[str, Any]
) -> Callable[[str], Any]:
    import chonkie

    made = getattr(chonkie, chunker)(tokenizer="character", chunk_size=max_chunk_length, **options)
    chunk: Callable[[str], Any] = made.chunk
    return chunk


def chonkie_core(max_chunk_length: int) -> SplitFunction:
    """Chonkie's compiled chunker, whose limit and cuts count bytes of UTF-8.

    A cut within a character shows as a surrogate for each byte.
    """
    from chonkie_core import chunk_offsets

    def split(text: str) -> list[str]:
        content = text.encode("utf-8")
        return [
            content[start:end].decode("utf-8", "surrogateescape")
            for start, end in chunk_offsets(content, size=max_chunk_length)
        ]

    return split


def semchunk(max_chunk_length: int, **options: Any) -> SplitFunction:
    from semchunk import chunkerify

    chunker = chunkerify(len, max_chunk_length, **options)
    return lambda text: list(chunker(text))


def semchunk_offsets(max_chunk_length: int, **options: Any) -> OffsetsFunction:
    from semchunk import chunkerify

    chunker = chunkerify(len, max_chunk_length, **options)

    def locate(text: str) -> list[tuple[str, int, int]]:
        chunks, offsets = chunker(text, offsets=True)
        return [(chunk, *place) for chunk, place in zip(chunks, offsets, strict=True)]

    return locate


def haystack(max_chunk_length: int, **options: Any) -> SplitFunction:
    run = _make_haystack(max_chunk_length, options)
    return lambda text: [document.content for document in run(text)]


def haystack_offsets(max_chunk_length: int, **options: Any) -> OffsetsFunction:
    """It gives where a chunk starts, in its metadata."""
    run = _make_haystack(max_chunk_length, options)

    def locate(text: str) -> list[tuple[str, int, int]]:
        found = [(document.content, document.meta["split_idx_start"]) for document in run(text)]
        return [(content, start, start + len(content)) for content, start in found]

    return locate


def _make_haystack(max_chunk_length: int, options: dict[str, Any]) -> Callable[[str], Any]:
    from haystack import Document
    from haystack.components.preprocessors import RecursiveDocumentSplitter

    splitter = RecursiveDocumentSplitter(
        split_unit="char", split_length=max_chunk_length, **options
    )
    splitter.warm_up()
    return lambda text: splitter.run([Document(content=text)])["documents"]


def llama_index(max_chunk_length: int, *, parser: str, **options: Any) -> SplitFunction:
    """One of LlamaIndex's text splitters, by its class name; each character counts as a token."""
    split: SplitFunction = _make_llama_index(max_chunk_length, parser, options).split_text
    return split


def llama_index_offsets(max_chunk_length: int, *, parser: str, **options: Any) -> OffsetsFunction:
    """Its nodes carry offsets."""
    splitter = _make_llama_index(max_chunk_length, parser, options)
    from llama_index.core import Document

    def locate(text: str) -> list[tuple[str, int, int]]:
        nodes = splitter.get_nodes_from_documents([Document(text=text)])
        return [(node.text, node.start_char_idx, node.end_char_idx) for node in nodes]

    return locate


def _make_llama_index(max_chunk_length: int, parser: str, options: dict[str, Any]) -> Any:
    from llama_index.core import node_parser

    return getattr(node_parser, parser)(
        chunk_size=max_chunk_length,
        chunk_overlap=0,
        tokenizer=list,
        include_metadata=False,
        **options,
    )


def agno(max_chunk_length: int, *, strategy: str) -> SplitFunction:
    """One of agno's chunking strategies, as ``module.Class`` below ``agno.knowledge.chunking``."""
    from importlib import import_module

    from agno.knowledge.document.base import Document

    module, _, name = strategy.partition(".")
    made = getattr(import_module(f"agno.knowledge.chunking.{module}"), name)
    chunk = made(chunk_size=max_chunk_length, overlap=0).chunk
    return lambda text: [document.content for document in chunk(Document(content=text))]


def unstructured(max_chunk_length: int) -> SplitFunction:
    """Basic chunking of a text that is one element."""
    from unstructured.chunking.basic import chunk_elements
    from unstructured.documents.elements import Text

    return lambda text: [
        element.text
        for element in chunk_elements([Text(text)], max_characters=max_chunk_length, overlap=0)
    ]


def kreuzberg(max_chunk_length: int) -> SplitFunction:
    """It extracts text from a plain text file in UTF-8, and chunks that."""
    extract = _make_kreuzberg(max_chunk_length)
    return lambda text: [chunk.content for chunk in extract(text)]


def kreuzberg_offsets(max_chunk_length: int) -> OffsetsFunction:
    """It gives offsets in bytes of what it extracted; they are turned into those of characters."""
    extract = _make_kreuzberg(max_chunk_length)

    def locate(text: str) -> list[tuple[str, int, int]]:
        content = text.encode("utf-8")
        return [
            (
                chunk.content,
                *(
                    len(content[: chunk.metadata[end]].decode("utf-8", "replace"))
                    for end in ("byte_start", "byte_end")
                ),
            )
            for chunk in extract(text)
        ]

    return locate


def _make_kreuzberg(max_chunk_length: int) -> Callable[[str], Any]:
    from kreuzberg import ChunkingConfig, ExtractionConfig, extract_bytes_sync

    chunking = ChunkingConfig(max_chars=max_chunk_length, max_overlap=0)
    config = ExtractionConfig(chunking=chunking)
    return lambda text: (
        extract_bytes_sync(text.encode("utf-8"), "text/plain", config=config).chunks or []
    )


def chunkipy(max_chunk_length: int, *, chunker: str) -> SplitFunction:
    """One of chunkipy's chunkers, by its class name, with its estimator that counts characters."""
    import chunkipy as package
    from chunkipy.size_estimators.char_size_estimator import CharSizeEstimator

    made = getattr(package, chunker)(
        chunk_size=max_chunk_length, size_estimator=CharSizeEstimator()
    )
    return lambda text: [chunk.text for chunk in made.chunk(text)]


def tinychunk(max_chunk_length: int, **options: Any) -> SplitFunction:
    from tinychunk import chunk

    return lambda text: list(chunk(text, max_chunk_length, **options))


def tinychunk_offsets(max_chunk_length: int, **options: Any) -> OffsetsFunction:
    from tinychunk import chunk

    return lambda text: [
        (found.text, found.start, found.end)
        for found in chunk(text, max_chunk_length, with_metadata=True, **options)
    ]


def memmachine(max_chunk_length: int, *, passthrough: bool = False) -> SplitFunction:
    """MemMachine's own TextSegmenter, or its PassthroughSegmenter, which knows no limit."""
    import asyncio
    from datetime import UTC, datetime
    from importlib import import_module
    from uuid import uuid4

    home = "memmachine_server.episodic_memory.event_memory"
    types = import_module(f"{home}.data_types")
    if passthrough:
        module = import_module(f"{home}.segmenter.passthrough_segmenter")
        segmenter = module.PassthroughSegmenter()
    else:
        module = import_module(f"{home}.segmenter.text_segmenter")
        segmenter = module.TextSegmenter(max_chunk_length=max_chunk_length)
    now = datetime.now(UTC)
    loop = asyncio.new_event_loop()

    def split(text: str) -> list[str]:
        event = types.Event(uuid=uuid4(), timestamp=now, blocks=[types.TextBlock(text=text)])
        segments = loop.run_until_complete(segmenter.segment(event))
        return [segment.block.text for segment in segments]

    return split


def tell_offset_faults(
    max_chunk_length: int, *, factory: str, options: dict[str, Any]
) -> SplitFunction:
    """A splitter of a text that gives a line for each segment whose offsets are wrong.

    It also gives one for a text without any offsets. ``factory`` and ``options`` are those of a
    factory whose name ends in ``offsets``.
    """
    from segmenter.testing.factories import make_split

    locate: Any = make_split(factory, options, max_chunk_length)

    def split(text: str) -> list[str]:
        located = locate(text)
        if not located:
            return [f"none for {text[:40]!r}"]
        return [
            f"{start}:{end} is {text[start:end][:40]!r}, the segment {segment[:40]!r}"
            for segment, start, end in located
            if start is None or end is None or text[start:end] != segment
        ]

    return split
