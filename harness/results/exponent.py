"""How work grows with the length of a text."""

import math
from collections.abc import Mapping
from itertools import pairwise

#: Less time than this says more of the call than of the text; in more, every call is disturbed.
LEAST_SECONDS = 0.001
#: The same for instructions, of which every call takes as many.
LEAST_INSTRUCTIONS = 1_000_000
TOO_QUICK = "too quick to tell"
CANNOT_TELL = "cannot tell"

_APART = 0.2  # how far the powers that two series of calls give may lie apart


def find_exponent(work: Mapping[int, float], least: float) -> float | str | None:
    """The power of the length that work grows by, from what texts of four lengths need.

    Each length is twice the one before. The power is log2 of the last increment divided by the one
    before it, in which fixed costs cancel out. The shortest of the four is the first that needs
    ``least``. TOO_QUICK if texts that are long enough need less; None without four such lengths, or
    if a longer text needs no more.
    """
    enough = find_lengths(work, least)
    if len(enough) < 4:
        return TOO_QUICK if len(work) >= 4 and len(enough) < len(work) else None
    if any(not math.isclose(b, 2 * a, rel_tol=0.01) for a, b in pairwise(enough)):
        return None
    _, second, third, fourth = (work[length] for length in enough)
    if second >= third or third >= fourth:
        return None
    return math.log2((fourth - third) / (third - second))


def find_time_exponent(
    seconds: Mapping[int, float], again: Mapping[int, float]
) -> float | str | None:
    """The power of the length that time grows by, from the quickest calls of two series.

    As ``find_exponent``, but CANNOT_TELL if each series by itself gives another power: then the
    machine was disturbed. What was not timed again is absent in ``again``.
    """
    quickest = {length: min(each, again.get(length, each)) for length, each in seconds.items()}
    found = find_exponent(quickest, LEAST_SECONDS)
    telling = find_lengths(quickest, LEAST_SECONDS)
    if len(telling) < 4 or not all(length in again for length in telling):
        return found
    first, second = (
        find_exponent({length: series[length] for length in telling}, 0)
        for series in (seconds, again)
    )
    agree = isinstance(first, float) and isinstance(second, float) and abs(first - second) <= _APART
    return found if agree else CANNOT_TELL


def find_lengths(work: Mapping[int, float], least: float) -> list[int]:
    """The lengths that tell the power: the first four that need ``least``, or those there are."""
    return [length for length in sorted(work) if work[length] >= least][:4]
