import re
from pathlib import Path

import pytest

from harness.cli.commands import segbench
from harness.report.readme import BEGIN, END, update_readme
from harness.results.errors import MeasurementError
from harness.results.folder import write_run
from harness.results.model import Count, Environment, Run, Workload

ROOT = Path(__file__).parents[3]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_result_blocks_are_what_the_reference_runs_give(tmp_path: Path) -> None:
    copy = tmp_path / "README.md"
    copy.write_text(README, encoding="utf-8")
    update_readme(copy)
    assert copy.read_text(encoding="utf-8") == README


def write_small_run(folder: Path, corpus: str) -> None:
    count = Count(Workload(corpus, "segmenter", 20), 1, 2, 1, 2, 2, 2, 0, 0, "digest")
    where = Environment(
        f"segbench check {corpus}", {}, "CPython", "Linux", "A processor", 2, "", False, "", "x"
    )
    write_run(folder, Run(where, counts=[count]))


def test_only_the_blocks_are_replaced_each_by_its_run(tmp_path: Path) -> None:
    copy = tmp_path / "README.md"
    one, other = (BEGIN.format(folder=folder) for folder in ("runs/one", "runs/other"))
    copy.write_text(f"before\n{one}\nold\n{END}\nbetween\n{other}\n{END}\nafter\n", "utf-8")
    write_small_run(tmp_path / "runs" / "one", "books")
    write_small_run(tmp_path / "runs" / "other", "laws")
    update_readme(copy, tmp_path)
    text = copy.read_text(encoding="utf-8")
    assert text.startswith(f"before\n{one}\n\n`segmenter` kept every character")
    first, between, second = text.partition(f"\n{END}\nbetween\n{other}\n\n")
    assert between
    assert "$ segbench check books" in first
    assert "$ segbench check laws" in second
    assert text.endswith(f"\n{END}\nafter\n")
    assert "old" not in text


@pytest.mark.parametrize("text", ["", BEGIN.format(folder="reports/reference"), END])
def test_a_readme_without_the_marks_is_left_alone(tmp_path: Path, text: str) -> None:
    copy = tmp_path / "README.md"
    copy.write_text(text, encoding="utf-8")
    with pytest.raises(MeasurementError, match="no result block"):
        update_readme(copy)
    assert copy.read_text(encoding="utf-8") == text


def test_its_python_holds() -> None:
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})


def test_it_names_every_command() -> None:
    assert set(re.findall(r"^\| `segbench (\w+)", README, re.MULTILINE)) == set(segbench.commands)
