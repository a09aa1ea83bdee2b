"""Whom the comparison favours: ``BIAS.md``, which is part of this package."""

import re
from fnmatch import fnmatch
from importlib import resources

from harness.results.model import Run

SPEED = "speed"  # in a condition: something was timed
_point = re.compile(r"- (?:<!-- if (?P<patterns>[^>]+) -->)?(?P<said>.*\n)")


def read_bias(run: Run) -> str:
    """What concerns this run, as Markdown without a title, whose headings begin at level three.

    A point that begins with ``<!-- if haystack* qasper -->`` is told if the run measured a splitter
    or a corpus whose name matches one of these patterns.
    """
    measured = {
        name for each in run.counts for name in (each.workload.splitter, each.workload.corpus)
    }
    measured |= {SPEED} if run.rounds else set()

    def choose(point: re.Match[str]) -> str:
        patterns = point["patterns"]
        told = not patterns or any(
            fnmatch(name, pattern) for name in measured for pattern in patterns.split()
        )
        return f"- {point['said']}" if told else ""

    text = resources.files(__package__).joinpath("BIAS.md").read_text("utf-8").strip() + "\n"
    chosen = _point.sub(choose, re.sub(r"\A# .*\n+", "", text))
    chosen = re.sub(r"^## .*\n+(?=## |\Z)", "", chosen, flags=re.MULTILINE)  # nothing is left of it
    return re.sub(r"^#", "##", chosen, flags=re.MULTILINE).strip()
