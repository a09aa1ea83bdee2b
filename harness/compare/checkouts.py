"""The two versions to compare: a folder each, from a git revision or a path."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from harness.results.errors import MeasurementError

SEGMENTER = "segmenter"


@dataclass(frozen=True, slots=True)
class Checkout:
    """One side of a comparison.

    ``name`` is what a reader knows it by, ``folder`` where it lies, ``segmenter`` the package or
    module below it that has the TextSegmenter, ``commit`` the commit with ``-dirty`` where files
    differ from it, empty where git knows none.
    """

    name: str
    folder: Path
    segmenter: str
    commit: str

    def __str__(self) -> str:
        return f"{self.name} ({self.commit})" if self.commit else self.name


@contextmanager
def open_checkout(given: str | None, segmenter: str = SEGMENTER) -> Iterator[Checkout]:
    """The version that ``given`` names, until the block ends.

    A revision of the repository around the current folder is checked out into a worktree, which
    is removed at the end; a folder is used as it is. None is the working tree. Where both could
    be meant it is the revision; ``./NAME`` is the folder. Raises MeasurementError where it is
    neither, or has no ``segmenter``.
    """
    if given is None:
        top = _find_top()
        yield _describe("the working tree", Path(top) if top else Path.cwd(), segmenter)
    elif commit := _find_commit(given):
        with _worktree(commit) as folder:
            yield _describe(given, folder, segmenter)
    elif given and Path(given).is_dir():
        yield _describe(given, Path(given).resolve(), segmenter)
    else:
        raise MeasurementError(
            f"{given!r} is neither a folder nor a revision that git finds from {Path.cwd()}; "
            "name one of these, or fetch it first"
        )


def _describe(name: str, folder: Path, segmenter: str) -> Checkout:
    place = (folder / segmenter).resolve()
    if not place.is_relative_to(folder.resolve()):
        # Both sides would be the same.
        raise MeasurementError(
            f"{segmenter} is not below {name}; give --segmenter as a path from the top of both"
        )
    if not place.exists():
        raise MeasurementError(
            f"{name} has no {segmenter}; say with --segmenter where its TextSegmenter is"
        )
    described = _git(folder, "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*")
    commit = described.stdout.strip() if described.returncode == 0 else ""
    return Checkout(name, folder, segmenter, commit)


def _find_top() -> str:
    return _git(Path.cwd(), "rev-parse", "--show-toplevel").stdout.strip()


def _find_commit(given: str) -> str:
    if not given or given.startswith("-"):
        return ""
    commit = _git(Path.cwd(), "rev-parse", "--verify", "--quiet", f"{given}^{{commit}}")
    return commit.stdout.strip()


@contextmanager
def _worktree(commit: str) -> Iterator[Path]:
    """A checkout of the commit that lasts as long as the block."""
    with tempfile.TemporaryDirectory(prefix="segbench-") as place:
        folder = Path(place, "checkout")
        here = Path.cwd()
        try:
            made = _git(here, "worktree", "add", "--detach", "--quiet", str(folder), commit)
            if made.returncode:
                reason = next(iter(reversed(made.stderr.strip().splitlines())), "no reason given")
                raise MeasurementError(f"git could not check out {commit}: {reason}")
            yield folder.resolve()
        finally:
            _git(here, "worktree", "remove", "--force", str(folder))


def _git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run git to its end, even where Ctrl-C comes meanwhile: half a worktree is hard to remove."""
    command = ["git", "-C", str(folder), "-c", f"core.hooksPath={os.devnull}", *arguments]
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError:  # without git, only folders can be compared
        return subprocess.CompletedProcess(command, 127, "", "git is not installed")
    try:
        out, error = process.communicate()
    except KeyboardInterrupt:
        process.communicate()
        raise
    return subprocess.CompletedProcess(command, process.returncode, out, error)
