"""A command's temporary folder, and those that killed commands left."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from harness.runner.folders import open_own_folder, remove_abandoned

ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="nothing is removed here")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def test_all_temporary_files_lie_in_it_and_go_with_it(place: Path) -> None:
    with open_own_folder() as folder:
        assert folder.parent == place
        assert Path(tempfile.mkdtemp()).parent == folder
        code = "import tempfile; print(tempfile.mkdtemp())"
        made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert Path(made.stdout.strip()).parent == folder
    assert list(place.iterdir()) == []
    assert os.environ["TMPDIR"] == str(place)


def test_one_whose_owner_was_killed_is_removed_and_no_other(place: Path) -> None:
    code = (
        "from harness.runner.folders import *\nwith open_own_folder() as f: print(f); import os; "
    )
    variables = {**os.environ, "PYTHONPATH": str(ROOT)}
    killed = subprocess.run(
        [sys.executable, "-c", f"{code} os.sys.stdout.flush(); os.kill(os.getpid(), 9)"],
        capture_output=True,
        text=True,
        env=variables,
    )
    left = Path(killed.stdout.strip())
    assert left.is_dir()
    (left / "spool").write_text("text")
    kept = [place / "segbench-notes", place / "segbench-abcdefgh", place / "other"]
    for folder in kept:
        folder.mkdir()
        (folder / "mine").touch()
    (place / "segbench-linklink").symlink_to(left)
    old = place / "segbench-oldempty"
    old.mkdir()
    os.utime(old, (0, 0))
    with open_own_folder() as folder:
        assert not left.exists()
        assert not old.exists()
        remove_abandoned(place, "segbench-")
        assert folder.exists()  # its owner lives
    assert all((each / "mine").exists() for each in kept)
