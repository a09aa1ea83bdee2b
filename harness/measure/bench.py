"""Measures the segmenter alone: speed, growth, memory, import."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from corpora import Corpus
from harness.measure.growth import measure_growth_of_forms
from harness.measure.imports import measure_imports
from harness.measure.machine import describe_environment, now
from harness.measure.memory import measure_memory
from harness.measure.run import Progress
from harness.measure.speed import BASELINES, measure_speed
from harness.results.bench import Bench
from harness.results.verdict import IN_HOUSE
from harness.splitters.contenders import gather
from harness.splitters.registry import load_splitter

_IMPORTS = 9  # fresh processes
PARTS = ("speed", "growth", "memory", "imports")


def measure_bench(
    parts: Collection[str],
    corpora: Sequence[Corpus],
    limits: Sequence[int],
    command: str,
    *,
    rounds: int,
    progress: Progress,
) -> Bench:
    """Measure those of ``PARTS``; the corpora, limits and rounds are those of the speed.

    ``command`` is what was typed; ``progress`` is told each stage. Raises
    CorpusError and MeasurementError.
    """

    def begin(stage: str) -> None:
        progress.begin(stage, None)

    contenders = gather(map(load_splitter, (IN_HOUSE, *BASELINES)), begin)
    bench = Bench(describe_environment(command, contenders.splitters, contenders.installations))
    if "imports" in parts:  # first: they are short
        begin("imports")
        bench = replace(bench, imports=measure_imports(contenders, _IMPORTS))
    if "memory" in parts:
        begin("memory")
        bench = replace(bench, memory=measure_memory())
    if "speed" in parts:
        timed = measure_speed(
            corpora, limits, rounds=rounds, begin=progress.begin, advance=progress.advance
        )
        bench = replace(bench, rounds=timed)
    if "growth" in parts:
        growth, trials, peaks = measure_growth_of_forms(progress=begin)
        bench = replace(bench, growth=growth, trials=trials, peaks=peaks)
    return replace(bench, environment=replace(bench.environment, finished=now()))
