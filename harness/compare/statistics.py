"""Whether one version is slower than another: ratios, their intervals, what they mean."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

TOLERANCE = 1.05
CONFIDENCE = 0.99
ROUNDS_AT_LEAST = 5

_RESAMPLES = 4_999
_SEED = 1855


class Speed(StrEnum):
    """What can be said of a version's speed."""

    SLOWER = "slower"
    FASTER = "faster"
    FINE = "fine"
    UNDECIDED = "cannot tell"
    NOISY = "cannot tell: noisy machine"

    @property
    def decided(self) -> bool:
        """Whether it is an answer that more rounds would not change."""
        return self in (Speed.SLOWER, Speed.FASTER, Speed.FINE)


@dataclass(frozen=True, slots=True)
class Interval:
    """A ratio, and the bounds between which it lies with CONFIDENCE."""

    ratio: float
    low: float
    high: float

    @property
    def reach(self) -> float:
        """The factor by which it may differ from 1, up or down."""
        return max(self.high, 1 / self.low)

    def __str__(self) -> str:
        return f"{self.ratio:.3f} ({self.low:.3f}–{self.high:.3f})"


def estimate_ratio(
    ratios: Sequence[Sequence[float]], weights: Sequence[float] | None = None
) -> Interval:
    """A ratio with its bootstrap interval over rounds.

    ``ratios`` has a row for each round, and in it a paired ratio for each part of the work;
    ``weights`` tell how much of the work each part is, all the same where they are not given. The
    estimate is the weighted mean over the parts of their medians over the rounds: what disturbs
    one part in some rounds moves nothing, and what makes one part slower counts for its share.

    The interval is the percentile interval. With few rounds, BCa's correction is itself an
    estimate from them, and reaches for the outermost resamples. Raises ValueError for fewer than
    ROUNDS_AT_LEAST rounds: the interval of so few is too narrow.
    """
    import numpy  # slow to import, and needed here only
    import scipy.stats

    if len(ratios) < ROUNDS_AT_LEAST:
        raise ValueError(f"{len(ratios)} rounds are too few for an interval")
    table = numpy.asarray(ratios, dtype=float)
    shares = numpy.ones(table.shape[1]) if weights is None else numpy.asarray(weights, dtype=float)
    shares = shares / shares.sum()

    def estimate(rounds: Any, axis: int = -1) -> Any:
        return numpy.median(table[rounds], axis=-2) @ shares

    every = numpy.arange(len(table))
    interval = scipy.stats.bootstrap((every,), estimate, **_bootstrap_options()).confidence_interval
    return Interval(float(estimate(every)), float(interval.low), float(interval.high))


def estimate_unpaired_ratio(base: Sequence[float], head: Sequence[float]) -> Interval:
    """The ratio of head's median to base's, of values that were not measured in turns.

    The bootstrap interval tells the noise within each of both, not what changed between them.
    Raises ValueError for fewer than ROUNDS_AT_LEAST values of either.
    """
    import numpy
    import scipy.stats

    if min(len(base), len(head)) < ROUNDS_AT_LEAST:
        raise ValueError(f"{min(len(base), len(head))} values are too few for an interval")

    def estimate(base: Any, head: Any, axis: int = -1) -> Any:
        return numpy.median(head, axis=axis) / numpy.median(base, axis=axis)

    both = (numpy.asarray(base), numpy.asarray(head))
    interval = scipy.stats.bootstrap(both, estimate, **_bootstrap_options()).confidence_interval
    return Interval(float(estimate(*both)), float(interval.low), float(interval.high))


def _bootstrap_options() -> dict[str, Any]:
    import numpy

    return {
        "vectorized": True,
        "batch": 500,
        "n_resamples": _RESAMPLES,
        "confidence_level": CONFIDENCE,
        "method": "percentile",
        "rng": numpy.random.default_rng(_SEED),  # the same ratios always give the same interval
    }


def decide_speed(ratio: Interval, floor: Interval, tolerance: float = TOLERANCE) -> Speed:
    """What a ratio of head to base means, given that of base to base in the same rounds.

    It is slower where all of the interval is above the tolerance, faster where all is below the
    tolerance's inverse, fine where all is below the tolerance. Nothing can be told where base
    itself may differ from base by more than the tolerance.
    """
    if floor.reach > tolerance:
        return Speed.NOISY
    if ratio.low > tolerance:
        return Speed.SLOWER
    if ratio.high < 1 / tolerance:
        return Speed.FASTER
    if ratio.high < tolerance:
        return Speed.FINE
    return Speed.UNDECIDED
