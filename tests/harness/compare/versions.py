"""Versions of a splitter in a repository, and tiny corpora to compare them on."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from click.testing import Result

from corpora import Corpus, Document

Compare = Callable[..., Result]

SPLITTER = """
class TextSegmenter:
    def __init__(self, limit):
        self.limit = limit

    def split(self, text):
        limit = self.limit
        return [text[at : at + limit] for at in range(0, len(text), limit)]
"""
# Six times the work: no noise of a machine hides it, nor makes it.
NEEDLESS = (
    SPLITTER
    + """
    _split = split

    def split(self, text):
        for _ in range(5):
            self._split(text)
        return self._split(text)
"""
)
SHIFTED = SPLITTER.replace("self.limit = limit", "self.limit = limit - 1")
TEXT = "One sentence. Another one!\n\n    Indented, and then\n    some more.\n" * 500


def read_tiny() -> Iterator[Document]:
    for number in range(3):
        yield Document(f"long/{number}", TEXT)
    yield Document("short", "x")
    yield Document("empty", "")


CORPORA = {
    "builtin": Corpus("builtin", read_tiny, "a test"),
    "hollow": Corpus("hollow", lambda: iter([Document("a", "")]), "a test"),
    "empty": Corpus("empty", lambda: iter(()), "a test"),
}


class Repository:
    """A git repository with a package ``segmenter``, which is the folder to work in."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        self.git("init", "--quiet", "--initial-branch", "main", *options)

    def git(self, *arguments: str) -> str:
        """What git answers; nothing of the user's or of a hook around the tests takes part."""
        settings = ["user.name=A", "user.email=a@example.org", "protocol.file.allow=always"]
        options = [word for setting in settings for word in ("-c", setting)]
        variables = {n: v for n, v in os.environ.items() if not n.startswith("GIT_")}
        done = subprocess.run(
            ["git", *options, *arguments],
            cwd=self.folder,
            env={**variables, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def write(self, source: str, path: str = "segmenter/__init__.py") -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source, encoding="utf-8")

    def commit(self, source: str, tag: str) -> None:
        self.write(source)
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", tag)
        self.git("tag", tag)

    def worktrees(self) -> int:
        return len(self.git("worktree", "list").splitlines())


def read_all(*folders: Path) -> dict[str, bytes]:
    """Every file below folders, whatever it is: where a link leads, what a file holds."""
    found = {}
    for folder in folders:
        for path in folder.rglob("*"):
            if path.is_symlink():
                found[str(path)] = os.fsencode(path.readlink())
            elif path.is_file():
                found[str(path)] = path.stat().st_mode.to_bytes(4, "big") + path.read_bytes()
    return found
