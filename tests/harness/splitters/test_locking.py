"""What is installed for a splitter is what its lock says, this month and the next."""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from harness.measure.machine import describe_environment
from harness.results.model import Installed
from harness.splitters import locking
from harness.splitters import venvs as environments
from harness.splitters.contenders import gather
from harness.splitters.locking import LOCKS, find_lock, name_lock
from harness.splitters.registry import Splitter, list_splitters, load_splitter
from harness.splitters.venvs import UnavailableError, install
from tests.harness.splitters.make_locks import list_locked
from tests.harness.splitters.wheels import build_wheel

SLICES = Splitter("slices", "fake_splitter:slices", requirement="fake-splitter==1.2")
NEWEST = Splitter("newest", "fake_splitter:slices", requirement="fake-splitter", newest=True)


@pytest.mark.parametrize("requirements", list_locked(), ids=name_lock)
def test_a_lock_pins_every_version_that_its_requirements_allow(
    requirements: tuple[str, ...],
) -> None:
    lock = find_lock(requirements)
    assert lock is not None, "run make locks"
    pinned: dict[str, list[str]] = {}
    for requirement in lock.requirements:
        (specifier,) = requirement.specifier
        assert specifier.operator == "=="
        assert not specifier.version.endswith("*")
        pinned.setdefault(canonicalize_name(requirement.name), []).append(specifier.version)
    for wanted in map(Requirement, requirements):
        for version in pinned[canonicalize_name(wanted.name)]:
            assert wanted.specifier.contains(version)
    for line in lock.text.splitlines():
        requirement, *digests = line.split(" --hash=")
        assert digests, f"{requirement} has no digest"
        assert all(re.fullmatch("sha256:[0-9a-f]{64}", digest) for digest in digests)


def test_every_splitter_has_a_lock_or_is_always_the_newest() -> None:
    for splitter in map(load_splitter, list_splitters()):
        locked = find_lock(splitter.requirements) is not None
        assert locked == (bool(splitter.requirements) and not splitter.newest), splitter.name


def test_no_lock_is_left_over_and_none_names_a_place() -> None:
    """Whoever installs says where from."""
    files = {path.stem: path.read_text(encoding="utf-8") for path in LOCKS.iterdir()}
    assert set(files) == {"digests", *map(name_lock, list_locked())}
    assert [name for name, text in files.items() if "://" in text] == []


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package index with a splitter and two releases of what it needs."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    build_wheel(folder, "fake_splitter", "1.2", "", ["fake-needed>=3"])
    build_wheel(folder, "fake_needed", "3.1", "", [])
    build_wheel(folder, "fake_needed", "3.2", "", [])
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setattr(environments.shutil, "which", lambda name: None)
    return folder


@pytest.fixture
def lock(wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A lock that takes the older of both."""
    folder = tmp_path / "locks"
    folder.mkdir()
    lock = folder / "fake-splitter-1.2.txt"
    lock.write_text(
        "# Python >=3.11\nfake-needed==3.1\nfake-splitter==1.2\n"
        'elsewhere==1 ; sys_platform == "elsewhere"\n'
    )
    known = "".join(
        f"{name}=={version} sha256:{digest_of(wheels / f'{file}-{version}-py3-none-any.whl')}\n"
        for name, file, version in [
            ("fake-needed", "fake_needed", "3.1"),
            ("fake-splitter", "fake_splitter", "1.2"),
        ]
    )
    (folder / "digests.txt").write_text(f"{known}elsewhere==1 sha256:{'0' * 64}\n")
    monkeypatch.setattr(locking, "LOCKS", folder)
    return lock


@pytest.fixture
def uv(wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Uv itself, which asks only the folder of wheels."""
    path = pytest.importorskip("uv").find_uv_bin()
    monkeypatch.setattr(environments.shutil, "which", {"uv": path}.get)
    monkeypatch.setenv("UV_NO_INDEX", "1")
    monkeypatch.setenv("UV_FIND_LINKS", str(wheels))
    monkeypatch.setenv("UV_NO_CONFIG", "1")
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "uv"))


def digest_of(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def test_a_virtual_environment_has_what_its_lock_says(lock: Path, tmp_path: Path) -> None:
    said: list[str] = []
    made = install(SLICES, cache=tmp_path / "cache", progress=said.append)
    assert made.versions == {"fake-splitter": "1.2", "fake-needed": "3.1"}
    assert made.lock == "fake-splitter-1.2"
    assert "no lock" not in said[0]
    assert install(SLICES, cache=tmp_path / "cache") == made
    # Another lock, another virtual environment.
    lock.write_text("fake-splitter==1.2\n")
    assert install(SLICES, cache=tmp_path / "cache").versions == {"fake-splitter": "1.2"}


def test_uv_installs_what_a_lock_says(
    lock: Path, wheels: Path, uv: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Uv cleared no folder that is not a virtual environment, so it could make none."""
    made = install(SLICES, cache=tmp_path / "cache")
    assert made.versions == {"fake-splitter": "1.2", "fake-needed": "3.1"}
    build_wheel(wheels, "fake_needed", "3.1", "import os", [])
    lock.write_text("fake-needed==3.1\n")
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "empty"))  # it has unpacked the other file
    with pytest.raises(UnavailableError, match=r"error: .*[Hh]ash mismatch"):
        install(SLICES, cache=tmp_path / "another cache")


def test_without_a_lock_the_newest_is_installed_and_that_is_said(
    lock: Path, tmp_path: Path
) -> None:
    lock.unlink()
    said: list[str] = []
    made = install(SLICES, cache=tmp_path / "cache", progress=said.append)
    assert (made.versions["fake-needed"], made.lock) == ("3.2", "")
    assert "no lock" in said[0]


def test_another_file_than_was_locked_is_refused(lock: Path, wheels: Path, tmp_path: Path) -> None:
    build_wheel(wheels, "fake_needed", "3.1", "import os", [])
    with pytest.raises(UnavailableError, match="DO NOT MATCH THE HASHES"):
        install(SLICES, cache=tmp_path / "cache")


@pytest.mark.parametrize("tool", ["pip", "uv"])
def test_the_newest_is_looked_up_each_time(
    tool: str, wheels: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if tool == "uv":
        request.getfixturevalue("uv")
    made = install(NEWEST, cache=tmp_path / "cache")
    assert made.versions == {"fake-splitter": "1.2", "fake-needed": "3.2"}
    assert install(NEWEST, cache=tmp_path / "cache") == made
    build_wheel(wheels, "fake_splitter", "1.3", "", [])
    assert install(NEWEST, cache=tmp_path / "cache").versions == {"fake-splitter": "1.3"}


def test_what_is_here_is_not_taken_for_the_newest(wheels: Path, tmp_path: Path) -> None:
    """Pytest is here, but the index does not have it."""
    newest = Splitter("newest", "m:f", requirement="pytest", newest=True)
    with pytest.raises(UnavailableError, match="No matching distribution"):
        install(newest, cache=tmp_path / "cache")


def test_a_run_records_every_version_of_every_virtual_environment(
    lock: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environments, "default_cache", lambda: tmp_path / "cache")
    other = Splitter("other", "fake_splitter:other", requirement=SLICES.requirement)
    here = Splitter("here", "m:f", requirement="pluggy")
    own = Splitter("own", "m:f")
    found = gather([SLICES, here, other, own])
    environment = describe_environment("segbench", found.splitters, found.installations)
    first, second = environment.installed
    python = environments.platform.python_version()
    pluggy: Mapping[str, str] = {"pluggy": environments.importlib.metadata.version("pluggy")}
    assert first == Installed(["here", "own"], python, "", "", pluggy)
    versions = {"fake-splitter": "1.2", "fake-needed": "3.1"}
    made = found.installations["slices"].made
    assert second == Installed(["slices", "other"], python, "fake-splitter-1.2", made, versions)
