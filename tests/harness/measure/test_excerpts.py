"""Which parts of which documents are shown, and what is told of them."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from corpora import Corpus, Document
from harness.measure.check import check_corpora
from harness.measure.excerpts import (
    BEFORE,
    EXCERPTS_A_CORPUS,
    LENGTH,
    Place,
    choose_places,
    collect_excerpts,
    view_document,
    view_segments,
)
from harness.measure.spooling import spool_corpora
from harness.results.folder import read_run, write_run
from harness.results.model import Example, Excerpt, Span, View, Violation, Workload
from harness.runner.pool import SplitterPool
from harness.splitters.registry import Splitter, load_splitter
from segmenter.loss import Loss
from tests.harness.report.test_report import CHECKED

TEXT = "One. Two. Three"


def example(
    document: str, start: int, rule: str, splitter: str, *, unavoidable: bool = False
) -> Example:
    workload = Workload("books", splitter, 20)
    return Example(workload, Violation(rule, document, start, unavoidable, ""), "", "")


def test_the_place_with_the_most_kinds_comes_first() -> None:
    examples = [
        example("a", 10, "join", "x"),
        example("b", 500, "join", "x"),
        example("b", 600, "fits", "y"),
        example("b", 600, "edges", "y"),
        example("c", 7, "fits", "z"),
        example("c", 8, "fits", "z"),
    ]
    assert choose_places(examples) == [Place("b", 500), Place("c", 7)]


def test_violations_out_of_sight_do_not_count() -> None:
    examples = [
        example("a", 0, "join", "x"),
        example("a", LENGTH, "fits", "y"),
        example("b", 0, "edges", "z"),
        example("b", 1, "fits", "z"),
    ]
    assert choose_places(examples)[0] == Place("b", 0)


def test_unavoidable_violations_are_nothing_to_show() -> None:
    assert choose_places([example("a", 3, "too-long-run", "x", unavoidable=True)]) == [
        Place(None, 0)
    ]


def test_no_more_places_than_are_allowed() -> None:
    examples = [example(str(n), 0, f"rule {n}", "x") for n in range(10)]
    assert len(choose_places(examples)) == EXCERPTS_A_CORPUS


def test_a_view_has_the_segments_that_reach_into_the_window() -> None:
    view = view_segments(
        Document("d", TEXT), ["One.", "Two.", "Thr", "ee"], Workload("books", "x", 4), 6, 12
    )
    assert view == View(
        splitter="x",
        max_chunk_length=4,
        segments=4,
        first=1,
        spans=[Span(5, 9), Span(10, 13)],
        violations=[],
        added=[],
        loss=Loss(lost_whitespace=2),
        places=["sentence", "sentence"],
    )


def test_a_view_tells_what_is_too_long_or_not_in_the_text() -> None:
    view = view_segments(
        Document("d", TEXT), ["One. Two. ", "Four", "Three"], Workload("books", "x", 5), 3, 15
    )
    assert [(v.rule, v.start) for v in view.violations] == [("fits", 0), ("join", 10)]
    assert view.added == [(10, "Four")]


def test_rules_that_do_not_apply_are_left_out_and_segments_may_overlap() -> None:
    view = view_segments(
        Document("d", TEXT),
        ["One. Two", "Two. Three"],
        Workload("books", "x", 5),
        0,
        len(TEXT),
        frozenset({"join", "fits"}),
    )
    assert view.spans == [Span(0, 8), Span(5, 15)]
    assert not view.violations


@pytest.mark.parametrize(
    ("place", "start"),
    [(0, 0), (BEFORE, 0), (BEFORE + 5, 5), (9_990, 10_000 - LENGTH)],
)
def test_the_window_begins_before_the_place(place: int, start: int) -> None:
    excerpt = view_document(Document("d", "x" * 10_000), place, {}, SplitterPool())
    assert (excerpt.start, len(excerpt.text)) == (start, LENGTH)


def test_the_window_begins_with_a_line() -> None:
    text = "x" * 450 + "\n" + "y" * 9_000
    assert view_document(Document("d", text), 1_000, {}, SplitterPool()).start == 451


def collect(corpus: Corpus, splitters: list[Splitter]) -> list[Excerpt]:
    with (
        spool_corpora([corpus]) as corpora,
        SplitterPool() as pool,
        ThreadPoolExecutor(1) as executor,
    ):
        checked = check_corpora(corpora, splitters, [8], pool=pool, executor=executor)
        return collect_excerpts(corpora, splitters, [8], checked, pool=pool, executor=executor)


def read_documents() -> Iterator[Document]:
    yield Document("empty", "")
    yield Document("fine", "abc")
    yield Document("bad", "abc\n    def\n" * 3)


def test_excerpts_are_of_documents_that_break_rules(tmp_path: Path) -> None:
    corpus = Corpus("books", read_documents)
    splitters = [
        load_splitter("segmenter"),
        load_splitter("langchain"),
        Splitter("missing", "a_package_that_nobody_has:split"),
    ]
    excerpts = collect(corpus, splitters)
    assert [(e.corpus, e.document, e.start) for e in excerpts] == [("books", "bad", 0)]
    own, other = excerpts[0].views  # none of the missing one
    assert own.splitter == "segmenter"
    assert not own.violations
    assert [span.start for span in own.spans] == [0, 4, 12, 16, 24, 28]
    assert [v.rule for v in other.violations] == ["join"]


def test_where_nothing_is_broken_the_beginning_is_shown() -> None:
    corpus = Corpus("books", read_documents)
    splitters = [load_splitter("segmenter")]
    (excerpt,) = collect(corpus, splitters)
    assert (excerpt.document, excerpt.text) == ("fine", "abc")


def test_a_run_folder_keeps_excerpts_exactly(tmp_path: Path) -> None:
    text = "a\ud83d\ude00\U0001f600</script>\u2028\x00 z"  # lone surrogates that meet, and a pair
    views = [
        view_segments(Document("d", text), segments, Workload("books", name, 3), 2, len(text))
        for name, segments in (
            ("x", [text[:3], text[3:]]),
            ("y", ["nothing \ud83d\ude00", text[-1]]),
        )
    ]
    excerpt = Excerpt(
        "books", "MIT", "d", len(text), 2, text[2:], [*views, View("z", 3, 0, 0, [], [], [])]
    )
    write_run(tmp_path, replace(CHECKED, excerpts=[excerpt]))
    assert (tmp_path / "viewer.json").read_text().isascii()
    assert read_run(tmp_path).excerpts == [excerpt]
