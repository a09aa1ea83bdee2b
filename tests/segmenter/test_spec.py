"""SPEC.md is run: its examples, its lists, and its Python."""

import doctest
import re
from pathlib import Path

import pytest

import segmenter
from segmenter import SEPARATORS, TextSegmenter
from segmenter.testing.cases import Case, SpecificationError, read_examples
from segmenter.testing.checks import CHECKS
from segmenter.testing.notation import read_notation, show_notation
from tests.segmenter import oracle

SPECIFICATION = Path(segmenter.__file__).with_name("SPEC.md")
DOCUMENT = SPECIFICATION.read_text(encoding="utf-8")
EXAMPLES = list(read_examples(DOCUMENT))


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_segmenter_cuts_as_the_example_shows(example: Case) -> None:
    segments = TextSegmenter(example.max_chunk_length).split(example.text)
    assert show_each(segments) == show_each(example.segments), example.origin


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_oracle_cuts_as_the_example_shows(example: Case) -> None:
    segments = oracle.split(example.text, example.max_chunk_length)
    assert show_each(segments) == show_each(example.segments), example.origin


def show_each(segments: list[str]) -> list[str]:
    return [show_notation(segment) for segment in segments]


def test_an_example_is_named_by_the_line_where_it_stands() -> None:
    lines = DOCUMENT.split("\n")
    for example in EXAMPLES:
        name, number = example.origin.split(":")
        assert name == SPECIFICATION.name
        assert lines[int(number) - 1].strip() == "```segments"
        assert lines[int(number) - 3].strip() == (
            f"`{example.name}`, limit {example.max_chunk_length}:"
        )


def test_every_block_of_segments_is_an_example() -> None:
    assert DOCUMENT.count("```segments\n") == len(EXAMPLES) > 70


def test_every_rule_has_its_section() -> None:
    headings = set(re.findall(r"^#+ `([a-z-]+)`: ", DOCUMENT, re.MULTILINE))
    assert headings >= set(CHECKS)
    # Of these no example of segments that join can be the example, or every one is.
    without = {"covers", "deterministic", "reference"}
    assert {example.rule for example in EXAMPLES} == headings - without


def read_block(language: str) -> list[str]:
    (block,) = re.findall(rf"^```{language}\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)
    return str(block).splitlines()


def test_the_separators_are_these() -> None:
    assert tuple(map(read_notation, read_block("separators"))) == SEPARATORS


def test_whitespace_is_this() -> None:
    listed = set()
    for part in " ".join(read_block("whitespace")).split():
        first, _, last = part.replace("U+", "").partition("-")
        listed |= set(range(int(first, 16), int(last or first, 16) + 1))
    assert listed == {number for number in range(0x110000) if chr(number).isspace()}


def test_the_python_in_it_runs() -> None:
    document = DOCUMENT.replace("```python", "").replace("```", "")
    test = doctest.DocTestParser().get_doctest(document, {}, "SPEC", str(SPECIFICATION), 0)
    report: list[str] = []
    results = doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert results.attempted > 4
    assert not results.failed, "".join(report)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("## `join`: x\n\nSome text.\n```segments\na\n```", r"SPEC.md:4: write `name`, limit N:"),
        ("## `join`: x\n\n`a`, limit 2:\n```segments\na b\n```", "SPEC.md:5: 'a b' has to be"),
        ("## `join`: x\n`a`, limit 2:\n```segments\n\\u{20}\n```", "SPEC.md:4: .* written as '·'"),
        ("## `join`: x\n`a`, limit 2:\n```segments\na\n", "SPEC.md:3: the block has no end"),
        ("## x\n`a`, limit 2:\n```segments\na\n```", "SPEC.md:3: a stands under no rule"),
        (
            "## `join`: x\n`a`, limit 2:\n```segments\na\n```\n`a`, limit 2:\n```segments\na\n```",
            "SPEC.md:7: a is there already",
        ),
    ],
)
def test_what_is_not_written_so_is_refused_by_its_line(document: str, message: str) -> None:
    with pytest.raises(SpecificationError, match=message):
        list(read_examples(document))
