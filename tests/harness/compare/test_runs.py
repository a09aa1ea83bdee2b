"""``segbench compare DIR DIR``: two run folders."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from harness.cli.commands import segbench
from harness.results.folder import write_run
from harness.results.model import (
    Count,
    Failure,
    Round,
    Run,
    Texts,
    ViolationCount,
    Workload,
)
from tests.harness import environments

OURS = Workload("books", "segmenter", 20)
OTHER = Workload("books", "peer", 20)
BASELINE = Workload("books", "langchain", 20)
ENVIRONMENT = replace(environments.ENVIRONMENT, versions={"pyarrow": "26.0"}, commit="abc")


def count(workload: Workload, digest: str = "d", code_points: int = 900) -> Count:
    return Count(workload, 3, code_points, 50, 1, 18.0, 20, digest, 0, 0, 0, 0)


def rounds(workload: Workload, seconds: float) -> list[Round]:
    """Eight rounds in which it takes so long, and its baseline 2 seconds."""
    times = [seconds] * 4 + [2.0] * 4
    return [Round(workload, "langchain", "all", n, 900, *times) for n in range(8)]


RUN = Run(
    ENVIRONMENT,
    counts=[count(OURS), count(OTHER), count(BASELINE)],
    violations=[ViolationCount(OURS, "fits", 2, 2), ViolationCount(OTHER, "fits", 9, 2)],
    rounds=[*rounds(OURS, 1.0), *rounds(OTHER, 1.0)],
)

CompareRuns = Callable[..., Result]


@pytest.fixture
def compare_runs(tmp_path: Path) -> CompareRuns:
    def run(before: Run, after: Run, *arguments: str) -> Result:
        folders = []
        for name, each in ("before", before), ("after", after):
            write_run(tmp_path / name, each)
            folders.append(str(tmp_path / name))
        command = ["compare", *folders, "--out", str(tmp_path / "out"), "--overwrite", *arguments]
        return CliRunner().invoke(segbench, command)

    return run


def test_a_run_is_as_good_as_itself(compare_runs: CompareRuns) -> None:
    later = replace(ENVIRONMENT, commit="def", dirty=True, finished="2026-01-02T00:10:00+00:00")
    result = compare_runs(RUN, replace(RUN, environment=later))
    assert result.exit_code == 0, result.stderr
    assert (
        "Segments are the same in all 3 workloads; no rule is broken more often. Two runs give no "
        "verdict on speed; --base measures both versions in turns." in result.stdout
    )


def test_speeds_of_two_runs_are_told_and_decide_nothing(
    compare_runs: CompareRuns, tmp_path: Path
) -> None:
    slower = replace(RUN, rounds=[*rounds(OURS, 2.0), *rounds(OTHER, 1.0)])
    result = compare_runs(RUN, slower)
    assert result.exit_code == 0
    page = (tmp_path / "out" / "compare.md").read_text()
    assert "| 2.00 (2.00–2.00) | 1.00 (1.00–1.00) |" in page
    record = json.loads((tmp_path / "out" / "compare.json").read_text())
    assert [change["speed_after"]["ratio"] for change in record["changes"][:2]] == [1.0, 2.0]
    assert record["changes"][2]["speed_before"] is None


def test_other_segments_are_a_bad_answer(compare_runs: CompareRuns) -> None:
    after = replace(RUN, counts=[count(OURS, "e"), count(OTHER), count(BASELINE)])
    result = compare_runs(RUN, after)
    assert result.exit_code == 1
    assert "Segments differ in 1 of 3 workloads;" in result.stdout
    assert compare_runs(RUN, after, "--allow-different-segments").exit_code == 0


def test_more_broken_rules_are_a_bad_answer(compare_runs: CompareRuns) -> None:
    broken = [ViolationCount(OURS, "fits", 3, 2), ViolationCount(OTHER, "fits", 9, 2)]
    after = replace(RUN, violations=broken)
    result = compare_runs(RUN, after, "--allow-different-segments")
    assert result.exit_code == 1
    assert "; some rule is broken more often in 1." in result.stdout
    assert compare_runs(after, RUN).exit_code == 0


def test_other_documents_cannot_be_compared(compare_runs: CompareRuns) -> None:
    counts = [count(each, "e", 1800) for each in (OURS, OTHER, BASELINE)]
    result = compare_runs(RUN, replace(RUN, counts=counts), "--allow-different-segments")
    assert result.exit_code == 3
    assert "differ, of other documents" in result.stdout
    assert "The two runs have no text in common: nothing can be compared." in result.stdout


def test_other_texts_of_the_same_size_are_other_documents(compare_runs: CompareRuns) -> None:
    before = replace(RUN, texts=[Texts("books", "one", "here")])
    after = replace(RUN, counts=[count(each, "e") for each in (OURS, OTHER, BASELINE)])
    other = replace(after, texts=[Texts("books", "other", "here")])
    result = compare_runs(before, other, "--allow-different-segments")
    assert result.exit_code == 3
    assert "differ, of other documents" in result.stdout
    in_parts = [Texts("books", "documents:one", "here")]  # of another kind, which tells nothing
    for texts in (before.texts, in_parts):
        same = replace(after, texts=texts)
        result = compare_runs(before, same, "--allow-different-segments")
        assert result.exit_code == 0
        assert "of other documents" not in result.stdout


def test_a_rule_that_is_broken_less_does_not_make_up_for_another(
    compare_runs: CompareRuns,
) -> None:
    before = replace(RUN, violations=[ViolationCount(OURS, "edges", 9, 0)])
    after = replace(RUN, violations=[ViolationCount(OURS, "join", 1, 0)])
    result = compare_runs(before, after)
    assert result.exit_code == 1
    assert "some rule is broken more often in 1." in result.stdout


def test_workloads_of_one_run_alone_are_counted(compare_runs: CompareRuns) -> None:
    after = Run(ENVIRONMENT, counts=[count(OURS)], failures=[Failure(OTHER, "failed", "so")])
    before = replace(RUN, rounds=[])
    result = compare_runs(before, after)
    assert result.exit_code == 0
    gone = "books/langchain/20 (not asked), books/peer/20 (failed: so)."
    assert f"Gone from the later run: {gone}" in result.stdout
    assert "In the later run only: 2 workloads." in compare_runs(after, before).stdout


def test_a_segmenter_that_is_gone_is_not_measured(compare_runs: CompareRuns) -> None:
    after = Run(ENVIRONMENT, counts=[count(OTHER)], failures=[Failure(OURS, "failed", "so")])
    assert compare_runs(RUN, after).exit_code == 3


def test_runs_with_nothing_in_common_are_refused(compare_runs: CompareRuns, tmp_path: Path) -> None:
    elsewhere = Run(ENVIRONMENT, counts=[count(Workload("papers", "segmenter", 20))])
    result = compare_runs(RUN, elsewhere)
    assert result.exit_code == 3
    assert "no workload in common" in result.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kept", [0, 7], ids=["none", "too few"])
def test_what_was_timed_and_is_not_any_more_is_not_measured(
    kept: int, compare_runs: CompareRuns
) -> None:
    fewer = replace(RUN, rounds=[each for each in RUN.rounds if each.round < kept])
    result = compare_runs(RUN, fewer)
    assert result.exit_code == 3
    named = "books/segmenter/20, books/peer/20."
    assert f"Timed before and not now: {named}" in result.stdout
    assert compare_runs(fewer, RUN).exit_code == 0


def test_a_peer_that_is_not_timed_any_more_is_only_told(compare_runs: CompareRuns) -> None:
    result = compare_runs(RUN, replace(RUN, rounds=rounds(OURS, 1.0)))
    assert result.exit_code == 0
    assert "Timed before and not now: books/peer/20." in result.stdout


def test_a_run_is_the_same_as_itself(compare_runs: CompareRuns) -> None:
    result = compare_runs(RUN, RUN)
    assert result.exit_code == 0, result.stderr
    assert "Both folders hold the same run. Segments are the same in all 3" in result.stdout
    later = replace(RUN, environment=replace(ENVIRONMENT, started="2026-01-02T00:00:00+00:00"))
    assert "Both folders hold the same run." not in compare_runs(RUN, later).stdout


@pytest.mark.parametrize("seconds", ["Infinity", "NaN", "-1.0", "1e999", "0"])
def test_a_time_that_is_no_number_is_refused(
    seconds: str, compare_runs: CompareRuns, tmp_path: Path
) -> None:
    assert compare_runs(RUN, RUN).exit_code == 0
    path = tmp_path / "after" / "rounds.csv"
    path.write_text(path.read_text().replace("1.0,", f"{seconds},", 1))
    folders = [str(tmp_path / name) for name in ("before", "after")]
    result = CliRunner().invoke(segbench, ["compare", *folders, "--out", str(tmp_path / "again")])
    assert result.exit_code == 3
    assert f"{path} cannot be read: " in result.stderr
    assert not (tmp_path / "again").exists()
