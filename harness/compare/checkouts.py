"""The two versions to compare: a folder each, from a git revision or a path."""

import importlib.metadata
import importlib.util
import os
import pkgutil
import re
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from corpora import RequestError
from harness.measure.git import GitError, Repository, describe_commit
from harness.results.errors import MeasurementError
from harness.results.escapes import quote

SEGMENTER = "segmenter"
_ATTRIBUTE = "TextSegmenter"
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class SegmenterLocation:
    """Where a version has its TextSegmenter.

    ``path`` is what of the version is read, ``root`` the folder from which modules are imported,
    both from the top of the version; ``module`` and ``attribute`` name the TextSegmenter.
    """

    given: str
    path: PurePosixPath
    root: PurePosixPath
    module: str
    attribute: str

    @classmethod
    def parse(cls, given: str) -> "SegmenterLocation":
        """Read ``PATH``, ``PATH:ATTRIBUTE`` or ``FOLDER:MODULE:ATTRIBUTE``.

        PATH is a package or a file, which is then loaded alone; FOLDER is the one that has the
        top-level packages, all of which MODULE may import. Raises RequestError if it is none
        of these, or leads out of the version.
        """
        place, *names = [given] if given.endswith(".py") else given.split(":")
        path = _tidy(place)
        if path is None:
            raise RequestError(
                f"--segmenter {quote(given)}: {quote(place)} is not a path below the top of the version"
            )
        attribute = names[-1] if names else _ATTRIBUTE
        if len(names) == 2:
            root, module = path, names[0]
        elif path == PurePosixPath():
            raise RequestError(f"--segmenter {quote(given)}: name the package or the file in it")
        else:
            root, module = path.parent, path.name.removesuffix(".py")
        dotted = all(name.isidentifier() for each in names for name in each.split("."))
        if len(names) > 2 or not dotted:
            raise RequestError(
                f"--segmenter {quote(given)} is not PATH, PATH:ATTRIBUTE or FOLDER:MODULE:ATTRIBUTE"
            )
        return cls(given, path, root, module, attribute)

    @property
    def places(self) -> list[PurePosixPath]:
        """The paths of which a version must have one, the file before the folder."""
        if self.path != self.root:
            return [self.path]
        module = self.root.joinpath(*self.module.split("."))
        return [module.with_name(f"{module.name}.py"), module]

    @property
    def own(self) -> list[str]:
        """The top-level modules that are the version's: none named if all below ``root`` are."""
        return [] if self.path == self.root else [self.module]


def _tidy(place: str) -> PurePosixPath | None:
    """A path from the top without ``..``; None if it leads elsewhere."""
    parts: list[str] = []
    for part in PurePosixPath(place).parts:
        if part == "/" or (part == ".." and not parts):
            return None
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return PurePosixPath(*parts) if place else None


@dataclass(frozen=True, slots=True)
class Checkout:
    """One side of a comparison.

    ``name`` is what a reader knows it by, ``folder`` where it lies, ``segmenter`` where in it the
    TextSegmenter is, ``commit`` the commit with ``-dirty`` if the segmenter differs from it,
    empty if git knows none. ``repositories`` are folders whose modules it may not be given
    instead of its own, ``twins`` the top-level modules that it has and that are installed here
    too, with their paths in it, ``sources`` are all that the commit has.
    """

    name: str
    folder: Path
    segmenter: SegmenterLocation
    commit: str
    repositories: tuple[Path, ...] = ()
    twins: Mapping[str, str] = field(default_factory=dict)
    sources: Collection[PurePosixPath] = field(default=(), repr=False)

    def __str__(self) -> str:
        return f"{self.name} ({self.commit})" if self.commit else self.name

    @property
    def options(self) -> dict[str, object]:
        """What ``harness.splitters.adapters.checkout`` asks for, as JSON has it."""
        return {
            "folder": str(self.folder),
            "root": str(self.segmenter.root),
            "module": self.segmenter.module,
            "attribute": self.segmenter.attribute,
            "own": self.segmenter.own,
            "repositories": [str(each) for each in self.repositories],
            "twins": dict(self.twins),
        }


class MissingError(MeasurementError):
    """A version has nothing where its TextSegmenter should be.

    ``similar`` are paths in it that have the same name, None if it is a folder: that is no
    earlier version of anything.
    """

    def __init__(
        self, version: str, location: SegmenterLocation, similar: Sequence[PurePosixPath] | None
    ) -> None:
        self.similar = similar
        there = [str(path) for path in similar or ()]
        more = f" and {len(there) - _SHOWN} more" * (len(there) > _SHOWN)
        super().__init__(
            f"{version} has no {location.places[0]}"
            + (f", but {', '.join(there[:_SHOWN])}{more}" if there else "")
            + "; say where its TextSegmenter is with --segmenter, or with --base-segmenter if "
            "base has it elsewhere"
        )


def check_revision(given: str) -> None:
    """Raises RequestError for what can name neither a folder nor a single revision."""
    if not given:
        raise RequestError("an empty name is neither a folder nor a revision")
    if Path(given).is_dir():
        return
    if given.startswith("-"):
        raise RequestError(f"{quote(given)} is an option, not a revision")
    between = any(".." in part and part != ".." for part in given.split("/"))
    if between or given.startswith("^") or re.search(r"\^[@!-]\d*$", given):
        raise RequestError(f"{quote(given)} is a range of revisions; name one, such as its last")


@contextmanager
def open_checkout(given: str | None, segmenter: SegmenterLocation) -> Iterator[Checkout]:
    """The version that ``given`` names, until the block ends.

    Of a revision of the repository around the current folder, the segmenter alone is read into a
    temporary folder; a folder is used as it is. None is the working tree. Where both could be
    meant it is the revision; ``./NAME`` is the folder. Raises MeasurementError if it is
    neither, MissingError if it has no segmenter, and RequestError if it names something
    else.
    """
    if given is None:
        yield _describe_folder("the working tree", _find_top(), segmenter)
        return
    check_revision(given)
    found = _find_commit(given)
    if isinstance(found, Path):
        yield _describe_folder(given, found, segmenter)
        return
    repository, commit = found
    with tempfile.TemporaryDirectory(prefix="segbench-") as place:
        yield _check_out(given, repository, commit, segmenter, Path(place).resolve())


def _check_out(
    name: str, repository: Repository, commit: str, segmenter: SegmenterLocation, place: Path
) -> Checkout:
    folder = place / "checkout"
    sources = repository.list_sources(commit)
    with repository.open_commit(commit) as snapshot:
        entry = snapshot.find(segmenter.path)
        if entry is None or not any(map(snapshot.find, segmenter.places)):
            raise MissingError(name, segmenter, _list_similar(sources, segmenter))
        target = folder / segmenter.path
        target.parent.mkdir(parents=True, exist_ok=True)
        snapshot.export(entry, target)
    tops = (repository.top,) if repository.top else ()
    twins = _find_twins(sources, segmenter)
    return Checkout(name, folder, segmenter, commit, tops, twins, frozenset(sources))


def was_added(missing: MissingError, head: Checkout) -> bool:
    """Whether head adds what base has not: nothing of that name has gone from base's commit."""
    return missing.similar is not None and all(
        path in head.sources
        or (path / "__init__.py") in head.sources
        or (head.folder / path).exists()
        for path in missing.similar
    )


def _find_top() -> Path:
    here = Path.cwd()
    try:
        return Repository.find(here).top or here
    except GitError:
        return here


def _find_commit(given: str) -> tuple[Repository, str] | Path:
    """The commit that is meant, or the folder."""
    folder = Path(given)
    try:
        repository = Repository.find(Path.cwd())
    except GitError as error:
        if folder.is_dir():
            return folder.resolve()
        unused = "; GIT_DIR is set and not used" if "GIT_DIR" in os.environ else ""
        raise MeasurementError(
            f"{quote(given)} is not a folder, and git finds no revision from {Path.cwd()}: "
            f"{error}{unused}"
        ) from error
    try:
        return repository, repository.find_commit(given)
    except GitError as error:
        if folder.is_dir():
            return folder.resolve()
        raise MeasurementError(
            f"{quote(given)} is neither a folder nor a revision that git finds from {Path.cwd()} "
            f"({error}); {_advise(repository, given)}"
        ) from error


def _advise(repository: Repository, given: str) -> str:
    if repository.is_shallow():
        return (
            "the history here is shallow: git fetch --unshallow gets the rest, or fetch-depth: 0 "
            "of actions/checkout"
        )
    try:
        repository.find_commit("HEAD")
    except GitError:
        return "HEAD has no commit yet"
    if re.fullmatch("[0-9a-f]{40}|[0-9a-f]{64}", given):
        return f"fetch it first: git fetch origin {given}"
    remote, slash, branch = given.partition("/")
    return f"fetch it first: git fetch {remote} {branch}" if slash else "correct it, or fetch it"


def _describe_folder(name: str, folder: Path, segmenter: SegmenterLocation) -> Checkout:
    place = folder / segmenter.path
    if not any((folder / each).exists() for each in segmenter.places):
        raise MissingError(name, segmenter, None)
    if not place.resolve().is_relative_to(folder.resolve()):
        # Both sides would be the same.
        raise MeasurementError(
            f"{segmenter.path} leads out of {name}; name a path that stays below it"
        )
    found = describe_commit(folder, place)
    files = _list_shallow(folder)
    tops: tuple[Path, ...] = ()
    try:
        repository = Repository.find(folder)
        tops = (repository.top,) if repository.top else ()
        if found.commit:
            files = repository.list_sources(found.commit)
    except GitError:
        pass
    described = found.commit + "-dirty" * found.dirty
    if found.error:
        described = f"commit unknown: {found.error}"
    return Checkout(name, folder, segmenter, described, tops, _find_twins(files, segmenter))


def _list_similar(
    sources: Sequence[PurePosixPath], segmenter: SegmenterLocation
) -> list[PurePosixPath]:
    """Modules and packages that have the name of the segmenter's."""
    names = {path.name for path in segmenter.places}
    packages = (file.parent for file in sources if file.name == "__init__.py")
    return [path for path in (*sources, *packages) if path.name in names]


def _list_shallow(folder: Path) -> list[PurePosixPath]:
    """Modules near the top of a folder that git does not know; what it knows, git lists."""
    return [
        PurePosixPath(file.relative_to(folder).as_posix())
        for pattern in ("*.py", "*/*.py", "*/*/*.py")
        for file in folder.glob(pattern)
    ]


def _find_twins(files: Collection[PurePosixPath], segmenter: SegmenterLocation) -> dict[str, str]:
    """Top-level modules among the files that can be imported here as well, with their paths.

    A version that imports one of these by its name is given the other.
    """
    importable = {module.name for module in pkgutil.iter_modules()}
    importable |= importlib.metadata.packages_distributions().keys()
    importable -= {*sys.stdlib_module_names, *segmenter.own}
    packages = {file.parent for file in files if file.name == "__init__.py"}
    modules = (file for file in files if file.name != "__init__.py")
    return {
        path.stem: str(path)
        for path in (*packages, *modules)
        if path.stem in importable
        and path.parent not in packages
        and _is_importable(path.stem, package=path in packages)
    }


def _is_importable(name: str, *, package: bool) -> bool:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):  # a module that was made without a specification
        return True
    return spec is not None and (spec.submodule_search_locations is not None) == package
