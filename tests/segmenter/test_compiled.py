"""Builds the wheel as SEGBENCH_COMPILE=1 asks for it, and tests what of it is compiled."""

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from tests.segmenter.conftest import SHARED

CHECKOUT = Path(__file__).parents[2]
COMPILER = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"

NOT_SOURCES = shutil.ignore_patterns(
    ".*", "*.so", "*.pyd", "__pycache__", "*.egg-info", "build", "dist", "reports", "tests"
)

PROBE = "import segmenter; print(segmenter.COMPILED, segmenter.TextSegmenter(4).split('one two'))"
# The one module that is compiled: its words and values, the oracle, the fuzzers, the pure form.
OF_TEXT_SEGMENTER = ("test_text_segmenter.py", "test_fuzz.py", "test_forms.py")
# Of the ten seeds of the longest test, one.
FEWER = "not (random_texts_agree_with_the_oracle and not other_separators and not 0)"
# Becomes a conftest.py beside the unpacked wheel.
ISOLATED = """
from pathlib import Path
import segmenter

assert segmenter.COMPILED
assert Path(segmenter.__file__).parent == Path(__file__).with_name("segmenter")
"""


def build(folder: Path, **environment: str) -> Path:
    """Build a wheel from a copy of the sources and return the folder that it is unpacked in."""
    copy = folder / "copy"
    shutil.copytree(CHECKOUT, copy, ignore=NOT_SOURCES)
    program = "from setuptools import build_meta; print(build_meta.build_wheel('dist'))"
    run(copy, "-c", program, **environment)
    (wheel,) = (copy / "dist").glob("*.whl")
    site = folder / "site"
    with zipfile.ZipFile(wheel) as file:
        file.extractall(site)
    return site


def run(folder: Path, *arguments: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def needs_mypyc() -> None:
    pytest.importorskip("mypyc", reason="mypy is not installed, so nothing can be compiled")
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        pytest.skip("this Python comes without the headers that C needs")


@pytest.mark.usefixtures("needs_mypyc")
def test_the_compiled_form_passes_these_tests(tmp_path):
    if shutil.which(shlex.split(COMPILER)[0]) is None:
        pytest.skip(f"no C compiler: {COMPILER} is not there")
    site = build(tmp_path, SEGBENCH_COMPILE="1")
    shutil.copytree(
        CHECKOUT / "tests/segmenter",
        site / "tests/segmenter",
        ignore=shutil.ignore_patterns(Path(__file__).name, "__pycache__"),
    )
    for name in ("pyproject.toml", "LICENSE"):
        shutil.copy(CHECKOUT / name, site)
    (site / "conftest.py").write_text(ISOLATED)
    if SHARED.is_dir():  # the tests look for it beside the checkout
        (tmp_path / "shared").symlink_to(SHARED.resolve())
    tests = [f"tests/segmenter/{name}" for name in OF_TEXT_SEGMENTER]
    report = run(site, "-m", "pytest", "-n0", "-p", "no:cacheprovider", "-k", FEWER, *tests)
    assert " passed" in report
    assert "not compiled" not in report


@pytest.mark.usefixtures("needs_mypyc")
@pytest.mark.skipif(os.name != "posix", reason="CC names the compiler on POSIX systems alone")
def test_without_a_compiler_the_pure_form_is_installed(tmp_path):
    site = build(tmp_path, SEGBENCH_COMPILE="1", CC="/bin/false")
    assert run(site, "-c", PROBE) == "False ['one ', 'two']\n"
    assert not list(site.rglob("*.so"))


def test_unless_it_is_asked_for_nothing_is_compiled(tmp_path):
    site = build(tmp_path, SEGBENCH_COMPILE="")
    (metadata,) = site.glob("*.dist-info/WHEEL")
    assert "Tag: py3-none-any" in metadata.read_text()


def test_what_is_built_in_the_checkout_is_built_from_its_source():
    forms = pytest.importorskip("harness.measure.forms")
    assert forms.describe_form() in ("compiled", "pure Python")
