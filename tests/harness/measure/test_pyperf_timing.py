"""``segbench time --pyperf``: pyperf's own runner on a splitter of the tests."""

from pathlib import Path

import pytest

from corpora import Corpus, Document
from harness.measure.pyperf_timing import PyperfResult, time_with_pyperf, write_benchmarks
from harness.results.errors import MeasurementError
from harness.results.model import Count, Workload
from harness.runner.digest import CorpusDigest
from harness.splitters.registry import Splitter

CORPUS = Corpus("tiny", lambda: iter([Document("first", "Eins zwei. " * 2000)]), "a test")


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only this process's path leads to the splitter, so pyperf's must inherit it."""
    monkeypatch.syspath_prepend(Path(__file__).parents[1])


def count(digest: str | None = None) -> Count:
    right = CorpusDigest()
    (document,) = CORPUS
    segments = [document.text[at : at + 5] for at in range(0, len(document.text), 5)]
    right.add(document.id, segments)
    workload = Workload("tiny", "slices", 5)
    return Count(workload, 1, 22000, 4400, 5, 5, 5, 0, 0, digest or right.hexdigest())


def test_pyperf_times_in_processes_of_its_own() -> None:
    slices = Splitter("slices", "failing_splitters:slices")
    result = time_with_pyperf([CORPUS], [slices], [count()], processes=2)
    assert result.failures == []
    (benchmark,) = result.benchmarks
    assert benchmark.get_name() == "tiny/slices/5"
    assert benchmark.get_nvalue() == 2 * 3
    assert benchmark.get_metadata()["max_chunk_length"] == 5
    assert benchmark.get_metadata()["code_points"] == 22000


@pytest.mark.parametrize(
    ("factory", "digest", "detail"),
    [
        ("failing_splitters:slices", "0" * 64, "its segments are not those that were checked"),
        ("failing_splitters:raising", None, "LookupError: no such thing"),
        ("failing_splitters:unloadable", None, "No module named 'a_package_that_nobody_has'"),
    ],
)
def test_what_cannot_be_timed_says_why(factory: str, digest: str | None, detail: str) -> None:
    splitter = Splitter("slices", factory)
    result = time_with_pyperf([CORPUS], [splitter], [count(digest)], processes=1)
    assert result.benchmarks == []
    assert detail in result.failures[0].detail


def test_nothing_timed_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(MeasurementError, match="pyperf timed nothing"):
        write_benchmarks(tmp_path / "pyperf.json", PyperfResult())
    assert not list(tmp_path.iterdir())
