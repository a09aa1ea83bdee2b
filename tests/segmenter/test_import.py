import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import segmenter

ROOT = Path(segmenter.__file__).parents[1]


def modules_after(statement: str) -> set[str]:
    program = f"import sys; {statement}; import json; print(json.dumps(sorted(sys.modules)))"
    command = [sys.executable, "-S", "-c", program]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return set(json.loads(run.stdout))


def test_import_loads_the_standard_library_alone_and_little_of_it():
    loaded = modules_after("import segmenter") - modules_after("pass")
    foreign = {name for name in loaded if name.split(".")[0] not in sys.stdlib_module_names}
    # The last one is there when the segmenter is compiled.
    ours = {"segmenter", "segmenter.text_segmenter", "segmenter.text_segmenter__mypyc"}
    assert foreign <= ours
    assert not loaded & {"dataclasses", "typing", "re", "asyncio", "uuid"}


def test_every_public_name_is_there():
    for name in segmenter.__all__:
        assert getattr(segmenter, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Other'"):
        _ = segmenter.Other


def test_the_file_can_be_vendored_alone(tmp_path):
    source = ROOT / "segmenter/text_segmenter.py"
    (tmp_path / "vendored.py").write_bytes(source.read_bytes())
    program = "from vendored import TextSegmenter; print(TextSegmenter(4).split('one two'))"
    run = subprocess.run(
        [sys.executable, "-S", "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == "['one ', 'two']\n"


def test_the_vendored_file_passes_every_rule_of_ruff_and_mypy(tmp_path):
    source = ROOT / "segmenter/text_segmenter.py"
    (tmp_path / "vendored.py").write_bytes(source.read_bytes())
    contradicting = "COM812,D203,D213"
    for command in (
        ["ruff", "check", "--isolated", "--no-cache", "--select=ALL", f"--ignore={contradicting}"],
        ["mypy", "--strict", "--warn-unreachable", "--config-file=", "--cache-dir=.cache"],
    ):
        pytest.importorskip(command[0])
        run = subprocess.run(
            [sys.executable, "-m", *command, "vendored.py"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 0, run.stdout + run.stderr


def test_the_file_says_where_it_comes_from_its_version_and_its_licence():
    head = (ROOT / "segmenter/text_segmenter.py").read_text(encoding="utf-8").split('"""')[1]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"From {project['name']} {project['version']}, segmenter/text_segmenter.py" in head
    assert f"SPDX-License-Identifier: {project['license']}\n" in head
    (holder,) = re.findall("Copyright .*", (ROOT / "LICENSE").read_text(encoding="utf-8"))
    assert holder in head
