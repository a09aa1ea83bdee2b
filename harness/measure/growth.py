"""How work and memory grow with the text, in the shapes that make splitters slow."""

import tracemalloc
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.measure.forms import list_forms
from harness.measure.shapes import SHAPES, Shape
from harness.results.bench import Peak
from harness.results.errors import MeasurementError
from harness.results.exponent import LEAST_INSTRUCTIONS, LEAST_SECONDS, find_lengths
from harness.results.model import BASELINE, Growth, Trial
from harness.runner.counting import CountedProcess
from harness.runner.executor import count_cores
from harness.runner.pool import SplitterPool, open_folder
from harness.runner.process import SplitterError
from harness.runner.spool import write_spool
from harness.splitters.registry import Split, Splitter, load_splitter

# For any splitter, beside the run that checks it.
FEW_SHAPES = {name: SHAPES[name] for name in ("prose", "one line", "lines of one letter")}
FEW_LIMITS = (500, 5_000)
FEW_LENGTHS = tuple(12_500 << doublings for doublings in range(10))
# For the segmenter.
LENGTHS = tuple(250_000 << doublings for doublings in range(7))
_LIMITS = (1, 20, 500, 100_000, 4_000_000)
_TIMEOUT = 5.0  # seconds that a splitter may take for a text

_CALLS = 3
_MORE_CALLS = 30  # with each of the lengths that tell the exponent, in each series
_LONG = 2.0  # seconds that both series may take, if one call with each does not take longer
_COUNTS = 3  # the fewest instructions: Python specializes a program while it runs
_MANY = 500_000_000  # instructions of all lengths after which they are not counted again
_PEAKS = 4  # lengths of which the peak of memory is measured


def measure_growth(
    splitters: Iterable[Splitter],
    pool: SplitterPool,
    *,
    shapes: Mapping[str, Shape] = FEW_SHAPES,
    limits: Sequence[int] = FEW_LIMITS,
    lengths: Sequence[int] = FEW_LENGTHS,
    progress: Callable[[str], object] = lambda _: None,
) -> tuple[list[Growth], list[Trial]]:
    """The CPU time that texts of some lengths take each splitter, by limit and shape.

    It is that of the quickest of some calls. Those lengths that tell how time grows are called
    again in turns, in two series. Longer texts are left out. The first text that a splitter fails
    on is told as a trial; the longer ones of that shape are then left out.
    """
    growth: list[Growth] = []
    trials: list[Trial] = []
    measured = list(splitters)
    for limit in limits:
        for name, shape in shapes.items():
            progress(f"growth: {name} at {limit:,}")
            for splitter in measured:
                seconds: dict[int, float] = {}
                again: dict[int, float] = {}
                length = 0
                try:
                    for length in sorted(lengths):
                        _measure_length(splitter, pool, shape, length, limit, seconds, again)
                        if len(find_lengths(seconds, LEAST_SECONDS)) == 4:
                            break
                except SplitterError as error:
                    question = f"{length:,} code points of {name} at {limit:,}"
                    trials.append(Trial(splitter.name, question, error.status, error.detail))
                growth += [
                    Growth(name, limit, splitter.name, length, quickest, again.get(length, 0.0))
                    for length, quickest in seconds.items()
                ]
    return growth, trials


def _measure_length(
    splitter: Splitter,
    pool: SplitterPool,
    shape: Shape,
    length: int,
    limit: int,
    seconds: dict[int, float],
    again: dict[int, float],
) -> None:
    """Add the seconds of a length to those of shorter ones; if they are enough, of all again."""
    (once,) = pool.time(splitter, [shape(length)], limit)
    if once <= _LONG:
        once = min(once, *pool.time(splitter, [shape(length)], limit, calls=_CALLS - 1))
    seconds[length] = once
    telling = find_lengths(seconds, LEAST_SECONDS)
    if len(telling) == 4:
        calls = min(_MORE_CALLS, int(_LONG / 2 / sum(seconds[each] for each in telling)))
        for series in (seconds, again) if calls else ():
            taken = pool.time(splitter, [shape(each) for each in telling], limit, calls=calls)
            for each, quickest in zip(telling, taken, strict=True):
                series[each] = min(series.get(each, quickest), quickest)


def count_growth(
    splitters: Iterable[Splitter],
    growth: Iterable[Growth],
    valgrind: str,
    shapes: Mapping[str, Shape] = FEW_SHAPES,
) -> tuple[list[Growth], list[Trial]]:
    """What was timed, with the instructions of the lengths that tell the exponent by them.

    A splitter that fails has no more of them, and its failure is told as a trial.
    """
    timed: defaultdict[str, list[Growth]] = defaultdict(list)
    for each in growth:
        timed[each.splitter].append(each)
    # Side by side, since a busy machine does not change the numbers.
    with ThreadPoolExecutor(count_cores()) as threads, ExitStack() as processes:
        counting = [
            threads.submit(
                _count_splitter, each, timed[each.name], shapes, valgrind, processes.callback
            )
            for each in splitters
        ]
        try:
            counted = [each.result() for each in counting]
        finally:  # after Ctrl-C, nobody waits for what runs or would begin
            threads.shutdown(wait=False, cancel_futures=True)
    return (
        [each for of_splitter, _ in counted for each in of_splitter],
        [trial for _, trials in counted for trial in trials],
    )


def _count_splitter(
    splitter: Splitter,
    timed: Sequence[Growth],
    shapes: Mapping[str, Shape],
    valgrind: str,
    close_at_end: Callable[[Callable[[], None]], object],
) -> tuple[list[Growth], list[Trial]]:
    texts: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    for each in timed:
        texts[each.max_chunk_length, each.shape].append(each.code_points)
    found: defaultdict[tuple[int, str], dict[int, int]] = defaultdict(dict)
    trials = []
    limit, name, length = 0, "", 0
    try:
        with (
            open_folder() as folder,
            closing(CountedProcess(splitter, valgrind, folder)) as process,
        ):
            close_at_end(process.close)
            for (limit, name), lengths in texts.items():
                process.load(limit)
                counts = found[limit, name]
                for _ in range(_COUNTS):
                    for length in sorted(lengths):
                        counted = _count(process, shapes[name](length), folder)
                        counts[length] = min(counts.get(length, counted), counted)
                        telling = find_lengths(counts, LEAST_INSTRUCTIONS)
                        if len(telling) == 4 and length == telling[-1]:
                            break
                    if sum(counts.values()) > _MANY:
                        break
    except SplitterError as error:
        question = f"the instructions for {length:,} code points of {name} at {limit:,}"
        trials.append(Trial(splitter.name, question, error.status, error.detail))
    grown = [
        replace(
            each,
            instructions=found[each.max_chunk_length, each.shape].get(each.code_points, 0),
        )
        for each in timed
    ]
    return grown, trials


def _count(process: CountedProcess, text: str, folder: Path) -> int:
    write_spool(folder / "text", [("text", text)])
    return process.count_instructions(folder / "text")


def measure_growth_of_forms(
    shapes: Mapping[str, Shape] = SHAPES,
    limits: Sequence[int] = _LIMITS,
    lengths: Sequence[int] = LENGTHS,
    *,
    timeout: float = _TIMEOUT,
    progress: Callable[[str], object] = lambda _: None,
) -> tuple[list[Growth], list[Trial], list[Peak]]:
    """Measure every form of the segmenter that is there, and LangChain.

    LangChain is measured on texts for which it needs no more than ``timeout`` seconds. The trials
    are LangChain's, the peaks those of the forms. Raises MeasurementError if LangChain is not
    installed, a form fails or nothing was measured.
    """
    load_splitter(BASELINE).make(1)  # raises where it is not there
    forms = list_forms()
    asked: dict[str, Any] = {"shapes": shapes, "limits": limits, "lengths": lengths}
    with SplitterPool() as pool:
        growth, failed = measure_growth(forms, pool, **asked, progress=progress)
    for trial in failed:
        raise MeasurementError(f"the segmenter {trial.answer} on {trial.question}: {trial.detail}")
    with SplitterPool(timeout=timeout) as pool:
        grown, trials = measure_growth([load_splitter(BASELINE)], pool, **asked, progress=progress)
    growth += grown
    if not growth:
        raise MeasurementError("no growth was measured; give a shape, a limit and a length")
    peaks = []
    for limit in limits:
        for name, shape in shapes.items():
            progress(f"memory: {name} at {limit:,}")
            for form in forms:
                split = form.make(limit)
                peaks += [
                    Peak(name, limit, form.name, length, _find_peak(split, shape(length)))
                    for length in sorted(lengths)[:_PEAKS]
                ]
    return growth, trials, peaks


def _find_peak(split: Split, text: str) -> int:
    tracemalloc.start()
    try:
        segments = split(text)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    if "".join(segments) != text:
        raise MeasurementError("the segmenter lost characters; run make test")
    return peak
