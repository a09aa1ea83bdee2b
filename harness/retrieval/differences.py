"""Whether a splitter's questions come out better or worse than another's, beyond chance."""

from collections.abc import Sequence
from dataclasses import dataclass

CONFIDENCE = 0.95
_RESAMPLES = 9_999
_SEED = 20


@dataclass(frozen=True, slots=True)
class Difference:
    """A mean of paired differences, and the bounds between which it lies with CONFIDENCE."""

    mean: float
    low: float
    high: float

    @property
    def beyond_chance(self) -> bool:
        """Whether the interval leaves out 0."""
        return not self.low <= 0 <= self.high


def estimate_difference(values: Sequence[float], others: Sequence[float]) -> Difference:
    """The mean of what each question has more here than there, with its bootstrap interval.

    The interval is the percentile interval over the questions; the same values always give the same
    one. It takes questions as independent: those about one document may be less so, and the true
    interval wider. Raises ValueError for values that cannot be paired, or for none.
    """
    import numpy  # slow to import, and needed here only
    import scipy.stats

    if len(values) != len(others) or not len(values):
        raise ValueError(f"{len(values)} values cannot be paired with {len(others)}")
    paired = numpy.asarray(values, dtype=float) - numpy.asarray(others, dtype=float)
    mean = float(paired.mean())
    if (paired == paired[0]).all():  # nothing to resample: one question, or all alike
        return Difference(mean, mean, mean)
    interval = scipy.stats.bootstrap(
        (paired,),
        numpy.mean,
        vectorized=True,
        batch=1_000,
        n_resamples=_RESAMPLES,
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=numpy.random.default_rng(_SEED),
    ).confidence_interval
    return Difference(mean, float(interval.low), float(interval.high))
