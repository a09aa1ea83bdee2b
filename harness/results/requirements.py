"""Rules that every splitter of a run has to keep, if its user requires them."""

from collections import Counter
from collections.abc import Collection

from harness.results.model import Run
from segmenter.rules import RULES
from segmenter.testing.checks import ACCEPTS, DETERMINISTIC, UnknownRuleError, select_rules

#: What a run can say something about.
MEASURED = (ACCEPTS, *RULES, DETERMINISTIC)


def select_required(names: str) -> list[str]:
    """The rules in rules and sets of rules of the kit, with commas between.

    Raises UnknownRuleError for others, and for those that a run does not measure. Of a set, the
    offsets are left out: a run asks for segments alone.
    """
    selected = select_rules(names)
    missing = set(selected) - {*MEASURED}
    if "join" in selected:  # segments that join to the text are in its order
        missing -= {"order"}
    if "offsets" not in names.replace(",", " ").split():
        missing -= {"offsets"}
    if missing:
        raise UnknownRuleError(
            f"a run does not measure {', '.join(sorted(missing))}; "
            "`python -m segmenter.testing --rules` tests for it"
        )
    return [rule for rule in selected if rule in MEASURED]


def find_breaches(run: Run, required: Collection[str]) -> list[str]:
    """A line for each splitter and required rule that it broke, if it need not have."""
    broken: Counter[tuple[str, str]] = Counter()
    for row in run.violations:
        if row.rule in required:
            broken[row.workload.splitter, row.rule] += row.count - row.unavoidable
    for failure in run.failures:
        if failure.status == "changed" and DETERMINISTIC in required:
            broken[failure.workload.splitter, DETERMINISTIC] += 1
    return [
        f"{splitter} broke the required rule {rule} {number} time{'s' * (number > 1)}"
        for (splitter, rule), number in broken.items()
        if number
    ]


def find_gaps(run: Run, required: Collection[str]) -> list[str]:
    """A line for each splitter of which a required rule could not be judged."""
    if not required:
        return []
    gaps = [
        f"{failure.workload.splitter} could not be judged: {failure.status}, {failure.detail}"
        for failure in run.failures
    ]
    gaps += [
        f"{each.splitter} could not be judged by the required rule {each.rule}: {each.reason}"
        for each in run.exemptions
        if each.rule in required
    ]
    split = {count.workload.splitter for count in run.counts if count.documents}
    gaps += [
        f"{splitter} could not be judged: there was no document"
        for splitter in dict.fromkeys(count.workload.splitter for count in run.counts)
        if splitter not in split
    ]
    return list(dict.fromkeys(gaps))
