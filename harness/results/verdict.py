"""Whether a run's answer is good."""

from collections import Counter
from collections.abc import Collection
from enum import StrEnum

from harness.results.model import Run
from harness.results.requirements import find_breaches, find_gaps

IN_HOUSE = "segmenter"


def is_in_house(splitter: str) -> bool:
    """Whether that is this project's segmenter, with whichever separators."""
    return splitter == IN_HOUSE or splitter.startswith(f"{IN_HOUSE}-")


class Verdict(StrEnum):
    """What a command comes to: a bad answer outweighs one that is missing."""

    WELL = "well"
    BAD = "bad"
    NOT_MEASURED = "not measured"


def find_broken_rules(run: Run) -> dict[str, int]:
    """How often this project's segmenter broke each rule that it broke needlessly."""
    broken: Counter[str] = Counter()
    for row in run.violations:
        if is_in_house(row.workload.splitter):
            broken[row.rule] += row.count - row.unavoidable
    return {rule: number for rule, number in broken.items() if number}


def judge(run: Run, required: Collection[str] = ()) -> Verdict:
    """Bad if this project's segmenter broke a rule, or any splitter one of those required."""
    if find_broken_rules(run) or find_breaches(run, required):
        return Verdict.BAD
    measured = run.counts or run.retrievals
    if run.failures or not measured or find_gaps(run, required):
        return Verdict.NOT_MEASURED
    return Verdict.WELL
