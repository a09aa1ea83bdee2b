"""Instructions counted by valgrind; and what is said where there is none."""

from pathlib import Path

import pytest

from corpora import Corpus, Document
from harness.compare import comparison
from harness.compare.checkouts import Checkout, Location
from harness.compare.documents import spool_corpora
from harness.compare.instructions import Instructions, count_instructions, find_valgrind
from harness.compare.statistics import Speed
from harness.results.errors import MeasurementError
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
CORPUS = Corpus("c", lambda: (Document(str(n), TEXT[:1000]) for n in range(100)), "a test")


@pytest.fixture
def valgrind() -> str:
    found = find_valgrind()
    if found is None:
        pytest.skip("valgrind is not installed")
    return found


def count(valgrind: str, tmp_path: Path, *sources: str) -> Instructions:
    sides = []
    for number, source in enumerate(sources):
        folder = tmp_path / ("side" * (number + 1))  # the length of a path is no work
        (folder / "segmenter").mkdir(parents=True)
        (folder / "segmenter" / "__init__.py").write_text(source)
        sides.append(Checkout(f"side {number}", folder, Location.parse("segmenter"), ""))
    spooled = spool_corpora([CORPUS], tmp_path)
    (counted,) = count_instructions(valgrind, *sides, spooled, [20], tmp_path)
    return counted


def test_the_same_code_takes_the_same_instructions(valgrind: str, tmp_path: Path) -> None:
    counted = count(valgrind, tmp_path, SPLITTER, SPLITTER)
    assert counted.ratio == pytest.approx(1, abs=0.005)
    assert counted.speed is Speed.FINE


def test_a_little_more_work_is_found(valgrind: str, tmp_path: Path) -> None:
    counted = count(valgrind, tmp_path, SPLITTER, SPLITTER + MORE)
    assert 1.03 < counted.ratio < 1.06
    assert counted.speed is Speed.SLOWER


@pytest.mark.parametrize(
    ("base", "message"),
    [
        ("raise LookupError('so')", r"side 0: .* status 1\): LookupError: so$"),
        (SPLITTER, r"side 0: .* status 0\): it said nothing$"),
    ],
)
def test_what_was_not_counted_is_named(base: str, message: str, tmp_path: Path) -> None:
    """By a program in the place of valgrind that runs what it is given and counts nothing."""
    counts_nothing = tmp_path / "valgrind"
    counts_nothing.write_text('#!/bin/sh\nshift 3\nexec "$@"\n')
    counts_nothing.chmod(0o755)
    with pytest.raises(MeasurementError, match=message):
        count(str(counts_nothing), tmp_path, base, SPLITTER)


@pytest.mark.parametrize(
    ("head", "speed"),
    [(979, Speed.FASTER), (981, Speed.FINE), (1020, Speed.FINE), (1021, Speed.SLOWER)],
)
def test_two_in_a_hundred_decide(head: int, speed: Speed) -> None:
    assert Instructions(20, 1000, head).speed is speed


def test_without_valgrind_it_is_said(
    repository: Repository, compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparison, "find_valgrind", lambda: None)
    result = compare("--base", "plain", "--instructions")
    assert result.exit_code == 0, result.stderr
    assert "instructions were not counted: valgrind is not installed here" in result.stdout


def test_more_work_is_a_bad_answer(
    repository: Repository, compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparison, "find_valgrind", lambda: "valgrind")
    counted = [Instructions(20, 1_000_000, 1_031_250)]
    monkeypatch.setattr(comparison, "count_instructions", lambda *_: counted)
    result = compare("--base", "plain", "--instructions")
    assert result.exit_code == 1, result.stderr
    assert "Slower: the working tree (" in result.stdout
    assert "1.0312 times the instructions at 20." in result.stdout
