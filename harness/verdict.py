"""What a run's results mean: did the in-house segmenter keep its rules, was everything measured."""

from collections import Counter

from harness.results import Run

IN_HOUSE = "segmenter"
BASELINE = "langchain"

WELL = 0
BAD_ANSWER = 1
NOT_MEASURED = 3


def find_broken_rules(run: Run, splitter: str = IN_HOUSE) -> dict[str, int]:
    """How often the splitter broke each rule where it need not have; rules it kept are absent."""
    broken: Counter[str] = Counter()
    for row in run.violations:
        if row.workload.splitter == splitter:
            broken[row.rule] += row.count - row.forced
    return {rule: number for rule, number in broken.items() if number}


def judge(run: Run) -> int:
    """The exit status: a broken rule outweighs what could not be measured."""
    if find_broken_rules(run):
        return BAD_ANSWER
    if run.failures or not run.counts:
        return NOT_MEASURED
    return WELL
