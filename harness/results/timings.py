"""``timings.json``: a pyperf suite with one benchmark per workload and one value per round."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from harness.results.atomic import open_replacing
from harness.results.errors import MeasurementError, one_line
from harness.results.escapes import read_line, write_line
from harness.results.model import Count, Timing, Workload
from harness.results.reading import read_text


def write_timings(
    path: Path,
    timings: Iterable[Timing],
    counts: Iterable[Count],
    warm_ups: Iterable[Timing] = (),
) -> None:
    """Write timings; each benchmark's metadata name its workload, and the code points and the
    digest of its count.

    Raises MeasurementError if a timing has no count or is not finite, or rounds are missing.
    """
    import pyperf  # not needed to check

    counted = {count.workload: count for count in counts}
    before = _group_rounds(warm_ups)
    benchmarks = []
    for workload, seconds in _group_rounds(timings).items():
        if workload not in counted:
            raise MeasurementError(f"{workload} was timed but not checked; check it first")
        metadata = {
            "name": write_line(str(workload)),
            "corpus": write_line(workload.corpus),  # pyperf takes one line
            "splitter": write_line(workload.splitter),
            "max_chunk_length": workload.max_chunk_length,
            "code_points": counted[workload].code_points,
            "digest": write_line(counted[workload].digest),
            "unit": "second",
            "loops": 1,
        }
        run = pyperf.Run(
            seconds,
            warmups=[(1, value) for value in before.get(workload, ())],
            metadata=metadata,
            collect_metadata=False,
        )
        benchmarks.append(pyperf.Benchmark([run]))
    suite = pyperf.BenchmarkSuite(benchmarks)
    with open_replacing(path) as file:
        suite.dump(file)


def _group_rounds(timings: Iterable[Timing]) -> dict[Workload, list[float]]:
    rounds: dict[Workload, dict[int, float]] = {}
    for timing in timings:
        if not math.isfinite(timing.seconds):
            raise MeasurementError(f"{timing.workload} took {timing.seconds} s; measure again")
        rounds.setdefault(timing.workload, {})[timing.round] = timing.seconds
    for workload, seconds in rounds.items():
        if sorted(seconds) != list(range(len(seconds))):
            raise MeasurementError(f"{workload} was timed in the rounds {sorted(seconds)} only")
    return {
        workload: [seconds[number] for number in range(len(seconds))]
        for workload, seconds in rounds.items()
    }


def read_timings(path: Path) -> tuple[list[Timing], list[Timing]]:
    """The timings, and those of the warm-ups.

    Raises as ``read_text``, and ValueError for what is no such suite.
    """
    import pyperf  # not needed to read the rest

    content = read_text(path)
    timings: list[Timing] = []
    warm_ups: list[Timing] = []
    try:
        for benchmark in pyperf.BenchmarkSuite.loads(content):
            workload = _find_workload(benchmark.get_metadata())
            (run,) = benchmark.get_runs()
            timings += (Timing(workload, n, seconds) for n, seconds in enumerate(run.values))
            warm_ups += (Timing(workload, n, value) for n, (_, value) in enumerate(run.warmups))
    except Exception as error:  # pyperf trusts what it reads
        raise ValueError(f"pyperf refuses it ({one_line(error)})") from error
    for timing in (*timings, *warm_ups):
        if not (math.isfinite(timing.seconds) and timing.seconds > 0):
            raise ValueError(f"{timing.workload} took {timing.seconds} s")
    return timings, warm_ups


def _find_workload(metadata: Mapping[str, Any]) -> Workload:
    workload = msgspec.convert(dict(metadata), Workload)
    return replace(
        workload, corpus=read_line(workload.corpus), splitter=read_line(workload.splitter)
    )
