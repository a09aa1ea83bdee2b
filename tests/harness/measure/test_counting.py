"""Instructions of splitters whose work is known; and what is said of those that fail."""

from pathlib import Path

import pytest

from harness.cli.commands import segbench
from harness.measure.growth import count_growth
from harness.measure.shapes import SHAPES
from harness.report import tables
from harness.results.exponent import LEAST_INSTRUCTIONS, find_exponent
from harness.results.folder import read_run, write_run
from harness.results.model import Failure, Growth, Run, Workload
from harness.runner import counting
from harness.runner.counting import CountedProcess
from harness.runner.process import SplitterError
from harness.runner.spool import read_spool, write_spool
from harness.splitters.registry import Splitter, load_splitter
from tests.harness.environments import ENVIRONMENT

HERE = Path(__file__).parents[1]
SHAPE = {"words": SHAPES["words"]}


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(HERE)


def local(name: str) -> Splitter:
    return Splitter(name, f"failing_splitters:{name}")


def time(splitter: str, limit: int, *seconds: float) -> list[Growth]:
    """As if texts of 4,000 code points, of 8,000 and so on had taken this long."""
    return [
        Growth("words", limit, splitter, 4_000 << doublings, each)
        for doublings, each in enumerate(seconds)
    ]


def find_counted(growth: list[Growth]) -> dict[int, float]:
    return {each.code_points: each.instructions for each in growth if each.instructions}


def test_exponents_of_instructions_are_those_of_the_work(valgrind: str) -> None:
    """Whatever the time: here all texts took as long as each other."""
    timed = [*time("segmenter", 20, *[0.1] * 6), *time("quadratic", 20, *[0.1] * 6)]
    splitters = [load_splitter("segmenter"), local("quadratic")]
    growth, trials = count_growth(splitters, timed, valgrind, SHAPE)
    assert trials == []
    powers = {
        name: find_exponent(
            find_counted([e for e in growth if e.splitter == name]), LEAST_INSTRUCTIONS
        )
        for name in ("segmenter", "quadratic")
    }
    assert powers == {
        "segmenter": pytest.approx(1, abs=0.1),
        "quadratic": pytest.approx(2, abs=0.1),
    }
    assert [(e.splitter, e.code_points, e.seconds) for e in growth] == [
        (e.splitter, e.code_points, e.seconds) for e in timed
    ]


def test_a_pass_more_takes_as_many_instructions_again(valgrind: str, tmp_path: Path) -> None:
    write_spool(tmp_path / "spool", [("a", "word " * 2_000)])
    process = CountedProcess(local("quadratic"), valgrind, tmp_path)
    try:
        process.load(20)
        counts = [
            process.count_instructions(tmp_path / "spool", passes=passes) for passes in (1, 2, 4)
        ]
    finally:
        process.close()
    assert counts[1] == pytest.approx(2 * counts[0], rel=0.02)
    assert counts[2] == pytest.approx(4 * counts[0], rel=0.02)


class Counting:
    """In place of a process: 100 instructions per code point, and at first twice as many."""

    def __init__(self, splitter: Splitter, valgrind: str, folder: Path) -> None:
        self._first = set(range(10**6))

    def load(self, limit: int) -> None:
        pass

    def count_instructions(self, spool: Path) -> int:
        ((_, text),) = read_spool(spool)
        first = len(text) in self._first
        self._first.discard(len(text))
        return (200 if first else 100) * len(text)

    def close(self) -> None:
        pass


def test_the_lengths_that_tell_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.measure.growth.CountedProcess", Counting)
    timed = time("slices", 500, *[1e-5] * 8)
    growth, trials = count_growth([local("slices")], timed, "valgrind", SHAPE)
    assert trials == []
    # 8,000 code points first take more than a million instructions, and then fewer: so four
    # lengths from 16,000 on tell.
    counted = find_counted(growth)
    assert counted == {length: 100 * length for length in (4_000 << n for n in range(6))}
    assert find_exponent(counted, LEAST_INSTRUCTIONS) == pytest.approx(1)


def test_what_is_not_counted_is_told(tmp_path: Path) -> None:
    """By a program in the place of valgrind that runs what it is given and counts nothing."""
    counts_nothing = tmp_path / "valgrind"
    counts_nothing.write_text('#!/bin/sh\nshift 4\nexec "$@"\n')
    counts_nothing.chmod(0o755)
    timed = [*time("slices", 500, 1, 2, 4, 8), *time("raising", 500, 1, 2, 4, 8)]
    growth, trials = count_growth(
        [local("slices"), local("raising")], timed, str(counts_nothing), SHAPE
    )
    assert growth == timed
    assert [(each.splitter, each.answer) for each in trials] == [
        ("slices", "failed"),
        ("raising", "raised"),
    ]
    assert trials[0].question == "the instructions for 4,000 code points of words at 500"
    assert trials[0].detail == "valgrind did not count its instructions"


def test_how_a_process_died_is_told_in_its_own_words(valgrind: str) -> None:
    _, (trial,) = count_growth([local("vanishing")], time("vanishing", 500, 1), valgrind, SHAPE)
    assert (trial.answer, trial.detail) == ("failed", "its process ended with status 7: patience")


def test_a_splitter_that_hangs_is_ended(tmp_path: Path) -> None:
    write_spool(tmp_path / "spool", [("a", "text")])
    runs = tmp_path / "valgrind"
    runs.write_text('#!/bin/sh\nshift 4\nexec "$@"\n')
    runs.chmod(0o755)
    process = CountedProcess(local("hanging"), str(runs), tmp_path)
    process.load(5)
    with pytest.raises(SplitterError, match=r"was not through all documents within 0\.5 seconds"):
        process.count_instructions(tmp_path / "spool", timeout=0.5)
    assert process.closed


def test_the_report_has_the_exponent_of_instructions_if_they_were_counted(tmp_path: Path) -> None:
    lengths = (1_000, 2_000, 4_000, 8_000)
    counted = [Growth("words", 500, "peer", n, 1e-5, instructions=40 * n**2) for n in lengths]
    failed = [Failure(Workload("builtin", "peer", 500), "raised", "so")]
    write_run(tmp_path, Run(ENVIRONMENT, failures=failed, growth=counted))
    read = read_run(tmp_path)
    assert read.growth == counted
    assert tables.growth(read).cells[0][-2:] == ["too quick to tell", "2.00"]
    plain = [Growth("words", 500, "peer", n, n / 1e6) for n in lengths]
    (row,) = tables.growth(Run(ENVIRONMENT, growth=plain)).cells
    assert row[-1] == "1.00"


def test_instructions_without_valgrind_are_refused_first(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(counting, "find_valgrind", lambda: None)
    with pytest.raises(SystemExit) as ended:
        segbench.main(["check", "--profile", "--instructions", "--out", str(tmp_path / "out")])
    assert ended.value.code == 3
    assert "valgrind is not installed here; install it, or leave out --instructions" in (
        capsys.readouterr().err
    )
    assert not (tmp_path / "out").exists()


def test_instructions_are_those_of_growth(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        segbench.main(["check", "--instructions"])
    assert ended.value.code == 2
    assert "give --profile as well" in capsys.readouterr().err
