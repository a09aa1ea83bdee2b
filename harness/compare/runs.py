"""Compares two run folders: what was counted, and, of one machine, what was timed."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from harness.compare.report import Page
from harness.compare.statistics import (
    ROUNDS_AT_LEAST,
    TOLERANCE,
    Interval,
    Speed,
    decide_speed,
    estimate_unpaired_ratio,
)
from harness.report.tables import Column, Table, show_count
from harness.results.errors import MeasurementError
from harness.results.model import Count, Environment, Run, Workload
from harness.results.verdict import IN_HOUSE, Verdict

# What two runs of one machine may differ in and their times still be compared.
_FREE = ("command", "commit", "dirty", "started", "finished")
_NO_FLOOR = Interval(1.0, 1.0, 1.0)
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Change:
    """One workload in two runs.

    ``same_texts`` is told by the digests of the texts, by their sizes where a run has none.
    ``broken_before`` and ``broken_after`` are how often each rule was broken that need not have
    been. ``ratio`` is that of the later time to the earlier, each by that of the baseline in the same
    round, None where no verdict on speed can be given.
    """

    workload: Workload
    before: Count
    after: Count
    same_texts: bool
    broken_before: Mapping[str, int]
    broken_after: Mapping[str, int]
    ratio: Interval | None
    speed: Speed | None

    @property
    def same_segments(self) -> bool:
        return self.before.digest == self.after.digest

    @property
    def is_worse(self) -> bool:
        """Whether a rule is broken more often, whatever became of the others."""
        before = self.broken_before
        return any(number > before.get(rule, 0) for rule, number in self.broken_after.items())


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Two runs beside each other.

    ``vanished`` are workloads that only the earlier one counted, with why the later one has none,
    ``new`` those of the later one alone; ``unlike`` the fields in which their environments differ
    so that times do not compare; ``untimed`` are workloads that the earlier one timed and the
    later one did not, alone or beside the baseline; ``same`` tells that both are one run.
    """

    environment: Environment
    changes: Sequence[Change]
    vanished: Mapping[Workload, str]
    new: Sequence[Workload]
    unlike: Sequence[str]
    untimed: Sequence[Workload] = ()
    same: bool = False

    def judge(self, *, different_segments: bool, strict: bool) -> Verdict:
        """The verdict, which this project's segmenter decides.

        It is not measured where it is missing from the later run, or was not timed there though
        it was before, or was given other texts; and, if ``strict``, where there is no verdict on
        its speed.
        """
        own = [change for change in self.changes if change.workload.splitter == IN_HOUSE]
        for change in own:
            if change.same_texts and (change.is_worse or change.speed is Speed.SLOWER):
                return Verdict.BAD
            if change.same_texts and not change.same_segments and not different_segments:
                return Verdict.BAD
        missing = any(each.splitter == IN_HOUSE for each in (*self.vanished, *self.untimed))
        untold = any(not change.speed or not change.speed.decided for change in own)
        if missing or not all(change.same_texts for change in own) or (strict and untold):
            return Verdict.NOT_MEASURED
        return Verdict.WELL


def compare_runs(before: Run, after: Run, *, tolerance: float = TOLERANCE) -> RunComparison:
    """Compare two runs workload by workload.

    Raises MeasurementError where they have no workload in common.
    """
    counts = [{count.workload: count for count in run.counts} for run in (before, after)]
    broken = [_count_broken(run) for run in (before, after)]
    ratios = [_list_ratios(run) for run in (before, after)]
    unlike = _find_unlike(before.environment, after.environment)
    digests = [{each.corpus: each.digest for each in run.texts} for run in (before, after)]
    common = [workload for workload in counts[0] if workload in counts[1]]
    if not common:
        raise MeasurementError(
            "the two runs have no workload in common; run both with the same --corpus, "
            "--splitter and --max-chunk-length"
        )
    # The same times again are no second measurement: nothing is to be told from noise.
    same = before.environment == after.environment and before.timings == after.timings
    numbers = [Counter(timing.workload for timing in run.timings) for run in (before, after)]
    changes = []
    untimed = []
    for workload in common:
        earlier, later = (each[workload] for each in counts)
        times = [each.get(workload, []) for each in ratios]
        texts = [each.get(workload.corpus) for each in digests]
        same_texts = _size(earlier) == _size(later) and (None in texts or texts[0] == texts[1])
        ratio = None
        if not unlike and same_texts and min(map(len, times)) >= ROUNDS_AT_LEAST:
            ratio = Interval(1.0, 1.0, 1.0) if same else estimate_unpaired_ratio(*times)
        speed = decide_speed(ratio, _NO_FLOOR, tolerance) if ratio else None
        for first, second in ([len(each) for each in times], [each[workload] for each in numbers]):
            if second < min(first, ROUNDS_AT_LEAST) and workload not in untimed:
                untimed.append(workload)
        faults_before, faults_after = (each[workload] for each in broken)
        changes.append(
            Change(workload, earlier, later, same_texts, faults_before, faults_after, ratio, speed)
        )
    why = {each.workload: f"{each.status}: {each.detail}" for each in after.failures}
    gone, new = counts[0].keys() - counts[1].keys(), counts[1].keys() - counts[0].keys()
    vanished = {workload: why.get(workload, "not asked") for workload in sorted(gone)}
    return RunComparison(
        after.environment, changes, vanished, sorted(new), unlike, untimed, same and not gone | new
    )


def _size(count: Count) -> tuple[int, int]:
    return count.documents, count.code_points


def _count_broken(run: Run) -> Mapping[Workload, Mapping[str, int]]:
    broken: defaultdict[Workload, dict[str, int]] = defaultdict(dict)
    for row in run.violations:
        broken[row.workload][row.rule] = row.count - row.forced
    return broken


def _list_ratios(run: Run) -> dict[Workload, list[float]]:
    """By workload, the time of each pass divided by that of the baseline in the same round."""
    baseline = {
        (timing.workload.corpus, timing.workload.max_chunk_length, timing.round): timing.seconds
        for timing in run.timings
        if timing.workload.splitter == run.environment.baseline
    }
    ratios = defaultdict(list)
    for timing in run.timings:
        workload = timing.workload
        beside = baseline.get((workload.corpus, workload.max_chunk_length, timing.round))
        if beside and workload.splitter != run.environment.baseline:
            ratios[workload].append(timing.seconds / beside)
    return ratios


def _find_unlike(before: Environment, after: Environment) -> list[str]:
    """Fields that differ; of the versions, which."""
    unlike = [
        each.name
        for each in fields(Environment)
        if each.name not in (*_FREE, "versions")
        and getattr(before, each.name) != getattr(after, each.name)
    ]
    names = sorted(before.versions.keys() & after.versions.keys())  # what both ran
    return unlike + [
        f"version of {name}" for name in names if before.versions[name] != after.versions[name]
    ]


def describe_runs(comparison: RunComparison) -> Page:
    """The page of two runs."""
    changes = comparison.changes
    table = Table(
        "The same workloads in both runs",
        [
            Column("corpus", numeric=False),
            Column("limit", show_count),
            Column("splitter", numeric=False),
            Column("segments", numeric=False),
            Column("before", show_count),
            Column("after", show_count),
            Column("rules broken before", show_count),
            Column("after", show_count),
            Column("time, after ÷ before"),
            Column("speed", numeric=False),
        ],
        [
            (
                each.workload.corpus,
                each.workload.max_chunk_length,
                each.workload.splitter,
                _name_segments(each),
                each.before.segments,
                each.after.segments,
                sum(each.broken_before.values()),
                sum(each.broken_after.values()),
                each.ratio,
                each.speed,
            )
            for each in changes
        ],
        [
            "Broken rules are those that need not have been. Times are divided by those of "
            f"`{comparison.environment.baseline}` in the same round, since the machine was faster in one run than in the "
            "other; without it there is no verdict on speed.",
        ],
        names=3,
    )
    return Page("Two runs", _answer(comparison), [table], comparison.environment)


def _name_segments(change: Change) -> str:
    if change.same_segments:
        return "same"
    return "differ" if change.same_texts else "differ, of other documents"


def _answer(comparison: RunComparison) -> str:
    changes = comparison.changes
    number = len(changes)
    other = sum(not each.same_texts for each in changes)
    if other == number:
        return "The two runs have no text in common: nothing can be compared."
    differing = sum(each.same_texts and not each.same_segments for each in changes)
    worse = sum(each.same_texts and each.is_worse for each in changes)
    sentences = [
        f"Segments differ in {differing} of {number} workloads"
        if differing
        else f"Segments are the same in all {number - other} workloads"
        + (" with the same texts" if other else ""),
        f"some rule is broken more often in {worse}" if worse else "no rule is broken more often",
        *([f"the texts differ in {other}"] if other else []),
    ]
    speeds = Counter(each.speed for each in changes if each.speed)
    if comparison.unlike:
        speed = f"No verdict on speed: the environments differ in {', '.join(comparison.unlike)}."
    elif speeds:
        speed = "Speed: " + ", ".join(f"{speeds[each]} {each}" for each in Speed if speeds[each])
        speed += "."
    else:
        speed = (
            f"No verdict on speed: no workload was timed beside {comparison.environment.baseline} in both runs on the "
            "same documents."
        )
    rest = []
    if comparison.untimed:
        names = list(map(str, comparison.untimed))
        more = f" and {len(names) - _SHOWN} more" * (len(names) > _SHOWN)
        rest.append(f" Timed before and not now: {', '.join(names[:_SHOWN])}{more}.")
    if comparison.vanished:
        reasons = [f"{workload} ({why})" for workload, why in comparison.vanished.items()]
        more = f" and {len(reasons) - _SHOWN} more" * (len(reasons) > _SHOWN)
        rest.append(f" Gone from the later run: {', '.join(reasons[:_SHOWN])}{more}.")
    if comparison.new:
        rest.append(f" In the later run only: {len(comparison.new)} workloads.")
    first = "Both folders hold the same run. " if comparison.same else ""
    return f"{first}{'; '.join(sentences)}. {speed}{''.join(rest)}"


def record_runs(comparison: RunComparison) -> dict[str, Any]:
    """The comparison as JSON has it."""
    return {
        "unlike": list(comparison.unlike),
        "vanished": [{**asdict(each), "why": why} for each, why in comparison.vanished.items()],
        "new": [asdict(workload) for workload in comparison.new],
        "untimed": [asdict(workload) for workload in comparison.untimed],
        "changes": [asdict(change) for change in comparison.changes],
    }
