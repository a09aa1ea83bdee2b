"""Plots as SVG elements for a page: text as text, colours as the page's own CSS variables."""

import html
import io
import math
import re
import warnings
from collections.abc import Container, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from harness.report import safe
from harness.report.columns import Spread, show_digits
from harness.results.model import Growth

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Stand-ins that matplotlib can draw with, each replaced by what the page says. Series are told
# apart by their marks too.
_INK, _FAINT, _MARK = "#010203", "#040506", "#070809"
_SERIES = [f"#0a0b{number:02x}" for number in range(8)]
_COLOURS = {
    _INK: "var(--ink)",
    _FAINT: "var(--faint)",
    _MARK: "var(--mark)",
    **{colour: f"var(--series-{number})" for number, colour in enumerate(_SERIES)},
}
_SYMBOLS = "osD^vPX*"
_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "segbench",
    "text.parse_math": False,  # a name may have a dollar sign
    "font.family": "sans-serif",
    "font.size": 10,
    "text.color": _INK,
    "axes.labelcolor": _INK,
    "axes.edgecolor": _FAINT,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": _FAINT,
    "xtick.labelcolor": _INK,
    "ytick.color": _FAINT,
    "ytick.labelcolor": _INK,
    "grid.color": _FAINT,
    "grid.linewidth": 0.5,
}
_WIDTH = 4.5  # inches, of 72 pixels each
_MOST_OF_A_NAME = 40


class Plot(NamedTuple):
    """An SVG element and its title."""

    title: str
    svg: str


def plot_spreads(
    title: str,
    axis: str,
    rows: Sequence[tuple[str, Spread]],
    ends: tuple[float, float],
    *,
    line: float | None = None,
) -> Plot:
    """One row per name: the median as a dot, lowest to highest as a bar.

    The axis is logarithmic and holds the ``ends``; with a line at ``line``.
    """
    with mpl.rc_context(_STYLE):
        figure, axes = _start_rows([name for name, _ in rows])
        for place, (_, spread) in enumerate(rows):
            axes.plot(
                [spread.low, spread.high], [place, place], color=_MARK, linewidth=3, alpha=0.45
            )
            axes.plot(spread.median, place, "o", color=_MARK, markersize=6)
            axes.annotate(
                f"{spread.median:.2f}" if line else show_digits(spread.median),
                (max(spread.high, spread.median), place),
                xytext=(6, 0),
                textcoords="offset points",
                va="center",
                fontsize=9,
            )
        _mark_axis(axes, *ends)
        if line:
            axes.axvline(line, color=_INK, linewidth=1, linestyle=(0, (3, 3)), zorder=0)
        axes.set_xlabel(axis)
        return _draw(figure, title)


def plot_shares(title: str, axis: str, rows: Sequence[tuple[str, float]]) -> Plot:
    """One bar per name, of a share of 1."""
    with mpl.rc_context(_STYLE):
        figure, axes = _start_rows([name for name, _ in rows])
        places = range(len(rows))
        shares = [share for _, share in rows]
        axes.barh(places, shares, height=0.6, color=_MARK)
        for place, share in enumerate(shares):
            axes.annotate(
                f"{share:.0%}",
                (share, place),
                xytext=(5, 0),
                textcoords="offset points",
                va="center",
                fontsize=9,
            )
        axes.set_xlim(0, max(1, *shares) * 1.12)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0%}"))
        axes.set_xlabel(axis)
        return _draw(figure, title)


def plot_stacks(
    title: str, axis: str, parts: Sequence[str], rows: Sequence[tuple[str, Sequence[float]]]
) -> Plot:
    """A bar per name, stacked of a share of 1 for each of the parts, with a legend."""
    with mpl.rc_context(_STYLE):
        figure, axes = _start_rows([name for name, _ in rows])
        for number, part in enumerate(parts):
            axes.barh(
                range(len(rows)),
                [shares[number] for _, shares in rows],
                left=[sum(shares[:number]) for _, shares in rows],
                height=0.6,
                color=_SERIES[number],
                label=part,
            )
        axes.set_xlim(0, 1)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0%}"))
        axes.set_xlabel(axis)
        figure.set_figheight(figure.get_figheight() + 1)
        figure.legend(loc="outside lower center", ncols=3, frameon=False, labelcolor=_INK)
        return _draw(figure, title)


def plot_growth(title: str, measured: Sequence[Growth], named: Container[str] = ()) -> Plot:
    """One line per splitter: seconds by code points, both logarithmic.

    Where there are more than can be told apart, only the ``named`` ones have a colour.
    """
    splitters = list(dict.fromkeys(one.splitter for one in measured))
    lines = [
        (s, sorted((m.code_points, m.seconds) for m in measured if m.splitter == s))
        for s in splitters
    ]
    with mpl.rc_context(_STYLE):
        figure, axes = _start_lines(lines, named)
        lengths = sorted({one.code_points for one in measured})
        _use_logarithms(axes, "x", lengths)
        seconds = [one.seconds for one in measured if one.seconds > 0]
        lowest, highest = (math.floor(math.log10(end(seconds))) for end in (min, max))
        powers = range(lowest, highest + 2)
        marks = [10.0**power for power in powers]
        _use_logarithms(axes, "y", marks)
        axes.set_ylim(marks[0], marks[-1])
        axes.set_xlabel("code points of the text")
        axes.set_ylabel("seconds")
        return _draw(figure, title)


def plot_recall(
    title: str, lines: Sequence[tuple[str, Sequence[tuple[float, float]]]], named: Container[str]
) -> Plot:
    """A line per splitter: recall by budget; colours as in ``plot_growth``."""
    with mpl.rc_context(_STYLE):
        figure, axes = _start_lines(lines, named)
        budgets = sorted({budget for _, points in lines for budget, _ in points})
        _use_logarithms(axes, "x", budgets)
        axes.set_ylim(
            0, min(1, 1.1 * max(recall for _, points in lines for _, recall in points)) or 1
        )
        axes.set_xlabel("budget, code points")
        axes.set_ylabel("recall")
        return _draw(figure, title)


def _start_lines(
    lines: Sequence[tuple[str, Sequence[tuple[float, float]]]], named: Container[str]
) -> "tuple[Figure, Axes]":
    """A figure of lines with their legend.

    All have a colour if they can be told apart, else the ``named`` ones.
    """
    told = [name for name, _ in lines if len(lines) <= len(_SERIES) or name in named]
    figure = Figure(figsize=(_WIDTH, 3.6), layout="constrained")
    axes = figure.subplots()
    for name, points in lines:
        if name in told:
            number = told.index(name) % len(_SERIES)
            look: dict[str, Any] = {
                "color": _SERIES[number],
                "marker": _SYMBOLS[number],
                # Legends leave out what begins with an underscore.
                "label": safe.line(name, _MOST_OF_A_NAME).lstrip("_"),
            }
        else:
            look = {"color": _FAINT, "zorder": 1}
        axes.plot(*zip(*points, strict=True), **look)
    if len(told) < len(lines):
        axes.plot([], [], color=_FAINT, label="others")
    axes.grid(visible=True)
    figure.legend(loc="outside lower center", ncols=2, frameon=False, labelcolor=_INK)
    return figure, axes


def _start_rows(names: Sequence[str]) -> "tuple[Figure, Axes]":
    figure = Figure(figsize=(_WIDTH, 0.75 + 0.3 * len(names)), layout="constrained")
    axes = figure.subplots()
    axes.set_yticks(range(len(names)), [safe.line(name, _MOST_OF_A_NAME) for name in names])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=True, axis="x")
    axes.set_axisbelow(True)
    return figure, axes


def _mark_axis(axes: "Axes", low: float, high: float) -> None:
    """Ticks at 1, 2 and 5 times a power of ten, with room at the right for a label."""
    low, high = low / 1.15, high * 1.6
    marks = [step * 10.0**power for power in range(-9, 10) for step in (1, 2, 5)]
    shown = [mark for mark in marks if low <= mark <= high]
    _use_logarithms(axes, "x", shown[:: max(1, len(shown) // 6)])
    axes.set_xlim(low, high)


def _use_logarithms(axes: "Axes", name: Literal["x", "y"], ticks: Sequence[float]) -> None:
    axes.set(**{f"{name}scale": "log"})
    axis = axes.xaxis if name == "x" else axes.yaxis
    axis.set_major_locator(FixedLocator(ticks))
    axis.set_major_formatter(
        FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 1 else f"{value:g}")
    )
    axis.set_minor_locator(NullLocator())


def _draw(figure: Figure, title: str) -> Plot:
    """The figure as an SVG element named ``title``, which no other plot of a page may have."""
    buffer = io.StringIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # the page's font draws the text
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    svg = buffer.getvalue()
    for waste in (r"<metadata>.*?</metadata>\s*", r"<!--.*?-->\s*", r"<style.*?</style>\s*"):
        svg = re.sub(waste, "", svg, flags=re.DOTALL)
    for colour, variable in _COLOURS.items():
        svg = svg.replace(colour, variable)
    svg = re.sub(r"font-family: [^;\"]+; ", "", svg)  # the page's
    title = safe.line(title)
    name = re.sub(r"\W+", "-", title)
    svg = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", svg)
    start, _, body = svg.partition("<svg ")[2].partition(">")
    (view_box,) = re.findall(r'viewBox="[^"]+"', start)
    return Plot(
        title,
        f'<svg {view_box} xmlns:xlink="http://www.w3.org/1999/xlink" role="img" '
        f'aria-labelledby="{name}-title"><title id="{name}-title">{html.escape(title)}</title>{body}',
    )
