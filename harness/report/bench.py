"""The page of ``segbench bench``, and of other measurements that have no run folder.

It has tables, where they are biased, and where they were made.
"""

import io
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import corpora
from harness.report import tables
from harness.report.columns import (
    Column,
    Table,
    figures,
    show_count,
    show_digits,
    show_exponent,
    words,
)
from harness.report.markdown import render_origin, render_table
from harness.results.atomic import open_replacing
from harness.results.bench import MEMORY_ALLOWED, Bench
from harness.results.estimates import Estimate, estimate
from harness.results.exponent import CANNOT_TELL, LEAST_SECONDS, find_exponent, find_time_exponent
from harness.results.folder import BENCH_PAGE, GROWTH_PLOT
from harness.results.model import BASELINE, Environment, Run

if TYPE_CHECKING:
    from matplotlib.typing import LineStyleType

# Below these, a measurement says more of the machine than of the text.
_LEAST_BYTES = 64 * 1024

_SPEED_BIAS = (
    "One Python on one machine; ratios differ between Python versions.",
    "Texts are warm. Most are English: legal contracts in the six corpora, Python's "
    "own sources and help in the builtin one. Text with many newlines or few of the separators "
    "gives other ratios.",
    "The garbage collector is on, as it is for users.",
    "LangChain does something else in its time: it strips each chunk, so characters are lost, and "
    "keeps no whitespace rule; it also allows for overlap, for lengths other than code points and "
    "for regular expressions, which the segmenter does not have.",
    "The clock is CPU time: what other processes do to the caches still shows, waiting does not.",
)
_GROWTH_BIAS = (
    "LangChain's memory is not measured.",
    "A splitter that takes too long for a text is not given the longer ones of that shape.",
    "The shapes are those that made some splitter slow; they are not typical texts.",
)


def tabulate_bench(bench: Bench) -> list[Table]:
    """The tables of what was measured."""
    shown: list[Table] = []
    if bench.rounds:
        shown += [table for table in (tabulate_kinds(bench),) if table.records]
        shown.append(tabulate_speed(bench))
    if bench.growth:
        shown += [tabulate_worst(bench), tabulate_growth(bench)]
    if bench.memory:
        shown.append(tabulate_memory(bench))
    if bench.imports:
        shown.append(tables.imports(Run(bench.environment, imports=bench.imports)))
    return shown


def write_bench_page(folder: Path, bench: Bench) -> Path:
    """Write the page, and the plot of growth if that was measured; returns the page's path.

    Raises MeasurementError if they cannot be written.
    """
    if bench.growth:
        write_plot(folder / GROWTH_PLOT, bench)
    biases = [*(_SPEED_BIAS if bench.rounds else ()), *(_GROWTH_BIAS if bench.growth else ())]
    path = folder / BENCH_PAGE
    write_page(
        path,
        bench.environment,
        tabulate_bench(bench),
        biases=biases,
        picture=GROWTH_PLOT if bench.growth else None,
    )
    return path


def write_page(
    path: Path,
    environment: Environment,
    shown: Sequence[Table],
    *,
    biases: Sequence[str] = (),
    picture: str | None = None,
) -> None:
    """Write a Markdown page; ``picture`` is the name of a file beside it.

    Raises MeasurementError if it cannot be written.
    """
    sections = _list_sections(shown)
    if picture:
        sections.append(f"![{picture}]({picture})")
    if biases:
        sections.append("## Where it is biased\n\n" + "\n".join(f"- {bias}" for bias in biases))
    made = render_table(tables.environment(Run(environment))).strip()
    sections.append(f"## Environment\n\n{made}")
    with open_replacing(path) as file:
        file.write("\n\n".join([f"# {path.stem.capitalize()}", *sections]) + "\n")


def render_bench(bench: Bench) -> str:
    """The tables of a bench as Markdown, and the command that measured them."""
    made = render_origin(bench.environment)
    return "\n\n".join([*_list_sections(tabulate_bench(bench)), made]) + "\n"


def _list_sections(shown: Sequence[Table]) -> list[str]:
    return [f"## {table.title}\n\n{render_table(table).strip()}" for table in shown]


def tabulate_speed(bench: Bench) -> Table:
    """How many times as fast as each baseline: one row per limit, corpus and form.

    First come all data sets together, or all corpora if none is a data set. The range is that over
    the corpora, or over the strata of a corpus.
    """
    baselines = list(dict.fromkeys(each.baseline for each in bench.rounds))
    label, together = _find_together(bench)
    measured = list(dict.fromkeys(each.workload.corpus for each in bench.rounds))
    groups = {label: together, **{name: [name] for name in measured}}
    if len(together) == 1:
        del groups[label]
    records = [
        {
            "limit": limit,
            "corpus": name,
            "form": form,
            "than": {each: _estimate(bench, group, limit, form, each) for each in baselines},
        }
        for limit in sorted({each.workload.max_chunk_length for each in bench.rounds})
        for name, group in groups.items()
        for form in dict.fromkeys(each.workload.splitter for each in bench.rounds)
    ]

    def show_range(found: Estimate) -> str:
        return f"{found.lowest:.2f}–{found.highest:.2f}"

    return Table(
        "Times as fast as LangChain",
        [
            figures("limit"),
            words("corpus"),
            words("form"),
            *(
                column
                for baseline in baselines
                for column in (
                    Column(f"times as fast as {baseline}", ("than", baseline)),
                    Column("slowest–fastest", ("than", baseline), show_range),
                )
            ),
        ],
        records,
        [
            "CPU time. The baseline's time divided by the segmenter's, as the geometric mean over "
            "strata and corpora, with its 95 % interval over rounds in brackets; then the range over "
            "corpora, or over the strata of one corpus, which are quarters of its documents by length."
        ],
        names=3,
    )


def tabulate_kinds(bench: Bench) -> Table:
    """Where each form is slowest against each baseline: one row per baseline, form and limit.

    It leaves out the data sets if there are other corpora, and is empty with a single corpus.
    """
    _, together = _find_together(bench)
    measured = list(dict.fromkeys(each.workload.corpus for each in bench.rounds))
    kinds = [name for name in measured if name not in together] or measured
    limits = sorted({each.workload.max_chunk_length for each in bench.rounds})
    records = []
    for baseline in dict.fromkeys(each.baseline for each in bench.rounds):
        for form in dict.fromkeys(each.workload.splitter for each in bench.rounds):
            found = {
                (limit, name): estimated
                for limit in limits
                for name in kinds
                if (estimated := _estimate(bench, [name], limit, form, baseline))
            }
            for limit in [*limits, *([None] if len(limits) > 1 else [])]:
                here = {place: each for place, each in found.items() if limit in (place[0], None)}
                if len(kinds) > 1 and here:
                    (at, name), slowest = min(here.items(), key=lambda item: item[1].ratio)
                    records.append(
                        {
                            "baseline": baseline,
                            "form": form,
                            "limit": "all" if limit is None else show_count(limit),
                            "median": statistics.median(each.ratio for each in here.values()),
                            "slowest": slowest,
                            "where": name if limit else f"{name} at {show_count(at)}",
                        }
                    )
    return Table(
        "Kinds of text",
        [
            words("times as fast as", "baseline"),
            words("form"),
            words("limit"),
            Column("median", "median", "{:.2f}".format),
            Column("slowest", "slowest"),
            words("slowest on", "where"),
        ],
        records,
        [
            f"The median of {len(kinds)} kinds of text, and the one on which the form is slowest, with "
            f"its 95 % interval. They are {', '.join(kinds)}."
        ],
        names=3,
    )


def _find_together(bench: Bench) -> tuple[str, list[str]]:
    """The corpora that are estimated together, and what they are called: the data sets, if any."""
    measured = list(dict.fromkeys(each.workload.corpus for each in bench.rounds))
    data_sets = {entry.name for entry in corpora.entries() if entry.repository}
    # A sample of a data set has that behind its name, in brackets.
    if together := [name for name in measured if name.partition("[")[0] in data_sets]:
        return "data sets", together
    return "all", measured


def _estimate(
    bench: Bench, names: Sequence[str], limit: int, form: str, baseline: str
) -> Estimate | None:
    return estimate(
        each
        for each in bench.rounds
        if each.workload.corpus in names
        and each.workload.max_chunk_length == limit
        and each.workload.splitter == form
        and each.baseline == baseline
    )


# What grows with a text's length: by shape and limit, by splitter, by code points.
_Growing = dict[tuple[int, str], dict[str, dict[int, float]]]


def _group_growing(bench: Bench) -> tuple[_Growing, _Growing, _Growing]:
    """Seconds, those of what was timed again, and peaks."""
    seconds: _Growing = defaultdict(lambda: defaultdict(dict))
    again: _Growing = defaultdict(lambda: defaultdict(dict))
    peaks: _Growing = defaultdict(lambda: defaultdict(dict))
    for grown in bench.growth:
        kind = (grown.max_chunk_length, grown.shape)
        seconds[kind][grown.splitter][grown.code_points] = grown.seconds
        if grown.seconds_again:
            again[kind][grown.splitter][grown.code_points] = grown.seconds_again
    for peak in bench.peaks:
        place = peaks[peak.max_chunk_length, peak.shape][peak.splitter]
        place[peak.code_points] = peak.bytes
    return seconds, again, peaks


def tabulate_growth(bench: Bench) -> Table:
    """The powers of the length: one row per limit and shape."""
    seconds, again, peaks = _group_growing(bench)
    splitters = list(dict.fromkeys(each.splitter for each in bench.growth))
    ours = list(dict.fromkeys(each.splitter for each in bench.peaks))
    longest = max(each.code_points for each in bench.growth)
    records = [
        {
            "limit": limit,
            "shape": shape,
            "seconds": here,
            "again": again[limit, shape],
            "peaks": peaks[limit, shape],
        }
        for (limit, shape), here in seconds.items()
    ]

    def find_time_power(name: str) -> Callable[[Mapping[str, Any]], Any]:
        return lambda record: find_time_exponent(record["seconds"][name], record["again"][name])

    def find_peak_power(name: str) -> Callable[[Mapping[str, Any]], Any]:
        return lambda record: find_exponent(record["peaks"][name], _LEAST_BYTES)

    return Table(
        "Growth with the text",
        [
            figures("limit"),
            words("shape"),
            *(Column(f"time exponent, {n}", find_time_power(n), show_exponent) for n in splitters),
            *(Column(f"seconds, {n}", ("seconds", n, longest), show_digits) for n in splitters),
            *(Column(f"memory exponent, {n}", find_peak_power(n), show_exponent) for n in ours),
            *(Column(f"peak MiB, {n}", ("peaks", n, longest), _show_mebibytes) for n in ours),
        ],
        records,
        [
            "An exponent of 1 grows as the text does, of 2 with its square. It is found from four "
            "lengths, each twice the one before, of which the shortest needs at least "
            f"{LEAST_SECONDS * 1e3:g} ms or {_LEAST_BYTES // 1024} KiB: log2 of the last increment "
            "divided by the one before it. Seconds and peaks are those of texts "
            f"of {longest:,} code points; peaks include the segments, not the text. A splitter "
            f'that took too long for such a text has no seconds. "{CANNOT_TELL}": the machine was '
            "disturbed, since two series of calls gave different exponents.",
        ],
    )


def _show_mebibytes(size: float) -> str:
    return show_digits(size / 2**20)


def tabulate_worst(bench: Bench) -> Table:
    """The highest powers: one row per splitter."""
    seconds, again, peaks = _group_growing(bench)
    splitters = list(
        dict.fromkeys([*(g.splitter for g in bench.growth), *(t.splitter for t in bench.trials)])
    )
    sizes = {each.code_points for each in bench.growth}
    return Table(
        "Highest exponents",
        [
            words("splitter", str),
            Column(
                "of time",
                lambda name: _find_highest(
                    find_time_exponent(here[name], again[kind][name])
                    for kind, here in seconds.items()
                ),
                show_exponent,
            ),
            Column(
                "of peak memory",
                lambda name: _find_highest(
                    find_exponent(here[name], _LEAST_BYTES) for here in peaks.values()
                ),
                show_exponent,
            ),
            figures(
                "texts that took too long",
                lambda name: sum(len(sizes) - len(here.get(name, {})) for here in seconds.values()),
            ),
        ],
        splitters,
    )


def _find_highest(found: Iterable[float | str | None]) -> float | None:
    return max((each for each in found if isinstance(each, float)), default=None)


def tabulate_memory(bench: Bench) -> Table:
    """One row per form of the segmenter."""
    return Table(
        "Memory for one text",
        [
            words("form"),
            figures("limit", "max_chunk_length"),
            figures("code points", "code_points"),
            figures("segments"),
            Column("text, MiB", "text_bytes", _show_mebibytes),
            Column("segments, MiB", "segment_bytes", _show_mebibytes),
            Column("peak beyond both, MiB", "beyond", _show_mebibytes),
        ],
        bench.memory,
        [
            "The builtin corpus, repeated. Traced by tracemalloc, which sees what Python "
            f"allocates. At most {MEMORY_ALLOWED // 2**20} MiB are allowed.",
        ],
    )


def write_plot(path: Path, bench: Bench) -> None:
    """Draw time and peak memory over the text's length as SVG, one column of panels per limit."""
    import matplotlib as mpl  # slow to import, and needed here only
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    seconds, _, peaks = _group_growing(bench)
    grouped = (seconds, peaks)
    limits = list(dict.fromkeys(limit for limit, _ in grouped[0]))
    shapes = list(dict.fromkeys(shape for _, shape in grouped[0]))
    splitters = list(dict.fromkeys(each.splitter for each in bench.growth))
    colours = {shape: mpl.colormaps["tab20"](at % 20) for at, shape in enumerate(shapes)}
    # Ours are drawn through, LangChain dotted.
    styles: dict[str, LineStyleType] = {
        splitter: (0, (1, 1)) if splitter == BASELINE else (0, (6, at)) if at else "-"
        for at, splitter in enumerate(splitters)
    }
    sizes = sorted({each.code_points for each in bench.growth})
    figure = Figure(figsize=(3 * len(limits) + 2, 7), layout="constrained")
    panels = figure.subplots(2, len(limits), sharex=True, sharey="row", squeeze=False)
    for column, limit in enumerate(limits):
        for panel, growing, unit in zip(panels[:, column], grouped, (1, 2**20), strict=True):
            for (here, shape), by_splitter in growing.items():
                for splitter, values in by_splitter.items():
                    if here == limit:
                        style: dict[str, Any] = {
                            "color": colours[shape],
                            "linestyle": styles[splitter],
                        }
                        drawn = [value / unit for value in values.values()]
                        panel.plot(list(values), drawn, linewidth=1, **style)
            panel.set_xscale("log")
            panel.set_xticks(sizes, [f"{size / 1e6:g}" for size in sizes])
            panel.set_xticks([], minor=True)
            panel.set_yscale("log")
            panel.grid(visible=True, alpha=0.3)
        panels[0, column].set_title(f"limit {limit:,}")
        panels[1, column].set_xlabel("million code points")
    panels[0, 0].set_ylabel("seconds")
    panels[1, 0].set_ylabel("peak MiB, segments included")
    lines = [Line2D([], [], color=colours[shape], label=shape) for shape in shapes]
    lines += [Line2D([], [], color="black", linestyle=styles[s], label=s) for s in splitters]
    figure.legend(handles=lines, loc="outside right upper", fontsize="small")
    svg = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "segbench"}):
        figure.savefig(svg, format="svg", metadata={"Date": None})
    with open_replacing(path) as file:
        file.write(svg.getvalue())
