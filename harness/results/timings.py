"""``timings.json``: the rounds of a run as pyperf has them, for its ``stats`` and ``compare_to``.

An export, which nothing here reads: a suite with one benchmark per workload. pyperf knows neither
strata nor baselines, so a value is the CPU seconds of one pass over all strata in one round.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.results.atomic import open_replacing
from harness.results.errors import MeasurementError
from harness.results.escapes import write_line
from harness.results.model import Count, Round, Workload

TIMINGS = "timings.json"


def write_timings(path: Path, rounds: Sequence[Round], counts: Sequence[Count] = ()) -> None:
    """Write the rounds of splitters, and those of the baseline beside each.

    Benchmarks are named by their workload; a baseline's name also has the splitter that it took
    turns with. Their metadata have the parts of the workload, the code points of a pass and, of
    what was counted, the digest. Raises MeasurementError if there are no rounds.
    """
    digests = {count.workload: count.digest for count in counts}
    series: dict[str, _Series] = {}
    for each in rounds:
        workload = each.workload
        beside = Workload(workload.corpus, each.baseline, workload.max_chunk_length)
        name = f"{beside} beside {workload.splitter}"
        series.setdefault(str(workload), _Series(workload)).add(each, each.cpu)
        series.setdefault(name, _Series(beside)).add(each, each.baseline_cpu)
    _write(path, series, digests)


def write_side(path: Path, rounds: Sequence[Round], *, baseline: bool) -> None:
    """Write the rounds of one side of a pair alone, in benchmarks named by corpus and limit.

    Raises MeasurementError if there are no rounds.
    """
    series: dict[str, _Series] = {}
    for each in rounds:
        name = f"{each.workload.corpus}/{each.workload.max_chunk_length}"
        one = series.setdefault(name, _Series(each.workload))
        one.add(each, each.baseline_cpu if baseline else each.cpu)
    _write(path, series, {})


class _Series:
    """What becomes of a workload's rounds: seconds and code points of a pass, by round."""

    def __init__(self, workload: Workload) -> None:
        self.workload = workload
        self.seconds: defaultdict[int, float] = defaultdict(float)
        self.code_points: defaultdict[int, int] = defaultdict(int)

    def add(self, round_: Round, cpu: float) -> None:
        """Add a stratum in a round, and the seconds of its two quickest turns."""
        self.seconds[round_.round] += cpu / 2
        self.code_points[round_.round] += round_.code_points


def _write(path: Path, series: Mapping[str, _Series], digests: Mapping[Workload, str]) -> None:
    import pyperf  # not needed to check

    if not series:
        raise MeasurementError(f"nothing was timed, so {path} is not written")
    benchmarks = []
    for name, one in series.items():
        metadata = {
            "name": write_line(name),  # pyperf takes one line
            "corpus": write_line(one.workload.corpus),
            "splitter": write_line(one.workload.splitter),
            "max_chunk_length": one.workload.max_chunk_length,
            "code_points": max(one.code_points.values()),
            "digest": write_line(digests.get(one.workload, "")) or "unknown",
            "clock": "process_time",
            "unit": "second",
            "loops": 1,
        }
        # A run is a process, and each round has a new one.
        runs = [
            pyperf.Run([one.seconds[number]], metadata=metadata, collect_metadata=False)
            for number in sorted(one.seconds)
        ]
        benchmarks.append(pyperf.Benchmark(runs))
    with open_replacing(path) as file:
        pyperf.BenchmarkSuite(benchmarks).dump(file)
