from pathlib import Path

import pytest

from harness.report.readme import BLOCK_BEGIN, BLOCK_END, FEW, PAGES, update_page
from harness.results.errors import MeasurementError
from harness.results.folder import write_run
from harness.results.model import Count, Environment, Round, Run, ViolationCount, Workload
from harness.splitters.registry import list_splitters

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("page", PAGES)
def test_the_result_blocks_are_what_the_reference_runs_give(page: str, tmp_path: Path) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    copy = tmp_path / "page.md"
    copy.write_text(text, encoding="utf-8")
    update_page(copy)
    assert copy.read_text(encoding="utf-8") == text


def write_small_run(folder: Path, corpus: str) -> None:
    count = Count(Workload(corpus, "segmenter", 20), 1, 2, 1, 2, 2, 2, "digest", 0, 0, 0, 0)
    where = Environment(
        f"segbench check {corpus}", {}, "CPython", "Linux", "A processor", 2, "", False, "", "x"
    )
    write_run(folder, Run(where, counts=[count]))


def test_only_the_blocks_are_replaced_each_by_its_run(tmp_path: Path) -> None:
    copy = tmp_path / "README.md"
    one, other = (BLOCK_BEGIN.format(folder=folder) for folder in ("runs/one", "runs/other"))
    copy.write_text(
        f"before\n{one}\nreplaced\n{BLOCK_END}\nbetween\n{other}\n{BLOCK_END}\nafter\n", "utf-8"
    )
    write_small_run(tmp_path / "runs" / "one", "books")
    write_small_run(tmp_path / "runs" / "other", "laws")
    update_page(copy, tmp_path)
    text = copy.read_text(encoding="utf-8")
    assert text.startswith(f"before\n{one}\n\n`segmenter` kept every character")
    first, between, second = text.partition(f"\n{BLOCK_END}\nbetween\n{other}\n\n")
    assert between
    assert "$ segbench check books" in first
    assert "$ segbench check laws" in second
    assert text.endswith(f"\n{BLOCK_END}\nafter\n")
    assert "replaced" not in text


@pytest.mark.parametrize(
    ("commit", "dirty", "said"), [("", False, "no commit"), ("0abc", True, "0abc with changes")]
)
def test_speeds_of_what_is_not_committed_are_refused(
    commit: str, dirty: bool, said: str, tmp_path: Path
) -> None:
    page = tmp_path / "page.md"
    text = f"{BLOCK_BEGIN.format(folder='run')}\nbefore\n{BLOCK_END}\n"
    page.write_text(text, "utf-8")
    workload = Workload("books", "segmenter", 20)
    count = Count(workload, 1, 2, 1, 2, 2, 2, "digest", 0, 0, 0, 0)
    where = Environment("segbench run", {}, "", "", "", 2, commit, dirty, "", "x")
    rounds = [Round(workload, "langchain", "all", 0, 2, *[0.5] * 8)]
    write_run(tmp_path / "run", Run(where, counts=[count], rounds=rounds))
    with pytest.raises(MeasurementError, match=f"the speeds in run are of {said}, so nobody"):
        update_page(page, tmp_path)
    assert page.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("text", ["", BLOCK_BEGIN.format(folder="reports/reference"), BLOCK_END])
def test_a_readme_without_the_marks_is_left_alone(tmp_path: Path, text: str) -> None:
    copy = tmp_path / "README.md"
    copy.write_text(text, encoding="utf-8")
    with pytest.raises(MeasurementError, match="no result block"):
        update_page(copy)
    assert copy.read_text(encoding="utf-8") == text


def test_a_limit_asks_for_a_short_table_of_a_few_splitters(tmp_path: Path) -> None:
    assert set(FEW) <= set(list_splitters())
    copy = tmp_path / "README.md"
    begin = BLOCK_BEGIN.replace("{folder}", "runs/few at 500")
    copy.write_text(f"{begin}\n{BLOCK_END}\n", encoding="utf-8")
    workloads = [
        Workload("books", splitter, limit)
        for splitter in ("semchunk", "agno-fixed", "segmenter")
        for limit in (20, 500)
    ]
    where = Environment(
        "segbench check", {}, "CPython", "Linux", "", 2, "", False, "2026-01-02", "x"
    )
    counts = [Count(each, 3, 1000, 9, 2, 2, 2, "digest", 7, 0, 0, 0) for each in workloads]
    broken = [
        ViolationCount(each, rule, 5 if (each.splitter, rule) == ("semchunk", "join") else 0, 0)
        for each in workloads
        for rule in ("join", "fits")
    ]
    write_run(tmp_path / "runs" / "few", Run(where, counts=counts, violations=broken))
    update_page(copy, tmp_path)
    text = copy.read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("|")][2:]
    assert [row.split()[1] for row in rows] == ["segmenter", "semchunk"]
    assert " 5 " in rows[1]
    assert "3 documents, 1,000 characters, at limit 500, which no splitter exceeded." in text
    empty = tmp_path / "empty.md"
    empty.write_text(text.replace("at 500", "at 128"), encoding="utf-8")
    with pytest.raises(MeasurementError, match=r"the run has none of segmenter, .* at 128"):
        update_page(empty, tmp_path)


def test_every_splitter_at_a_limit_can_be_asked_for(tmp_path: Path) -> None:
    where = Environment("segbench check", {}, "CPython", "", "", 2, "", False, "2026-01-02", "x")
    workloads = [Workload("books", name, at) for name in ("mine", "agno-fixed") for at in (20, 500)]
    counts = [Count(each, 3, 1000, 9, 2, 2, 2, "digest", 7, 0, 0, 0) for each in workloads]
    write_run(tmp_path / "runs" / "few", Run(where, counts=counts))
    page = tmp_path / "page.md"
    begin = BLOCK_BEGIN.replace("{folder}", "runs/few, every splitter at 500")
    page.write_text(f"{begin}\n{BLOCK_END}\n", encoding="utf-8")
    update_page(page, tmp_path)
    rows = [line for line in page.read_text("utf-8").splitlines() if line.startswith("|")][2:]
    assert [row.split()[1] for row in rows] == ["mine", "agno-fixed"]
