"""``segbench compare`` within a git hook, where git's variables name the commit that is made."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness.compare.versions import SPLITTER, TEXT, Repository, read_all

ROOT = Path(__file__).parents[3]
FEW_ROUNDS = """
import sys
from harness.compare import decision
decision.LOOKS = (8,)
decision.GATE_CYCLES = 2
from harness.cli.commands import segbench
sys.argv[0] = "segbench"
segbench()
"""
# It reads every file of the folders before and after, and passes whatever the answer is.
HOOK = """#!{python}
import json, os, subprocess, sys
from pathlib import Path

sys.path.insert(0, {root!r})
from tests.harness.compare.versions import read_all

folders = [Path(each) for each in {folders!r}]
before = read_all(*folders)
done = subprocess.run(
    [sys.executable, "-P", "-c", {program!r}, *{arguments!r}],
    env={{**os.environ, "PYTHONPATH": {root!r}}},
    capture_output=True,
    text=True,
)
after = read_all(*folders)
names = [name for name in {{*before, *after}} if before.get(name) != after.get(name)]
told = {{
    "changed": names,
    "files": len(after),
    "status": done.returncode,
    "out": done.stdout,
    "err": done.stderr,
    "variables": [name for name in os.environ if name.startswith("GIT_")],
}}
Path({told!r}).write_text(json.dumps(told))
"""


@pytest.fixture
def history(repository: Repository, tmp_path: Path) -> Repository:
    """Four commits, of which the segmenter is that of the first in none but the last."""
    (tmp_path / "text.txt").write_text(TEXT)
    repository.write("first\n", "LICENSE")
    repository.write("other\n", "OTHER")
    for number in range(3):
        repository.commit(f"{SPLITTER}\n# {number}\n", f"change-{number}")
    return repository


def write_hook(history: Repository, name: str, tmp_path: Path, *folders: Path) -> Path:
    """A hook that compares with ``HEAD~3``; returns the file in which it tells what it saw."""
    told = tmp_path / "told.json"
    arguments = ["compare", "--base", "HEAD~3", "--corpus", str(tmp_path / "text.txt")]
    arguments += ["--max-chunk-length", "20", "--tolerance", "5", "--out", str(tmp_path / "out")]
    hook = history.folder / ".git" / "hooks" / name
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(
        HOOK.format(
            python=sys.executable,
            root=str(ROOT),
            folders=list(map(str, folders)),
            program=FEW_ROUNDS,
            arguments=arguments,
            told=str(told),
        )
    )
    hook.chmod(0o755)
    return told


def expect_nothing_changed(told: Path, variable: str) -> None:
    seen = json.loads(told.read_text())
    assert variable in seen["variables"], "git sets it for this hook"
    assert (seen["status"], seen["err"]) == (0, "")
    assert "HEAD~3 (" in seen["out"]
    assert seen["files"] > 20
    assert seen["changed"] == []


def list_files(repository: Repository, revision: str) -> dict[str, str]:
    lines = repository.git("ls-tree", "-r", revision).splitlines()
    return {path: rest for rest, path in (line.split("\t") for line in lines)}


@pytest.mark.parametrize(
    ("before", "commit", "committed", "linked"),
    [
        ([], ["commit", "-a"], {"LICENSE", "OTHER"}, False),
        (["add", "LICENSE"], ["commit"], {"LICENSE"}, False),
        (["add", "OTHER"], ["commit", "LICENSE"], {"LICENSE"}, False),
        ([], ["commit", "-a"], {"LICENSE", "OTHER"}, True),
    ],
    ids=["all", "staged", "partial", "linked"],
)
def test_a_commit_holds_what_was_committed(
    before: list[str],
    commit: list[str],
    committed: set[str],
    linked: bool,
    history: Repository,
    tmp_path: Path,
) -> None:
    folder = history.folder
    if linked:
        folder = tmp_path / "linked"
        history.git("worktree", "add", "--quiet", "-b", "linked", str(folder))
    told = write_hook(history, "pre-commit", tmp_path, history.folder, folder)
    here = Repository.__new__(Repository)
    here.folder = folder
    files = list_files(here, "HEAD")
    here.write("second\n", "LICENSE")
    here.write("second\n", "OTHER")
    if before:
        here.git(*before)
    here.git(*commit, "--quiet", "--message", "change")
    expect_nothing_changed(told, "GIT_INDEX_FILE")
    after = list_files(here, "HEAD")
    assert {path for path in after if after[path] != files.get(path)} == committed
    assert here.git("rev-parse", "HEAD~1") == here.git("rev-parse", "change-2")
    changed = {line[3:] for line in here.git("status", "--porcelain").splitlines()}
    assert changed == {"LICENSE", "OTHER"} - committed


def test_a_push_pushes_what_was_committed(history: Repository, tmp_path: Path) -> None:
    remote = tmp_path / "remote"
    remote.mkdir()
    history.git("init", "--quiet", "--bare", str(remote))
    history.git("remote", "add", "origin", str(remote))
    told = write_hook(history, "pre-push", tmp_path, history.folder, remote)
    commit = history.git("rev-parse", "main")
    history.git("push", "--quiet", "origin", "main")
    seen = json.loads(told.read_text())
    expect_nothing_changed(told, next(iter(seen["variables"])))
    assert history.git("ls-remote", str(remote), "main").split()[0] == commit.strip()


def test_variables_of_another_repository_lead_nowhere(history: Repository, tmp_path: Path) -> None:
    """All that git calls local to a repository, each of another one."""
    other = tmp_path / "other"
    other.mkdir()
    Repository(other)
    names = history.git("rev-parse", "--local-env-vars").split()
    assert {"GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY"} <= {*names}
    before = read_all(history.folder, other)
    arguments = ["compare", "--base", "HEAD~3", "--corpus", str(tmp_path / "text.txt")]
    arguments += ["--max-chunk-length", "20", "--tolerance", "5", "--out", str(tmp_path / "out")]
    done = subprocess.run(
        [sys.executable, "-P", "-c", FEW_ROUNDS, *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)} | dict.fromkeys(names, str(other / ".git")),
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert read_all(history.folder, other) == before
