import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest

from corpora import Corpus, Document
from harness.measure import timing
from harness.measure.spooling import spool_corpora
from harness.measure.timing import TimingResult
from harness.results.errors import MeasurementError
from harness.results.model import Count, Timing, Workload
from harness.results.timings import write_timings
from harness.runner.digest import CorpusDigest
from harness.runner.pool import SplitterPool
from harness.runner.process import TIMEOUT
from harness.splitters.registry import Splitter

TEXTS = {"first": "Eins zwei. Drei.", "second": "four"}
CORPUS = Corpus("tiny", lambda: iter([Document(*item) for item in TEXTS.items()]), "a test")


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[1])


def splitter(name: str, **options: object) -> Splitter:
    return Splitter(name, f"failing_splitters:{name}", options)


def time_workloads(
    corpora: list[Corpus], *args: Any, timeout: float = TIMEOUT, **kwargs: Any
) -> TimingResult:
    with spool_corpora(corpora) as spooled, SplitterPool(timeout=timeout) as pool:
        return timing.time_workloads(spooled, *args, pool=pool, **kwargs)


def count(name: str, limit: int, segments: Sequence[Sequence[str]]) -> Count:
    digest = CorpusDigest()
    for document, of_document in zip(TEXTS, segments, strict=True):
        digest.add(document, of_document)
    number = sum(map(len, segments))
    code_points = sum(map(len, TEXTS.values()))
    workload = Workload("tiny", name, limit)
    return Count(workload, 2, code_points, number, 1, 1, 1, 0, 0, digest.hexdigest())


SLICES = {
    5: [["Eins ", "zwei.", " Drei", "."], ["four"]],
    20: [["Eins zwei. Drei."], ["four"]],
}


def test_every_round_of_every_verified_workload_is_kept() -> None:
    counts = [
        count(name, limit, SLICES[limit]) for name in ("slices", "printing") for limit in SLICES
    ]
    documents: list[int] = []
    result = time_workloads(
        [CORPUS],
        [splitter("slices"), splitter("printing")],
        [5, 20],
        counts,
        passes=3,
        progress=documents.append,
    )
    assert result.failures == []
    assert [(t.workload, t.round) for t in result.timings] == [
        (Workload("tiny", name, limit), round_)
        for limit in (5, 20)
        for name in ("slices", "printing")
        for round_ in range(3)
    ]
    assert all(timing.seconds > 0 for timing in result.timings)
    assert [t.workload for t in result.warm_ups] == [
        Workload("tiny", name, limit) for limit in (5, 20) for name in ("slices", "printing")
    ]
    assert sum(documents) == 2 * 2 * 4 * 2  # documents, limits, passes with the warm-up, splitters


def test_splitters_take_turns_in_an_order_that_is_reversed(tmp_path: Path) -> None:
    log = tmp_path / "log"
    one, two, three = (
        Splitter(name, "failing_splitters:logging", {"path": str(log), "name": name})
        for name in "abc"
    )
    single = Corpus("tiny", lambda: iter([Document("first", "x")]), "a test")
    digest = CorpusDigest()
    digest.add("first", ["x"])
    counts = [
        Count(Workload("tiny", name, 5), 1, 1, 1, 1, 1, 1, 0, 0, digest.hexdigest())
        for name in "abc"
    ]
    time_workloads([single], [one, two, three], [5], counts, passes=5)
    # The warm-up's order, then that of five rounds.
    assert log.read_text() == "cba" + "abc" + "cba" + "abc" + "cba" + "abc"


def test_who_fails_has_no_timing_and_the_others_go_on() -> None:
    failing = {
        "killed": "failed",
        "raising": "raised",
        "unloadable": "unavailable",
        "hanging": "timed out",
        "of_bytes": "invalid",
        "changing": "changed",
    }
    at_first = [["E", "ins zwei. Drei."], ["fo", "ur"]]  # what `changing` gives when called first
    counts = [count(name, 5, at_first) for name in failing] + [count("slices", 5, SLICES[5])]
    names = [*failing, "slices"]
    before = set(psutil.Process().children(recursive=True))
    result = time_workloads([CORPUS], [*map(splitter, names)], [5], counts, passes=3, timeout=4)
    assert set(psutil.Process().children(recursive=True)) == before
    assert {f.workload.splitter: f.status for f in result.failures} == failing
    assert [(t.workload.splitter, t.round) for t in result.timings] == [
        ("slices", 0),
        ("slices", 1),
        ("slices", 2),
    ]
    assert [t.workload.splitter for t in result.warm_ups] == ["slices"]


def test_a_splitter_that_failed_is_started_again_for_the_next_limit() -> None:
    """Its process is gone, but that says nothing of its other workloads."""
    counts = [count("killed_at_5", limit, SLICES[limit]) for limit in SLICES]
    contender = splitter("killed_at_5")
    result = time_workloads([CORPUS], [contender], [5, 20], counts, passes=2)
    assert [(f.workload.max_chunk_length, f.status) for f in result.failures] == [(5, "failed")]
    assert {t.workload.max_chunk_length for t in result.timings} == {20}


def test_segments_that_were_not_checked_are_not_timed() -> None:
    other = [["Eins ", "zwei.", " Drei."], ["four"]]
    result = time_workloads(
        [CORPUS], [splitter("slices")], [5], [count("slices", 5, other)], passes=2
    )
    (failure,) = result.failures
    assert failure.status == "changed"
    assert failure.detail == "its segments are not those that were checked (4 then, 5 now)"
    assert result.timings == result.warm_ups == []


def test_workloads_without_a_count_are_passed_over() -> None:
    result = time_workloads([CORPUS], [splitter("slices")], [5], [], passes=2)
    assert result.timings == result.failures == []


def test_a_corpus_that_changed_since_the_check_is_refused() -> None:
    shorter = Corpus("tiny", lambda: iter([Document("first", "x")]), "a test")
    counts = [count("slices", 5, SLICES[5])]
    with pytest.raises(MeasurementError, match="tiny changed while it was measured"):
        time_workloads([shorter], [splitter("slices")], [5], counts)


def test_pyperf_reads_the_timings(tmp_path: Path) -> None:
    counts = [count("slices", limit, SLICES[limit]) for limit in SLICES]
    result = time_workloads([CORPUS], [splitter("slices")], [5, 20], counts, passes=5)
    write_timings(tmp_path / "measured.json", result.timings, counts, result.warm_ups)
    stats = pyperf("stats", tmp_path / "measured.json")
    assert "tiny/slices/20" in stats
    assert "Number of value per run: 5" in stats
    assert "Number of warmup per run: 1" in stats


def test_pyperf_compares_timings(tmp_path: Path) -> None:
    counts = [count("slices", 5, SLICES[5])]
    for name, factor in ("before.json", 1.0), ("after.json", 2.0):
        timings = [
            Timing(counts[0].workload, round_, factor * seconds)
            for round_, seconds in enumerate([1.00, 1.01, 0.99, 1.00, 1.00])
        ]
        write_timings(tmp_path / name, timings, counts)
    compared = pyperf("compare_to", tmp_path / "before.json", tmp_path / "after.json")
    assert "2.00x slower" in compared


def pyperf(command: str, *files: Path) -> str:
    line = [sys.executable, "-m", "pyperf", command, *map(str, files)]
    return subprocess.run(line, capture_output=True, text=True, check=True).stdout


def test_a_pass_that_takes_too_long_times_out() -> None:
    counts = [count("slow", 5, SLICES[5])]
    result = time_workloads([CORPUS], [splitter("slow")], [5], counts, pass_timeout=0.1)
    assert result.timings == []
    (failure,) = result.failures
    assert failure.status == "timed out"
    assert failure.detail == "was not through all documents within 0.1 seconds"
