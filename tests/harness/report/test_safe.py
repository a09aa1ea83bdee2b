"""Foreign text: whatever a name, a detail or a command holds, it is shown and does nothing.

What renders Markdown and HTML here is not what wrote it: markdown-it with GitHub's tables, and the
standard library's parser.
"""

import csv
import functools
import io
import json
import unicodedata
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.console import Console

from harness.report import safe
from harness.report.columns import Column, Table, words
from harness.report.html import render_excerpt, render_report_page
from harness.report.markdown import render_report, render_summary, render_table
from harness.report.terminal import print_run, print_table
from harness.results.escapes import read_cell, write_cell
from harness.results.folder import read_run, write_run
from harness.results.model import (
    BoundaryCount,
    Claim,
    Count,
    Environment,
    Example,
    Excerpt,
    Exemption,
    Failure,
    Growth,
    Import,
    Round,
    Run,
    Span,
    Texts,
    Trial,
    Unavoidable,
    View,
    Violation,
    ViolationCount,
    Workload,
)

HOSTILE = [
    "evil\u202etxt.exe",
    "\x1b[2J\x1b]0;title\x07",
    "[/bold][red]x[/red]",
    "**b** _i_ [x](http://y) ~~s~~ `c`",
    "=HYPERLINK(1)",
    "<img src=x onerror=alert(1)>",
    "caf\udce9.txt",
    "a|b\nc\r\td",
    "</script><script>alert(1)</script>",
    "&lt; &amp; {{ 7*7 }} {% x %}",
    "\u2066\u200b\u2028\u0085\x7f",
    "``\\`",
    "https://evil.example www.evil.example",
    "$x$ _x",
]
names = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(
        st.sampled_from("ab\x1b\u202e\u2067\x9b\r\n\0`*_[]()<>|\\=+-@'\"&;$\ud800é漢😀"), min_size=1
    ),
)


def make_run(name: str) -> Run:
    """A run in which every text is ``name``."""
    workload = Workload(name, name, 20)
    violation = Violation(name, name, 0, False, name)
    view = View(name, 20, 1, 0, [Span(0, len(name))], [violation], [(0, name)])
    return Run(
        Environment(name, {name: name}, name, name, name, 1, name, True, name, name),
        counts=[Count(workload, 1, 9, 3, 1, 3.0, 5, name, 1, 0, 1, 0, 1)],
        violations=[ViolationCount(workload, rule, 1, 0) for rule in (name, "join", "fits")],
        examples=[Example(workload, violation, name, name)],
        failures=[Failure(Workload(name, name, 500), name, name)],
        rounds=[Round(workload, name, name, n, 1000, *[0.5] * 8) for n in range(8)],
        excerpts=[Excerpt(name, name, name, len(name), 0, name, [view])],
        boundaries=[BoundaryCount(workload, 4, 3, 2, 1)],
        unavoidable=[Unavoidable(name, 20, 3)],
        exemptions=[Exemption(name, name, name)],
        trials=[Trial(name, name, name, name)],
        texts=[Texts(name, name, name, name)],
        growth=[Growth(name, 20, name, n, n / 9) for n in (1, 2)],
        imports=[Import(name, [1.0], 1)],
        claims=[Claim(name, name, name, name)],
    )


def find_unseen(text: str) -> set[str]:
    """Controls, bidirectional characters and lone surrogates; newlines are layout."""
    return {
        character
        for character in text
        if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") and character != "\n"
    }


def record_terminal(run: Run) -> str:
    """What comes to a terminal, colours apart."""
    file = io.StringIO()
    print_run(run, Console(file=file, width=200, color_system=None, force_terminal=True))
    return file.getvalue()


class Tags(HTMLParser):
    """The elements of a page, with their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, list[str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, [name for name, _ in attrs]))


def list_tags(html: str) -> list[tuple[str, list[str]]]:
    tags = Tags()
    tags.feed(html)
    return tags.found


@functools.cache
def list_harmless_tags() -> list[str]:
    return sorted({tag for tag, _ in list_tags(render_report_page(make_run("harmless")))})


@settings(max_examples=25, deadline=None)
@given(names)
@example("evil\u202e\x1b[2J[/bold]<script>`")
def test_nothing_that_cannot_be_seen_reaches_a_reader(name: str) -> None:
    run = make_run(name)
    shown = [render_report_page(run), render_report(run), render_summary(run), record_terminal(run)]
    shown.append(render_excerpt(run.excerpts[0]))
    for text in shown:
        assert not find_unseen(text)
    page = list_tags(shown[0])
    assert sorted({tag for tag, _ in page}) == list_harmless_tags()
    assert not [names for _, names in page if any(each.startswith("on") for each in names)]


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(names)
def test_every_file_of_a_run_is_valid_and_gives_the_text_back(tmp_path: Path, name: str) -> None:
    run = make_run(name)
    write_run(tmp_path, run)
    assert read_run(tmp_path) == run
    for path in tmp_path.iterdir():
        assert not find_unseen(path.read_bytes().decode("utf-8"))
    with (tmp_path / "counts.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["corpus"][0] not in "=+-@\t\r"


@given(st.text(st.characters(), max_size=20) | names)
@example("'=1")
@example("''=1")
@example(r"\u{5C}u{41}")
def test_a_cell_is_no_formula_and_is_read_back(text: str) -> None:
    cell = write_cell(text)
    assert read_cell(cell) == text
    assert not cell.startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠"))
    assert not find_unseen(cell)


def render(markdown: str) -> list[Any]:
    """The inline tokens of Markdown as GitHub has it."""
    parser = MarkdownIt("gfm-like", {"html": True, "linkify": False})
    return [
        child
        for token in parser.parse(markdown)
        for child in token.children or ()
        if token.type == "inline"
    ]


@settings(max_examples=300, deadline=None)
@given(names)
@example("**b**")
@example("[x](y)")
@example("<img src=x>")
@example("a|b")
@example("snake_case_name")
def test_a_cell_of_markdown_shows_what_was_typed(name: str) -> None:
    table = Table("t", [words("name"), words("end")], [{"name": name, "end": "z"}])
    tokens = render(render_table(table))
    assert {token.type for token in tokens} <= {"text", "text_special"}
    # "name" and "end" are the titles, "z" is the next cell.
    shown = "".join(token.content for token in tokens)
    assert shown == "nameend" + safe.line(name).strip(" ") + "z"


@settings(max_examples=300, deadline=None)
@given(names)
def test_a_name_in_a_sentence_is_code(name: str) -> None:
    tokens = render(f"It is {safe.code(name)}, said they")
    assert [token.type for token in tokens] == ["text", "code_inline", "text"]
    assert tokens[1].content.strip(" ") == safe.line(name).strip(" ")
    assert safe.sentence(f"It is {safe.code(name)}").startswith("It is <code>")


def test_names_that_markdown_leaves_alone_are_written_as_they_are() -> None:
    for name in (
        "langchain-moved",
        "covid_qa",
        "C:/x",
        "0.50 (0.40–0.60)",
        "a & b",
        "1.1.3",
        "#12",
    ):
        assert safe.markdown(name) == name


def test_what_is_long_is_cut_wherever_it_is_shown() -> None:
    run, detail = make_run("name"), "x" * 2_000_000
    long = replace(
        run,
        failures=[replace(each, status=detail, detail=detail) for each in run.failures],
        trials=[replace(each, answer=detail, detail=detail) for each in run.trials],
        texts=[replace(each, origin=detail, notes=detail) for each in run.texts],
        environment=replace(run.environment, command=detail),
    )
    assert len(render_report(long)) < len(render_report(run)) + 20_000
    assert len(render_report_page(long)) < len(render_report_page(run)) + 20_000
    assert len(record_terminal(long)) < len(record_terminal(run)) + 20_000
    assert safe.cut("abc", 3) == "abc"
    assert safe.cut("abcd", 3) == "abc… (1 more)"


def test_markup_of_the_terminal_library_is_text() -> None:
    table = Table("[bold]t", [Column("[red]c", str)], ["[/bold]"], ["[/x] :smile:"])
    file = io.StringIO()
    print_table(table, Console(file=file, width=80, force_terminal=True))
    for text in ("[bold]t", "[red]c", "[/bold]", "[/x] :smile:"):
        assert text in file.getvalue()


def test_the_page_runs_no_script_but_its_own() -> None:
    page = render_report_page(make_run("harmless"))
    policy = page.partition('http-equiv="Content-Security-Policy" content="')[2].partition('"')[0]
    parts = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert parts["default-src"] == "'none'"
    assert parts["script-src"].startswith("'sha256-")
    assert "unsafe" not in parts["script-src"]


@pytest.mark.parametrize("name", ["examples.jsonl", "viewer.json"])
def test_json_of_a_run_is_ascii(tmp_path: Path, name: str) -> None:
    write_run(tmp_path, make_run("é\u202e\ud800\x7f"))
    content = (tmp_path / name).read_bytes().decode("ascii")
    assert "\x7f" not in content
    for line in content.splitlines():
        json.loads(line)
