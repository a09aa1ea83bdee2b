"""How much memory the segmenter takes beyond the text and its segments."""

import sys
import tracemalloc

import corpora
import segmenter
from harness.measure.forms import PURE, list_forms
from harness.measure.shapes import repeat
from harness.results.bench import Memory
from harness.results.errors import MeasurementError
from harness.runner.executor import open_process_pool
from harness.splitters.adapters.segmenter import load_pure

CODE_POINTS = 100_000_000
_LIMIT = 500


def measure_memory(code_points: int = CODE_POINTS, limit: int = _LIMIT) -> list[Memory]:
    """Split the builtin corpus, repeated to that length, in each form that is there."""
    measured = []
    for form in list_forms():
        with open_process_pool(1) as executor:  # a fresh process
            measured.append(executor.submit(measure_form, form.name, code_points, limit).result())
    return measured


def measure_form(form: str, code_points: int, limit: int) -> Memory:
    """Measure one form in this process, which should be a fresh one."""
    make = load_pure() if form == PURE else segmenter.TextSegmenter
    text = repeat("".join(document.text for document in corpora.load("builtin")))(code_points)
    split = make(limit).split
    tracemalloc.start()
    segments = split(text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    if sum(map(len, segments)) != len(text) or not segments:
        raise MeasurementError("the segments are not the text; run make test")
    segment_bytes = sys.getsizeof(segments) + sum(map(sys.getsizeof, segments))
    return Memory(
        form,
        limit,
        len(text),
        len(segments),
        sys.getsizeof(text),
        segment_bytes,
        peak - segment_bytes,
    )
