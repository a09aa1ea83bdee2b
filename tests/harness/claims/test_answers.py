"""Answers that need other environments, from evidence that was made up: the right one is known."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pytest

from corpora import Corpus, Document
from harness.claims import answers
from harness.claims.answers import ANSWERS, Finding
from harness.claims.claims import read_claims
from harness.claims.probes import FUNCTIONS, LOADED, OLD_STRIPPING
from harness.measure.imports import Weight
from harness.measure.spooling import SpooledCorpus, spool_corpora
from harness.splitters.probes import DISTRIBUTIONS
from harness.splitters.registry import Splitter
from harness.splitters.venvs import Installation

SPLITTERS = "langchain-text-splitters"
TODAY = "2026-01-02"


def installation(release: str, made: str = TODAY, interpreter: str | None = None) -> Installation:
    there = interpreter or f"python of {release}"
    return Installation("3.12.1", there, {SPLITTERS: release}, 1, made)


@dataclass
class MadeUp:
    """Stands in for Evidence."""

    installed: Mapping[str, Installation] = field(default_factory=dict)
    resolved: Mapping[str, str] = field(default_factory=dict)
    segments: Mapping[str, int] = field(default_factory=dict)
    unlike: tuple[str, str, int] | None = None
    real: Sequence[SpooledCorpus] = ()
    pool: Any = None

    def find(self, name: str) -> Splitter:
        return Splitter(name, "m:f", interpreter=self.installed[name].interpreter)

    def installation(self, name: str) -> Installation:
        return self.installed[name]

    def install(self, requirement: str, *, newest: bool = False) -> Installation:
        return self.installed[f"newest {requirement}" if newest else requirement]

    def resolve(self, requirement: str, python: str = "") -> Mapping[str, str]:
        return {SPLITTERS: self.resolved[requirement]}

    def digests(self, name: str, limit: int) -> dict[str, str]:
        return {
            corpus: "another" if (name, corpus, limit) == self.unlike else "the same"
            for corpus in ("real", "synthetic")
        }

    def count(self, splitter: str, limit: int, attribute: str = "segments") -> int:
        assert (limit, attribute) == (500, "segments")
        return self.segments[splitter]

    def split(self, name: str, text: str, limit: int) -> list[str]:
        return [text.strip()]

    def progress(self, line: str) -> None:
        pass


def give(name: str, evidence: MadeUp) -> Finding:
    return ANSWERS[name](evidence, read_claims()[name])  # type: ignore[arg-type]


def let_say(monkeypatch: pytest.MonkeyPatch, said: Mapping[str, Mapping[str | None, Any]]) -> None:
    """What each program prints, by the interpreter that runs it."""
    monkeypatch.setattr(
        answers, "run_probe", lambda interpreter, program: said[program][interpreter]
    )


def functions(*, split: str = "return 1", decorators: tuple[str, ...] = ()) -> list[Any]:
    return [{"split_text": [split, list(decorators)], "_merge_splits": ["pass", []]}, True]


RELEASES = {
    "langchain-memmachine-1.1.1": installation("1.1.1"),
    "langchain-memmachine-1.1.2": installation("1.1.2"),
    "langchain-memmachine": installation("1.1.3"),
    f"newest {SPLITTERS}": installation("1.2.0"),
}
SOURCES = {each.interpreter: functions() for each in RELEASES.values()}


def test_u2_decorators_alone_may_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    newer = {"python of 1.1.3": functions(decorators=("override",))}
    let_say(monkeypatch, {FUNCTIONS: {**SOURCES, **newer}})
    monkeypatch.setattr(answers, "_today", lambda: TODAY)
    found = give("U2", MadeUp(RELEASES))
    assert found.status == "confirmed"
    assert "source of 2 functions in 1.1.1, 1.1.2, 1.1.3 and 1.2.0: the same" in found.measured
    assert "but for the decorators override" in found.measured
    assert f"the newest release on {TODAY} was 1.2.0" in found.measured


def test_u2_other_source_refutes(monkeypatch: pytest.MonkeyPatch) -> None:
    other = {"python of 1.2.0": functions(split="return 2")}
    let_say(monkeypatch, {FUNCTIONS: {**SOURCES, **other}})
    found = give("U2", MadeUp(RELEASES))
    assert found.status == "refuted"
    assert "differs in split_text" in found.measured


def test_u2_other_output_refutes(monkeypatch: pytest.MonkeyPatch) -> None:
    let_say(monkeypatch, {FUNCTIONS: SOURCES})
    found = give("U2", MadeUp(RELEASES, unlike=("langchain-memmachine-1.1.2", "synthetic", 128)))
    assert found.status == "refuted"
    assert "differs on synthetic at 128" in found.measured


@pytest.mark.parametrize(
    ("requirement", "taken", "newest", "status"),
    [
        (f"{SPLITTERS}>=1.0", "1.1.3", "1.1.3", "confirmed"),
        (f"{SPLITTERS}>=1.0,<2", "1.1.3", "1.1.3", "refuted"),
        (f"{SPLITTERS}>=1.0", "1.1.2", "1.1.3", "refuted"),
    ],
)
def test_u3_asks_for_a_bound_and_for_what_is_taken_today(
    requirement: str, taken: str, newest: str, status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the lock pins that the old segmenter is measured with."""
    there = installation("1.0.0")
    distributions = {"MemMachine_Server": ["0.4.0", 1, ["click", requirement]]}
    let_say(monkeypatch, {DISTRIBUTIONS: {there.interpreter: distributions}})
    resolved = {"memmachine-server==0.4.0": taken, SPLITTERS: newest}
    found = give("U3", MadeUp({"memmachine": there}, resolved=resolved))
    assert found.status == status
    assert f"would take {taken}, the newest is {newest}" in found.measured


EXTRAS = " tiktoken==0.14.0 transformers==5.24.0"
FOUR = {
    f"{SPLITTERS}=={release}{extras}": installation(
        release, interpreter=f"{release}{' with both' * bool(extras)}"
    )
    for release in ("1.1.2", "1.1.3")
    for extras in ("", EXTRAS)
}


@pytest.mark.parametrize(
    ("modules", "lazily", "status"),
    [
        (2451, False, "confirmed"),
        (2451, True, "refuted"),
        (1226, False, "differs (0.50 times the modules; what imports what is confirmed)"),
    ],
)
def test_u4_tells_what_is_imported_from_how_much(
    modules: int, lazily: bool, status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = {each.interpreter: [False, False] for each in FOUR.values()}
    loaded["1.1.2 with both"] = [True, not lazily]
    let_say(monkeypatch, {LOADED: loaded})
    monkeypatch.setattr(
        answers,
        "weigh_imports",
        lambda asked: [
            Weight([10.0, 1300.0, 2000.0], ["m"] * (modules if "both" in interpreter else 9))
            for interpreter, _ in asked
        ],
    )
    found = give("U4", MadeUp(FOUR))
    assert found.status == status
    assert f"1.1.2 with both: 1.30 s, {modules:,} modules" in found.measured
    assert "1.1.3 without: 1.30 s, 9 modules" in found.measured


NEEDS: dict[str, list[Any]] = {
    "memmachine-server": ["0.4.0", 10_000_000, [f"{SPLITTERS}>=1.0", "fast[all]>=1", "json"]],
    "langchain-text-splitters": ["1.1.3", 50_000, ["langchain-core"]],
    "langchain-core": ["1.4.0", 2_000_000, ["fast"]],
    "Fast": ["1.0", 1_000_000, ['extra-one; extra == "all"', 'old; python_version < "3.8"']],
    "extra_one": ["1.0", 1_000_000, []],
    "old": ["1.0", 7_000_000, []],
    "stranger": ["1.0", 7_000_000, []],
}


@pytest.mark.parametrize(
    ("keeper", "packages", "status"), [(["langchain-core"], 4, "confirmed"), ([], 3, "refuted")]
)
def test_u5_follows_requirements_extras_and_markers(
    keeper: list[str], packages: int, status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the splitters langchain-core goes too, unless something else needs it."""
    version, size, needs = NEEDS["memmachine-server"]
    found = {**NEEDS, "memmachine-server": [version, size, [*needs, *keeper]]}
    there = installation("1.1.3")
    let_say(monkeypatch, {DISTRIBUTIONS: {there.interpreter: found}})
    answer = give("U5", MadeUp({"memmachine": there}))
    assert answer.status == status
    assert "14.1 MB in 5 packages with" in answer.measured
    assert f"MB in {packages} without" in answer.measured
    assert f"langchain-core {'stays' if keeper else 'goes'}" in answer.measured


def test_u1_stripping_must_not_be_optional_of_old(monkeypatch: pytest.MonkeyPatch) -> None:
    installed = {
        **RELEASES,
        "langchain-0.0.100": installation("0.0.100"),
        "langchain-0.0.200": installation("0.0.200"),
    }
    old = {"python of 0.0.100": [True, False], "python of 0.0.200": [True, False]}
    let_say(monkeypatch, {OLD_STRIPPING: old, FUNCTIONS: SOURCES})
    assert give("U1", MadeUp(installed)).status == "confirmed"
    optional = {**old, "python of 0.0.200": [True, True]}
    let_say(monkeypatch, {OLD_STRIPPING: optional, FUNCTIONS: SOURCES})
    assert give("U1", MadeUp(installed)).status == "refuted"


@pytest.mark.parametrize(
    ("own", "status"), [(10_007, "confirmed"), (11_007, "differs (by a factor of 1.0999)")]
)
def test_a2_compares_ratios(own: int, status: str) -> None:
    found = give("A2", MadeUp(segments={"langchain-memmachine-moved": 10_000, "segmenter": own}))
    assert found.status == status


@pytest.mark.parametrize(("given", "status"), [([" a \n"], "confirmed"), (["a"], "refuted")])
def test_d1_compares_what_is_embedded(given: list[str], status: str) -> None:
    class Pool:
        def split(self, *_: object) -> list[list[str]]:
            return [given]

    real = Corpus("real", lambda: iter([Document("1", " a \n")]))
    with spool_corpora([real]) as corpora, ThreadPoolExecutor(1) as thread:
        evidence = MadeUp({"memmachine": installation("1.1.3")}, real=corpora, pool=Pool())
        # Other tests may leave a loop running in this thread.
        assert thread.submit(give, "D1", evidence).result().status == status
