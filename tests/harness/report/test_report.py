"""Tables and Markdown of runs that were made up, so that every number is known."""

import io
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from harness.report import tables
from harness.report.bias import read_bias
from harness.report.columns import Table, show_digits
from harness.report.markdown import render_report
from harness.report.pages import write_report
from harness.report.terminal import print_run, print_table
from harness.results.errors import MeasurementError
from harness.results.folder import write_run
from harness.results.model import (
    BoundaryCount,
    Count,
    Failure,
    Round,
    Run,
    Unavoidable,
    ViolationCount,
    Workload,
)
from tests.harness import environments

ENVIRONMENT = replace(
    environments.ENVIRONMENT,
    versions={"langchain-text-splitters": "1.1.3"},
    commit="0123abc",
    dirty=True,
)


def count(corpus: str, splitter: str, limit: int, *, lost: int = 0, segments: int = 100) -> Count:
    documents, code_points = {"books": (2, 3_000_000), "laws": (10, 1_000_000)}[corpus]
    workload = Workload(corpus, splitter, limit)
    return Count(workload, documents, code_points, segments, 1, 7.5, limit, "digest", lost, 0, 0, 0)


def rounds(corpus: str, ratio: float, *, spread: float = 1.0) -> list[Round]:
    """Eight rounds of the segmenter at 500.

    It takes a second a turn for a million code points in one stratum, and its baseline ``ratio``
    times as long; ``spread`` times that in odd rounds.
    """
    workload = Workload(corpus, "segmenter", 500)
    return [
        Round(workload, "langchain", "all", n, 10**6, *[1.0] * 4, *[ratio * spread ** (n % 2)] * 4)
        for n in range(8)
    ]


CORPORA = ("books", "laws")
COUNTS = [
    count(corpus, splitter, limit, lost=11 if splitter == "langchain" else 0)
    for corpus in CORPORA
    for splitter in ("segmenter", "langchain", "langchain-keep")
    for limit in (20, 500)
]
BROKEN = [
    ViolationCount(Workload("books", "langchain", 20), "join", 2, 0),
    ViolationCount(Workload("laws", "langchain", 20), "join", 9, 0),
    ViolationCount(Workload("laws", "langchain", 500), "join", 1, 0),
    ViolationCount(Workload("books", "langchain-keep", 20), "fits", 1_234, 0),
    ViolationCount(Workload("books", "segmenter", 20), "too-long-run", 5, 5),
    ViolationCount(Workload("laws", "langchain-keep", 500), "too-long-run", 8, 3),
    ViolationCount(Workload("laws", "langchain-keep", 500), "run-without-newline", 40, 0),
]
RULES = ("join", "fits", "run-without-newline", "too-long-run")


def complete(broken: Sequence[ViolationCount]) -> list[ViolationCount]:
    """With a row for each workload and rule, as a run has."""
    there = {(row.workload, row.rule) for row in broken}
    kept = [(each.workload, rule) for rule in RULES for each in COUNTS]
    return [*broken, *(ViolationCount(*key, 0, 0) for key in kept if key not in there)]


VIOLATIONS = complete(BROKEN)
# Logarithms that are 0 and ln 4 have the half width 0.619496: see test_estimates.
ROUNDS = [*rounds("books", 1.0, spread=4.0), *rounds("laws", 8.0, spread=0.25)]
EXCESS = {("langchain-keep", "books", 20): 5, ("langchain-keep", "laws", 500): 40}
BOUNDARIES = [
    BoundaryCount(each.workload, 99, 50, 0, EXCESS.get((name, corpus, limit), 0))
    for each in COUNTS
    for corpus, name, limit in [
        (each.workload.corpus, each.workload.splitter, each.workload.max_chunk_length)
    ]
]
UNAVOIDABLE = [
    Unavoidable(corpus, limit, number)
    for corpus, numbers in {"books": (2, 0), "laws": (7, 0)}.items()
    for limit, number in zip((20, 500), numbers, strict=True)
]
CHECKED = Run(
    ENVIRONMENT,
    counts=COUNTS,
    violations=VIOLATIONS,
    boundaries=BOUNDARIES,
    unavoidable=UNAVOIDABLE,
)
TIMED = replace(CHECKED, rounds=ROUNDS)


def columns(table: Table) -> list[str]:
    return [column.title for column in table.columns]


def find(table: Table, *start: str) -> list[str]:
    (cells,) = (cells for cells in table.cells if tuple(cells[: len(start)]) == start)
    return cells[len(start) :]


def test_the_summary_adds_up_over_corpora_and_never_over_limits() -> None:
    summary = tables.summary(CHECKED)
    assert columns(summary) == [
        "splitter",
        "limit",
        "documents",
        "do not join back",
        "lost whitespace",
        "lost content",
        "segments over the limit",
        "boundaries against the whitespace rule",
    ]
    assert summary.cells == [
        ["segmenter", "20", "12", "0", "0", "0", "0", "0"],
        ["segmenter", "500", "12", "0", "0", "0", "0", "0"],
        ["langchain", "20", "12", "11", "22", "0", "0", "–"],
        ["langchain", "500", "12", "1", "22", "0", "0", "–"],
        ["langchain-keep", "20", "12", "0", "0", "0", "1,234", "5"],
        ["langchain-keep", "500", "12", "0", "0", "0", "0", "40"],
    ]
    assert (
        "Boundaries that no splitter could avoid, because a character and its whitespace are "
        "longer than the limit: 9 at 20 and 0 at 500. They are not counted above." in summary.notes
    )
    assert "Nothing was timed." in summary.notes


def test_empty_segments_are_not_against_the_whitespace_rule() -> None:
    """The table of violations tells of them."""
    workload = CHECKED.counts[0].workload
    run = replace(CHECKED, violations=[*VIOLATIONS, ViolationCount(workload, "empty", 7, 0)])
    assert tables.summary(run).cells == tables.summary(CHECKED).cells
    assert find(tables.violations(run), "empty", workload.splitter)[0] == "7"


def test_a_ratio_is_that_of_the_rounds_with_their_interval() -> None:
    rows = tables.timings(TIMED)
    assert find(rows, "books", "500", "segmenter") == [
        *("8", "1.00", "2.00 (1.08–3.72)", "2.00–2.00"),
    ]
    # The baseline has its own rate: a million code points in 1 or 4 seconds, 2 by their logarithms.
    assert find(rows, "books", "500", "langchain") == ["8", "0.500", "–", "–"]
    assert find(rows, "laws", "500", "segmenter")[2] == "4.00 (2.15–7.43)"


def test_the_whole_is_the_geometric_mean_of_the_corpora() -> None:
    # In every round 1 × 8 or 4 × 2: the mean is 2.83 without any spread over rounds.
    expected = ["8", "–", "2.83 (2.83–2.83)", "2.00–4.00"]
    assert find(tables.timings(TIMED), "all", "500", "segmenter") == expected
    assert [cells[0] for cells in tables.timings(TIMED, detailed=False).cells] == ["all", "all"]
    assert find(tables.summary(TIMED), "segmenter", "500")[-1] == "2.83 (2.83–2.83)"
    assert find(tables.summary(TIMED), "langchain-keep", "500")[-1] == "–"
    assert columns(tables.summary(TIMED))[-1] == "times as fast as langchain"
    assert tables.answer_run(TIMED).endswith(
        "it was 2.83 times as fast as `langchain` at limit 500."
    )


def test_a_splitter_that_was_not_timed_on_every_corpus_has_no_ratio_over_all() -> None:
    other = [
        replace(each, workload=replace(each.workload, splitter="langchain-keep"))
        for each in rounds("books", 3.0)
    ]
    partly = replace(TIMED, rounds=[*ROUNDS, *other])
    assert find(tables.summary(partly), "langchain-keep", "500")[-1] == "–"
    assert find(tables.timings(partly), "books", "500", "langchain-keep")[2] == "3.00 (3.00–3.00)"
    assert [cells[2] for cells in tables.timings(partly).cells if cells[0] == "all"] == [
        *("segmenter", "langchain"),
    ]


def test_corpora_that_were_not_timed_do_not_count_for_the_speed() -> None:
    books = replace(TIMED, rounds=rounds("books", 2.0))
    assert find(tables.summary(books), "segmenter", "500")[-1] == "2.00 (2.00–2.00)"
    assert {cells[0] for cells in tables.timings(books).cells} == {"books"}
    assert any(note.startswith("Speed on `books`: ") for note in tables.summary(books).notes)
    assert tables.answer_run(books).endswith("as fast as `langchain` at limit 500 on `books`.")


def test_the_baseline_is_the_one_that_took_turns() -> None:
    rounds = [replace(each, baseline="fixed") for each in ROUNDS]
    run = replace(TIMED, environment=replace(ENVIRONMENT, baseline="fixed"), rounds=rounds)
    assert columns(tables.summary(run))[-1] == "times as fast as fixed"
    assert "times as fast as `fixed`" in tables.answer_run(run)


def test_too_few_rounds_have_no_ratio() -> None:
    few = replace(TIMED, rounds=[each for each in ROUNDS if each.round < 7])
    assert "No ratio of times: too few rounds." in tables.summary(few).notes
    assert "as fast as" not in tables.answer_run(few)


def test_violations_are_told_by_rule_splitter_and_limit_without_the_unavoidable() -> None:
    table = tables.violations(CHECKED)
    assert columns(table)[2:] == ["at 20", "at 500"]
    assert table.cells == [
        ["join", "langchain", "11", "1"],
        ["fits", "langchain-keep", "1,234", "0"],
        ["too-long-run", "langchain-keep", "0", "5"],
        ["run-without-newline", "langchain-keep", "0", "40"],
    ]


def test_what_is_unavoidable_is_told_by_corpus_and_limit() -> None:
    table = tables.unavoidable(CHECKED)
    assert columns(table) == ["corpus", "at 20", "at 500"]
    assert table.cells == [["all", "9", "0"], ["books", "2", "0"], ["laws", "7", "0"]]
    assert table.title in [each.title for each in tables.details(CHECKED)]


def test_a_lower_bound_is_shown_as_one() -> None:
    bounded = [replace(c, inexact=int(c.workload.corpus == "laws")) for c in COUNTS]
    run = replace(CHECKED, counts=bounded)
    assert find(tables.summary(run), "langchain", "20")[2:4] == ["at least 22", "at least 0"]
    assert find(tables.losses(run), "langchain", "20")[2:5] == [
        "at least 22",
        "at least 0",
        "0.00%",
    ]
    assert find(tables.counts(run), "books", "20", "langchain")[-4:] == ["11", "0", "0", "0"]
    assert any(note.startswith("At least: ") for note in tables.summary(run).notes)


def test_a_run_of_an_older_version_has_no_losses_and_says_so() -> None:
    old = [
        replace(
            c, lost_whitespace=None, lost_content=None, added_whitespace=None, added_content=None
        )
        for c in COUNTS
    ]
    boundaries = [replace(each, excess=None) for each in BOUNDARIES]
    run = replace(CHECKED, counts=old, boundaries=boundaries, unavoidable=())
    assert find(tables.summary(run), "langchain-keep", "20") == [
        *("12", "0", "–", "–", "1,234", "–")
    ]
    assert find(tables.losses(run), "langchain", "20") == ["12", "11", "–", "–", "–", "–", "–"]
    assert find(tables.lengths(run), "20", "segmenter")[1:3] == ["–", "–"]
    assert any("an older version of segbench" in note for note in tables.summary(run).notes)


def test_counts_over_all_corpora_have_no_median() -> None:
    table = tables.counts(CHECKED)
    assert find(table, "all", "20", "langchain") == [
        "12",
        "4,000,000",
        "200",
        "1",
        "–",
        "20",
        "22",
        "0",
        "0",
        "0",
    ]
    assert find(table, "books", "500", "segmenter")[4] == "7.5"


def test_fullness_is_the_mean_length_by_the_limit() -> None:
    # 4,000,000 code points, and for langchain 22 lost, in 200 segments
    table = tables.lengths(replace(CHECKED, counts=COUNTS))
    assert find(table, "500", "segmenter") == ["200", "20,000", "4000%", "1", "500"]
    losing = [replace(c, code_points=1_000, segments=10) for c in COUNTS]
    table = tables.lengths(replace(CHECKED, counts=losing))
    assert find(table, "500", "segmenter") == ["20", "100", "20%", "1", "500"]
    assert find(table, "500", "langchain") == ["20", "98.9", "20%", "1", "500"]
    assert find(table, "20", "langchain-keep") == ["20", "100", "500%", "1", "20"]


def test_a_splitter_that_failed_on_a_corpus_has_no_fullness() -> None:
    partly = [c for c in COUNTS if c.workload != Workload("laws", "segmenter", 20)]
    names = [cells[:2] for cells in tables.lengths(replace(CHECKED, counts=partly)).cells]
    assert ["20", "segmenter"] not in names
    assert ["500", "segmenter"] in names


def test_losses_are_told_of_those_who_lose() -> None:
    table = tables.losses(CHECKED)
    assert table.cells == [
        ["langchain", "20", "12", "11", "22", "0", "0.00%", "0", "0"],
        ["langchain", "500", "12", "1", "22", "0", "0.00%", "0", "0"],
    ]
    nothing = replace(CHECKED, counts=[c for c in COUNTS if not c.lost_whitespace], violations=[])
    assert tables.losses(nothing).empty == "No splitter lost or added a character."
    assert not tables.losses(nothing).rows


def test_the_answer_is_one_sentence() -> None:
    assert tables.answer_run(TIMED) == (
        "`segmenter` kept every character of 12 documents (4,000,000 code points) at limits 20 "
        "and 500, with no segment over the limit and no boundary against the whitespace rule "
        "that could be avoided; it was 2.83 times as fast as `langchain` at limit 500."
    )


def test_a_broken_rule_of_the_segmenter_is_the_answer() -> None:
    broken = [
        ViolationCount(Workload("books", "segmenter", 20), "fits", 3, 0),
        ViolationCount(Workload("laws", "segmenter", 20), "fits", 4, 0),
        ViolationCount(Workload("laws", "segmenter", 20), "too-long-run", 9, 2),
    ]
    assert tables.answer_run(replace(CHECKED, violations=broken)) == (
        "`segmenter` broke rules on 12 documents (4,000,000 code points) at limits 20 and 500: "
        "`fits` (7 at 20), `too-long-run` (7 at 20)."
    )


FAILURES = [Failure(Workload("books", "peer|x", 20), "timed out", "no answer\n\x1b[31m\ud800|")]


def test_a_splitter_that_failed_everywhere_has_its_row_all_the_same() -> None:
    failed = replace(CHECKED, failures=FAILURES)
    assert find(tables.summary(failed), "peer|x") == ["20", *["–"] * 6]
    assert tables.failures(failed).cells == [
        ["books", "20", "peer|x", "timed out", r"no answer\u{A}\u{1B}[31m\u{D800}|"]
    ]
    text = render_report(failed)
    assert r"| books | 20 | peer\|x | timed out | no answer\\u{A}\\u{1B}\[31m\\u{D800}\| |" in text
    assert "Some workloads failed" in text
    assert "set aside" not in text


def test_documents_that_were_set_aside_are_not_called_failed_workloads() -> None:
    failure = Failure(CHECKED.counts[0].workload, "set aside", "document 'a': its process died")
    text = render_report(replace(CHECKED, failures=[failure]))
    assert "Some documents were set aside and are not counted here: see Failures." in text
    assert "Some workloads failed" not in text


def test_nothing_but_failures_is_said_to_be_that() -> None:
    nothing = Run(ENVIRONMENT, failures=FAILURES)
    assert tables.answer_run(nothing) == "Nothing was measured."
    assert re.findall("^## (.*)$", render_report(nothing), re.MULTILINE) == [
        *("Losses, limits and speed", "Failures", "Environment"),
    ]


def test_without_the_segmenter_the_answer_is_about_the_others() -> None:
    others = replace(CHECKED, counts=[c for c in COUNTS if c.workload.splitter != "segmenter"])
    scope = "12 documents (4,000,000 code points) at limits 20 and 500"
    ending = f"kept every character of {scope} and had no segment over the limit."
    assert tables.answer_run(others) == f"No splitter {ending}"
    fitting = replace(others, violations=complete([v for v in BROKEN if v.rule != "fits"]))
    assert tables.answer_run(fitting) == f"`langchain-keep` {ending}"


def test_who_kept_everything_is_told_of_those_who_were_asked_everywhere() -> None:
    fitting = replace(CHECKED, violations=complete([v for v in BROKEN if v.rule != "fits"]))
    told = "2 of 3 splitters joined back on every text and stayed within the limit: "
    assert f"{told}`segmenter` and `langchain-keep`." in tables.summary(fitting).notes
    failures = [Failure(Workload("laws", "langchain-keep", 20), "raised", "x")]
    told = "1 of 3 splitters joined back on every text and stayed within the limit: "
    failed = replace(fitting, failures=failures)
    assert f"{told}`segmenter`." in tables.summary(failed).notes
    unasked = [v for v in fitting.violations if v.workload.splitter != "langchain-keep"]
    assert f"{told}`segmenter`." in tables.summary(replace(fitting, violations=unasked)).notes
    nobody = replace(CHECKED, violations=[])
    told = "None of 3 splitters joined back on every text and stayed within the limit."
    assert told in tables.summary(nobody).notes


def test_a_failure_of_the_segmenter_is_in_the_answer() -> None:
    failures = [Failure(Workload("laws", "segmenter", 128), "raised", "x")]
    answer = tables.answer_run(replace(CHECKED, failures=failures))
    assert answer.endswith("; it failed on some workloads.")


def test_the_report_leaves_out_what_is_empty() -> None:
    text = render_report(replace(CHECKED, violations=[]))
    assert not re.findall("^## (Timings|Failures|Claims.*|Growth.*|Texts)$", text, re.MULTILINE)
    assert "pull request" not in text
    assert "Nothing was timed." in text
    assert "## Violations by rule\n\nNo rule was broken.\n" in text
    assert "| commit | 0123abc with changes |" in text
    assert "\n\n\n" not in text


@pytest.mark.parametrize("run", [CHECKED, TIMED, Run(ENVIRONMENT, failures=FAILURES)])
def test_the_terminal_shows_the_tables_and_the_answer_last(run: Run) -> None:
    console = Console(width=1000, record=True, file=io.StringIO())
    print_run(run, console)
    shown = console.export_text()
    for cells in tables.summary(run).cells:
        assert all(text in shown for text in cells)
    assert shown.rstrip().endswith(tables.answer_run(run))


def test_a_report_is_written_from_the_files_alone(tmp_path: Path) -> None:
    write_run(tmp_path, TIMED)
    path = write_report(tmp_path)
    assert path == tmp_path / "report.html"
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert text == render_report(TIMED, read_bias(TIMED))
    assert "times as fast as langchain" in path.read_text(encoding="utf-8")


def test_an_aborted_run_has_no_report(tmp_path: Path) -> None:
    write_run(tmp_path, CHECKED)
    (tmp_path / "environment.json").unlink()
    with pytest.raises(MeasurementError, match="no finished run"):
        write_report(tmp_path)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("report")]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.00123456, "0.00123"),
        (0.0999999, "0.100"),
        (0.9996, "1.00"),
        (12.345, "12.3"),
        (999.6, "1,000"),
        (1234.5, "1,230"),
        (0, "0"),
    ],
)
def test_three_digits_are_significant(value: float, shown: str) -> None:
    assert show_digits(value) == shown


def test_a_commit_that_git_does_not_tell_is_shown_with_its_reason() -> None:
    environment = replace(ENVIRONMENT, commit="", dirty=False, commit_error="dubious ownership")
    cells = tables.environment(Run(environment)).cells
    assert ("commit", "unknown, git said: dubious ownership") in [tuple(row) for row in cells]


def test_environment_names_command_and_versions() -> None:
    rows: Sequence[Sequence[str]] = tables.environment(CHECKED).cells
    assert ["command", "segbench run"] in rows
    assert ["langchain-text-splitters", "1.1.3"] in rows


def test_a_narrow_terminal_loses_no_number() -> None:
    narrow = Console(width=60, record=True, file=io.StringIO())
    print_table(tables.timings(TIMED), narrow)
    lines = narrow.export_text().splitlines()
    assert max(map(len, lines)) <= 60
    for cells in tables.timings(TIMED).cells:
        for number in cells[3:]:
            assert any(
                all(f" {part} " in line for part in (*cells[:3], number)) for line in lines
            ), (cells, number)


def test_only_what_concerns_the_run_is_told_of_its_bias() -> None:
    def measure(splitter: str, corpus: str) -> Run:
        (count, *_) = CHECKED.counts
        return replace(
            CHECKED, counts=[replace(count, workload=Workload(corpus, splitter, 20))], rounds=[]
        )

    bias = read_bias(measure("haystack", "mine.txt"))
    assert "- Haystack's splitter" in bias
    assert "- `join` and `fits`" in bias
    for absent in ("LangChain's", "Natural Questions", "### The clock", "<!--", "\n\n\n"):
        assert absent not in bias
    assert bias.startswith("A benchmark answers")
    assert "- Natural Questions" in read_bias(measure("fixed", "natural_questions"))
    assert "### The clock\n\n- Only the calls that split" in read_bias(TIMED)
