"""The words and the page of what is found again, from figures that were made up."""

from dataclasses import replace

from harness.report import html, markdown, retrieval
from harness.report.signs import show_signs
from harness.results.model import (
    Contrast,
    ContrastSide,
    Retrieval,
    Retrieved,
    Run,
    Span,
    Stripping,
    Workload,
)
from tests.harness.environments import ENVIRONMENT


def row(splitter: str, budget: int, recall: float, low: float, high: float) -> Retrieval:
    mean = (low + high) / 2
    return Retrieval(
        Workload("covid_qa", splitter, 128),
        *("bm25", budget, 1_380, 20_000, 0),
        *(recall, recall, 0.1, 0.1),
        *(mean, low, high, mean, low, high),
    )


def stripping(low: float, high: float) -> Stripping:
    workload = Workload("covid_qa", "langchain", 128)
    return Stripping(workload, "langchain-keep", "bm25", 100, 9, (low + high) / 2, low, high)


ROWS = [
    row("segmenter", 1_000, 0.5, 0, 0),
    row("segmenter", 2_500, 0.7, 0, 0),
    row("good", 1_000, 0.6, 0.05, 0.15),
    row("good", 2_500, 0.7, -0.01, 0.01),
    row("bad", 1_000, 0.4, -0.15, -0.05),
    row("bad", 2_500, 0.5, -0.25, -0.15),
    row("both", 1_000, 0.6, 0.05, 0.15),
    row("both", 2_500, 0.6, -0.15, -0.05),
    row("alike", 1_000, 0.5, -0.01, 0.01),
    row("alike", 2_500, 0.7, 0, 0.01),
]


def test_the_answer_says_what_is_beyond_chance_and_what_is_not() -> None:
    first, *rest = retrieval.answer_retrieval(Run(ENVIRONMENT, retrievals=ROWS))
    assert first == (
        "Questions asked: 1,380 of `covid_qa`; by `bm25`, at limits of 128 and budgets of 1,000 and "
        "2,500 code points."
    )
    assert rest[:4] == [
        "More than with `segmenter` is found, beyond chance, with `good` (in 1 of 2, by up "
        "to 0.100).",
        "Less than with `segmenter` is found, beyond chance, with `bad` (in 2 of 2, by up to "
        "0.200).",
        "More in some comparisons and less in others, beyond chance, with `both` (more in 1, by up "
        "to 0.100, and less in 1, by up to 0.100, of 2).",
        "No difference to `segmenter` beyond chance, in any comparison, with `alike` (2).",
    ]


def test_a_splitter_that_rewrites_the_text_is_not_compared() -> None:
    few = replace(row("few", 1_000, 0.4, -0.15, -0.05), unplaced=200)
    many = replace(row("many", 1_000, 0.4, -0.15, -0.05), unplaced=6_000)
    said = retrieval.answer_retrieval(Run(ENVIRONMENT, retrievals=[*ROWS[:1], few, many]))
    assert said[1:3] == [
        "Less than with `segmenter` is found, beyond chance, with `few` (in 1 of 1, by up to "
        "0.100).",
        "Cannot be compared, because too many of their segments are not found in the documents: "
        "`many` (up to 30%).",
    ]


def test_the_answer_can_say_that_stripping_does_not_matter() -> None:
    run = Run(ENVIRONMENT, retrievals=ROWS, strippings=[stripping(-0.01, 0.02), stripping(0, 0)])
    assert retrieval.answer_retrieval(run)[-1] == (
        "Stripping the whitespace at the ends of segments does not change what is found, beyond "
        "chance, in any of 2 comparisons of `langchain` with `langchain-keep`; the largest "
        "difference in content recall is +0.005 (−0.010 to +0.020)."
    )


def test_the_answer_can_say_that_stripping_matters() -> None:
    worse = Run(ENVIRONMENT, retrievals=ROWS, strippings=[stripping(-0.3, -0.1), stripping(0, 0)])
    assert (
        "finds less, beyond chance, in 1 of 2 comparisons" in retrieval.answer_retrieval(worse)[-1]
    )
    better = Run(ENVIRONMENT, retrievals=ROWS, strippings=[stripping(0.1, 0.3)])
    assert (
        "finds more, beyond chance, in 1 of 1 comparisons" in retrieval.answer_retrieval(better)[-1]
    )
    mixed = Run(
        ENVIRONMENT, retrievals=ROWS, strippings=[stripping(0.1, 0.3), stripping(-0.3, -0.1)]
    )
    assert (
        "finds more in 1 and less in 1, beyond chance, of 2"
        in retrieval.answer_retrieval(mixed)[-1]
    )


def test_the_table_marks_what_is_beyond_chance() -> None:
    table = retrieval.recalls(Run(ENVIRONMENT, retrievals=ROWS), "covid_qa", 128)
    assert [column.title for column in table.columns] == [
        *("splitter", "segments", "unplaced"),
        *("bm25, 1,000", "bm25, 2,500"),
    ]
    assert [cells[0:1] + cells[3:] for cells in table.cells] == [
        ["segmenter", "0.500", "0.700"],
        ["good", "0.600 ▲", "0.700"],
        ["bad", "0.400 ▼", "0.500 ▼"],
        ["both", "0.600 ▲", "0.600 ▼"],
        ["alike", "0.500", "0.700"],
    ]


HOSTILE = "<b>\u202e[x](y)\x1b[2J"


def test_the_page_shows_both_sides_and_escapes_what_is_foreign() -> None:
    segment = Retrieved(HOSTILE, 5, f"before {HOSTILE} after", [Span(7, 7 + len(HOSTILE))])
    lost = Retrieved("d", -1, "nowhere", [])
    contrast = Contrast(
        *("covid_qa", 128, "bm25", 2_500, f"Why {HOSTILE}?", [HOSTILE]),
        [ContrastSide("segmenter", 1.0, [segment]), ContrastSide("good", 0.0, [lost])],
    )
    page = html.render_retrieval_page(Run(ENVIRONMENT, retrievals=ROWS, contrasts=[contrast]))
    assert "<b>" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert page.count("<mark>") == 1
    assert "segmenter 100 %, good 0 %" in page
    assert "d, not in its document" in page
    assert page.count("<svg ") == 1
    assert "Recall by budget: covid_qa at 128, bm25" in page


def test_parts_of_a_segment_join_to_it() -> None:
    segment = Retrieved("d", 0, "one two three", [Span(0, 3), Span(8, 13)])
    assert retrieval.cut_parts(segment) == [("one", True), (" two ", False), ("three", True)]


def test_signs_stand_for_what_cannot_be_seen_but_spaces() -> None:
    assert show_signs("a b\n\tc\u200b") == "a b↵\n→c\\u{200B}"


def test_markdown_has_the_answer_and_the_tables() -> None:
    text = markdown.render_retrieval(Run(ENVIRONMENT, retrievals=ROWS))
    assert text.startswith("# Effect on retrieval\n\nQuestions asked: 1,380 of `covid_qa`")
    assert "## Content recall, covid_qa at 128\n" in text
    assert "| good | 20,000 | 0 | 0.600 ▲ | 0.700 |" in text
