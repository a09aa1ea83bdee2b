"""The adapters: LangChain as the old segmenter had it, and the two ways to move whitespace."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_text_splitters import RecursiveCharacterTextSplitter

from harness.splitters.adapters import langchain
from harness.splitters.adapters.langchain import move_leading_whitespace, move_to_cuts
from harness.splitters.registry import load_splitter

SENTENCES = (
    "First sentence is here. Second sentence is right here. Third one ends it.\n\n"
    "New paragraph starts here and goes on."
)


def test_langchain_memmachine_strips_and_its_keep_does_not() -> None:
    stripped = load_splitter("langchain-memmachine").make(50)(SENTENCES)
    # The text that the pull request says these chunks rendered as.
    assert "".join(stripped) == (
        "First sentence is here.Second sentence is right here. Third one ends it."
        "New paragraph starts here and goes on."
    )
    kept = load_splitter("langchain-memmachine-keep").make(50)(SENTENCES)
    assert "".join(kept) == SENTENCES
    assert [chunk.strip() for chunk in kept if chunk.strip()] == stripped


def test_the_separators_are_those_of_the_rules() -> None:
    # As segmenter/SPEC.md lists them.
    separators = [
        *("\n\n", "],\n", "},\n", "),\n", "]\n", "}\n", ")\n", ",\n", "？\n", "?\n", "！\n"),
        *("!\n", "。\n", ".\n", "？", "? ", "！", "! ", "。", ". ", "; ", ": ", "—", "--"),
        *("，", "、", ", ", "\u200b", " ", ""),
    ]
    splitter = RecursiveCharacterTextSplitter(
        separators=separators, chunk_size=30, chunk_overlap=0, keep_separator="end"
    )
    text = f"def f(x, y):\n    return [\n        {SENTENCES!r},\n    ]\n。文、字？\n" * 5
    assert load_splitter("langchain-memmachine").make(30)(text) == splitter.split_text(text)
    split = langchain.recursive(30, separators="memmachine", keep_separator="start")
    assert split(text) != splitter.split_text(text)


@pytest.mark.parametrize(
    ("chunks", "moved"),
    [
        ([], []),
        (["a"], ["a"]),
        (["a", " b", "\n c "], ["a ", "b\n ", "c "]),
        (["a", " ", "\n ", " b"], ["a \n  ", "b"]),
        (["a", " ", "\n"], ["a \n"]),
        ([" ", " ", "a"], ["  ", "a"]),
        ([" a", "b"], [" a", "b"]),
        ([" "], [" "]),
    ],
)
def test_leading_whitespace_moves_to_the_chunk_before(chunks: list[str], moved: list[str]) -> None:
    assert move_leading_whitespace(chunks) == moved


@pytest.mark.parametrize(
    ("chunks", "moved"),
    [
        ([], []),
        (["a"], ["a"]),
        (["a", "b"], ["a", "b"]),
        (["a", " b", "\n c "], ["a ", "b\n", " c "]),
        (["a\n ", "b"], ["a\n", " b"]),
        (["a", " ", "\n\t", "\u00a0b"], ["a \n", "\t\u00a0b"]),
        (["a", " ", "\u3000", "b"], ["a \u3000", "b"]),
        ([" ", " ", "a", " ", " "], ["  a  "]),
        ([" ", "\n"], [" \n"]),
    ],
)
def test_boundaries_move_to_the_runs_cut(chunks: list[str], moved: list[str]) -> None:
    assert move_to_cuts(chunks) == moved


chunk_lists = st.lists(st.text(alphabet="ab \n\t", min_size=1, max_size=5), max_size=8)


@settings(derandomize=True, max_examples=500, deadline=None)
@given(chunk_lists)
def test_moving_loses_nothing_and_is_what_it_says(chunks: list[str]) -> None:
    moved = move_leading_whitespace(chunks)
    expected: list[str] = []
    for chunk in chunks:  # one chunk after the other, as it is told
        content = chunk.lstrip() if expected else chunk
        if expected:
            expected[-1] += chunk[: len(chunk) - len(content)]
        if content:
            expected.append(content)
    assert moved == expected
    assert "".join(moved) == "".join(chunks)


@settings(derandomize=True, max_examples=500, deadline=None)
@given(chunk_lists)
def test_moved_boundaries_are_cuts_and_no_other_moves(chunks: list[str]) -> None:
    moved = move_to_cuts(chunks)
    text = "".join(chunks)
    assert "".join(moved) == text
    assert "" not in moved
    ends = [len("".join(chunks[: i + 1])) for i in range(len(chunks) - 1)]
    expected = {end for end in ends if not text[end - 1].isspace() and not text[end].isspace()}
    for run in re.finditer(r"(?<=\S)\s+(?=\S)", text):
        if any(run.start() <= end <= run.end() for end in ends):
            newline = run.group().rfind("\n")
            expected.add(run.start() + newline + 1 if newline >= 0 else run.end())
    assert [len("".join(moved[: i + 1])) for i in range(len(moved) - 1)] == sorted(expected)
