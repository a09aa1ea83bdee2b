"""``timings.json``: the rounds of a run as pyperf has them, for its ``stats`` and ``compare_to``.

An export, which nothing here reads: a suite with one benchmark per workload. pyperf knows neither
strata nor baselines, so a value is the CPU seconds of one pass over all strata in one round.
"""

from collections import defaultdict
from collections.abc import Sequence
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
    import pyperf  # not needed to check

    if not rounds:
        raise MeasurementError(f"nothing was timed, so {path} is not written")
    digests = {count.workload: count.digest for count in counts}
    seconds: defaultdict[tuple[Workload, str], defaultdict[int, float]] = defaultdict(
        lambda: defaultdict(float)
    )
    code_points: defaultdict[tuple[Workload, str, int], int] = defaultdict(int)
    for each in rounds:
        workload = each.workload
        beside = Workload(workload.corpus, each.baseline, workload.max_chunk_length)
        for key, cpu in (
            ((workload, ""), each.cpu),
            ((beside, workload.splitter), each.baseline_cpu),
        ):
            seconds[key][each.round] += cpu / 2
            code_points[*key, each.round] += each.code_points
    benchmarks = []
    for (workload, rival), by_round in seconds.items():
        name = f"{workload} beside {rival}" if rival else str(workload)
        metadata = {
            "name": write_line(name),  # pyperf takes one line
            "corpus": write_line(workload.corpus),
            "splitter": write_line(workload.splitter),
            "max_chunk_length": workload.max_chunk_length,
            "code_points": code_points[workload, rival, min(by_round)],
            "digest": write_line(digests.get(workload, "")) or "unknown",
            "clock": "process_time",
            "unit": "second",
            "loops": 1,
        }
        # A run is a process, and each round has a new one.
        runs = [
            pyperf.Run([by_round[number]], metadata=metadata, collect_metadata=False)
            for number in sorted(by_round)
        ]
        benchmarks.append(pyperf.Benchmark(runs))
    with open_replacing(path) as file:
        pyperf.BenchmarkSuite(benchmarks).dump(file)
