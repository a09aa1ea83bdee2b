"""The worker and the process that runs it, through SplitterProcess as timing uses it."""

import contextlib
import json
import os
import pickle
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from harness.runner import process
from harness.runner.digest import SegmentsDigest
from harness.runner.process import SplitterError, SplitterProcess
from harness.runner.spool import write_spool
from harness.splitters.registry import Splitter

DOCUMENTS = [("first", "Eins zwei. Drei."), ("second", "\ud83d\n")]


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    path = tmp_path / "spool"
    write_spool(path, DOCUMENTS)
    return path


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[1])


def without_line(detail: str) -> str:
    return re.sub(r"\.py:\d+\)", ".py:LINE)", detail)


def children() -> set[psutil.Process]:
    return set(psutil.Process().children(recursive=True))


def splitter(name: str) -> Splitter:
    return Splitter(name, f"failing_splitters:{name}")


@contextlib.contextmanager
def started(name: str, *, timeout: float = 30) -> Iterator[SplitterProcess]:
    with contextlib.closing(SplitterProcess(splitter(name), timeout=timeout)) as running:
        running.load(5)
        yield running


@pytest.mark.parametrize("name", ["slices", "printing", "forking"])
def test_a_pass_gives_time_segments_and_digest(name: str, spool: Path) -> None:
    digest = SegmentsDigest()
    digest.add("first", ["Eins ", "zwei.", " Drei", "."])
    digest.add("second", ["\ud83d\n"])
    advanced: list[int] = []
    with started(name) as running:
        for _ in range(2):
            done = running.run_pass(spool, advanced.append)
            assert (done.segments, done.digest) == (5, digest.hexdigest())
            assert 0 < done.seconds < 30
    assert sum(advanced) == 2 * len(DOCUMENTS)


def test_a_turn_gives_the_time_of_each_portion(spool: Path) -> None:
    with started("slices") as running:
        whole = running.run_pass(spool)
        for portions, expected in ((1, 1), (2, 2), (9, 2)):  # there are two documents
            turn = running.take_turn(spool, portions=portions, passes=3)
            assert len(turn.seconds) == len(turn.cpu_seconds) == expected
            assert all(0 < seconds < 10 for seconds in turn.seconds)
            assert (turn.segments, turn.digest) == (whole.segments, whole.digest)


def test_turns_after_another_limit_was_loaded_give_its_segments(spool: Path) -> None:
    with started("slices") as running:
        assert running.take_turn(spool).segments == 5
        running.load(20)
        assert running.take_turn(spool).segments == 2


def test_a_splitter_is_loaded_again_for_another_limit(spool: Path) -> None:
    with started("slices") as running:
        assert running.run_pass(spool).segments == 5
        running.load(20)
        assert running.run_pass(spool).segments == 2


@pytest.mark.parametrize(
    ("name", "status", "detail"),
    [
        ("raising", "raised", "LookupError: no such thing (failing_splitters.py:LINE), in 'first'"),
        ("exiting", "raised", "SystemExit: 0 (failing_splitters.py:LINE), in 'first'"),
        ("vanishing", "failed", "its process ended with status 7: patience"),
        ("killed", "failed", "its process was ended by signal 9 (Killed)"),
        ("of_bytes", "invalid", "it gave no list of strings but a list with bytes, in 'first'"),
        ("of_one_string", "invalid", "it gave no list of strings but str, in 'first'"),
        (
            "asynchronous",
            "invalid",
            "it gave no list of strings but coroutine; wrap an asynchronous splitter, for example "
            "with asyncio.run, in 'first'",
        ),
        (
            "words",
            "raised",
            "FactoryError: AttributeError: 'int' object has no attribute 'split'; a factory is "
            "called with the limit, its one positional argument, and returns a splitter: a "
            "function of a text, or an object with a method split_text or split, when it was "
            "loaded",
        ),
        (
            "unloadable",
            "unavailable",
            "ModuleNotFoundError: No module named 'a_package_that_nobody_has'",
        ),
        ("nowhere", "unavailable", "ImportError: failing_splitters has no 'nowhere'"),
    ],
)
def test_a_splitter_that_fails_is_named(
    name: str, status: str, detail: str | None, spool: Path
) -> None:
    with pytest.raises(SplitterError) as caught, started(name) as running:
        running.run_pass(spool)
    assert caught.value.status == status
    if detail is not None:
        assert without_line(caught.value.detail) == detail


@pytest.mark.parametrize("name", ["lazy", "working_late", "Method", "of_documents", "of_subclass"])
def test_a_splitter_is_taken_as_people_have_it(name: str, spool: Path) -> None:
    with started("slices") as slices, started(name) as running:
        expected, given = slices.run_pass(spool), running.run_pass(spool)
    assert (given.segments, given.digest) == (expected.segments, expected.digest)


@pytest.mark.parametrize(
    ("name", "detail"),
    [
        ("hanging", "finished no document within 3 seconds"),
        ("hanging_at_load", "did not load within 3 seconds"),
    ],
)
def test_a_splitter_that_hangs_is_ended_with_its_children(
    name: str, detail: str, spool: Path
) -> None:
    before = children()
    with pytest.raises(SplitterError) as caught, started(name, timeout=3) as running:
        running.run_pass(spool)
    assert (caught.value.status, caught.value.detail) == ("timed out", detail)
    assert children() == before


def test_a_process_that_was_killed_between_passes_is_noticed(spool: Path) -> None:
    before = children()
    with started("slices") as running:
        running.run_pass(spool)
        guard = next(each for each in children() - before if each.parent() == psutil.Process())
        (worker,) = guard.children()
        worker.kill()
        with pytest.raises(SplitterError, match="ended by signal 9"):
            running.run_pass(spool)


def test_a_python_that_is_not_there_is_no_splitter() -> None:
    absent = Splitter("slices", "failing_splitters:slices", interpreter="/nowhere/python")
    with pytest.raises(SplitterError) as raised:
        SplitterProcess(absent)
    assert raised.value.status == "unavailable"
    assert raised.value.detail == "/nowhere/python cannot be run: No such file or directory"


def test_an_error_travels_between_processes() -> None:
    error = pickle.loads(pickle.dumps(SplitterError("raised", "ValueError: so")))
    assert (error.status, error.detail) == ("raised", "ValueError: so")
    assert str(error) == "raised: ValueError: so"


def test_a_worker_ends_when_its_parent_does_even_within_a_pass(spool: Path) -> None:
    worker = subprocess.Popen(
        [sys.executable, "-P", process.__file__.replace("process.py", "worker.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
    )
    assert worker.stdin is not None
    assert worker.stdout is not None
    factory = "failing_splitters:hanging_at_load"
    load = {"command": "load", "factory": factory, "options": {}, "max_chunk_length": 5}
    worker.stdin.write(json.dumps(load).encode() + b"\n")
    worker.stdin.flush()
    time.sleep(0.5)
    assert worker.poll() is None
    worker.stdin.close()
    assert worker.wait(timeout=30) == 0
    worker.stdout.close()


def test_another_interpreter_needs_nothing_but_the_splitter(tmp_path: Path, spool: Path) -> None:
    """An environment of its own, with a splitter and without this project."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    interpreter = tmp_path / "venv" / "bin" / "python"
    (packages,) = tmp_path.glob("venv/lib/*/site-packages")
    packages.joinpath("foreign.py").write_text(
        "import importlib.util\n"
        "def make(limit):\n"
        "    assert importlib.util.find_spec('click') is None\n"
        "    return lambda text: [text]\n"
    )
    foreign = Splitter("foreign", "foreign:make", interpreter=str(interpreter))
    with contextlib.closing(SplitterProcess(foreign, timeout=30)) as running:
        running.load(5)
        assert running.run_pass(spool).segments == 2
