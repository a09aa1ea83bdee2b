"""LangChain's splitters, and two corrections of what the recursive one does to whitespace.

Factories like those in `harness.splitters.adapters.third_party`; without overlap by default.
"""

import json
import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.splitters.adapters.third_party import OffsetsFunction, SplitFunction
from segmenter import SEPARATORS

if TYPE_CHECKING:
    from langchain_text_splitters import RecursiveCharacterTextSplitter


_SEPARATORS = {"memmachine": SEPARATORS}
_HEADERS = 3  # levels of headers at which documents are cut


def recursive(max_chunk_length: int, **options: Any) -> SplitFunction:
    """RecursiveCharacterTextSplitter without overlap, all else as it is by default.

    ``options`` are its keyword arguments, but that ``separators="memmachine"`` names those of
    MemMachine.
    """
    return _make_recursive(max_chunk_length, **options).split_text


def recursive_offsets(max_chunk_length: int, **options: Any) -> OffsetsFunction:
    """Where ``recursive`` says its chunks start, with ``add_start_index``."""
    splitter = _make_recursive(max_chunk_length, add_start_index=True, **options)

    def locate(text: str) -> list[tuple[str, int, int]]:
        found = [
            (d.page_content, d.metadata["start_index"]) for d in splitter.create_documents([text])
        ]
        return [(content, start, start + len(content)) for content, start in found]

    return locate


def _make_recursive(
    max_chunk_length: int, *, separators: str | None = None, **options: Any
) -> "RecursiveCharacterTextSplitter":
    from langchain_text_splitters import RecursiveCharacterTextSplitter  # slow, and optional

    if separators is not None:
        options["separators"] = [*_SEPARATORS[separators], ""]
    return RecursiveCharacterTextSplitter(chunk_size=max_chunk_length, chunk_overlap=0, **options)


def recursive_of_old(max_chunk_length: int) -> SplitFunction:
    """RecursiveCharacterTextSplitter of the package ``langchain`` before it was split up.

    With its own separators: 0.0.200 takes others for regular expressions.
    """
    from langchain.text_splitter import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(chunk_size=max_chunk_length, chunk_overlap=0)
    split: SplitFunction = splitter.split_text
    return split


def by_class(
    max_chunk_length: int,
    *,
    splitter: str,
    chunk_overlap: int = 0,
    overlap_share: float = 0.0,
    **options: Any,
) -> SplitFunction:
    """A splitter by its class name, whose separators are its own.

    Its chunks overlap by ``chunk_overlap``, or by a share of the limit.
    """
    import langchain_text_splitters

    _find_data()
    made = getattr(langchain_text_splitters, splitter)(
        chunk_size=max_chunk_length,
        chunk_overlap=chunk_overlap or int(overlap_share * max_chunk_length),
        **options,
    )
    split: SplitFunction = made.split_text
    return split


def of_language(max_chunk_length: int, *, language: str) -> SplitFunction:
    """``RecursiveCharacterTextSplitter.from_language``."""
    from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter.from_language(
        Language(language), chunk_size=max_chunk_length, chunk_overlap=0
    )
    return splitter.split_text


def by_tiktoken(max_chunk_length: int, *, encoding_name: str) -> SplitFunction:
    """``RecursiveCharacterTextSplitter.from_tiktoken_encoder``; the limit counts tokens."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    _find_data()
    splitter = RecursiveCharacterTextSplitter.from_tiktoken_encoder(
        encoding_name, chunk_size=max_chunk_length, chunk_overlap=0
    )
    return splitter.split_text


def by_huggingface(max_chunk_length: int) -> SplitFunction:
    """``RecursiveCharacterTextSplitter.from_huggingface_tokenizer``; the limit counts tokens.

    The tokenizer knows no word, and takes each run of word characters, and of others that are not
    whitespace, for one token.
    """
    from langchain_text_splitters import RecursiveCharacterTextSplitter
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = Tokenizer(models.WordLevel({"?": 0}, unk_token="?"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, unk_token="?")
    splitter = RecursiveCharacterTextSplitter.from_huggingface_tokenizer(
        tokenizer, chunk_size=max_chunk_length, chunk_overlap=0
    )
    return splitter.split_text


def of_documents(
    max_chunk_length: int, *, splitter: str, headers: str = "", **options: Any
) -> SplitFunction:
    """A splitter that makes documents, by its class name; its segments are their page contents.

    ``headers`` is ``#`` or ``h``, for those that are told at which headers to cut. The limit is
    told to those that take one as ``max_chunk_size``.
    """
    import langchain_text_splitters

    marks = [
        (headers * level if headers == "#" else f"{headers}{level}", f"header {level}")
        for level in range(1, _HEADERS + 1)
    ]
    options = {
        name: max_chunk_length if name == "max_chunk_size" else value
        for name, value in options.items()
    }
    made = getattr(langchain_text_splitters, splitter)(*([marks] if headers else []), **options)
    return lambda text: [document.page_content for document in made.split_text(text)]


def of_json(max_chunk_length: int) -> SplitFunction:
    """RecursiveJsonSplitter; a text that is not JSON is its only value."""
    from langchain_text_splitters import RecursiveJsonSplitter

    splitter = RecursiveJsonSplitter(max_chunk_size=max_chunk_length)

    def split(text: str) -> list[str]:
        try:
            value = json.loads(text)
        except ValueError:
            value = text
        data = value if isinstance(value, dict) else {"text": value}
        return splitter.split_text(data, ensure_ascii=False)

    return split


def _find_data() -> None:
    """Let tiktoken and NLTK find the data that the package ``llama-index-core`` ships.

    They would fetch them otherwise.
    """
    spec = find_spec("llama_index")
    for place in (spec and spec.submodule_search_locations) or ():
        shipped = Path(place, "core", "_static")
        if shipped.is_dir():
            os.environ["TIKTOKEN_CACHE_DIR"] = str(shipped / "tiktoken_cache")
            os.environ["NLTK_DATA"] = str(shipped / "nltk_cache")


def moved(max_chunk_length: int, **options: Any) -> SplitFunction:
    """``recursive``, then each chunk's leading whitespace goes to the end of the one before it."""
    split = recursive(max_chunk_length, **options)
    return lambda text: move_leading_whitespace(split(text))


def moved_rule(max_chunk_length: int, **options: Any) -> SplitFunction:
    """``recursive``, then each boundary moves to the cut of the whitespace run it touches."""
    split = recursive(max_chunk_length, **options)
    return lambda text: move_to_cuts(split(text))


def move_leading_whitespace(chunks: list[str]) -> list[str]:
    """Give each chunk's leading whitespace to the chunk before it; emptied chunks are dropped."""
    text = "".join(chunks)
    starts = [0]
    end = 0
    for chunk in chunks:
        content = chunk.lstrip()
        if content and end:
            starts.append(end + len(chunk) - len(content))
        end += len(chunk)
    return _cut_at(text, starts)


def move_to_cuts(chunks: list[str]) -> list[str]:
    """Move each boundary that touches whitespace to the cut of its whitespace run.

    That is after the run's last newline, or at the run's end if it has none; boundaries in the
    text's leading and trailing whitespace go.
    """
    text = "".join(chunks)
    starts = [0]
    end = content_end = 0
    for chunk in chunks:
        content = chunk.lstrip()
        if content:
            start = end + len(chunk) - len(content)
            if content_end:
                newline = text.rfind("\n", content_end, start)
                starts.append(newline + 1 if newline >= 0 else start)
            content_end = end + len(chunk.rstrip())
        end += len(chunk)
    return _cut_at(text, starts)


def _cut_at(text: str, starts: list[int]) -> list[str]:
    """The pieces of ``text`` that begin at ``starts``; empty ones are dropped."""
    ends = [*starts[1:], len(text)]
    return [text[start:end] for start, end in zip(starts, ends, strict=True) if start < end]
