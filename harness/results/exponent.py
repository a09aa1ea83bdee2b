"""How work grows with the length of a text."""

import math
from collections.abc import Mapping
from itertools import pairwise

#: Less time than this says more of the call than of the text; in more, every call is disturbed.
LEAST_SECONDS = 0.001
#: The same for instructions, of which every call takes as many.
LEAST_INSTRUCTIONS = 1_000_000
TOO_QUICK = "too quick to tell"


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


def find_lengths(work: Mapping[int, float], least: float) -> list[int]:
    """The lengths that tell the power: the first four that need ``least``, or those there are."""
    return [length for length in sorted(work) if work[length] >= least][:4]
