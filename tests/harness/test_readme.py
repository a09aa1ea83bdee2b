import re
from pathlib import Path

import pytest

from harness.cli import segbench
from harness.report.readme import BEGIN, END, update_readme
from harness.results import Count, Environment, MeasurementError, Run, Workload, write_run

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_result_block_is_what_the_reference_run_gives(tmp_path: Path) -> None:
    copy = tmp_path / "README.md"
    copy.write_text(README, encoding="utf-8")
    update_readme(copy, ROOT / "reports" / "reference")
    assert copy.read_text(encoding="utf-8") == README


def test_only_the_block_is_replaced(tmp_path: Path) -> None:
    copy = tmp_path / "README.md"
    copy.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", encoding="utf-8")
    count = Count(Workload("books", "segmenter", 20), 1, 2, 1, 2, 2, 2, 0, 0, "digest")
    where = Environment(
        "segbench check", {}, "CPython", "Linux", "A processor", 2, "", False, "", "x"
    )
    write_run(tmp_path / "run", Run(where, counts=[count]))
    update_readme(copy, tmp_path / "run")
    text = copy.read_text(encoding="utf-8")
    assert text.startswith(f"before\n{BEGIN}\n\n`segmenter` kept every character")
    assert "$ segbench check" in text
    assert text.endswith(f"\n{END}\nafter\n")
    assert "old" not in text


@pytest.mark.parametrize("text", ["", BEGIN, END])
def test_a_readme_without_the_marks_is_left_alone(tmp_path: Path, text: str) -> None:
    copy = tmp_path / "README.md"
    copy.write_text(text, encoding="utf-8")
    with pytest.raises(MeasurementError, match="no result block"):
        update_readme(copy, ROOT / "reports" / "reference")
    assert copy.read_text(encoding="utf-8") == text


def test_its_python_holds() -> None:
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})


def test_it_names_every_command() -> None:
    assert set(re.findall(r"^\| `segbench (\w+)", README, re.MULTILINE)) == set(segbench.commands)
