"""The page of what is found again as a person meets it, in a browser without a network."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.report.html import render_retrieval_page
from harness.results.model import Contrast, ContrastSide, Failure, Retrieved, Run, Span, Workload
from tests.harness.report.accessibility import expect_accessible
from tests.harness.report.test_retrieval import ENVIRONMENT, ROWS, stripping

CRAFTED = "</script><script>window.harmed = 1</script><img src=x onerror='window.harmed = 1'>\u202e"
CONTRASTS = [
    Contrast(
        *("covid_qa", 128, "bm25", 2_500, f"Why {CRAFTED}?", ["the answer"]),
        [
            ContrastSide("segmenter", 1.0, [Retrieved("d", 3, "it is the answer", [Span(6, 16)])]),
            ContrastSide("good", 0.0, [Retrieved(CRAFTED, -1, CRAFTED * 20, [])]),
        ],
    )
]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_keeps_people_out(browser: Any, tmp_path: Path, width: int, scheme: str) -> None:
    environment = replace(ENVIRONMENT, command=f"segbench retrieve --corpus '{CRAFTED}'")
    run = Run(
        environment,
        retrievals=ROWS,
        strippings=[stripping(-0.1, 0.1)],
        contrasts=CONTRASTS,
        failures=[Failure(Workload("covid_qa", "lost", 128), "raised", CRAFTED)],
    )
    file = tmp_path / "report.html"
    file.write_text(render_retrieval_page(run), encoding="utf-8")
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(file.as_uri())
    expect_accessible(page, width)
    assert page.evaluate("window.harmed") is None
    assert page.locator("mark").all_inner_texts() == ["the answer"]
    assert page.locator("main img, main script").count() == 0
    assert not said
    page.close()


def test_tables_can_be_sorted(browser: Any, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(render_retrieval_page(Run(ENVIRONMENT, retrievals=ROWS)), encoding="utf-8")
    page = browser.new_page()
    page.goto(file.as_uri())
    table = page.locator("#recall table").first
    names = table.locator("tbody th")
    assert names.all_inner_texts() == ["segmenter", "good", "bad", "both", "alike"]
    table.get_by_role("button", name="splitter").click()
    assert names.all_inner_texts() == ["alike", "bad", "both", "good", "segmenter"]
    table.get_by_role("button", name="bm25, 2,500").click()
    recalls = table.locator("tbody td:last-child").all_inner_texts()
    assert recalls == ["0.500 ▼", "0.600 ▼", "0.700", "0.700", "0.700"]
    page.close()
