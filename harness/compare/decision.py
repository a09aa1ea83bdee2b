"""Whether head is slower than base: what rounds of turns decide, and when enough are made.

A ratio is here head's time divided by base's, since what is asked is how much slower head is. The
mean over the strata of a workload has one tolerance, each stratum a wider one. A wrong "slower" has
the probability ERROR in all: it is shared equally by the looks, the workloads, and in each of them
by the mean and the strata, which share theirs as Holm's procedure does.

Arrays have any number of axes before the last ones, so that simulations decide as the gate does.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from harness.results.estimates import find_bounds

TOLERANCE = 1.05
STRATUM_TOLERANCE = 1.15
# A stratum that is slower by its tolerance has to be found, so the alarm is given from here on.
STRATUM_ALARM = 1.10
ERROR = 0.01
LOOKS = (8, 16, 32)  # rounds
# Turns of each side over a stratum, in a round: an answer within 5 % takes more than a table does.
GATE_CYCLES = 12

_OF_NOISE = 0.995  # probability, on each side


class Speed(StrEnum):
    """What can be said of head's speed."""

    SLOWER = "slower"
    FASTER = "faster"
    FINE = "less than 5 % slower"
    UNDECIDED = "cannot tell"
    NOISY = "cannot tell: noisy machine"

    @property
    def decided(self) -> bool:
        """Whether it is an answer that more rounds would not change."""
        return self in (Speed.SLOWER, Speed.FASTER, Speed.FINE)

    def describe(self, tolerance: float = TOLERANCE) -> str:
        """The answer in words, for the tolerance that was asked for."""
        if self is Speed.FINE:
            return f"less than {100 * (tolerance - 1):.3g} % slower"
        return str(self)


@dataclass(frozen=True, slots=True)
class Interval:
    """A ratio, and the bounds between which it lies."""

    ratio: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.ratio:.3f} ({self.low:.3f}–{self.high:.3f})"


@dataclass(frozen=True, slots=True)
class Decision:
    """What the rounds of a workload say so far.

    ``mean`` is that over the strata; ``noise`` the factor by which base may differ from itself
    within a round, which is why an answer may be missing. ``slower`` are the numbers of the strata
    that are slower beyond doubt.
    """

    speed: Speed
    mean: Interval
    strata: Sequence[Interval]
    noise: float
    slower: Sequence[int]


def decide(
    logs: Sequence[Sequence[float]],
    drifts: Sequence[float],
    workloads: int,
    tolerance: float = TOLERANCE,
) -> Decision:
    """Decide on a workload, one of so many.

    ``logs`` has a row for each round, and in it the logarithm of head's time divided by base's for
    each stratum; ``drifts`` has that of base's second quickest turns divided by its quickest.
    """
    import numpy

    found = weigh(numpy.asarray(logs, float), numpy.asarray(drifts, float), workloads, tolerance)
    strata = [
        Interval(*map(math.exp, (mean, mean - half, mean + half)))
        for mean, half in zip(found.means, found.halves, strict=True)
    ]
    mean = Interval(*map(math.exp, (found.mean, found.mean - found.half, found.mean + found.half)))
    if found.slower:
        speed = Speed.SLOWER
    elif found.fine:
        speed = Speed.FASTER if found.faster else Speed.FINE
    else:
        speed = Speed.NOISY if found.noisy else Speed.UNDECIDED
    slower = [number for number, each in enumerate(found.slower_strata) if each]
    return Decision(speed, mean, strata, math.exp(found.noise), slower)


@dataclass(frozen=True, slots=True)
class Weighed:
    """The arrays behind decisions, all of logarithms.

    ``mean`` and ``half`` are the ratio over the strata and half its interval, ``means`` and
    ``halves`` those of each stratum, ``noise`` the factor by which base may differ from itself. The
    others tell what holds.
    """

    mean: Any
    half: Any
    means: Any
    halves: Any
    noise: Any
    noisy: Any
    slower: Any
    slower_strata: Any
    fine: Any
    faster: Any


def weigh(logs: Any, drifts: Any, workloads: int, tolerance: float = TOLERANCE) -> Weighed:
    """Decide for arrays with the axes ..., round, stratum and ..., round."""
    import numpy

    error = ERROR / len(LOOKS) / workloads / 2
    mean, half = find_bounds(logs.mean(axis=-1), 1 - error)
    means, halves = find_bounds(numpy.moveaxis(logs, -1, -2), 1 - error)
    drift, reach = find_bounds(drifts, _OF_NOISE)
    noise = numpy.abs(drift) + reach
    bound = math.log(tolerance)
    noisy = noise > bound
    # Noise is in the interval as well. But nobody should look for a reason in the code that may
    # lie in the machine.
    allowance = numpy.where(noisy, noise, 0.0)
    wider = bound - math.log(TOLERANCE)
    alarm = math.log(STRATUM_ALARM) + wider + allowance
    slower_strata = reject(logs, alarm, error)
    below = (means + halves < math.log(STRATUM_TOLERANCE) + wider).all(axis=-1)
    slower = (mean - half > bound + allowance) | slower_strata.any(axis=-1)
    return Weighed(
        mean,
        half,
        means,
        halves,
        noise,
        noisy,
        slower,
        slower_strata,
        fine=~slower & below & (mean + half < bound),
        faster=~slower & below & (mean + half < -bound),
    )


def reject(logs: Any, bound: Any, error: float) -> Any:
    """By stratum, whether its mean over the rounds is above ``bound``, by Holm's procedure."""
    import numpy
    from scipy.special import stdtr

    rounds, strata = logs.shape[-2:]
    means = logs.mean(axis=-2)
    errors = logs.std(axis=-2, ddof=1) / math.sqrt(rounds)
    with numpy.errstate(divide="ignore", invalid="ignore"):
        distances = (means - numpy.asarray(bound)[..., None]) / errors
    values = stdtr(rounds - 1, -numpy.nan_to_num(distances, posinf=1e9, neginf=-1e9))
    order = values.argsort(axis=-1)
    passed = numpy.take_along_axis(values, order, -1) <= error / numpy.arange(strata, 0, -1)
    passed = numpy.logical_and.accumulate(passed, axis=-1)
    found = numpy.empty_like(passed)
    numpy.put_along_axis(found, order, passed, -1)
    return found
