"""git, asked so that nothing of a repository runs and nothing of it changes.

Every git process of the project starts here. It inherits no variable in which a hook's git names
its repository, may reach no network, and is a ``rev-parse``, an ``ls-tree`` or a ``cat-file``:
these read names and objects. They do not open the index, so they do not refresh it, and they know
no filter, no hook, no file system monitor and no diff program.
"""

import os
import re
import shutil
import subprocess
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Self

from corpora import RequestError
from harness.results.errors import MeasurementError, summarize_error
from harness.results.escapes import quote

# Of git's own variables, those that say how the user has set up git. The others name the caller's
# repository, index and objects, or programs to run.
_KEPT = (
    "GIT_CEILING_DIRECTORIES",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_EXEC_PATH",
    "GIT_TEST_ASSUME_DIFFERENT_OWNER",
)
_SET = {
    "GIT_ALLOW_PROTOCOL": "",  # what a partial clone lacks is not fetched
    "GIT_NO_LAZY_FETCH": "1",
    # Replacements are this clone's own: a report names the commit that others have by that name.
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",  # some reasons are recognised by their words
}
_SETTINGS = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "core.warnAmbiguousRefs=true",
    "protocol.allow=never",
)
_FOLDER, _LINK, _SUBMODULE = 0o040000, 0o120000, 0o160000
_KIND = 0o170000  # of a mode, without the permissions
_MOST_LINKS = 40  # followed on one path, as Linux does

_Path = tuple[bytes, ...]


class GitError(MeasurementError):
    """git gave no answer; the message has the reason in git's own words."""


@dataclass(frozen=True, slots=True)
class Repository:
    """The repository around ``folder``; ``top`` is that of its work tree, None without one."""

    folder: Path
    top: Path | None

    @classmethod
    def find(cls, folder: Path) -> Self:
        """Raises GitError if there is none, git refuses it, or git is not installed."""
        _ask(folder, "rev-parse", "--absolute-git-dir")
        top = None
        with suppress(GitError):  # a bare repository, or within .git
            top = Path(_ask(folder, "rev-parse", "--show-toplevel"))
        return cls(folder, top)

    def find_commit(self, revision: str) -> str:
        """The commit that a revision names.

        Raises GitError if git knows no such revision, and RequestError if it names
        something other than one commit, or could name several.
        """
        found, said = _ask_both(self.folder, "rev-parse", "--verify", revision)
        ambiguous = {*re.findall("refname '(.+)' is ambiguous", said)}
        if ambiguous - {"HEAD"}:  # of which everybody means git's own
            raise RequestError(
                f"{quote(revision)} is ambiguous, it could be a tag, a branch or a commit; name it "
                "in full, such as refs/tags/NAME or refs/heads/NAME"
            )
        if not re.fullmatch("[0-9a-f]{40,}", found):
            raise RequestError(f"{quote(revision)} does not name one commit")
        try:
            return _ask(self.folder, "rev-parse", "--verify", f"{found}^{{commit}}")
        except GitError:
            with suppress(GitError):
                kind = _ask(self.folder, "cat-file", "-t", found)
                raise RequestError(f"{quote(revision)} is a {kind}, not a commit") from None
            raise

    def is_shallow(self) -> bool:
        """Whether the history was cut off when it was cloned."""
        return _ask(self.folder, "rev-parse", "--is-shallow-repository") == "true"

    def list_sources(self, commit: str) -> list[PurePosixPath]:
        """Every Python source of a commit, by its path from the top."""
        listed = _ask(self.folder, "ls-tree", "-r", "-z", "--full-tree", "--name-only", commit)
        return [PurePosixPath(path) for path in listed.split("\0") if path.endswith(".py")]

    @contextmanager
    def open_commit(self, commit: str) -> Iterator["Snapshot"]:
        """The files of a commit, until the block ends."""
        with ExitStack() as stack:
            yield Snapshot(self, commit, stack)


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file or a folder of a commit; ``path`` leads to it from the top, through no link."""

    path: _Path
    mode: int
    name: str
    objects: "_Objects" = field(repr=False)

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder."""
        return self.mode == _FOLDER


class Snapshot:
    """The files of a commit as git stores them, whatever lies in the work tree."""

    def __init__(self, repository: Repository, commit: str, stack: ExitStack) -> None:
        self._stack = stack
        self._top = repository.top
        self._root = self._open(repository, commit, ())

    def find(self, path: PurePosixPath) -> TreeEntry | None:
        """What is at a path, through links and submodules; None if nothing is.

        Raises GitError if that leads into a submodule that is not here, or to an object that
        is not.
        """
        return self._walk(os.fsencode(path).split(b"/"))

    def export(self, entry: TreeEntry, place: Path) -> None:
        """Write a file or a folder to ``place``, which must not exist.

        A link becomes a copy of what it leads to within the repository; one that leads elsewhere
        is left out, and so is a submodule that is not here. Raises GitError if something
        cannot be read or written.
        """
        try:
            self._export(entry, place, (entry.path,))
        except OSError as error:
            written = error.filename or place
            reason = error.strerror or type(error).__name__
            raise GitError(f"cannot write {written}: {reason}") from error

    def differs(self, entry: TreeEntry, place: Path) -> bool:
        """Whether ``place`` is not what the commit has there.

        Files are compared byte by byte, without the filters and but for the line ends that git
        may have converted. Python source that the commit does not have counts too.
        """
        return self._differs(entry, place, (entry.path,))

    def _walk(self, parts: Iterable[bytes]) -> TreeEntry | None:
        found = [self._root]
        links = 0
        rest = deque(parts)
        while rest:
            name = rest.popleft()
            if name in (b"", b"."):
                continue
            if name == b"..":
                found.pop()
                if not found:
                    return None
                continue
            child = _read_folder(found[-1]).get(name)
            if child is None:
                return None
            if child.mode != _LINK:
                found.append(self._enter(child) if child.mode == _SUBMODULE else child)
                continue
            links += 1
            target = child.objects.read(child.name)
            if links > _MOST_LINKS or target.startswith(b"/"):
                return None
            rest.extendleft(reversed(target.split(b"/")))
        return found[-1]

    def _list_children(
        self, folder: TreeEntry, within: Sequence[_Path]
    ) -> Iterator[tuple[bytes, TreeEntry]]:
        """What a folder has, links followed; without those that lead nowhere or back up."""
        for name, child in _read_folder(folder).items():
            found: TreeEntry | None = child
            if child.mode == _LINK:
                found = self._walk(child.path)
            elif child.mode == _SUBMODULE:
                try:
                    found = self._enter(child)
                except GitError:  # git leaves its folder empty as well
                    found = None
            if found is not None and found.path not in within:
                yield name, found

    def _export(self, entry: TreeEntry, place: Path, within: Sequence[_Path]) -> None:
        # Neither follows a link that another entry of that name has put there.
        if not entry.is_folder:
            with place.open("xb") as file:
                file.write(entry.objects.read(entry.name))
            return
        place.mkdir()
        for name, child in self._list_children(entry, within):
            file_name = os.fsdecode(name)
            if file_name in ("", ".", "..") or {"/", os.sep} & set(file_name):
                raise GitError(f"{quote(file_name)} cannot be the name of a file")
            self._export(child, place / file_name, (*within, child.path))

    def _differs(self, entry: TreeEntry, place: Path, within: Sequence[_Path]) -> bool:
        try:
            if not entry.is_folder:
                # A pipe would not end.
                return not place.is_file() or _unify(place.read_bytes()) != _unify(
                    entry.objects.read(entry.name)
                )
            known = {os.fsdecode(name) for name in _read_folder(entry)}
            return any(
                self._differs(child, place / os.fsdecode(name), (*within, child.path))
                for name, child in self._list_children(entry, within)
            ) or any(_is_source(file) for file in place.iterdir() if file.name not in known)
        except OSError:
            return True

    def _enter(self, submodule: TreeEntry) -> TreeEntry:
        path = os.fsdecode(b"/".join(submodule.path))
        remedy = f"git submodule update --init {path}"
        with suppress(GitError, OSError):
            folder = (self._top or Path()) / path
            inner = Repository.find(folder)
            if inner.top is not None and inner.top.samefile(folder):
                remedy = f"git -C {path} fetch origin {submodule.name}"
                return self._open(inner, inner.find_commit(submodule.name), submodule.path)
        raise GitError(
            f"{path} is a submodule at commit {submodule.name}, which is not here; fetch it: {remedy}"
        )

    def _open(self, repository: Repository, commit: str, path: _Path) -> TreeEntry:
        objects = self._stack.enter_context(_Objects(repository.folder))
        return TreeEntry(path, _FOLDER, f"{commit}^{{tree}}", objects)


class _Objects:
    """The objects of a repository, by their names, until the block ends."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> Self:
        self._errors = tempfile.TemporaryFile()
        self._process = _start(
            self._folder, "cat-file", "--batch", stdin=subprocess.PIPE, stderr=self._errors
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests: IO[bytes] = self._process.stdin
        self._answers: IO[bytes] = self._process.stdout
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        with suppress(OSError):
            self._requests.close()
        self._answers.close()
        self._process.wait()
        self._errors.close()

    def read(self, name: str) -> bytes:
        """The content of an object."""
        header = b""
        with suppress(OSError):  # it has ended: its last words say why
            self._requests.write(name.encode() + b"\n")
            self._requests.flush()
            header = self._answers.readline()
        match header.split():
            case [_, b"blob" | b"tree", size]:
                content = self._answers.read(int(size))
                self._answers.read(1)  # the end of its line
                return content
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace")
        if "promisor" in said or "lazy fetching" in said:
            raise GitError(
                f"{name} is not in this clone, which is a partial one; fetch it first, as "
                f"git archive --output={os.devnull} REVISION PATH does"
            )
        raise GitError(f"git cannot read {name}: {_quote(said) or header.decode().strip()}")


def _read_folder(folder: TreeEntry) -> dict[bytes, TreeEntry]:
    if not folder.is_folder:
        return {}
    content = folder.objects.read(folder.name)
    # As git stores them: mode, name, NUL, and the object's name, of which 20 or 32 bytes follow.
    size = (len(folder.name.removesuffix("^{tree}"))) // 2
    found = {}
    at = 0
    while at < len(content):
        end = content.index(b"\0", at)
        mode, name = content[at:end].split(b" ", 1)
        at = end + 1 + size
        kind = int(mode, 8) & _KIND
        found[name] = TreeEntry(
            (*folder.path, name), kind, content[end + 1 : at].hex(), folder.objects
        )
    return found


def _is_source(place: Path) -> bool:
    return place.suffix == ".py" or (place / "__init__.py").exists()


def _unify(content: bytes) -> bytes:
    return content.replace(b"\r\n", b"\n")


@dataclass(frozen=True, slots=True)
class Described:
    """The commit that a folder is of; ``dirty`` tells whether something differs from it.

    ``commit`` is empty outside a checkout, and if git did not tell: then ``error`` says why.
    """

    commit: str = ""
    dirty: bool = False
    error: str = ""


def describe_commit(folder: Path, *places: Path) -> Described:
    """The commit that is checked out around a folder, and whether ``places`` differ from it.

    The places are files or folders in it. There is no commit if none has the first of them.
    """
    try:
        repository = Repository.find(folder)
        if repository.top is None:
            return Described()
        top = repository.top.resolve()
        commit = repository.find_commit("HEAD")
        with repository.open_commit(commit) as snapshot:
            found = [
                (snapshot.find(PurePosixPath(each.resolve().relative_to(top))), each)
                for each in places
            ]
            if found[0][0] is None:
                return Described()
            differs = any(entry is None or snapshot.differs(entry, place) for entry, place in found)
            return Described(commit, differs)
    except (GitError, RequestError, OSError, ValueError) as error:
        there = any((each / ".git").exists() for each in (folder, *folder.parents))
        reason = str(error) if isinstance(error, MeasurementError) else summarize_error(error)
        return Described(error=reason if there else "")


def _ask(folder: Path, *arguments: str) -> str:
    """What git answers, its last line end taken off; raises GitError if it refuses."""
    return _ask_both(folder, *arguments)[0]


def _ask_both(folder: Path, *arguments: str) -> tuple[str, str]:
    """What git answers, and what it says beside that."""
    with _start(folder, *arguments, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        answer, errors = process.communicate()
    said = errors.decode(errors="replace")
    if process.returncode:
        raise GitError(_quote(said) or f"git ended with status {process.returncode}")
    return os.fsdecode(answer).removesuffix("\n"), said


def _quote(said: str) -> str:
    """Git's reason in one line, with the command by which it says a folder can be allowed."""
    lines = [line.strip() for line in said.splitlines()]
    reasons = [line.partition(": ")[2] for line in lines if line.startswith(("fatal: ", "error: "))]
    if len(reasons) > 1:  # the one before it says more
        reasons = [reason for reason in reasons if reason != "Needed a single revision"]
    allowed = [f"allow it with {line}" for line in lines if line.startswith("git config --global")]
    return "; ".join(reasons[:2] + allowed[:1])


def _start(
    folder: Path, *arguments: str, stdin: int, stderr: int | IO[bytes]
) -> "subprocess.Popen[bytes]":
    git = shutil.which("git")
    if git is None:
        raise GitError("git is not installed, or not on PATH")
    settings = [*_SETTINGS, *(f"safe.directory={each}" for each in _list_allowed())]
    options = [word for setting in settings for word in ("-c", setting)]
    try:
        return subprocess.Popen(
            # Absolute: a relative path in PATH would lead to a git of that folder's.
            [Path(git).absolute(), *options, *arguments],
            cwd=folder,
            env=_clean_variables(),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
        )
    except OSError as error:
        raise GitError(f"{error.filename or git}: {error.strerror}") from error


def _clean_variables() -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.upper().startswith("GIT_") or name.upper() in _KEPT
    }
    return kept | _SET


def _list_allowed() -> list[str]:
    """Folders of other owners that the caller's variables allow, as containers in CI do."""
    count = os.environ.get("GIT_CONFIG_COUNT", "")
    most = int(count) if re.fullmatch("[0-9]{1,9}", count) else 0
    keys = (re.fullmatch("GIT_CONFIG_KEY_([0-9]{1,9})", name) for name in os.environ)
    return [
        os.environ.get(f"GIT_CONFIG_VALUE_{key[1]}", "")
        for key in keys
        if key and int(key[1]) < most and os.environ[key[0]].lower() == "safe.directory"
    ]
