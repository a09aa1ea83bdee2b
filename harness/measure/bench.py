"""Measures the segmenter alone: speed, growth, memory, import."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from corpora import Corpus
from harness.measure.growth import measure_growth_of_forms
from harness.measure.imports import measure_imports
from harness.measure.machine import describe_environment, now
from harness.measure.memory import measure_memory
from harness.measure.speed import measure_speed
from harness.results.bench import Bench
from harness.results.verdict import BASELINE, IN_HOUSE
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
    passes: int,
    progress: Callable[[str], None],
) -> Bench:
    """Measure those of ``PARTS``; the corpora, limits and passes are those of the speed.

    ``command`` is what was typed; ``progress`` is called with a line when a stage begins. Raises
    CorpusError and MeasurementError.
    """
    contenders = gather(map(load_splitter, (IN_HOUSE, BASELINE)), progress)
    bench = Bench(describe_environment(command, contenders.splitters, contenders.installations))
    if "imports" in parts:  # first: they are short
        progress("imports")
        bench = replace(bench, imports=measure_imports(contenders, _IMPORTS))
    if "memory" in parts:
        progress("memory")
        bench = replace(bench, memory=measure_memory())
    if "speed" in parts:
        timed, code_points = measure_speed(corpora, limits, passes, progress=progress)
        bench = replace(bench, passes=timed, code_points=code_points)
    if "growth" in parts:
        growth, trials, peaks = measure_growth_of_forms(progress=progress)
        bench = replace(bench, growth=growth, trials=trials, peaks=peaks)
    return replace(bench, environment=replace(bench.environment, finished=now()))
