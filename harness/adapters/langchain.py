"""LangChain's recursive splitter, and two ways to mend what it does to whitespace."""

from collections.abc import Callable
from typing import Any

from segmenter import SEPARATORS

Split = Callable[[str], list[str]]


def recursive(max_chunk_length: int, **options: Any) -> Split:
    """RecursiveCharacterTextSplitter with the segmenter's separators and no overlap.

    ``options`` are its keyword arguments.
    """
    from langchain_text_splitters import RecursiveCharacterTextSplitter  # slow, and optional

    splitter = RecursiveCharacterTextSplitter(
        separators=[*SEPARATORS, ""],
        chunk_size=max_chunk_length,
        chunk_overlap=0,
        **options,
    )
    return splitter.split_text


def moved(max_chunk_length: int, **options: Any) -> Split:
    """``recursive``, then each chunk's leading whitespace goes to the end of the one before it."""
    split = recursive(max_chunk_length, **options)
    return lambda text: move_leading_whitespace(split(text))


def moved_rule(max_chunk_length: int, **options: Any) -> Split:
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
    return cut(text, starts)


def move_to_cuts(chunks: list[str]) -> list[str]:
    """Move each boundary that touches whitespace to after the run's last newline, or to the
    run's end where it has none; boundaries in the text's leading and trailing whitespace go."""
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
    return cut(text, starts)


def cut(text: str, starts: list[int]) -> list[str]:
    """The pieces of ``text`` that begin at ``starts``; empty ones are dropped."""
    ends = [*starts[1:], len(text)]
    return [text[start:end] for start, end in zip(starts, ends, strict=True) if start < end]
