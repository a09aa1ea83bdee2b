"""What "a run of whitespace that is too long" may mean, and how many there are by each meaning."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from segmenter.rules import (
    WhitespaceRun,
    count_unavoidable,
    find_run,
    find_unit_after,
    find_unit_before,
)

UNAVOIDABLE_BOUNDARIES = "unavoidable boundaries"


def _find_runs(text: str, least: int) -> list[WhitespaceRun]:
    found = re.finditer(rf"\s{{{least},}}", text)
    return [find_run(text, each.start()) for each in found] if least <= len(text) else []


def count_long_units(text: str, limit: int) -> int:
    """Characters of content that do not fit with the whitespace that belongs to them."""
    units = set()
    for run in _find_runs(text, (limit + 1) // 2):
        if run.start:
            units.add(find_unit_before(text, run))
        if run.end < len(text):
            units.add(find_unit_after(text, run))
    return sum(end - start > limit for start, end in units)


#: By its name in words, a function of a text and a limit.
DEFINITIONS: Mapping[str, Callable[[str, int], int]] = {
    UNAVOIDABLE_BOUNDARIES: count_unavoidable,
    "units over the limit": count_long_units,
    "runs over the limit": lambda text, limit: len(_find_runs(text, limit + 1)),
    "runs of the limit or more": lambda text, limit: len(_find_runs(text, limit)),
    "runs over the limit with a newline": lambda text, limit: sum(
        "\n" in text[run.start : run.end] for run in _find_runs(text, limit + 1)
    ),
    "runs over the limit without one": lambda text, limit: sum(
        "\n" not in text[run.start : run.end] for run in _find_runs(text, limit + 1)
    ),
}


def count_by_definition(texts: Iterable[str], limits: Iterable[int]) -> Counter[tuple[str, int]]:
    """How many there are in texts, by definition and limit."""
    limits = list(limits)
    numbers: Counter[tuple[str, int]] = Counter()
    for text in texts:
        for name, count in DEFINITIONS.items():
            for limit in limits:
                numbers[name, limit] += count(text, limit)
    return numbers
