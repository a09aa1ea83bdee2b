"""What is in the page, without a browser."""

import json
import re
import webbrowser
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from corpora import Document
from harness.cli.commands import segbench
from harness.measure.excerpts import view_document
from harness.report import tables
from harness.report.html import render_excerpt, render_report_page
from harness.report.markdown import render_report
from harness.report.plots import plot_shares
from harness.results.errors import MeasurementError
from harness.results.folder import read_run, write_run
from harness.results.model import (
    PLACES,
    Claim,
    CutCount,
    Excerpt,
    Exemption,
    Growth,
    Import,
    Run,
    Trial,
    Workload,
)
from harness.runner.pool import SplitterPool
from harness.splitters.registry import load_splitter
from tests.harness.report.test_report import CHECKED, COUNTS, FAILURES, TIMED

NASTY = "</script><!-- \u2028\ud800 &"


def read_data(page: str) -> str:
    (data,) = re.findall(
        r'<script type="application/json" id="viewer-data">(.*?)</script>', page, re.DOTALL
    )
    return str(data)


def section(page: str, name: str) -> str:
    (found,) = re.findall(rf'<section id="{name}".*?</section>', page, re.DOTALL)
    return str(found)


def test_a_document_cannot_end_the_script() -> None:
    data = read_data(render_excerpt(Excerpt("text", "", NASTY, len(NASTY), 0, NASTY, [])))
    assert data.isascii()
    assert "<" not in data
    (excerpt,) = json.loads(data)["excerpts"]
    assert (excerpt["document"], "".join(excerpt["text"])) == (NASTY, NASTY)


def test_names_and_details_are_escaped() -> None:
    bad = "<script>alert(1)</script>"
    run = Run(
        replace(CHECKED.environment, command=bad, versions={bad: bad}),
        counts=[replace(c, workload=Workload(bad, bad, 20)) for c in COUNTS[:1]],
        failures=[replace(FAILURES[0], status=bad, detail=bad)],
        growth=[Growth(bad, 1, bad, 9, 1.0)],
        imports=[Import(bad, [], 1)],
        claims=[Claim(*[bad] * 4)],
    )
    page = render_report_page(run, bad)
    assert bad not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_sections_without_anything_are_left_out() -> None:
    page = render_report_page(replace(CHECKED, violations=[]))
    assert re.findall('<section id="([^"]+)"', page) == [
        *("answer", "rules", "lengths", "losses", "corpora", "environment"),
    ]
    assert re.findall('<li><a href="#([^"]+)"', page) == [
        *("answer", "rules", "lengths", "losses", "corpora", "environment"),
    ]
    assert "No rule was broken." in section(page, "rules")
    assert "pull request" not in page


def test_one_splitter_alone_has_its_page() -> None:
    alone = replace(
        TIMED,
        counts=[c for c in COUNTS if c.workload.splitter == "segmenter"],
        violations=[],
    )
    page = render_report_page(alone)
    assert "times as fast as langchain (more is faster)" in section(page, "speed")


def test_plots_have_text_and_the_colours_of_the_page() -> None:
    speed = section(render_report_page(TIMED), "speed")
    (plot,) = re.findall("<svg.*?</svg>", speed, re.DOTALL)
    assert ">segmenter</text>" in plot
    assert ">2.83</text>" in plot
    assert "var(--ink)" in plot
    assert not re.findall(r"#[0-9a-f]{6}\b", plot)
    assert "font-family" not in plot


def test_a_plot_takes_names_as_they_are() -> None:
    svg = plot_shares("A <title>", "share", [("$x$ <b>&", 0.5)]).svg
    assert ">$x$ &lt;b&gt;&amp;</text>" in svg
    assert "<title id=" in svg
    assert "A &lt;title&gt;</title>" in svg


def test_no_two_things_have_the_same_id() -> None:
    growth = [Growth(shape, 20, "a", n, n / 9) for shape in ("x", "y") for n in (1, 2)]
    ids = re.findall(r'\bid="([^"]+)"', render_report_page(replace(TIMED, growth=growth)))
    assert len(ids) == len(set(ids))


def test_the_same_run_gives_the_same_page() -> None:
    assert render_report_page(TIMED) == render_report_page(TIMED)


def test_growth_is_the_power_of_the_length(tmp_path: Path) -> None:
    write_run(tmp_path, CHECKED)
    (tmp_path / "growth.csv").write_text(
        "shape,splitter,max_chunk_length,code_points,seconds\n"
        "words,a,500,1000,0.5\nwords,a,500,2000,2\nwords,a,500,4000,8\n"
        "words,a,500,500,0.125\nwords,b,500,1000,1\n"
    )
    growth = section(render_report_page(read_run(tmp_path)), "growth")
    # four times the time for twice the text
    assert [re.sub("<.*?>", "", cell) for cell in re.findall("<td.*?</td>", growth)] == [
        "4,000", "8.00", "2.00", "1,000", "1.00", "–",
    ]  # fmt: skip
    assert "Time by length: words at 500" in growth
    plot = growth[growth.index("<svg") : growth.index("</svg>")]
    assert re.findall(r">([\d.,]+)</text>", plot) == [
        "500",
        "1,000",
        "2,000",
        "4,000",
        "0.1",
        "1",
        "10",
    ]


def test_of_many_splitters_few_have_a_colour() -> None:
    growth = [Growth("x", 20, name, n, n) for name in ("langchain", *"abcdefghi") for n in (1, 2)]
    plot = section(render_report_page(replace(CHECKED, growth=growth)), "growth")
    legend = re.findall(r">(langchain|[a-i]|others)</text>", plot)
    assert legend == ["langchain", "others"]


def test_every_table_of_the_report_is_in_the_page() -> None:
    workload = COUNTS[0].workload
    run = replace(
        TIMED,
        failures=FAILURES,
        cuts=[
            *(CutCount(workload, place, 1) for place in PLACES),
            CutCount(workload, structure="function", of=2, cut=1),
        ],
        trials=[Trial("langchain", "NUL", "raised", "why")],
        exemptions=[Exemption("langchain", "fits", "it counts tokens")],
        growth=[Growth("x", 20, "langchain", 1, 1)],
        imports=[Import("langchain", [1.0], 1)],
        claims=[Claim("M4", "0.86 s", "1.2 s", "differs")],
    )
    told = tables.details(run)
    assert all(table.records for table in told)
    captions = set(re.findall("<caption>(.*)</caption>", render_report_page(run)))
    assert {table.title for table in told} - captions == {"Segments"}
    assert "Segments by corpus" in captions


def test_it_says_which_splitters_can_be_looked_at() -> None:
    workloads = {Workload("books", "segmenter", 20): load_splitter("segmenter")}
    with SplitterPool() as pool:
        excerpt = view_document(Document("d", "a b"), 0, workloads, pool)
    text = " ".join(
        section(render_report_page(replace(CHECKED, excerpts=[excerpt])), "text").split()
    )
    assert "Only 1 of 3 splitters are here: segmenter." in text


def test_other_commands_results_are_in_both_reports(tmp_path: Path) -> None:
    write_run(tmp_path, CHECKED)
    (tmp_path / "imports.json").write_text(
        '[{"name": "langchain", "milliseconds": [9, 7, 8], "modules": 472, "bytes": 5500000}]'
    )
    (tmp_path / "claims.json").write_text(
        '[{"claim": "M4", "says": "0.86 s", "measured": "1.2 s", "status": "differs"}]'
    )
    run, bias = read_run(tmp_path), "### Texts\n\nThey are *English*, <b>mostly</b>."
    page, text = render_report_page(run, bias), render_report(run, bias)
    assert "8.00 (7.00–9.00)" in section(page, "imports")
    assert "differs" in section(page, "claims")
    bias = section(page, "bias")
    assert "<h3>Texts</h3>" in bias
    assert "<em>English</em>, &lt;b&gt;mostly&lt;/b&gt;" in bias
    assert "| langchain | 8.00 (7.00–9.00) | 472 | – | – | 5.50 |" in text
    assert "| M4 | 0.86 s | 1.2 s | differs |" in text
    assert "## Known bias\n\n### Texts\n" in text


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("growth.csv", "shape\nx\n"),
        ("imports.json", "{}"),
        ("imports.json", '[{"nam": 1}]'),
        ("claims.json", "["),
        ("claims.json", b"\xff"),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, name: str, content: str | bytes) -> None:
    write_run(tmp_path, CHECKED)
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(MeasurementError, match=rf"{name} cannot be read") as caught:
        read_run(tmp_path)
    assert len(str(caught.value).splitlines()) == 1


def test_the_page_of_a_full_run_stays_small() -> None:
    """18 excerpts of the densest kind.

    A boundary every few code points, five splitters, three limits, a violation at every other
    boundary.
    """
    text = "a  b\u3000。\n  " * 2_000
    splitters = [load_splitter(name) for name in ("segmenter", "langchain-keep", "langchain")]
    workloads = {Workload("books", s.name, limit): s for s in splitters for limit in (20, 128, 500)}
    with SplitterPool() as pool:
        excerpt = view_document(Document("d", text), 9_000, workloads, pool)
    many = replace(excerpt, views=[*excerpt.views, *excerpt.views[:6]])
    page = render_report_page(replace(TIMED, excerpts=[many] * 18))
    assert len(page.encode()) < 5_000_000


@pytest.mark.parametrize(("opens", "status"), [(True, 0), (False, 3)])
def test_the_page_is_opened_where_there_is_a_browser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opens: bool, status: int
) -> None:
    opened = []
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or opens)
    write_run(tmp_path, TIMED)
    result = CliRunner().invoke(segbench, ["report", str(tmp_path), "--open"])
    assert (result.exit_code, opened) == (status, [(tmp_path / "report.html").as_uri()])
    assert bool(result.stderr) is not opens
