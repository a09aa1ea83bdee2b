"""The named lists of separators: what they cut where, in LF and in CR LF."""

import itertools
import json
import textwrap
from inspect import getsource

import pytest

from segmenter import SEPARATORS, TextSegmenter
from segmenter.separators import CJK, GO, HTML, LATEX, LINES, LISTS, MARKDOWN, PROSE, PYTHON
from tests.segmenter import oracle


def join_lines(segments: list[str]) -> list[str]:
    return [segment.replace("\r\n", "\n") for segment in segments]


@pytest.mark.parametrize(
    ("separators", "limit", "segments"),
    [
        (MARKDOWN, 20, ["# One\n\nText.\n\n", "## Two\n\n", "```sh\na\n\nb\n```\n\n", "More.\n"]),
        (
            PYTHON,
            30,
            [
                "import a\n\n\n",
                "@b\ndef c():\n    d()\n\n\n",
                "class E:\n    @f\n",
                "    def g(h):\n        pass\n",
            ],
        ),
        (LINES, 9, ["a 1, b\n", "c 2, d\n", "e f, g\n"]),
        (PROSE, 20, ['He said "No." ', "She left. It rained."]),
        (CJK, 7, ["「はい。」", "と。「え？」"]),
        (HTML, 18, ["<h1>A</h1>", '<p id="b">c d</p>', "<p>e"]),
        (LATEX, 22, ["a b.\n", "\\section{C}\nd\n", "\\begin{e}f\\end{e}\n"]),
        (GO, 26, ["package a\n\n", "// B does.\nfunc B() {\n}\n\n", "func C() {\n}\n"]),
    ],
    ids=["markdown", "python", "lines", "prose", "cjk", "html", "latex", "go"],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_list_cuts_where_its_kind_of_text_has_a_seam(separators, limit, segments, newline):
    text = "".join(segments).replace("\n", newline)
    # Each CR counts: where the limit is the tightest, it would take room from the text.
    limit += max(segment.count("\n") for segment in segments) if newline == "\r\n" else 0
    found = TextSegmenter(limit, separators=separators).split(text)
    assert found == oracle.split(text, limit, separators)
    assert join_lines(found) == segments


@pytest.mark.parametrize("name", LISTS)
def test_a_list_is_sound(name):
    separators = LISTS[name]
    assert len(set(separators)) == len(separators)
    assert TextSegmenter(separators=separators).separators == separators


def share_of_line_ends(text: str, separators: tuple) -> float:
    spans = TextSegmenter(200, separators=separators).spans(text)
    inner = [start for start, _ in spans[1:]]
    return sum(text[at - 1] == "\n" for at in inner) / len(inner)


@pytest.mark.parametrize("name", [name for name in LISTS if name != "memmachine"])
def test_a_list_finds_as_many_line_ends_in_cr_lf(name):
    text = "".join(map(getsource, (json, json.decoder, textwrap)))
    separators = LISTS[name]
    lf = share_of_line_ends(text, separators)
    crlf = share_of_line_ends(text.replace("\n", "\r\n"), separators)
    assert crlf == pytest.approx(lf, abs=0.05)


def test_the_default_list_is_left_as_it_is():
    assert LISTS["memmachine"] is SEPARATORS
    assert list(itertools.islice(LISTS, 1)) == ["memmachine"]
