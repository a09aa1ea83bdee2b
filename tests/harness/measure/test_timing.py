import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from corpora import Corpus, Document
from harness.measure import rounds as measure_rounds
from harness.measure import timing
from harness.measure.spooling import spool_corpora
from harness.measure.strata import Stratum, cut_shapes, cut_strata, make_shapes
from harness.measure.timing import TimingResult
from harness.results.errors import MeasurementError
from harness.results.model import Count, Workload
from harness.runner.digest import SegmentsDigest
from harness.runner.pool import SplitterPool
from harness.runner.process import SPLITTER_TIMEOUT
from harness.runner.spool import read_spool
from harness.splitters.registry import Splitter

TEXTS = {"first": "Eins zwei. Drei.", "second": "four"}
CORPUS = Corpus("tiny", lambda: iter([Document(*item) for item in TEXTS.items()]), "a test")


BASELINE = Splitter("plain", "failing_splitters:slices")


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[1])


def splitter(name: str, **options: object) -> Splitter:
    return Splitter(name, f"failing_splitters:{name}", options)


def time_workloads(
    corpora: list[Corpus],
    splitters: Sequence[Splitter],
    limits: Sequence[int],
    counts: Sequence[Count],
    baseline: Splitter | None = None,
    *,
    timeout: float = SPLITTER_TIMEOUT,
    **options: Any,
) -> TimingResult:
    with spool_corpora(corpora) as spooled, SplitterPool(timeout=timeout) as pool:
        return timing.time_workloads(
            spooled, splitters, limits, counts, baseline or BASELINE, pool=pool, **options
        )


def count(name: str, limit: int, segments: Sequence[Sequence[str]]) -> Count:
    digest = SegmentsDigest()
    for document, of_document in zip(TEXTS, segments, strict=True):
        digest.add(document, of_document)
    number = sum(map(len, segments))
    code_points = sum(map(len, TEXTS.values()))
    workload = Workload("tiny", name, limit)
    return Count(workload, 2, code_points, number, 1, 1, 1, digest.hexdigest())


SLICES = {
    5: [["Eins ", "zwei.", " Drei", "."], ["four"]],
    20: [["Eins zwei. Drei."], ["four"]],
}


def list_timed(result: TimingResult) -> list[tuple[str, int, int]]:
    """Splitter, limit and round of each round of turns over the shorter document."""
    return [
        (each.workload.splitter, each.workload.max_chunk_length, each.round)
        for each in result.rounds
        if each.stratum == "4 code points"
    ]


def test_every_round_of_every_verified_workload_is_kept() -> None:
    counts = [
        count(name, limit, SLICES[limit]) for name in ("slices", "printing") for limit in SLICES
    ]
    steps: list[int] = []
    stages: list[tuple[str, int]] = []
    result = time_workloads(
        [CORPUS],
        [splitter("slices"), splitter("printing")],
        [5, 20],
        counts,
        rounds=3,
        begin=lambda *stage: stages.append(stage),
        advance=steps.append,
    )
    assert result.failures == []
    assert sorted(list_timed(result)) == [
        (name, limit, number)
        for name in ("printing", "slices")
        for limit in (5, 20)
        for number in range(3)
    ]
    assert {(each.stratum, each.code_points) for each in result.rounds} == {
        ("4 code points", 4),
        ("16 code points", 16),
    }
    assert {each.baseline for each in result.rounds} == {"plain"}
    # Documents, limits, splitters with the baseline; then rounds, limits, splitters.
    assert stages == [("verifying", 2 * 2 * 3), ("timing", 3 * 2 * 2)]
    assert sum(steps) == 2 * 2 * 3 + 3 * 2 * 2


LETTER = Corpus("tiny", lambda: iter([Document("first", "x")]), "a test")


def count_letter(name: str) -> Count:
    digest = SegmentsDigest()
    digest.add("first", ["x"])
    return Count(Workload("tiny", name, 5), 1, 1, 1, 1, 1, 1, digest.hexdigest())


def log_names(log: Path, names: str) -> list[Splitter]:
    """Splitters that write their name into a file whenever they split a text."""
    factory = "failing_splitters:logging"
    return [Splitter(name, factory, {"path": str(log), "name": name}) for name in names]


@pytest.fixture
def single_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn is one pass, however little time that takes; there are four cycles."""
    monkeypatch.setattr(measure_rounds, "PORTION_SECONDS", 1e-9)
    monkeypatch.setattr(timing, "CYCLES", 4)


def test_sides_take_turns_in_an_order_that_is_reversed(tmp_path: Path, single_passes: None) -> None:
    log = tmp_path / "log"
    one, other = log_names(log, "ab")
    time_workloads([LETTER], [one], [5], [count_letter("a")], other, rounds=3)
    # Each verifies, and then splits its stratum; then there are three rounds.
    assert log.read_text() == "bb" + "aa" + "abbaabba" + "baabbaab" + "abbaabba"


def test_the_baseline_is_timed_against_itself_only_alone() -> None:
    counts = [count(name, 5, SLICES[5]) for name in ("plain", "slices")]
    both = time_workloads([CORPUS], [BASELINE, splitter("slices")], [5], counts, rounds=1)
    assert list_timed(both) == [("slices", 5, 0)]
    alone = time_workloads([CORPUS], [BASELINE], [5], counts[:1], rounds=1)
    assert list_timed(alone) == [("plain", 5, 0)]


def test_each_round_has_processes_with_the_same_seed_and_another_one_each_round(
    tmp_path: Path,
) -> None:
    log = tmp_path / "log"
    one, other = (
        Splitter(name, "failing_splitters:logging_seed", {"path": str(log)}) for name in "ab"
    )
    counts = [count("a", 20, SLICES[20])]
    time_workloads([CORPUS], [one], [20], counts, other, rounds=3)
    seeds = log.read_text().split()
    rounds = seeds[2:]  # those that verify have none of their own
    assert rounds == ["0", "0", "1", "1", "2", "2"]


def test_splitters_share_the_process_of_their_baseline_in_a_round(tmp_path: Path) -> None:
    log = tmp_path / "log"
    one, two, other = (
        Splitter(name, "failing_splitters:logging_seed", {"path": str(log)}) for name in "abc"
    )
    counts = [count(name, 20, SLICES[20]) for name in "ab"]
    time_workloads([CORPUS], [one, two], [20], counts, other, rounds=2)
    assert log.read_text().split() == ["none"] * 3 + ["0"] * 3 + ["1"] * 3


def test_each_splitter_has_turns_of_the_baseline_beside_its_own(
    tmp_path: Path, single_passes: None
) -> None:
    log = tmp_path / "log"
    one, two, other = log_names(log, "abc")
    counts = [count_letter(name) for name in "ab"]
    time_workloads([LETTER], [one, two], [5], counts, other, rounds=2)
    logged = log.read_text()
    assert sorted(logged[:6]) == [*"aabbcc"]  # they verify, more than one at once
    # Another one is first in the next round.
    assert logged[6:] == "accaacca" + "bccbbccb" + "cbbccbbc" + "caaccaac"


def test_the_turns_over_a_stratum_are_far_apart(tmp_path: Path, single_passes: None) -> None:
    log = tmp_path / "log"
    one, other = log_names(log, "ab")
    counts = [count("a", limit, SLICES[limit]) for limit in SLICES]
    other = replace(other, factory="failing_splitters:logging_lengths")
    time_workloads([CORPUS], [one], [5, 20], counts, other, rounds=1)
    # At each limit everyone verifies: a pass over two documents, and then two strata of one.
    verified = 2 * ("b16b4b4b16" + "aaaa")
    turns = "ab4ab16b4ab16a"
    assert log.read_text() == verified + 2 * (turns + turns)


def test_who_fails_is_not_timed_and_the_others_go_on() -> None:
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
    result = time_workloads([CORPUS], [*map(splitter, names)], [5], counts, rounds=2, timeout=4)
    assert set(psutil.Process().children(recursive=True)) == before
    assert {f.workload.splitter: f.status for f in result.failures} == failing
    assert list_timed(result) == [("slices", 5, 0), ("slices", 5, 1)]


def test_a_splitter_that_failed_is_started_again_for_the_next_limit() -> None:
    """Its process is gone, but that says nothing of its other workloads."""
    counts = [count("killed_at_5", limit, SLICES[limit]) for limit in SLICES]
    contender = splitter("killed_at_5")
    result = time_workloads([CORPUS], [contender], [5, 20], counts, rounds=2)
    assert [(f.workload.max_chunk_length, f.status) for f in result.failures] == [(5, "failed")]
    assert {each.workload.max_chunk_length for each in result.rounds} == {20}


def test_who_fails_in_a_round_loses_that_workload_alone(tmp_path: Path) -> None:
    """It splits well until its third process, which is that of the second round."""
    one = Splitter("a", "failing_splitters:killed_third_at_5", {"path": str(tmp_path / "log")})
    counts = [count("a", limit, SLICES[limit]) for limit in SLICES]
    result = time_workloads([CORPUS], [one], [5, 20], counts, rounds=3)
    assert [(f.workload.max_chunk_length, f.status) for f in result.failures] == [(5, "failed")]
    assert list_timed(result) == [("a", 20, 0), ("a", 20, 1), ("a", 20, 2)]


def test_without_its_baseline_nothing_is_timed() -> None:
    counts = [count("slices", 5, SLICES[5])]
    result = time_workloads([CORPUS], [splitter("slices")], [5], counts, splitter("raising"))
    assert result.rounds == []
    (failure,) = result.failures
    assert failure.status == "untimed"
    assert failure.detail.startswith("its baseline raising failed: LookupError: no such thing")


def test_segments_that_were_not_checked_are_not_timed() -> None:
    other = [["Eins ", "zwei.", " Drei."], ["four"]]
    result = time_workloads(
        [CORPUS], [splitter("slices")], [5], [count("slices", 5, other)], rounds=2
    )
    (failure,) = result.failures
    assert failure.status == "changed"
    assert failure.detail == "its segments are not those that were checked (4 then, 5 now)"
    assert result.rounds == []


def test_workloads_without_a_count_are_passed_over() -> None:
    result = time_workloads([CORPUS], [splitter("slices")], [5], [], rounds=2)
    assert result.rounds == result.failures == []


def test_a_corpus_that_changed_since_the_check_is_refused() -> None:
    shorter = Corpus("tiny", lambda: iter([Document("first", "x")]), "a test")
    counts = [count("slices", 5, SLICES[5])]
    with pytest.raises(MeasurementError, match="tiny changed while it was measured"):
        time_workloads([shorter], [splitter("slices")], [5], counts)


def test_a_pass_that_takes_too_long_times_out() -> None:
    counts = [count("slow", 5, SLICES[5])]
    result = time_workloads([CORPUS], [splitter("slow")], [5], counts, pass_timeout=0.1)
    assert result.rounds == []
    (failure,) = result.failures
    assert failure.status == "timed out"
    assert failure.detail == "was not through all documents within 0.1 seconds"


@pytest.mark.parametrize(
    ("seconds", "portions", "passes", "cycles"),
    [
        ([0.005, 0.005], [5, 5], [1, 1], 12),
        ([0.005, 0.007], [7, 7], [1, 1], 12),  # 5 and 7 would be compared unlike
        ([0.0001, 0.00012], [1, 1], [8, 8], 12),
        ([0.0005, 0.001], [1, 1], [2, 1], 12),
        ([0.03, 0.03], [30, 30], [1, 1], 4),
        ([2.0, 0.0002], [2000, 1], [1, 5], 2),
        ([0.0, 1e-9], [1, 1], [10_000, 10_000], 12),
    ],
)
def test_sides_are_timed_in_portions_of_a_millisecond(
    tmp_path: Path, seconds: list[float], portions: list[int], passes: list[int], cycles: int
) -> None:
    plan = measure_rounds._plan(Stratum("all", tmp_path, 1, 1), seconds, 12)
    assert (plan.portions, plan.passes, plan.cycles) == (portions, passes, cycles)


def test_the_quickest_turn_over_each_portion_counts() -> None:
    """The first turn was disturbed in its first portion, the second in its second one."""
    assert measure_rounds._find_quickest([[9.0, 1.0], [2.0, 8.0], [3.0, 4.0]], 3) == [3.0, 7.0]


def make_corpus(*lengths: int) -> Corpus:
    texts = [Document(str(number), "x" * length) for number, length in enumerate(lengths)]
    return Corpus("made", lambda: iter(texts), "a test")


def test_strata_are_quarters_by_length(tmp_path: Path) -> None:
    with spool_corpora([make_corpus(8, 1, 7, 2, 6, 3, 5, 4, 0)]) as (corpus,):
        strata = cut_strata(corpus.spool, 0.001, tmp_path / "strata")
        assert [(each.name, each.documents, each.code_points) for each in strata] == [
            ("1–2 code points", 2, 3),
            ("3–4 code points", 2, 7),
            ("5–6 code points", 2, 11),
            ("7–8 code points", 2, 15),
        ]
        assert [document for document, _ in read_spool(strata[0].spool)] == ["1", "3"]


def test_documents_of_one_length_are_in_one_stratum(tmp_path: Path) -> None:
    with spool_corpora([make_corpus(3, 3, 3, 3, 3, 9)]) as (corpus,):
        strata = cut_strata(corpus.spool, 0.001, tmp_path / "strata")
    assert [(each.name, each.documents) for each in strata] == [("3–9 code points", 6)]


def test_of_a_long_stratum_every_nth_document_is_used(tmp_path: Path) -> None:
    """A pass of 0.4 seconds over 160 documents: two of them are a turn."""
    with spool_corpora([make_corpus(*[100] * 160)]) as (corpus,):
        (stratum,) = cut_strata(corpus.spool, 0.4, tmp_path / "strata")
    assert (stratum.documents, stratum.code_points) == (2, 200)


def test_where_one_document_is_more_than_a_turn_it_is_that_in_the_middle(tmp_path: Path) -> None:
    with spool_corpora([make_corpus(*range(1, 13))]) as (corpus,):
        strata = cut_strata(corpus.spool, 60.0, tmp_path / "strata")
    assert [(each.documents, each.code_points) for each in strata] == [
        (1, 2),
        (1, 5),
        (1, 8),
        (1, 11),
    ]


def test_a_corpus_without_text_has_no_strata(tmp_path: Path) -> None:
    with spool_corpora([make_corpus(0, 0)]) as (corpus,):
        assert cut_strata(corpus.spool, 0.0, tmp_path / "strata") == []


def test_shapes_are_strata_by_their_names(tmp_path: Path) -> None:
    with spool_corpora([make_shapes()]) as (shapes,):
        strata = cut_shapes(shapes.spool, tmp_path / "strata")
        texts = {each.name: [text for _, text in read_spool(each.spool)] for each in strata}
    assert list(texts) == ["long runs of whitespace", "one line", "many short documents"]
    (whitespace,), (line,), short = texts.values()
    assert max(map(len, re.findall(r"\s+", whitespace))) > 500
    assert "\n" not in line
    assert len(short) == 200
    assert max(map(len, short)) < 50
    for each in strata:
        assert (each.documents, each.code_points) == (
            len(texts[each.name]),
            sum(map(len, texts[each.name])),
        )
