"""Compares two run folders: what was counted.

What was timed is told beside it and decides nothing, since the runs were made at different times;
``--base`` measures both in turns.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from harness.compare.report import Page
from harness.report.columns import Column, Table, figures, show_number, words
from harness.results.errors import MeasurementError
from harness.results.estimates import Estimate, estimate
from harness.results.model import Count, Environment, Round, Run, Workload
from harness.results.verdict import IN_HOUSE, Verdict

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class WorkloadChange:
    """One workload in two runs.

    ``same_texts`` is told by the digests of the texts, by their sizes if a run has none.
    ``broken_before`` and ``broken_after`` are how often each rule was broken that need not have
    been. ``speed_before`` and ``speed_after`` are how many times as fast as the baseline it was,
    None if it was not timed.
    """

    workload: Workload
    before: Count
    after: Count
    same_texts: bool
    broken_before: Mapping[str, int]
    broken_after: Mapping[str, int]
    speed_before: Estimate | None
    speed_after: Estimate | None

    @property
    def same_segments(self) -> bool:
        """Whether both runs have the same segments."""
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
    ``new`` those of the later one alone; ``untimed`` are workloads that the earlier one timed and
    the later one did not; ``same`` tells that both are one run.
    """

    environment: Environment
    changes: Sequence[WorkloadChange]
    vanished: Mapping[Workload, str]
    new: Sequence[Workload]
    untimed: Sequence[Workload] = ()
    same: bool = False

    def judge(self, *, different_segments: bool) -> Verdict:
        """The verdict, which this project's segmenter decides.

        It is not measured if it is missing from the later run, or was not timed there though
        it was before, or was given other texts.
        """
        own = [change for change in self.changes if change.workload.splitter == IN_HOUSE]
        for change in own:
            if change.same_texts and change.is_worse:
                return Verdict.BAD
            if change.same_texts and not change.same_segments and not different_segments:
                return Verdict.BAD
        missing = any(each.splitter == IN_HOUSE for each in (*self.vanished, *self.untimed))
        if missing or not all(change.same_texts for change in own):
            return Verdict.NOT_MEASURED
        return Verdict.WELL


def compare_runs(before: Run, after: Run) -> RunComparison:
    """Compare two runs workload by workload.

    Raises MeasurementError if they have no workload in common.
    """
    counts = [{count.workload: count for count in run.counts} for run in (before, after)]
    broken = [_count_broken(run) for run in (before, after)]
    rounds = [_group_rounds(run) for run in (before, after)]
    digests = [{each.corpus: each.digest for each in run.texts} for run in (before, after)]
    common = [workload for workload in counts[0] if workload in counts[1]]
    if not common:
        raise MeasurementError(
            "the two runs have no workload in common; run both with the same --corpus, "
            "--splitter and --max-chunk-length"
        )
    same = before.environment == after.environment and before.rounds == after.rounds
    changes = []
    untimed = []
    for workload in common:
        earlier, later = (each[workload] for each in counts)
        texts = [each.get(workload.corpus) for each in digests]
        same_texts = _size(earlier) == _size(later) and _may_be_equal(*texts)
        speeds = [estimate(each.get(workload, ())) for each in rounds]
        if speeds[0] and not speeds[1]:
            untimed.append(workload)
        faults_before, faults_after = (each[workload] for each in broken)
        changes.append(
            WorkloadChange(
                workload, earlier, later, same_texts, faults_before, faults_after, *speeds
            )
        )
    why = {each.workload: f"{each.status}: {each.detail}" for each in after.failures}
    gone, new = counts[0].keys() - counts[1].keys(), counts[1].keys() - counts[0].keys()
    vanished = {workload: why.get(workload, "not asked") for workload in sorted(gone)}
    return RunComparison(
        after.environment, changes, vanished, sorted(new), untimed, same and not gone | new
    )


def _may_be_equal(one: str | None, other: str | None) -> bool:
    """Whether digests may be of the same texts: those of a whole and of its parts tell nothing."""
    return one is None or other is None or one == other or (":" in one) != (":" in other)


def _size(count: Count) -> tuple[int, int]:
    return count.documents, count.code_points


def _count_broken(run: Run) -> Mapping[Workload, Mapping[str, int]]:
    broken: defaultdict[Workload, dict[str, int]] = defaultdict(dict)
    for row in run.violations:
        broken[row.workload][row.rule] = row.count - row.unavoidable
    return broken


def _group_rounds(run: Run) -> dict[Workload, list[Round]]:
    grouped: defaultdict[Workload, list[Round]] = defaultdict(list)
    for each in run.rounds:
        grouped[each.workload].append(each)
    return grouped


def describe_runs(comparison: RunComparison) -> Page:
    """The page of two runs."""
    table = Table(
        "The same workloads in both runs",
        [
            words("corpus", "workload.corpus"),
            figures("limit", "workload.max_chunk_length"),
            words("splitter", "workload.splitter"),
            words("segments", _name_segments),
            figures("before", "before.segments"),
            figures("after", "after.segments"),
            figures("rules broken before", lambda each: sum(each.broken_before.values())),
            figures("after", lambda each: sum(each.broken_after.values())),
            Column("× as fast as the baseline before", "speed_before"),
            Column("after", "speed_after"),
        ],
        comparison.changes,
        [
            "Broken rules are those that need not have been. Speeds are told and decide nothing: the "
            "machine may have been another one, or as busy as it was not in the other run."
        ],
        names=3,
    )
    return Page("Two runs", _answer(comparison), [table], comparison.environment)


def _name_segments(change: WorkloadChange) -> str:
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
        f"Segments differ in {differing} of {show_number(number, 'workload')}"
        if differing
        else f"Segments are the same in all {number - other} workloads"
        + (" with the same texts" if other else ""),
        f"some rule is broken more often in {worse}" if worse else "no rule is broken more often",
        *([f"the texts differ in {other}"] if other else []),
    ]
    speed = "Two runs give no verdict on speed; --base measures both versions in turns."
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
        rest.append(f" In the later run only: {show_number(len(comparison.new), 'workload')}.")
    first = "Both folders hold the same run. " if comparison.same else ""
    return f"{first}{'; '.join(sentences)}. {speed}{''.join(rest)}"


def record_runs(comparison: RunComparison) -> dict[str, Any]:
    """The comparison as JSON has it."""
    return {
        "vanished": [{**asdict(each), "why": why} for each, why in comparison.vanished.items()],
        "new": [asdict(workload) for workload in comparison.new],
        "untimed": [asdict(workload) for workload in comparison.untimed],
        "changes": [asdict(change) for change in comparison.changes],
    }
