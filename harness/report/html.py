"""The report of a run as one page, complete in itself: no request to anywhere.

Documents reach the page as JSON in a script element that is not run, and are shown as text.
Everything else goes through ``harness.report.safe``, whatever a template shows. Should markup come
through all the same, the page's Content-Security-Policy runs no script but its own.
"""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

import jinja2
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from harness.report import plots, retrieval, safe, tables
from harness.report.columns import Spread, show_count
from harness.report.plots import Plot
from harness.report.signs import NAMED_SIGNS, show_signs
from harness.results.estimates import Estimate
from harness.results.model import BASELINE, PLACES, Excerpt, Failure, Run, View
from harness.results.verdict import IN_HOUSE
from harness.results.viewer import pack_excerpt

_MOST_SPLITTERS = 3  # that are shown side by side when the page opens


def render_report_page(run: Run, bias: str = "") -> str:
    """The whole report; ``bias`` is Markdown whose headings begin at the third level."""
    return _template("report.html.j2").render(
        run=run,
        tables=tables,
        bias=bias,
        plots=_plot(run),
        viewed={view.splitter for excerpt in run.excerpts for view in excerpt.views},
        viewer=_pack(run.excerpts, run.failures, run.environment.baseline),
    )


def render_retrieval_page(run: Run) -> str:
    """The report of a run that measured what is found again."""
    return _template("retrieval.html.j2").render(
        run=run, tables=tables, retrieval=retrieval, plots=_plot_recalls(run)
    )


def render_excerpt(excerpt: Excerpt) -> str:
    """A page of one text and nothing else."""
    return _template("show.html.j2").render(name=excerpt.document, viewer=_pack([excerpt]))


def _template(name: str) -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("harness.report"),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=safe.finish_html,
    )
    environment.filters |= {
        "sentence": safe.sentence,
        "markdown": _render_markdown,
        "order": _find_order,
        "embed": safe.embed,
        "parts": retrieval.cut_parts,
        "sign": _mark_signs,
    }
    script = _read_asset("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    environment.globals |= {
        "script": script,
        "script_digest": Markup(f"sha256-{digest}"),
        "style": _read_asset("page.css"),
    }
    return environment.get_template(name)


def _read_asset(name: str) -> Markup:
    return Markup(resources.files(__package__).joinpath("templates", name).read_text("utf-8"))


def _mark_signs(text: str) -> Markup:
    """Foreign text of any length, with signs for what cannot be seen."""
    return escape(show_signs(text))


def _render_markdown(text: str) -> Markup:
    return Markup(MarkdownIt("commonmark", {"html": False}).enable("table").render(text))


def _find_order(value: object) -> object:
    """What a cell is sorted by: a number or a text; empty if nothing was measured."""
    if isinstance(value, Estimate):
        return value.ratio
    if isinstance(value, Spread):
        return value.median
    if isinstance(value, tuple):
        return value[0]
    return "" if value is None else value


def _plot(run: Run) -> Mapping[str, Sequence[Plot]]:
    """By section."""
    return {
        "speed": _plot_speed(run),
        "cuts": _plot_cuts(run),
        "lengths": _plot_lengths(run),
        "growth": _plot_growth(run),
    }


def _plot_speed(run: Run) -> list[Plot]:
    """One plot per limit, on one scale: how many times as fast as the baseline."""
    found = [
        (limit, splitter, Spread(each.ratio, each.low, each.high))
        for (splitter, limit), each in tables.estimate_speed(run).items()
    ]
    values = [1.0, *(value for _, _, spread in found for value in (spread.low, spread.high))]
    return [
        plots.plot_spreads(
            f"Speed at limit {limit:,}",
            f"{tables.title_speed(run)} (more is faster)",
            [(splitter, spread) for at, splitter, spread in found if at == limit],
            (min(values), max(values)),
            line=1.0,
        )
        for limit in dict.fromkeys(limit for limit, _, _ in found)
    ]


def _plot_lengths(run: Run) -> list[Plot]:
    full = [record for record in tables.lengths(run).records if record["share"] is not None]
    return [
        plots.plot_shares(
            f"How full at limit {limit:,}",
            "mean length ÷ limit",
            [(record["splitter"], record["share"]) for record in full if record["limit"] == limit],
        )
        for limit in dict.fromkeys(record["limit"] for record in full)
    ]


def _plot_cuts(run: Run) -> list[Plot]:
    """One plot per limit: a bar per splitter, stacked by place."""
    table = tables.cuts(run)
    places = list(dict.fromkeys(row.place for row in run.cuts if row.place))
    return [
        plots.plot_stacks(
            f"Boundaries at limit {limit:,}",
            "share of the boundaries",
            places,
            [
                (record["splitter"], [record[place] for place in places])
                for record in table.records
                if record["limit"] == limit
            ],
        )
        for limit in dict.fromkeys(record["limit"] for record in table.records)
    ]


def _plot_growth(run: Run) -> list[Plot]:
    return [
        plots.plot_growth(
            f"Time by length: {shape} at {limit:,}",
            [g for g in run.growth if (g.shape, g.max_chunk_length) == (shape, limit)],
            (IN_HOUSE, run.environment.baseline),
        )
        for shape, limit in dict.fromkeys((g.shape, g.max_chunk_length) for g in run.growth)
    ]


def _pack(
    excerpts: Sequence[Excerpt], failures: Sequence[Failure] = (), baseline: str = BASELINE
) -> dict[str, Any]:
    """What the viewer needs."""
    return {
        "excerpts": [pack_excerpt(excerpt) for excerpt in excerpts],
        "failures": [
            [
                failure.workload.corpus,
                failure.workload.splitter,
                failure.workload.max_chunk_length,
                safe.line(f"{failure.status}: {failure.detail}"),
            ]
            for failure in failures
        ],
        "signs": NAMED_SIGNS,
        "places": PLACES,
        "opening": _choose_opening(excerpts, baseline),
    }


def _choose_opening(excerpts: Sequence[Excerpt], baseline: str) -> dict[str, Any] | None:
    """The excerpt, limit and splitters to show when the page opens.

    At that excerpt and limit the most rules are broken. The splitters are the in-house one, the
    baseline, and those that break the most rules.
    """
    places = {
        (number, limit): [view for view in excerpt.views if view.max_chunk_length == limit]
        for number, excerpt in enumerate(excerpts)
        for limit in {view.max_chunk_length for view in excerpt.views}
    }
    if not places:
        return None
    number, limit = max(
        places,
        key=lambda place: (
            len({rule for view in places[place] for rule in _find_broken(view)}),
            place[1],
            -place[0],
        ),
    )
    views = sorted(
        places[number, limit],
        key=lambda view: (
            view.splitter != IN_HOUSE,
            view.splitter != baseline,
            -len(_find_broken(view)),
        ),
    )
    return {
        "excerpt": number,
        "limit": limit,
        "splitters": [view.splitter for view in views[:_MOST_SPLITTERS]],
    }


def _find_broken(view: View) -> set[str]:
    return {violation.rule for violation in view.violations if not violation.unavoidable}


def _plot_recalls(run: Run) -> list[Plot]:
    """One plot per corpus, limit and retriever, if there is more than one budget."""
    drawn = []
    for corpus, limit in retrieval.settings(run):
        rows = [r for r in run.retrievals if r.workload.corpus == corpus]
        rows = [r for r in rows if r.workload.max_chunk_length == limit]
        for retriever in dict.fromkeys(row.retriever for row in rows):
            lines = [
                (
                    splitter,
                    [
                        (row.budget, row.recall)
                        for row in rows
                        if (row.workload.splitter, row.retriever) == (splitter, retriever)
                    ],
                )
                for splitter in dict.fromkeys(row.workload.splitter for row in rows)
            ]
            if max(len(points) for _, points in lines) > 1:
                title = f"Recall by budget: {corpus} at {show_count(limit)}, {retriever}"
                drawn.append(plots.plot_recall(title, lines, (IN_HOUSE, run.environment.baseline)))
    return drawn
