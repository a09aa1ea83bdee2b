"""Whether a splitter's questions come out better or worse than another's, beyond chance."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy
import numpy.typing

from harness.results.estimates import CONFIDENCE

_RESAMPLES = 9_999
_SEED = 20
_BATCH = 500

Floats = numpy.typing.NDArray[numpy.float64]


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """A mean of paired differences, and the bounds between which it lies with CONFIDENCE."""

    mean: float
    low: float
    high: float

    @property
    def beyond_chance(self) -> bool:
        """Whether the interval leaves out 0."""
        return not self.low <= 0 <= self.high


def estimate_differences(
    pairs: Sequence[tuple[Sequence[float], Sequence[float]]],
) -> list[PairedDifference]:
    """For each pair of splitters, the mean of what the first has more, with its interval.

    Each has a value per question. It is the bootstrap's percentile interval over the questions; the
    same values always give the same one. It takes questions as independent: those about one
    document may be less so, and the true interval wider. All have the same questions in the same
    order. Raises ValueError if they cannot be paired, or there are none.
    """
    import scipy.stats  # slow to import, and needed here only
    from threadpoolctl import threadpool_limits

    numbers = {len(values) for pair in pairs for values in pair}
    if not pairs:
        return []
    if len(numbers) > 1 or 0 in numbers:
        raise ValueError(f"values of {sorted(numbers)} questions cannot be paired")
    (questions,) = numbers
    table = numpy.array([numpy.subtract(*map(numpy.asarray, pair)) for pair in pairs], dtype=float)

    def average(drawn: numpy.typing.NDArray[numpy.int64], axis: int = -1) -> Floats:
        """The means of all pairs over each row of drawn questions."""
        rows = numpy.arange(len(drawn))[:, None] * questions
        counts = numpy.bincount((drawn + rows).ravel(), minlength=len(drawn) * questions)
        means: Floats = table @ counts.reshape(len(drawn), questions).T.astype(float) / questions
        return means

    means = table.mean(axis=1)
    if questions == 1:  # nothing to resample
        return [PairedDifference(mean, mean, mean) for mean in means.tolist()]
    with threadpool_limits(limits=1):  # the order of sums depends on the number of threads
        interval = scipy.stats.bootstrap(
            (numpy.arange(questions),),
            average,
            vectorized=True,
            batch=_BATCH,
            n_resamples=_RESAMPLES,
            confidence_level=CONFIDENCE,
            method="percentile",
            rng=numpy.random.default_rng(_SEED),
        ).confidence_interval
    bounds = zip(means.tolist(), interval.low.tolist(), interval.high.tolist(), strict=True)
    return [PairedDifference(*each) for each in bounds]
