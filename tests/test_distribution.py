"""What would be published: what is in the wheel and in the sdist, and which version they are."""

import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PACKAGES = ("segmenter", "corpora", "harness")
BUILD = """
import os, sys
from setuptools import build_meta
os.chdir(sys.argv[1])
print(build_meta.build_sdist("dist"), build_meta.build_wheel("dist"))
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with both, built from a copy, since a build writes beside the sources."""
    copy = tmp_path_factory.mktemp("checkout") / "segbench"
    left_out = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__", ".*", "*.egg-info")
    copy.mkdir()
    for name in (*PACKAGES, "docs", "tests"):
        shutil.copytree(ROOT / name, copy / name, ignore=left_out)
    for file in ROOT.iterdir():
        if file.is_file() and not file.name.startswith("."):
            shutil.copy(file, copy)
    subprocess.run([sys.executable, "-c", BUILD, copy], check=True, capture_output=True)
    return copy / "dist"


def test_the_wheel_holds_the_packages_and_nothing_else(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    assert wheel.name == f"segbench-{PROJECT['version']}-py3-none-any.whl"
    names = set(zipfile.ZipFile(wheel).namelist())
    packed = {name for name in names if ".dist-info/" not in name}
    assert {name.partition("/")[0] for name in packed} == set(PACKAGES)
    there = {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and path.suffix not in (".pyc", ".so", ".pyd")
    }
    assert packed == there
    assert {f"{package}/py.typed" for package in PACKAGES} <= packed
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


def test_the_sdist_can_be_built_and_tested(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for needed in (
        "setup.py",
        "mypyc_arguments.py",
        "constraints.txt",
        "README.md",
        "CHANGELOG.md",
        "segmenter/SPEC.md",
        "docs/commands.md",
        "tests/test_distribution.py",
        "tests/segmenter/documents/notes.md",
    ):
        assert needed in names
    assert not [name for name in names if name.startswith("reports") or name.endswith(".pyc")]


def test_every_place_that_names_the_version_names_the_same() -> None:
    source = (ROOT / "segmenter" / "text_segmenter.py").read_text("utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.search(r"From segbench (\S+),", source)[1] == PROJECT["version"]  # type: ignore[index]
    assert re.search(r"^## (\S+)$", changes, re.M)[1] == PROJECT["version"]  # type: ignore[index]


def test_what_needs_no_extra_imports_nothing_else(built: Path, tmp_path: Path) -> None:
    """From the wheel alone: whoever wants only the segmenter gets nothing else."""
    (wheel,) = built.glob("*.whl")
    code = (
        "import segmenter, segmenter.context, segmenter.streaming, segmenter.tokens; "
        "import segmenter.integrations.huggingface; "
        "print(segmenter.TextSegmenter(3).split('ab cd'), "
        "list(segmenter.streaming.segment_stream('ab cd', 3)), "
        "segmenter.tokens.TokenSegmenter(3, len).split('ab cd'))"
    )
    done = subprocess.run(
        [
            sys.executable,
            "-I",
            "-S",
            "-c",
            f"import sys; sys.path.insert(0, {str(wheel)!r}); {code}",
        ],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.stdout == " ".join(["['ab ', 'cd']"] * 3) + "\n", done.stderr
