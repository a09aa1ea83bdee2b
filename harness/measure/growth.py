"""How time and memory grow with the text, in the shapes that make splitters slow."""

import contextlib
import io
import math
import statistics
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.typing import LineStyleType

import segmenter
from harness.measure.forms import load_pure
from harness.measure.shapes import SHAPES, Shape
from harness.report.tables import Column, Table, show_count, show_digits
from harness.results.atomic import open_replacing
from harness.results.errors import MeasurementError
from harness.runner.pool import SplitterPool
from harness.runner.process import SplitterError
from harness.splitters.registry import Split, load_splitter

LANGCHAIN = "langchain"
SIZES = (250_000, 500_000, 1_000_000, 2_000_000)
LIMITS = (1, 20, 500, 100_000, 4_000_000)
TIMEOUT = 5.0  # seconds that LangChain may take for a text
_REPEATS = 3
# Below these, a measurement says more of the machine than of the text.
_LEAST_SECONDS = 1e-3
_LEAST_BYTES = 64 * 1024

Progress = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Growth:
    """What one splitter needs for one shape of text at one limit, by code points.

    ``bytes`` is the peak of allocated memory, the segments included and the text not; empty where
    it was not measured. Sizes at which the splitter took too long are absent.
    """

    splitter: str
    shape: str
    limit: int
    seconds: Mapping[int, float]
    bytes: Mapping[int, int]

    @property
    def time_exponent(self) -> float | None:
        """The power of the length that the time grows by; None with fewer than two sizes."""
        return _fit({size: max(value, _LEAST_SECONDS) for size, value in self.seconds.items()})

    @property
    def memory_exponent(self) -> float | None:
        """The power of the length that the peak grows by; None with fewer than two sizes."""
        return _fit({size: max(value, _LEAST_BYTES) for size, value in self.bytes.items()})


def measure_growth(
    shapes: Mapping[str, Shape] = SHAPES,
    limits: Sequence[int] = LIMITS,
    sizes: Sequence[int] = SIZES,
    *,
    timeout: float = TIMEOUT,
    progress: Progress = lambda _: None,
) -> list[Growth]:
    """Measure every form of the segmenter that is there, and LangChain where it is quick enough.

    LangChain runs in a process of its own, which is ended after ``timeout`` seconds for a text;
    larger texts of that shape are then left out. Raises MeasurementError where LangChain is not
    installed or nothing was measured.
    """
    load_splitter(LANGCHAIN).make(1)  # raises where it is not there
    forms = {"pure Python": load_pure()}
    if segmenter.COMPILED:
        forms["compiled"] = segmenter.TextSegmenter
    measured = []
    with SplitterPool(timeout=timeout) as pool:
        for limit in limits:
            for name, shape in shapes.items():
                progress(f"growth: {name} at {limit:,}")
                texts = {size: shape(size) for size in sizes}
                for form, make in forms.items():
                    split = make(limit).split
                    seconds = {size: _time(split, text) for size, text in texts.items()}
                    peaks = {size: _find_peak(split, text) for size, text in texts.items()}
                    measured.append(Growth(form, name, limit, seconds, peaks))
                measured.append(
                    Growth(LANGCHAIN, name, limit, _time_langchain(pool, texts, limit), {})
                )
    if not any(growth.seconds for growth in measured):
        raise MeasurementError("no growth was measured; give a shape, a limit and a size")
    return measured


def _time(split: Split, text: str) -> float:
    """The quickest of several calls: what is slower was disturbed."""
    seconds = []
    for _ in range(_REPEATS):
        began = process_time()
        segments = split(text)
        seconds.append(process_time() - began)
        if len("".join(segments)) != len(text):
            raise MeasurementError("the segmenter lost characters; run make test")
    return min(seconds)


def _find_peak(split: Split, text: str) -> int:
    tracemalloc.start()
    try:
        split(text)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _time_langchain(pool: SplitterPool, texts: Mapping[int, str], limit: int) -> dict[int, float]:
    """Seconds by size, from the shortest text to the first that takes too long."""
    seconds = {}
    with contextlib.suppress(SplitterError):
        for size, text in sorted(texts.items()):
            (seconds[size],) = pool.time(load_splitter(LANGCHAIN), text, limit)
    return seconds


def _fit(values: Mapping[int, float]) -> float | None:
    if len(values) < 2:
        return None
    sizes = [math.log(size) for size in values]
    return statistics.linear_regression(sizes, [math.log(v) for v in values.values()]).slope


def tabulate_growth(measured: Sequence[Growth]) -> Table:
    """The exponents: a row a limit and shape."""
    splitters = list(dict.fromkeys(growth.splitter for growth in measured))
    ours = [name for name in splitters if name != LANGCHAIN]
    found = {(growth.limit, growth.shape, growth.splitter): growth for growth in measured}
    rows = []
    for limit, shape in dict.fromkeys((growth.limit, growth.shape) for growth in measured):
        here = [found[limit, shape, name] for name in splitters]
        largest = max(max(growth.seconds, default=0) for growth in here)
        rows.append(
            (
                limit,
                shape,
                *(growth.time_exponent for growth in here),
                *(growth.seconds.get(largest) for growth in here),
                *(found[limit, shape, name].memory_exponent for name in ours),
                *(found[limit, shape, name].bytes[largest] / 2**20 for name in ours),
            )
        )
    return Table(
        "Growth with the text",
        [
            Column("limit", show_count),
            Column("shape", numeric=False),
            *(Column(f"time exponent, {name}", _show_exponent) for name in splitters),
            *(Column(f"seconds, {name}", show_digits) for name in splitters),
            *(Column(f"memory exponent, {name}", _show_exponent) for name in ours),
            *(Column(f"peak MiB, {name}", show_digits) for name in ours),
        ],
        rows,
        [
            "An exponent is the slope of a line through the logarithms of size and value: 1 grows "
            f"as the text does, 2 with its square. Values below {_LEAST_SECONDS * 1e3:g} ms and "
            f"{_LEAST_BYTES // 1024} KiB count as that much. Seconds and peaks are those of the "
            "largest text; peaks include the segments, not the text. Where LangChain took too "
            "long for the largest text it has no seconds, for the second smallest no exponent.",
        ],
    )


def tabulate_worst(measured: Sequence[Growth]) -> Table:
    """The highest exponents: a row a splitter."""
    return Table(
        "Highest exponents",
        [
            Column("splitter", numeric=False),
            Column("of time", _show_exponent),
            Column("of peak memory", _show_exponent),
            Column("texts that took too long", show_count),
        ],
        [
            (
                splitter,
                max((e for growth in own if (e := growth.time_exponent) is not None), default=None),
                max(
                    (e for growth in own if (e := growth.memory_exponent) is not None), default=None
                ),
                sum(most - len(growth.seconds) for growth in own),
            )
            for splitter in dict.fromkeys(growth.splitter for growth in measured)
            for own in [[growth for growth in measured if growth.splitter == splitter]]
            for most in [max(len(growth.seconds) for growth in measured)]
        ],
    )


def write_plot(path: Path, measured: Sequence[Growth]) -> None:
    """Draw time and peak memory over the text's length as SVG, a column of panels a limit."""

    limits = list(dict.fromkeys(growth.limit for growth in measured))
    shapes = list(dict.fromkeys(growth.shape for growth in measured))
    splitters = list(dict.fromkeys(growth.splitter for growth in measured))
    colours = {shape: mpl.colormaps["tab20"](at % 20) for at, shape in enumerate(shapes)}
    # Ours are drawn through, LangChain dotted.
    styles: dict[str, LineStyleType] = {
        splitter: (0, (1, 1)) if splitter == LANGCHAIN else (0, (6, at)) if at else "-"
        for at, splitter in enumerate(splitters)
    }
    sizes = sorted({size for growth in measured for size in growth.seconds})
    figure = Figure(figsize=(3 * len(limits) + 2, 7), layout="constrained")
    panels = figure.subplots(2, len(limits), sharex=True, sharey="row", squeeze=False)
    for column, limit in enumerate(limits):
        time_panel, memory_panel = panels[:, column]
        for growth in measured:
            if growth.limit == limit:
                style: dict[str, Any] = {
                    "color": colours[growth.shape],
                    "linestyle": styles[growth.splitter],
                }
                time_panel.plot(*_points(growth.seconds), linewidth=1, **style)
                memory_panel.plot(
                    *_points({size: peak / 2**20 for size, peak in growth.bytes.items()}),
                    linewidth=1,
                    **style,
                )
        time_panel.set_title(f"limit {limit:,}")
        memory_panel.set_xlabel("million code points")
        for panel in (time_panel, memory_panel):
            panel.set_xscale("log")
            panel.set_xticks(sizes, [f"{size / 1e6:g}" for size in sizes])
            panel.set_xticks([], minor=True)
            panel.set_yscale("log")
            panel.grid(visible=True, alpha=0.3)
    panels[0, 0].set_ylabel("seconds")
    panels[1, 0].set_ylabel("peak MiB, segments included")
    lines = [Line2D([], [], color=colours[shape], label=shape) for shape in shapes]
    lines += [Line2D([], [], color="black", linestyle=styles[s], label=s) for s in splitters]
    figure.legend(handles=lines, loc="outside right upper", fontsize="small")
    drawn = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "segbench"}):
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    with open_replacing(path) as file:
        file.write(drawn.getvalue())


def _points(values: Mapping[int, float]) -> tuple[list[int], list[float]]:
    return list(values), list(values.values())


def _show_exponent(value: float) -> str:
    return f"{value:.2f}"
