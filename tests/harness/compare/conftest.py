"""A repository to compare versions in, and few rounds to compare them by."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import corpora
from harness.cli.commands import segbench
from harness.compare import decision
from tests.harness.compare.versions import CORPORA, SPLITTER, Compare, Repository


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository whose commit ``plain`` is the working tree too, and the current folder."""
    folder = tmp_path / "repository"
    folder.mkdir()
    monkeypatch.chdir(folder)
    made = Repository(folder)
    made.commit(SPLITTER, "plain")
    return made


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    load_all = corpora.load_all
    monkeypatch.setattr(
        corpora,
        "load_all",
        lambda names, **options: [
            CORPORA.get(name) or load_all([name], **options)[0] for name in names
        ],
    )
    monkeypatch.setattr(decision, "LOOKS", (8,))
    monkeypatch.setattr(decision, "GATE_CYCLES", 2)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)


@pytest.fixture(autouse=True)
def plain(plain_git: None) -> None:
    """No test sees the user's git."""


@pytest.fixture
def compare(tmp_path: Path) -> Compare:
    """``segbench compare`` at one limit, with a tolerance that the noise of no machine reaches."""

    def run(*arguments: str) -> Result:
        defaults = ["--out", str(tmp_path / "out"), "--overwrite"]
        if "--base" in arguments:
            defaults += ["--tolerance", "2.5", "--max-chunk-length", "20"]
        result = CliRunner().invoke(segbench, ["compare", *defaults, *arguments])
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result

    return run
