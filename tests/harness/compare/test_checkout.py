"""Whose segmenter is loaded: the checkout's own sources, whatever else could be."""

import contextlib
import os
import py_compile
import sysconfig
from pathlib import Path

import pytest

from harness.compare.checkouts import Checkout, SegmenterLocation
from harness.compare.sides import as_splitter, open_clean_process, start_side
from harness.results.errors import MeasurementError
from harness.runner.spool import write_spool

WHOLE = """
class TextSegmenter:
    def __init__(self, limit): ...
    def split(self, text): return [text]
"""
HALVES = WHOLE.replace("[text]", "[text[:1], text[1:]]")


def count_segments(folder: Path, segmenter: str = "segmenter") -> int:
    """How many segments the checkout's segmenter makes of a text of two code points."""
    spool = folder / "spool"
    write_spool(spool, [("first", "ab")])
    with start_side(Checkout("it", folder, SegmenterLocation.parse(segmenter), "")) as process:
        process.load(5)
        return process.run_pass(spool).segments


def write(folder: Path, source: str, path: str = "segmenter/__init__.py") -> Path:
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(source)
    return file


@pytest.fixture
def decoy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A segmenter that makes halves, on every path that Python could take it from."""
    folder = tmp_path / "decoy"
    write(folder, HALVES)
    write(folder, HALVES, "segmenter/text_segmenter.py")
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.syspath_prepend(folder)
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.usefixtures("decoy")
def test_neither_path_nor_folder_lead_elsewhere(tmp_path: Path) -> None:
    write(tmp_path, "from segmenter.text_segmenter import TextSegmenter")
    write(tmp_path, WHOLE, "segmenter/text_segmenter.py")
    assert count_segments(tmp_path) == 1


@pytest.mark.usefixtures("decoy")
def test_what_the_checkout_lacks_is_not_taken_from_elsewhere(tmp_path: Path) -> None:
    write(tmp_path, "from segmenter.text_segmenter import TextSegmenter")
    with pytest.raises(MeasurementError, match=r"cannot be imported: .*'segmenter.text_segmenter'"):
        count_segments(tmp_path)


def test_a_segmenter_that_loads_another_is_refused(decoy: Path, tmp_path: Path) -> None:
    write(
        tmp_path,
        "import sys, types\n"
        "other = sys.modules['segmenter.text_segmenter'] = types.ModuleType('other')\n"
        f"other.__file__ = {str(decoy / 'segmenter' / 'text_segmenter.py')!r}\n"
        "class TextSegmenter: ...\n",
    )
    with pytest.raises(MeasurementError, match=r"segmenter.text_segmenter came from .*decoy"):
        count_segments(tmp_path)


def test_sources_are_loaded_and_not_what_was_made_of_them(tmp_path: Path) -> None:
    """Old bytecode that claims to be current, and a compiled module that is none."""
    source = write(tmp_path, HALVES)
    py_compile.compile(str(source), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    source.write_text(WHOLE)
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    write(tmp_path, "no library", f"segmenter/__init__{suffix}")
    assert count_segments(tmp_path) == 1
    before = set(tmp_path.rglob("*.pyc"))
    count_segments(tmp_path)
    assert set(tmp_path.rglob("*.pyc")) == before


def test_each_side_has_its_own(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    write(one, WHOLE)
    write(other, HALVES)
    spool = tmp_path / "spool"
    write_spool(spool, [("first", "ab")])
    with contextlib.ExitStack() as stack:
        counts = []
        for folder in (one, other):
            side = stack.enter_context(
                start_side(Checkout("it", folder, SegmenterLocation.parse("segmenter"), ""))
            )
            side.load(5)
            counts.append(side.run_pass(spool).segments)
    assert counts == [1, 2]


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system pins no process")
def test_a_side_stays_on_its_core(tmp_path: Path) -> None:
    write(
        tmp_path, "import os\n" + WHOLE.replace("[text]", "list(map(str, os.sched_getaffinity(0)))")
    )
    core = max(os.sched_getaffinity(0))
    spool = tmp_path / "spool"
    write_spool(spool, [("first", "ab")])
    side = as_splitter(Checkout("it", tmp_path, SegmenterLocation.parse("segmenter"), ""), "it")
    with open_clean_process(side, seed=0) as process:
        process.keep_on_core(core)
        process.load(5)
        assert list(process.split(spool, tmp_path / "into")) == [[str(core)]]
