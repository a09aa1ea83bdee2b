"""An isolated environment for a splitter whose requirement is not met in this one.

Made once, with uv if it is there and else with venv and pip, from the lock of its requirements
(see :mod:`harness.splitters.locking`), and kept in the user's cache folder. Its name tells what it
was made from, so whatever changes that makes another one. It is built beside its place and moved
in when it is whole: an interrupted run leaves none that looks so.

Requirements that have no lock bring what the package index offers on that day.
"""

import contextlib
import functools
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import re
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import platformdirs
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from harness.results.atomic import write_json
from harness.results.errors import MeasurementError, summarize_error
from harness.runner.folders import LOCK, open_owned
from harness.runner.programs import Finished, ProgramError, last_line, run_program
from harness.splitters.locking import Lock, find_lock
from harness.splitters.probes import DISTRIBUTIONS
from harness.splitters.registry import Splitter

_TIMEOUT = 1800.0  # seconds, for each step of making an environment
_RECORD = "installation.json"
_QUIET = ("--quiet", "--no-input", "--disable-pip-version-check")


class UnavailableError(MeasurementError):
    """A splitter cannot be installed here; the message is one line that says why."""


@dataclass(frozen=True, slots=True)
class Installation:
    """Where a splitter is installed.

    ``interpreter`` is None for this environment. ``versions`` maps the distributions that its
    requirement brings, those that they need included, to their versions; ``size`` is that of
    their files in bytes, without compiled bytecode. ``made`` is the day on which it was made, as
    ISO 8601 has it in UTC; empty for this environment. ``lock`` is the lock that it was made from,
    empty for this environment and if it was made from none.
    """

    python: str
    interpreter: str | None
    versions: Mapping[str, str]
    size: int
    made: str = ""
    lock: str = ""


def install(
    splitter: Splitter,
    *,
    isolated: bool = False,
    cache: Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> Installation:
    """Find or make the environment of a splitter; one of its own if ``isolated`` is wanted.

    ``progress`` is called with a line when one is made. ``cache`` is the folder of environments,
    the user's cache folder by default. Raises UnavailableError if it cannot be made.
    """
    try:
        requirements = [Requirement(each) for each in splitter.requirements]
        python = SpecifierSet(splitter.python or "")
    except (InvalidRequirement, ValueError) as error:
        raise UnavailableError(f"splitter {splitter.name}: {summarize_error(error)}") from error
    here = platform.python_version()
    isolated = isolated or splitter.newest
    if not isolated and python.contains(here) and all(map(is_met, requirements)):
        versions, size = _weigh(requirements)
        return Installation(here, None, versions, size)
    base = find_interpreter(python)
    lock = find_lock(splitter.requirements)
    source = _Source(splitter.requirements, base, lock)
    if splitter.newest:
        newest = resolve(splitter.requirements, base)
        source = _Source([f"{name}=={release}" for name, release in newest.items()], base)
    folder = (cache or default_cache()) / _name_environment(splitter, source)
    if found := _find_whole(folder):
        return found
    if progress is not None:
        unlocked = "" if lock else ", which has no lock: the newest of all that it needs"
        progress(f"installing {splitter.requirement} with Python {base.version}{unlocked}")
    _make(folder, source)
    if found := _find_whole(folder):
        return found
    raise UnavailableError(f"{folder} is damaged and cannot be replaced; delete it")


def resolve(requirements: Sequence[str], base: "Interpreter") -> dict[str, str]:
    """The versions that an installation would take today, by the names of the distributions.

    Nothing is installed. Raises UnavailableError if the package index does not answer.
    """
    python = ["--python", base.path]
    if uv := shutil.which("uv"):
        with tempfile.TemporaryDirectory() as folder:
            wanted = Path(folder, "wanted.txt")
            wanted.write_text("\n".join(requirements), encoding="utf-8")
            options = ["--quiet", "--no-header", "--no-annotate", *python]
            found = _do([uv, "pip", "compile", str(wanted), *options])
        pinned = [Requirement(line) for line in found.splitlines() if line.strip()]
        there = {each.name: next(iter(each.specifier)).version for each in pinned}
    elif importlib.util.find_spec("pip"):
        options = ["--dry-run", "--ignore-installed", "--report", "-", *_QUIET]
        report = _do(
            [sys.executable, "-P", "-m", "pip", *python, "install", *options, *requirements]
        )
        listed = [each["metadata"] for each in json.loads(report)["install"]]
        there = {each["name"]: each["version"] for each in listed}
    else:
        raise UnavailableError("the newest release cannot be found without uv or pip; install one")
    return {str(canonicalize_name(name)): there[name] for name in sorted(there)}


def default_cache() -> Path:
    """The folder that keeps environments."""
    return platformdirs.user_cache_path("segbench") / "environments"


def is_met(requirement: Requirement) -> bool:
    """Whether this environment has what is required; extras are never taken for granted."""
    if requirement.marker is not None and not requirement.marker.evaluate():
        return True
    try:
        version = importlib.metadata.version(requirement.name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return requirement.specifier.contains(version, prereleases=True) and not requirement.extras


def _weigh(requirements: list[Requirement]) -> tuple[dict[str, str], int]:
    """The versions and the size of what this environment has for requirements."""
    versions: dict[str, str] = {}
    size = 0
    waiting = [requirement.name for requirement in requirements]
    while waiting:
        name = waiting.pop()
        try:
            found = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # needed elsewhere, on another platform say
        if found.name in versions:
            continue
        versions[found.name] = found.version
        size += _weigh_files(found)
        waiting += [
            needed.name
            for needed in map(Requirement, found.requires or ())
            if needed.marker is None or needed.marker.evaluate({"extra": ""})
        ]
    return versions, size


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python that environments can be made from."""

    path: str
    version: str


def find_interpreter(python: SpecifierSet) -> Interpreter:
    """This Python if it is of one of these versions, else the lowest that is found.

    Looked for on PATH, by uv, by the launcher for Windows, and among pyenv's. Raises
    UnavailableError if there is none.
    """
    here = Interpreter(sys.executable, platform.python_version())
    if python.contains(here.version):
        return here
    found = [each for each in _find_interpreters() if python.contains(each.version)]
    if not found:
        raise UnavailableError(
            f"it needs Python {python}, this is {here.version}, and none was found on PATH, by uv "
            "or by pyenv; install one"
        )
    return min(found, key=lambda each: [int(n) for n in each.version.split(".")])


@functools.cache
def _find_interpreters() -> list[Interpreter]:
    found: dict[str, Interpreter] = {}
    for path in _candidates():
        answer = _ask([path, "-I", "-c", "import platform; print(platform.python_version())"])
        if re.fullmatch(r"3\.\d+\.\d+", answer):
            found.setdefault(answer, Interpreter(path, answer))
    return list(found.values())


def _candidates() -> Iterator[str]:
    for minor in range(11, 30):
        if path := shutil.which(f"python3.{minor}"):
            yield path
    if uv := shutil.which("uv"):
        listed = _ask([uv, "python", "list", "--only-installed", "--output-format", "json"])
        yield from (each["path"] for each in json.loads(listed or "[]") if each.get("path"))
    if launcher := shutil.which("py"):
        for line in _ask([launcher, "-0p"]).splitlines():
            yield line.split(maxsplit=1)[-1].strip(" *")
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from map(str, sorted(pyenv.glob("versions/*/bin/python")))


def _ask(command: list[str]) -> str:
    """What a program prints; empty if it cannot be run or fails."""
    with contextlib.suppress(ProgramError):
        answer = run_program(command, timeout=30)
        return "" if answer.status else answer.output.strip()
    return ""


@dataclass(frozen=True, slots=True)
class _Source:
    """What an environment is made from. ``requirements`` count only if there is no lock."""

    requirements: Sequence[str]
    base: Interpreter
    lock: Lock | None = None


def _name_environment(splitter: Splitter, source: _Source) -> str:
    """The folder's name: the splitter's distribution, and a digest of what it is made from."""
    constraints = []
    for variable in ("PIP_CONSTRAINT", "UV_CONSTRAINT"):
        for name in os.environ.get(variable, "").split():
            with contextlib.suppress(OSError):
                constraints.append(Path(name).read_text(encoding="utf-8"))
    wanted = source.lock.text if source.lock else source.requirements
    made_from = [wanted, source.base.version, sysconfig.get_platform(), constraints]
    digest = hashlib.sha256(json.dumps(made_from).encode()).hexdigest()[:16]
    return f"{splitter.distribution}-{digest}"


def _interpreter_of(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _find_whole(folder: Path) -> Installation | None:
    """The installation in a folder; None unless all is there that was when it was made."""
    path = folder / _RECORD
    interpreter = _interpreter_of(folder)
    try:
        made = datetime.fromtimestamp(path.stat().st_mtime, UTC).date().isoformat()
        record = json.loads(path.read_text(encoding="utf-8"))
        python, versions, size = record["python"], record["versions"], record["size"]
        lock = record["lock"]
        there = _weigh_installed(folder)
        if not interpreter.exists() or not (isinstance(python, str) and isinstance(lock, str)):
            return None
        if size != sum(there[name, version] for name, version in versions.items()):
            return None
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None
    return Installation(python, str(interpreter), versions, size, made, lock)


def _weigh_installed(folder: Path) -> dict[tuple[str, str], int]:
    """The bytes of each distribution's files, by its name and version, as DISTRIBUTIONS counts."""
    places = [*folder.glob("lib*/python3.*/site-packages"), *folder.glob("Lib/site-packages")]
    found = importlib.metadata.distributions(path=[str(place) for place in places])
    return {(each.name, each.version): _weigh_files(each) for each in found}


def _weigh_files(distribution: importlib.metadata.Distribution) -> int:
    """The bytes of its files that are here, without compiled bytecode."""
    size = 0
    for file in distribution.files or ():
        with contextlib.suppress(OSError):
            if file.suffix != ".pyc":
                size += Path(str(file.locate())).stat().st_size
    return size


def _make(folder: Path, source: _Source) -> None:
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with open_owned(folder.parent, f".{folder.name}.") as beside:
            _fill(beside, source)
            (beside / LOCK).unlink(missing_ok=True)
            if _find_whole(folder) is None:  # else another run was quicker, and its own is as good
                shutil.rmtree(folder, ignore_errors=True)
                with contextlib.suppress(OSError):
                    beside.rename(folder)
    except OSError as error:
        raise UnavailableError(f"{folder.parent} cannot be written: {error.strerror}") from error


def _fill(beside: Path, source: _Source) -> None:
    base = source.base
    python = str(_interpreter_of(beside))
    before: dict[str, Any] = {}
    if uv := shutil.which("uv"):
        # It does not clear a folder that is not a virtual environment, as this one is not yet.
        _do([uv, "venv", "--quiet", "--allow-existing", "--python", base.path, str(beside)])
        installer = [uv, "pip", "install", "--quiet", "--python", python]
    elif base.path == sys.executable and importlib.util.find_spec("pip"):
        # This pip serves it as well, which is quicker than to give it its own.
        _do([base.path, "-I", "-m", "venv", "--without-pip", str(beside)])
        installer = [base.path, "-P", "-m", "pip", "--python", python, "install", *_QUIET]
    else:
        _do([base.path, "-I", "-m", "venv", str(beside)])
        before = json.loads(_do([python, "-I", "-c", DISTRIBUTIONS]))
        installer = [python, "-I", "-m", "pip", "install", *_QUIET]
    if source.lock:
        pinned = beside / "lock.txt"
        pinned.write_text(source.lock.text, encoding="utf-8")
        _do([*installer, "--no-deps", "--require-hashes", "--requirement", str(pinned)])
    else:
        _do([*installer, *source.requirements])
    there = json.loads(_do([python, "-I", "-c", DISTRIBUTIONS]))
    brought = {name: each for name, each in there.items() if name not in before}
    versions = {name: version for name, (version, _, _) in brought.items()}
    size = sum(size for _, size, _ in brought.values())
    lock = source.lock.name if source.lock else ""
    record = Installation(base.version, None, versions, size, lock=lock)
    write_json(beside / _RECORD, asdict(record), indent=2)


def _do(command: list[str]) -> str:
    """Run a step and return what it prints; raises UnavailableError with what it complains of."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    try:
        done = run_program(command, timeout=_TIMEOUT, variables=environment)
    except ProgramError as error:
        raise UnavailableError(f"its virtual environment cannot be made: {error}") from error
    if done.status:
        complaint = _find_complaint(done)
        raise UnavailableError(f"its virtual environment cannot be made: {complaint}")
    return done.output


def _find_complaint(done: Finished) -> str:
    """The line that says why: the last error, with uv's cause of it, else the last line."""
    lines = [line.strip() for line in done.errors.splitlines()]
    errors = [line for line in lines if line.lower().startswith("error")]
    causes = [line.partition(": ")[2] for line in lines if line.startswith("cause: ")]
    return last_line([": ".join([*errors[-1:], *causes])]) or done.reason
