"""Shows what splitters make of one text, at the terminal or as a page."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.style import Style
from rich.table import Table as RichTable
from rich.text import Text

from corpora import Document
from harness.claims.migration import classify_segments
from harness.measure.excerpts import view_segments
from harness.report.signs import SIGNS, find_sign
from harness.report.tables import Column, Table, show_count
from harness.report.terminal import print_table
from harness.results.atomic import open_replacing
from harness.results.errors import MeasurementError
from harness.results.model import Excerpt, Failure, View, Violation, Workload
from harness.runner.pool import SplitterPool
from harness.runner.process import SplitterError
from harness.splitters.registry import Splitter

TEXT = "text"
_NARROWEST = 36  # columns of a terminal, for one splitter beside another
_BANDS = (Style(bgcolor="#1f4e79", color="#ffffff"), Style(bgcolor="#6b4c00", color="#ffffff"))
_LOST = Style(bgcolor="#a11d33", color="#ffffff", strike=True)
_MARK = Style(color="#d55e00", bold=True)
_BOUNDARY = "▏"


@dataclass(frozen=True, slots=True)
class Shown:
    """A text seen through splitters at limits; which of them failed, and why."""

    excerpt: Excerpt
    failures: Sequence[Failure] = ()


def view_text(
    name: str,
    content: bytes,
    splitters: Sequence[Splitter],
    limits: Sequence[int],
    pool: SplitterPool,
) -> Shown:
    """See a whole text, given as UTF-8, through every splitter at every limit.

    Raises MeasurementError where it is not UTF-8 or empty.
    """
    try:
        text = content.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise MeasurementError(
            f"{name} is not UTF-8 at byte {error.start:,}; convert it first"
        ) from error
    if not text:
        raise MeasurementError(f"{name} is empty, so there is nothing to show")
    document = Document(name, text)
    views, failures = [], []
    for limit in limits:
        for splitter in splitters:
            workload = Workload(TEXT, splitter.name, limit)
            try:
                (segments,) = pool.split(splitter, [(name, text)], limit)
            except SplitterError as error:
                failures.append(Failure(workload, error.status, error.detail, error.frames))
            else:
                views.append(
                    view_segments(
                        document, segments, workload, 0, len(text), splitter.not_applicable
                    )
                )
    return Shown(Excerpt(TEXT, "", name, len(text), 0, text, views), failures)


def write_page(path: Path, shown: Shown) -> None:
    """Write a page that shows the text, complete in itself.

    Raises MeasurementError where it cannot be written.
    """
    from harness.report.html import render_excerpt  # matplotlib, which is slow

    with open_replacing(path) as file:
        file.write(render_excerpt(shown.excerpt))


def print_shown(shown: Shown, console: Console) -> None:
    """Print the text once a limit and splitter, side by side where there is room, then what they
    came to and what a change from the first splitter to another would cost."""
    excerpt = shown.excerpt
    for limit, views in _by_limit(excerpt):
        room = max(1, console.width // _NARROWEST)
        for start in range(0, len(views), room):
            grid = RichTable.grid(expand=True, padding=(0, 1))
            beside = views[start : start + room]
            for _ in beside:
                grid.add_column(ratio=1, overflow="fold")
            plain = console.color_system is None
            grid.add_row(*(_render_view(excerpt, view, plain=plain) for view in beside))
            console.print(grid)
            console.print()
        print_table(tabulate_views(excerpt, views, limit), console)
        if len(views) > 1:
            print_table(tabulate_migrations(excerpt, views, limit), console)
    console.print(_explain(excerpt, plain=console.color_system is None))


def _by_limit(excerpt: Excerpt) -> Iterator[tuple[int, list[View]]]:
    for limit, views in groupby(excerpt.views, key=lambda view: view.max_chunk_length):
        yield limit, list(views)


def _render_view(excerpt: Excerpt, view: View, *, plain: bool) -> RenderableType:
    title = Text(f"{view.splitter} at {view.max_chunk_length:,}", style="bold underline")
    return Group(title, render_bands(excerpt, view, plain=plain))


def render_bands(excerpt: Excerpt, view: View, *, plain: bool = False) -> Text:
    """The text with a colour a segment, a bar where each begins, lost characters struck through,
    and the name of the rule wherever one is broken. ``plain`` tells the same without colours:
    lost characters stand between brackets."""
    notes: defaultdict[int, list[str]] = defaultdict(list)
    too_long: defaultdict[int, list[str]] = defaultdict(list)
    for violation in view.violations:
        if violation.rule == "fits":
            too_long[violation.start].append(f"fits: {violation.detail}")
        else:
            notes[violation.start].append(name_violation(violation))
    marked = {
        span.start
        for span in view.spans
        if span.start in too_long and span.end - span.start > view.max_chunk_length
    }
    for place in marked:
        too_long[place].pop()  # what was added there comes before it
    for place, text in view.added:
        notes[place].append(f"added {_make_visible(text)}")
    for place in {place for place, _ in view.added}:
        notes[place] += too_long[place]
    shown = Text()

    def note(text: str) -> None:
        shown.append(f"⟨{text}⟩", _MARK)

    def append(start: int, end: int, style: Style) -> None:
        for place in range(start, end):
            for text in notes.pop(place, ()):
                note(text)
            character = excerpt.text[place - excerpt.start]
            shown.append(_make_visible(character), style)
            if character == "\n":
                shown.append("\n")

    def lose(start: int, end: int) -> None:
        if start < end:
            shown.append("⟦" if plain else "")
            append(start, end, _LOST)
            shown.append("⟧" if plain else "")

    end = excerpt.start
    for number, span in enumerate(view.spans):
        lose(end, span.start)
        band = _BANDS[number % 2]
        shown.append(_BOUNDARY, band + _MARK)
        if span.start in marked:
            note(f"fits: {span.end - span.start:,} > {view.max_chunk_length:,}")
        append(max(span.start, end), min(span.end, excerpt.end), band)
        end = max(end, span.end)
    lose(end, excerpt.end)
    for texts in notes.values():  # at the very end
        for text in texts:
            note(text)
    return shown


def name_violation(violation: Violation) -> str:
    """The rule, and whether no splitter could keep it."""
    return f"{violation.rule}, forced" if violation.forced else violation.rule


def tabulate_views(excerpt: Excerpt, views: Sequence[View], limit: int) -> Table:
    """A row a splitter: its segments, and what it broke."""
    rows = []
    for view in views:
        broken = Counter(map(name_violation, view.violations))
        rows.append(
            (
                view.splitter,
                view.segments,
                max((span.end - span.start for span in view.spans), default=0),
                len(excerpt.text) - len({at for s in view.spans for at in range(s.start, s.end)}),
                "; ".join(f"{rule} ({number:,})" for rule, number in broken.items()) or "none",
            )
        )
    return Table(
        f"At {limit:,}",
        [
            Column("splitter", numeric=False),
            Column("segments", show_count),
            Column("longest", show_count),
            Column("characters lost", show_count, faults=True),
            Column("rules broken", numeric=False),
        ],
        rows,
    )


def tabulate_migrations(excerpt: Excerpt, views: Sequence[View], limit: int) -> Table:
    """A row for each change from the first splitter to another: what of the new segments was
    stored before. Segments that the text does not hold are left out."""
    before, *others = views
    rows = []
    for after in others:
        kinds = Counter(classify_segments(excerpt.text, before.spans, after.spans))
        total = len(after.spans)
        rows.append(
            (
                f"{before.splitter} → {after.splitter}",
                kinds["same"],
                kinds["edges"],
                kinds["moved"],
                (kinds["edges"] + kinds["moved"]) / total if total else None,
                kinds["moved"] / total if total else None,
            )
        )
    return Table(
        f"Changing the splitter at {limit:,}",
        [
            Column("change", numeric=False),
            Column("same", show_count),
            Column("other edges", show_count),
            Column("moved", show_count),
            Column("to embed again", "{:.0%}".format),
            Column("if stripped first", "{:.0%}".format),
        ],
        rows,
        [
            "Segments of the new splitter: the same as before, the same but for whitespace at the "
            "ends, or cut elsewhere."
        ],
    )


def _explain(excerpt: Excerpt, *, plain: bool) -> Text:
    """What the signs mean that stand for the text's characters."""
    lost = "⟦ ⟧" if plain else "struck through"
    found = [f"{sign} {name}" for c, (sign, name) in SIGNS.items() if c in excerpt.text]
    return Text(f"{_BOUNDARY} a segment begins  {'  '.join(found)}  {lost}: lost", style="dim")


def _make_visible(text: str) -> str:
    return "".join(find_sign(character) or character for character in text)
