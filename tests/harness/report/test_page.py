"""The page as a person meets it, in a browser without a network."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from corpora import Document
from harness.measure.excerpts import view_segments
from harness.report import show
from harness.report.pages import write_report
from harness.results.folder import write_run
from harness.results.model import Excerpt, Failure, Run, Span, View, Violation, Workload
from tests.harness.report.accessibility import expect_accessible
from tests.harness.report.test_report import CHECKED, FAILURES, TIMED

playwright = pytest.importorskip("playwright.sync_api")
Page = Any

TEXT = "One two.\n\n    Three\u00a0four five six.\t\u3000seven\r\n"
CRAFTED = (
    "</script><script>window.harmed = 1</script> <b>bold</b> <!-- \"quoted\" 'too' & &amp; "
    "\u2028 \u2029 \ud800 \ud83d\ude00 \U0001f600 \u202e\u05d0\u05d1\u05d2 end \x00 \x1b[31m $a$"
)


def cut(text: str, *places: int) -> list[str]:
    ends = [*places, len(text)]
    return [text[start:end] for start, end in zip([0, *places], ends, strict=True)]


def view(text: str, splitter: str, limit: int, segments: Sequence[str]) -> View:
    workload = Workload("books", splitter, limit)
    return view_segments(Document("d", text), segments, workload, 0, len(text))


def excerpt(text: str, *views: View, corpus: str = "books", document: str = "d") -> Excerpt:
    return Excerpt(corpus, "MIT", document, len(text), 0, text, views)


EXCERPTS = [
    excerpt(
        "Nothing is wrong here.",
        view("Nothing is wrong here.", "segmenter", 500, ["Nothing is wrong here."]),
        document="fine",
    ),
    excerpt(
        TEXT,
        view(TEXT, "segmenter", 20, cut(TEXT, 10, 25)),
        view(TEXT, "langchain", 20, ["One two.", "Three\u00a0four five six.", "seven"]),
        view(TEXT, "langchain-keep", 20, cut(TEXT, 14, 30)),
        view(TEXT, "segmenter", 500, [TEXT]),
        view(TEXT, "langchain", 500, [TEXT.strip()]),
        document="wrong",
    ),
    excerpt(
        CRAFTED,
        view(CRAFTED, "segmenter", 20, cut(CRAFTED, *range(20, len(CRAFTED), 20))),
        corpus="<i>laws</i>",
        document="</script>&'\"",
    ),
]
FAILED = Failure(Workload("books", "peer", 20), "raised", "LookupError: <b>no</b>")
RUN = replace(TIMED, excerpts=EXCERPTS, failures=[FAILED])


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of RUN."""
    return write(RUN, tmp_path_factory.mktemp("run"))


def write(run: Run, folder: Path) -> Path:
    write_run(folder, run)
    return write_report(folder)


@pytest.fixture
def open_page(browser: Any, report: Path) -> Iterator[Callable[..., Page]]:
    """Opens a page; any request to a network or error in it is a failure."""
    troubles: list[str] = []
    contexts = []

    def open_(path: Path = report, place: str = "", **options: Any) -> Page:
        context = browser.new_context(**options)
        contexts.append(context)
        context.set_offline(True)
        page = context.new_page()
        page.on(
            "request",
            lambda r: None if r.url.startswith(("file:", "data:")) else troubles.append(r.url),
        )
        page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.goto(path.as_uri() + place)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert not troubles


def columns(page: Page) -> list[str]:
    titles: list[str] = page.locator(".column h3").all_text_contents()
    return titles


def column(page: Page, splitter: str) -> Any:
    return page.locator(".column").filter(has=page.locator(f"h3:text-is('{splitter}')"))


def segments(page: Page, splitter: str) -> list[str]:
    """What the bands of a splitter hold, marks apart."""
    found: list[str] = column(page, splitter).evaluate(
        """column => [...column.querySelectorAll('.segment')].map(segment => {
            const copy = segment.cloneNode(true);
            copy.querySelectorAll('.rule').forEach(mark => mark.remove());
            return copy.textContent;
        })"""
    )
    return found


def test_it_opens_at_the_most_telling_example(open_page: Callable[..., Page]) -> None:
    page = open_page()
    assert page.locator("select[name=example] option:checked").inner_text().startswith("wrong")
    assert page.locator("input[name=limit]:checked").input_value() == "20"
    assert columns(page) == ["segmenter", "langchain", "langchain-keep"]
    assert "segmenter kept every character" in page.locator(".lead").inner_text()


def test_another_splitter_or_limit_changes_the_bands(open_page: Callable[..., Page]) -> None:
    page = open_page()
    assert segments(page, "segmenter") == cut(TEXT, 10, 25)
    assert segments(page, "langchain-keep") == cut(TEXT, 14, 30)
    page.get_by_label("langchain-keep", exact=True).uncheck()
    assert columns(page) == ["segmenter", "langchain"]
    page.get_by_label("500", exact=True).check()
    assert segments(page, "segmenter") == [TEXT]
    page.get_by_label("segmenter", exact=True).uncheck()
    assert columns(page) == ["langchain"]
    page.get_by_label("langchain", exact=True).click()  # the last one stays
    assert columns(page) == ["langchain"]


def test_lost_characters_are_struck_and_broken_rules_are_named(
    open_page: Callable[..., Page],
) -> None:
    page = open_page()
    langchain = column(page, "langchain")
    lost: list[str] = langchain.locator("del.lost").evaluate_all(
        "all => all.map(lost => lost.textContent.replace('join', ''))"
    )
    assert lost == ["\n\n    ", "\t\u3000", "\r\n"]
    assert "10 whitespace characters lost" in langchain.inner_text()
    assert langchain.locator(".rule").all_text_contents() == ["join"]
    kept = column(page, "langchain-keep")
    assert kept.locator(".rule").all_text_contents() == ["cut-after-last-newline"]
    assert "no rule broken" in column(page, "segmenter").inner_text()


def test_what_is_too_long_or_unavoidable_or_added_is_marked(
    open_page: Callable[..., Page], tmp_path: Path
) -> None:
    made = View(
        "langchain", 3, 2, 0, [Span(0, 3), Span(3, 7)],
        [Violation("fits", "d", 3, False, ""), Violation("too-long-run", "d", 5, True, "")],
        [(7, "no <such> text")],
    )  # fmt: skip
    page = open_page(write(replace(CHECKED, excerpts=[excerpt("abcdefg", made)]), tmp_path))
    shown = column(page, "langchain")
    assert shown.locator(".rule").all_text_contents() == [
        "fits: 4 > 3",
        "too-long-run, unavoidable",
        "added: no <such> text",
    ]
    assert shown.locator(".segment.over").count() == 1
    assert "1 over the limit" in shown.inner_text()
    assert "1 unavoidable" in shown.inner_text()


def test_what_is_added_and_too_long_marks_no_segment_beside_it(
    open_page: Callable[..., Page], tmp_path: Path
) -> None:
    text = "hello world"
    made = view(text, "langchain", 10, ["hello ", "X" * 40, "world", ""])
    page = open_page(write(replace(CHECKED, excerpts=[excerpt(text, made)]), tmp_path))
    shown = column(page, "langchain")
    assert shown.locator(".rule").all_text_contents() == [
        "join",
        f"added: {'X' * 40}",
        "fits: segment of 40; expected: at most 10",
        "empty",
    ]
    assert shown.locator(".segment.over").count() == 0
    told = shown.locator("p").first.inner_text()
    assert told == "2 segments here, 4 in the document · 1 over the limit · " + (
        "1 segment not in the text · 1 empty segment"
    )


def test_whitespace_is_visible_until_it_is_not_wanted(open_page: Callable[..., Page]) -> None:
    page = open_page()
    signs = page.locator(".legend .key").all_text_contents()
    assert signs == ["·", "→", "↵", "←", "⍽", "□"]
    drawn = "getComputedStyle(document.querySelector('.text .sign'), '::before').content"
    assert page.evaluate(drawn) == '"·"'
    page.get_by_label("Make whitespace visible").uncheck()
    assert page.evaluate(drawn) == "none"


def test_whatever_is_in_a_document_is_shown_as_text(open_page: Callable[..., Page]) -> None:
    page = open_page(place="#text?example=%3Ci%3Elaws%3C%2Fi%3E/1")
    assert page.locator("select[name=corpus] option:checked").inner_text() == "<i>laws</i>"
    shown = page.evaluate(
        """[...document.querySelectorAll('.text .segment')].flatMap(segment =>
            [...segment.childNodes].filter(node => node.className !== 'rule').flatMap(node =>
                [...node.textContent].map(character => character.codePointAt(0))))"""
    )
    assert shown == [ord(character) for character in CRAFTED]
    assert page.evaluate("window.harmed") is None
    assert page.locator("#viewer b, #viewer i, #viewer script").count() == 0
    labels = page.locator(".sign.code").evaluate_all("all => all.map(one => one.dataset.sign)")
    assert labels == [rf"\u{{{code}}}" for code in ("D800", "D83D", "DE00", "202E", "0", "1B")]
    assert page.locator(".about").inner_text().startswith("</script>&'\": all ")


def test_a_link_keeps_the_choice(open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.get_by_label("500", exact=True).check()
    page.get_by_label("langchain-keep", exact=True).uncheck()
    page.get_by_label("Colours tell").select_option("langchain")
    address = page.evaluate("location.hash")
    page.reload()
    assert page.evaluate("location.hash") == address
    assert columns(page) == ["segmenter", "langchain"]
    assert page.locator("input[name=limit]:checked").input_value() == "500"
    assert page.locator("select[name=from]").input_value() == "langchain"
    page.evaluate("location.hash = '#text?example=books/1&limit=7&splitter=unknown'")
    page.wait_for_selector("text=fine: all 22 code points")
    assert columns(page) == ["segmenter", "peer"]


def test_migration_counts_what_must_be_embedded_again(open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.get_by_label("Colours tell").select_option("langchain")
    # "One two." and "seven" have other edges in the segmenter's; of the middle it cut elsewhere
    told = column(page, "segmenter").locator(".migration").inner_text()
    assert told.startswith("From langchain: 0 the same, 1 with other edges, 2 moved. ")
    assert told.endswith("100 % must be embedded again, 67 % if segments are stripped first.")
    kinds = (
        column(page, "segmenter")
        .locator(".segment")
        .evaluate_all("all => all.map(one => one.className)")
    )
    assert kinds == ["segment edges", "segment moved", "segment moved"]


def test_boundaries_are_coloured_by_place_and_the_worst_are_a_button_away(
    open_page: Callable[..., Page],
) -> None:
    page = open_page()
    page.get_by_label("Colours tell").select_option("where boundaries lie")
    ours, theirs = (column(page, name) for name in ("segmenter", "langchain"))
    assert ours.locator(".migration").inner_text().startswith("paragraph 1, word 1. ")
    assert theirs.locator(".migration").inner_text().startswith("paragraph 1, sentence 1. ")
    assert ours.locator(".segment.place-0").get_attribute("data-number") == "1"
    assert ours.locator(".segment.place-4").get_attribute("data-number") == "2"
    assert ours.locator('.segment[data-number="0"][class*="place-"]').count() == 0
    for told, number in (("word", "2"), ("paragraph", "1"), ("word", "2")):
        ours.locator("button.worst").click()
        assert ours.locator(".segment.chosen").get_attribute("data-number") == number
        assert (
            ours.locator("button.worst").inner_text() == f"Go to the next worst (that was {told})"
        )


def test_keys_move_from_segment_to_segment(open_page: Callable[..., Page]) -> None:
    page = open_page()
    shown = column(page, "segmenter")
    shown.locator(".text").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert shown.locator(".info").inner_text() == (
        "Segment 2 of 3: 15 of 20 code points (75 %), from 10 to 25."
    )
    page.keyboard.press("ArrowLeft")
    assert shown.locator(".info").inner_text().startswith("Segment 1 of 3: 10 of 20")
    page.keyboard.press("Home")  # no key of ours
    shown.locator(".segment").nth(2).click()
    assert shown.locator(".info").inner_text().startswith("Segment 3 of 3")


def test_a_failure_is_told_in_place_of_bands(open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.get_by_label("peer", exact=True).check()
    assert column(page, "peer").locator("p").inner_text() == (
        "Not shown here: raised: LookupError: <b>no</b>."
    )
    assert page.locator("#failures td").last.inner_text() == "LookupError: <b>no</b>"


def test_tables_sort(open_page: Callable[..., Page]) -> None:
    page = open_page()
    table = page.locator("#answer table")
    names = table.locator("tbody tr > th:first-child")
    two = ("langchain", "langchain", "langchain-keep", "langchain-keep")  # a row for each limit
    assert names.all_text_contents() == ["segmenter", "segmenter", *two, "peer"]
    lost = table.get_by_role("button", name="segments over the limit")
    lost.click()
    lost.click()
    assert names.first.inner_text() == "langchain-keep"
    assert names.last.inner_text() == "peer"  # nothing was measured
    header = table.locator("thead th").nth(6)
    assert header.get_attribute("aria-sort") == "descending"
    ratio = table.get_by_role("button", name="times as fast as langchain")
    ratio.press("Enter")
    assert names.first.inner_text() == "segmenter"  # the others have no ratio
    assert header.get_attribute("aria-sort") is None
    table.get_by_role("button", name="splitter").click()
    assert names.all_text_contents() == [*two, "peer", "segmenter", "segmenter"]


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 1400)])
def test_nothing_keeps_people_out(open_page: Callable[..., Page], scheme: str, width: int) -> None:
    page = open_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.get_by_label("Colours tell").select_option("langchain")
    expect_accessible(page, width)


def test_plots_follow_the_colour_scheme(open_page: Callable[..., Page]) -> None:
    colours = set()
    for scheme in ("light", "dark"):
        page = open_page(color_scheme=scheme)
        text = page.locator("figure svg text").first
        colours.add(text.evaluate("text => getComputedStyle(text).fill"))
    assert len(colours) == 2


def test_a_run_of_failures_alone_opens(open_page: Callable[..., Page], tmp_path: Path) -> None:
    run = replace(CHECKED, counts=[], violations=[], failures=FAILURES)
    page = open_page(write(run, tmp_path))
    assert page.locator(".lead").inner_text() == "Nothing was measured."
    assert page.locator("#text").count() == 0


def test_a_text_has_a_page_of_its_own(open_page: Callable[..., Page], tmp_path: Path) -> None:
    path = tmp_path / "shown.html"
    show.write_excerpt_page(path, replace(EXCERPTS[2], corpus="text"))
    page = open_page(path)
    assert page.locator("h1").inner_text() == "</script>&'\""
    assert columns(page) == ["segmenter"]
    assert not page.get_by_label("Corpus").is_visible()


def test_of_a_long_text_only_what_is_near_is_drawn(
    open_page: Callable[..., Page], tmp_path: Path
) -> None:
    """Blocks of the same text stand side by side, wherever the text is."""
    text = "".join(f"Line {n} of the text, 😀 and more.\n" for n in range(20_000))
    ours = view(text, "segmenter", 20, cut(text, *range(20, len(text), 20)))
    theirs = view(text, "langchain", 20, [line for line in text.split("\n") if line])
    path = tmp_path / "long.html"
    show.write_excerpt_page(path, excerpt(text, ours, theirs, corpus="text"))
    page = open_page(path)
    assert f"{len(ours.spans):,} segments" in column(page, "segmenter").inner_text()
    newlines = "20,000 whitespace characters lost"
    assert newlines in column(page, "langchain").inner_text()
    everything = "document.querySelectorAll('*').length"
    assert page.evaluate(everything) < 20_000
    page.evaluate(
        """new Promise(done => {
            const text = document.querySelector(".text");
            text.scrollTop = text.scrollHeight / 2;
            setTimeout(done, 500);
        })"""
    )
    seen: list[list[str]] = page.evaluate(
        """[...document.querySelectorAll(".text")].map(text => {
            const top = text.getBoundingClientRect().top;
            const block = [...text.children].find(each => each.getBoundingClientRect().bottom > top + 50);
            return [block.dataset.block, block.textContent.match(/Line \\d+/)[0]];
        })"""
    )
    assert seen[0] == seen[1]
    assert 40 < int(seen[0][0]) < 160  # of some 180 blocks
    assert page.evaluate(everything) < 20_000
    shown = column(page, "segmenter")
    shown.locator(".text").evaluate("text => (text.scrollTop = text.scrollHeight)")
    last = shown.locator(f".segment[data-number='{len(ours.spans) - 1}']")
    last.click()
    assert (
        shown.locator(".info")
        .inner_text()
        .startswith(f"Segment {len(ours.spans):,} of {len(ours.spans):,}: ")
    )
    page.keyboard.press("ArrowLeft")
    start = 20 * (len(ours.spans) - 2)
    assert f"from {start:,} to {start + 20:,}." in shown.locator(".info").inner_text()
    page.get_by_label("Colours tell").select_option("langchain")
    assert page.evaluate(everything) < 20_000


def test_names_on_the_page_show_what_cannot_be_seen(
    open_page: Callable[..., Page], tmp_path: Path
) -> None:
    hostile = "evil\u202e\x1b[2J\u2066"
    made = view(TEXT, hostile, 20, cut(TEXT, 10, 25))
    shown = [excerpt(TEXT, made, corpus=hostile, document=hostile)] * 2
    failed = Failure(Workload(hostile, f"{hostile}2", 20), hostile, hostile)
    page = open_page(write(replace(CHECKED, excerpts=shown, failures=[failed]), tmp_path))
    page.get_by_role("checkbox", name="evil\\u{202E}\\u{1B}[2J\\u{2066}2").check()
    page.get_by_label("Colours tell").select_option(index=1)
    text: str = page.evaluate(
        """[...document.querySelectorAll("body *")].filter(each => !each.closest(".text, script"))
            .flatMap(each => [
                ...[...each.childNodes].filter(node => node.nodeType === 3).map(node => node.data),
                each.title,
                each.getAttribute("aria-label"),
            ])
            .join("")"""
    )
    assert "evil\\u{202E}\\u{1B}[2J\\u{2066}" in text
    assert not {character for character in text if ord(character) < 32} - {"\n"}
    assert not {"\u202e", "\u2066"} & set(text)
