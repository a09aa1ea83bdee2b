"""Instructions counted by valgrind; and what is said where there is none."""

import re
import subprocess
import sys
import time
from pathlib import Path
from typing import NoReturn

import psutil
import pytest

from harness.compare import comparison
from harness.compare.checkouts import Checkout, SegmenterLocation
from harness.compare.decision import Speed
from harness.compare.instructions import Instructions, count_instructions
from harness.measure.rounds import Task
from harness.measure.strata import Stratum
from harness.results.errors import MeasurementError
from harness.runner.spool import write_spool
from tests.harness.compare.versions import SPLITTER, TEXT, Compare, Repository

# One text in 25 is split twice.
MORE = """
_split = TextSegmenter.split
_calls = 0


def _split_needlessly(self, text):
    global _calls
    _calls += 1
    if _calls % 25 == 0:
        _split(self, text)
    return _split(self, text)


TextSegmenter.split = _split_needlessly
"""
# Twice the work on what lies beyond the first 1,000 code points of a text.
BEYOND = """
_split = TextSegmenter.split


def _split_needlessly(self, text):
    if len(text) > 1000:
        _split(self, text[1000:])
    return _split(self, text)


TextSegmenter.split = _split_needlessly
"""
STRATA = {"short": [TEXT[:900]] * 30, "long": [TEXT[:30_000]] * 4}


def count(valgrind: str, tmp_path: Path, *sources: str, timeout: float = 120) -> list[Instructions]:
    sides = []
    for number, source in enumerate(sources):
        folder = tmp_path / ("side" * (number + 1))  # the length of a path is no work
        (folder / "segmenter").mkdir(parents=True)
        (folder / "segmenter" / "__init__.py").write_text(source)
        sides.append(Checkout(f"side {number}", folder, SegmenterLocation.parse("segmenter"), ""))
    strata = []
    for name, texts in STRATA.items():
        write_spool(tmp_path / name, [(str(n), text) for n, text in enumerate(texts)])
        strata.append(Stratum(name, tmp_path / name, len(texts), sum(map(len, texts))))
    tasks = [Task("books", 20, strata)]
    return count_instructions(valgrind, *sides, tasks, tmp_path, timeout)


def test_the_same_code_takes_the_same_instructions(valgrind: str, tmp_path: Path) -> None:
    counted = count(valgrind, tmp_path, SPLITTER, SPLITTER)
    assert [each.stratum for each in counted] == ["", "short", "long"]
    # So few instructions that where the allocator finds room shows.
    assert [each.ratio for each in counted] == pytest.approx([1, 1, 1], abs=0.02)
    assert {each.speed for each in counted[1:]} == {Speed.FINE}


def test_a_little_more_work_is_found(valgrind: str, tmp_path: Path) -> None:
    whole, short, _ = count(valgrind, tmp_path, SPLITTER, SPLITTER + MORE)
    assert 1.02 < short.ratio < 1.06
    assert whole.speed is Speed.SLOWER


def test_work_beyond_the_beginning_is_found(valgrind: str, tmp_path: Path) -> None:
    whole, short, long = count(valgrind, tmp_path, SPLITTER, SPLITTER + BEYOND)
    assert 1.9 < long.ratio < 2.1
    assert (short.speed, whole.speed, long.speed) == (Speed.FINE, Speed.SLOWER, Speed.SLOWER)


@pytest.mark.parametrize(
    ("base", "message"),
    [
        (
            "raise LookupError('so')",
            r"side 0: its segmenter raised: LookupError: so .*, when it was loaded$",
        ),
        (SPLITTER, "side 0: its segmenter failed: valgrind did not count its instructions$"),
    ],
)
def test_what_was_not_counted_is_named(base: str, message: str, tmp_path: Path) -> None:
    """By a program in the place of valgrind that runs what it is given and counts nothing."""
    counts_nothing = tmp_path / "valgrind"
    counts_nothing.write_text('#!/bin/sh\nshift 4\nexec "$@"\n')
    counts_nothing.chmod(0o755)
    with pytest.raises(MeasurementError, match=message):
        count(str(counts_nothing), tmp_path, base, SPLITTER)


@pytest.fixture
def never_ending(tmp_path: Path) -> Path:
    """A program in the place of valgrind that tells its number and never ends."""
    program = tmp_path / "valgrind"
    program.write_text(f'#!/bin/sh\necho $$ >> "{tmp_path}/started"\nexec sleep 600\n')
    program.chmod(0o755)
    return program


def list_started(tmp_path: Path) -> list[int]:
    """The numbers of both programs, once both have told theirs."""
    until = time.monotonic() + 60
    started: list[str] = []
    while len(started) < 2 and time.monotonic() < until:
        time.sleep(0.02)
        file = tmp_path / "started"
        started = file.read_text().split() if file.exists() else []
    assert len(started) == 2
    return [*map(int, started)]


def test_what_takes_too_long_is_ended(never_ending: Path, tmp_path: Path) -> None:
    with pytest.raises(TimeoutError):
        count(str(never_ending), tmp_path, SPLITTER, SPLITTER, timeout=2)
    assert not any(map(psutil.pid_exists, list_started(tmp_path)))


def test_valgrind_ends_with_the_process_that_started_it(never_ending: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from tests.harness.compare import test_instructions\n"
        "test_instructions.count(sys.argv[1], Path(sys.argv[2]), 'x = 1', 'x = 1', timeout=600)"
    )
    command = [sys.executable, "-c", code, str(never_ending), str(tmp_path)]
    process = subprocess.Popen(command, cwd=Path(__file__).parents[3])
    try:
        started = list_started(tmp_path)
    finally:
        process.kill()
        process.wait()
    until = time.monotonic() + 60
    while any(map(psutil.pid_exists, started)) and time.monotonic() < until:
        time.sleep(0.02)
    assert not any(map(psutil.pid_exists, started))


@pytest.mark.parametrize(
    ("stratum", "head", "speed"),
    [
        ("", 989, Speed.FASTER),
        ("", 1010, Speed.FINE),
        ("", 1011, Speed.SLOWER),
        ("short", 1050, Speed.FINE),
        ("short", 1051, Speed.SLOWER),
    ],
)
def test_a_stratum_has_a_wider_tolerance(stratum: str, head: int, speed: Speed) -> None:
    assert Instructions("books", 20, stratum, 1000, head).speed is speed


def test_without_valgrind_it_is_said(
    repository: Repository, compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparison, "find_valgrind", lambda: None)
    assert compare("--base", "plain", "--instructions").exit_code == 3
    result = compare("--base", "plain", "--instructions", "--allow-unknown")
    assert result.exit_code == 0, result.stderr
    assert "instructions were not counted: valgrind is not installed here" in result.stdout


def test_what_was_not_counted_in_time_is_said(
    repository: Repository, compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    def give_up(*_: object) -> NoReturn:
        raise TimeoutError

    monkeypatch.setattr(comparison, "find_valgrind", lambda: "valgrind")
    monkeypatch.setattr(comparison, "count_instructions", give_up)
    assert compare("--base", "plain", "--instructions").exit_code == 3
    result = compare("--base", "plain", "--instructions", "--allow-unknown")
    assert result.exit_code == 0, result.stderr
    assert re.search(
        r"instructions were not counted within \d+ s; give fewer limits or corpora", result.stdout
    )


def test_more_work_is_a_bad_answer(
    repository: Repository, compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparison, "find_valgrind", lambda: "valgrind")
    counted = [Instructions("builtin", 20, "short", 1_000_000, 1_062_500)]
    monkeypatch.setattr(comparison, "count_instructions", lambda *_: counted)
    result = compare("--base", "plain", "--instructions")
    assert result.exit_code == 1, result.stderr
    assert "Slower: the working tree (" in result.stdout
    assert "1.0625 times the instructions on short of builtin at 20." in result.stdout
