"""What rounds say of a splitter's speed: a ratio, its interval, its range.

A ratio is the baseline's time divided by the splitter's: 2 is twice as fast. It is taken of the
sums of a round's turns over one stratum; its logarithms are averaged over the strata of a corpus,
then over the corpora, then over the rounds. Rounds are the only replicates: their spread gives the
interval, by Student's t. The documents of a corpus are not replicates of each other, so the range
over corpora is told beside it.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.results.model import Round

CONFIDENCE = 0.95
ROUNDS_AT_LEAST = 8
THREADS = 1.05  # the factor from which wall time tells of threads


@dataclass(frozen=True, slots=True)
class Estimate:
    """How many times as fast as the baseline, from so many rounds.

    ``low`` and ``high`` bound the interval. ``lowest`` and ``highest`` are the ratios of the
    slowest and the fastest corpus; of one corpus, those of its strata. ``wall`` is the ratio by the
    time that went by.
    """

    ratio: float
    low: float
    high: float
    lowest: float
    highest: float
    wall: float
    rounds: int

    @property
    def threads(self) -> bool:
        """Whether the ratio of the time that went by is another one.

        Then threads are at work, or a process waited.
        """
        return not 1 / THREADS <= self.wall / self.ratio <= THREADS

    def __str__(self) -> str:
        shown = f"{self.ratio:.2f} ({self.low:.2f}–{self.high:.2f})"
        return f"{shown}, wall {self.wall:.2f}" if self.threads else shown


def estimate(rounds: Iterable[Round]) -> Estimate | None:
    """The ratio of one splitter at one limit, on all corpora that the rounds are of.

    Every corpus, and in it every stratum, counts the same. Only rounds that have them all are used;
    None if there are fewer than ROUNDS_AT_LEAST, of which an interval would be too wide to tell
    anything. Raises ValueError for rounds of several splitters, limits or baselines.
    """
    chosen = list(rounds)
    kinds = {(r.workload.splitter, r.workload.max_chunk_length, r.baseline) for r in chosen}
    if len(kinds) > 1:
        raise ValueError(f"rounds of {len(kinds)} splitters, limits or baselines have no one ratio")
    by_round: defaultdict[int, dict[tuple[str, str], Round]] = defaultdict(dict)
    for each in chosen:
        by_round[each.round][each.workload.corpus, each.stratum] = each
    parts = list(dict.fromkeys((each.workload.corpus, each.stratum) for each in chosen))
    whole = [by_round[number] for number in sorted(by_round) if len(by_round[number]) == len(parts)]
    if len(whole) < ROUNDS_AT_LEAST:
        return None
    corpora = list(dict.fromkeys(corpus for corpus, _ in parts))
    strata = {corpus: [part for part in parts if part[0] == corpus] for corpus in corpora}

    def average(logs: Mapping[tuple[str, str], float]) -> float:
        return _mean([_mean([logs[part] for part in strata[corpus]]) for corpus in corpora])

    logs = [{p: math.log(r.baseline_cpu / r.cpu) for p, r in each.items()} for each in whole]
    walls = [{p: math.log(r.baseline_wall / r.wall) for p, r in each.items()} for each in whole]
    centre, low, high = find_interval([average(each) for each in logs], CONFIDENCE)
    of_parts = {part: _mean([each[part] for each in logs]) for part in parts}
    of_corpora = [_mean([of_parts[part] for part in strata[corpus]]) for corpus in corpora]
    range_ = of_corpora if len(corpora) > 1 else list(of_parts.values())
    return Estimate(
        ratio=math.exp(centre),
        low=math.exp(low),
        high=math.exp(high),
        lowest=math.exp(min(range_)),
        highest=math.exp(max(range_)),
        wall=math.exp(_mean([average(each) for each in walls])),
        rounds=len(whole),
    )


def find_interval(values: Sequence[float], confidence: float) -> tuple[float, float, float]:
    """The mean of values that are replicates, and the bounds of Student's interval of it.

    Raises ValueError for fewer than ROUNDS_AT_LEAST.
    """
    import numpy  # slow to import, and needed for timed runs only

    if len(values) < ROUNDS_AT_LEAST:
        raise ValueError(f"{len(values)} rounds are too few for an interval")
    mean, half = find_bounds(numpy.asarray(values, dtype=float), (1 + confidence) / 2)
    return float(mean), float(mean - half), float(mean + half)


def find_bounds(values: Any, probability: float) -> tuple[Any, Any]:
    """The mean over the last axis of an array, and how far from it the truth may lie.

    It lies no further above or below it, with that probability on each side.
    """
    from scipy.special import stdtrit

    number = values.shape[-1]
    error = values.std(axis=-1, ddof=1) / math.sqrt(number)
    return values.mean(axis=-1), stdtrit(number - 1, probability) * error


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
