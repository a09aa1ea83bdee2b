"""The directions of imports, and the page that explains them."""

import re
import subprocess
import sys
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def read_contracts() -> dict[str, list[dict[str, object]]]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    found: dict[str, list[dict[str, object]]] = {}
    for contract in settings["tool"]["importlinter"]["contracts"]:
        found.setdefault(contract["type"], []).append(contract)
    return found


def read_layers(contract: dict[str, object]) -> list[set[str]]:
    layers = contract["layers"]
    assert isinstance(layers, list)
    return [set(layer.split(" | ")) for layer in layers]


def run_linter(*options: str) -> subprocess.CompletedProcess[str]:
    program = "import sys; from importlinter.cli import lint_imports_command as run; run()"
    return subprocess.run(
        [sys.executable, "-c", program, "--no-cache", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_contracts_are_kept() -> None:
    done = run_linter()
    assert done.returncode == 0, done.stdout


def test_the_picture_has_the_rooms_in_the_order_of_the_contracts() -> None:
    packages, rooms = map(read_layers, read_contracts()["layers"])
    assert packages[0] == {"harness"}
    (picture,) = re.findall(r"```mermaid\nflowchart TD\n(.*?)```", PAGE, re.DOTALL)
    steps = [
        [set(side.split(" & ")) for side in line.split(" --> ")]
        for line in map(str.strip, picture.splitlines())
    ]
    drawn = [*rooms, *packages[1:]]
    assert steps == [[upper, lower] for upper, lower in pairwise(drawn)]


def test_the_page_names_every_room_and_nothing_that_is_not_there() -> None:
    folders = {
        f"harness/{path.name}"
        for path in (ROOT / "harness").iterdir()
        if (path / "__init__.py").exists()
    }
    assert set(re.findall(r"^\| `(harness/\w+)` \|", PAGE, re.MULTILINE)) == folders
    named = set(re.findall(r"`([a-z_]+/[\w./]*)`", PAGE))
    assert len(named) > 20
    assert [name for name in named if not (ROOT / name).exists()] == []


MADE_UP = """
[tool.importlinter]
root_packages = ["made_up"]
include_external_packages = true
contract_types = ["standard_library: tests.contracts.StandardLibraryContract"]
[[tool.importlinter.contracts]]
name = "So"
type = "standard_library"
modules = ["made_up.one"]
"""


@pytest.mark.parametrize(
    ("two", "status", "said"),
    [
        ("import json", 0, "1 kept, 0 broken"),
        ("import click", 1, "made_up.one needs click"),
    ],
)
def test_a_module_that_needs_more_than_the_standard_library_breaks_its_contract(
    two: str, status: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "made_up"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "one.py").write_text("from made_up import two")
    (package / "two.py").write_text(two)
    (tmp_path / "settings.toml").write_text(MADE_UP)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    done = run_linter("--config", str(tmp_path / "settings.toml"))
    assert done.returncode == status, done.stdout
    assert said in done.stdout
