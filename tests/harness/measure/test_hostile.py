"""What is measured beside rules and speed, on splitters that fail in every way."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.measure.growth import FEW_LENGTHS, measure_growth
from harness.measure.hostile import HOSTILE_TEXTS, try_splitter
from harness.measure.imports import measure_imports
from harness.report import tables
from harness.results.exponent import LEAST_SECONDS
from harness.results.folder import read_run, write_run
from harness.results.model import (
    BoundaryCount,
    Claim,
    Exemption,
    Failure,
    Growth,
    Import,
    Run,
    Trial,
    Workload,
)
from harness.runner.pool import SplitterPool
from harness.splitters.contenders import Contenders, list_exemptions
from harness.splitters.registry import Splitter, list_splitters, load_splitter
from harness.splitters.venvs import Installation
from tests.harness.environments import ENVIRONMENT

HERE = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(HERE)


def local(name: str, **fields: object) -> Splitter:
    return Splitter(name, f"failing_splitters:{name}", **fields)  # type: ignore[arg-type]


def answers(splitter: Splitter, timeout: float = 60) -> dict[str, str]:
    with SplitterPool(timeout=timeout) as pool:
        return {trial.question: trial.answer for trial in try_splitter(splitter, pool)}


def test_hostile_texts_are_what_they_are_called() -> None:
    assert "\ud83d" in HOSTILE_TEXTS["lone surrogate"]
    assert "\0" in HOSTILE_TEXTS["NUL"]
    long = HOSTILE_TEXTS["1 MB without a space"]
    assert len(long.encode()) == 1_000_000
    assert not any(map(str.isspace, long))


@pytest.mark.parametrize(
    ("name", "answer"),
    [("slices", "kept"), ("raising", "raised"), ("killed", "failed"), ("of_one_string", "invalid")],
)
def test_hostile_texts_are_answered_whatever_the_splitter_does(name: str, answer: str) -> None:
    found = answers(local(name))
    assert found == dict.fromkeys(HOSTILE_TEXTS, answer) | {"offsets": "not offered"}


def test_a_splitter_that_hangs_times_out_on_each_hostile_text() -> None:
    assert list(answers(local("hanging"), timeout=1).values()) == ["timed out"] * 3 + [
        "not offered"
    ]


def test_what_is_lost_is_told_apart() -> None:
    """Of the texts with blanks, at the limit of 500, `stripping` loses blanks alone."""
    found = answers(local("stripping"))
    assert found["NUL"] == "whitespace lost"
    assert found["1 MB without a space"] == "kept"
    assert answers(local("dropping"))["NUL"] == "lost"


@pytest.mark.parametrize(
    ("offsets", "answer"),
    [
        ("failing_splitters:slice_offsets", "right"),
        ("failing_splitters:wrong_offsets", "wrong"),
        ("failing_splitters:no_offsets", "wrong"),
        ("failing_splitters:raising", "raised"),
        ("failing_splitters:nowhere", "unavailable"),
    ],
)
def test_offsets_are_compared_with_the_text(offsets: str, answer: str) -> None:
    with SplitterPool() as pool:
        *_, trial = try_splitter(local("slices", offsets=offsets), pool)
    assert (trial.question, trial.answer) == ("offsets", answer)
    if offsets.endswith("wrong_offsets"):
        assert "1:51 is 'ne sentence" in trial.detail


def test_overlap_loses_nothing_and_what_writes_anew_is_not_asked() -> None:
    exempt = {"join": "so"}
    assert answers(local("overlapping", not_applicable=exempt))["NUL"] == "kept"
    assert answers(local("stripping", not_applicable=exempt))["NUL"] == "not applicable"


def test_the_offsets_of_the_segmenter_and_of_langchain_are_right() -> None:
    assert answers(load_splitter("segmenter"))["offsets"] == "right"
    assert answers(load_splitter("langchain"))["offsets"] == "right"


def test_growth_is_measured_for_each_shape_limit_and_length() -> None:
    with SplitterPool() as pool:
        growth, trials = measure_growth([local("slices")], pool)
    assert trials == []
    kinds = {(one.shape, one.max_chunk_length) for one in growth}
    assert len(kinds) == 3 * 2
    for kind in kinds:
        seconds = [one.seconds for one in growth if (one.shape, one.max_chunk_length) == kind]
        # Twice the length each time, until four took long enough, or all were tried.
        long_enough = sum(each >= LEAST_SECONDS for each in seconds)
        assert long_enough == 4 or len(seconds) == len(FEW_LENGTHS)
    assert all(one.seconds > 0 for one in growth)


def test_growth_of_what_fails_is_a_trial_for_each_shape_and_limit() -> None:
    with SplitterPool() as pool:
        growth, trials = measure_growth([local("raising")], pool)
    assert growth == []
    assert [trial.answer for trial in trials] == ["raised"] * 6
    assert trials[0].question == "12,500 code points of prose at 500"


def test_imports_are_weighed_once_for_what_is_shared() -> None:
    here = Installation("3.11.4", None, {"pytest": "8", "pluggy": "1"}, 12_345)
    splitters = [
        local("slices", requirement="pytest>=8", module="failing_splitters"),
        Splitter("again", "m:f", requirement="pytest>=8", module="failing_splitters"),
        Splitter("absent", "m:f", requirement="pytest", module="a_package_that_nobody_has"),
        Splitter("anyone's", "m:f"),
    ]
    contenders = Contenders(splitters, {splitter.name: here for splitter in splitters}, {})
    weighed, absent = measure_imports(contenders)
    assert (weighed.name, weighed.packages, weighed.bytes) == (
        "failing_splitters (pytest 8)",
        2,
        12_345,
    )
    assert len(weighed.milliseconds) == 3
    assert weighed.modules >= 1
    assert (absent.milliseconds, absent.modules) == ([], 0)


def test_a_run_keeps_boundaries_exemptions_and_trials(tmp_path: Path) -> None:
    run = Run(
        ENVIRONMENT,
        failures=[Failure(Workload("c", "peer", 5), "unavailable", "no wheel")],
        counts=[],
        violations=[],
        examples=[],
        rounds=(),
        boundaries=[BoundaryCount(Workload("c", "other", 5), 4, 3, 2, 1)],
        exemptions=[Exemption("peer", "join", 'chunks, "overlap"')],
        trials=[Trial("peer", "NUL", "raised", "ValueError: \ud83d\n")],
        growth=[Growth("words", 500, "peer", 1_000, 0.25)],
        imports=[Import("langchain", [9.5, 7.0], 472, bytes=5_500_000), Import("absent", [], 0)],
        claims=[Claim("F1", "it is so", "it is", "confirmed")],
    )
    write_run(tmp_path, run)
    assert read_run(tmp_path) == run
    with (tmp_path / "boundaries.csv").open(newline="") as file:
        assert next(csv.DictReader(file))["excess"] == "1"


def test_tables_tell_shares_trials_and_what_is_not_applicable() -> None:
    run = Run(
        ENVIRONMENT,
        failures=[Failure(Workload("c", splitter, 5), "x", "") for splitter in ("a", "b", "d")],
        boundaries=[
            BoundaryCount(Workload("c", "a", 5), 9, 4, 0, 1),
            BoundaryCount(Workload("c", "b", 5), 9, 0, 2, 0),
        ],
        exemptions=[Exemption("d", rule, "it overlaps") for rule in ("join", "edges")],
        trials=[Trial("a", "NUL", "kept", ""), Trial("d", "offsets", "wrong", "1")],
    )
    assert tables.boundaries(run).cells == [["a", "25.0%", "0"], ["b", "–", "2"]]
    assert tables.trials(run).cells == [["a", "kept", "–"], ["d", "–", "wrong"]]
    assert tables.exemptions(run).cells == [["d", "join, edges", "it overlaps"]]
    assert {table.title for table in tables.details(run)} >= {
        "Boundaries at whitespace",
        "Hostile texts, and offsets",
        "Not applicable",
    }


def test_what_is_not_applicable_is_no_kept_rule() -> None:
    from harness.results.model import Count, ViolationCount

    workload = Workload("c", "overlapping", 5)
    run = Run(
        ENVIRONMENT,
        counts=[Count(workload, 1, 9, 3, 1, 1, 5, 0, 0, "")],
        violations=[ViolationCount(workload, "empty", 0, 0)],
        exemptions=[Exemption("overlapping", rule, "") for rule in ("join", "fits")],
    )
    (row,) = tables.summary(run).cells
    assert row == ["overlapping", "5", "1", "–", "0", "0", "–", "–"]


def test_every_declared_splitter_is_told_in_full() -> None:
    from segmenter.rules import RULES

    for name in list_splitters():
        splitter = load_splitter(name)
        assert splitter.description, name
        assert set(splitter.not_applicable) <= set(RULES), name
        for factory in filter(None, (splitter.factory, splitter.offsets)):
            module, _, function = factory.partition(":")
            made: Callable[..., object] = getattr(__import__(module, fromlist=["_"]), function)
            assert callable(made), name
        if splitter.requirement and not splitter.always and not name.endswith("-newest"):
            assert all("==" in each for each in splitter.requirements), f"{name} is not pinned"
    assert {e.splitter for e in list_exemptions(map(load_splitter, list_splitters()))} == {
        name for name in list_splitters() if load_splitter(name).not_applicable
    }
