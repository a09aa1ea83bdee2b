"""Shows what splitters make of one text, at the terminal or as a page."""

from bisect import bisect_right
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from pathlib import Path

from rich.console import Console
from rich.style import Style
from rich.table import Table as RichTable
from rich.text import Text

from harness.report import safe
from harness.report.columns import AtLeast, Column, Table, figures, show_loss, words
from harness.report.migration import classify_segments
from harness.report.signs import NAMED_SIGNS, find_sign
from harness.report.terminal import print_table
from harness.results.atomic import open_replacing
from harness.results.model import Excerpt, View, Violation

_NARROWEST = 36  # columns of a terminal, for one splitter beside another
_BANDS = (Style(bgcolor="#1f4e79", color="#ffffff"), Style(bgcolor="#6b4c00", color="#ffffff"))
_LOST = Style(bgcolor="#a11d33", color="#ffffff", strike=True)
_MARK = Style(color="#d55e00", bold=True)
_BOUNDARY = "▏"
_BLOCK = 2_000  # code points that are laid out at a time
_MOST = 50_000  # code points that are printed


def write_excerpt_page(path: Path, excerpt: Excerpt) -> None:
    """Write a page that shows the text, complete in itself.

    Raises MeasurementError if it cannot be written.
    """
    from harness.report.html import render_excerpt  # matplotlib, which is slow

    with open_replacing(path) as file:
        file.write(render_excerpt(excerpt))


def print_shown(excerpt: Excerpt, console: Console) -> None:
    """Print the text once per limit and splitter, side by side if there is room, then tables.

    They tell what the splitters came to, and what a change from the first splitter to another would
    cost. Of a long text the beginning is printed; the tables are of all of it.
    """
    ends = _cut_blocks(excerpt)
    shown_blocks = max(1, bisect_right(ends, excerpt.start + _MOST))
    left = excerpt.end - ends[:shown_blocks][-1]
    for limit, views in _by_limit(excerpt):
        room = max(1, console.width // _NARROWEST)
        for start in range(0, len(views), room):
            beside = views[start : start + room]
            titles = [_make_title(view) for view in beside]
            _print_beside(titles, console)
            plain = console.color_system is None
            drawn = [draw_blocks(excerpt, view, plain=plain) for view in beside]
            for blocks in islice(zip(*drawn, strict=True), shown_blocks):
                _print_beside(blocks, console)
            if left:
                console.print(Text(f"… {left:,} more code points; --html shows them", style="dim"))
            console.print()
        print_table(tabulate_views(excerpt, views, limit), console)
        if len(views) > 1:
            print_table(tabulate_migrations(excerpt, views, limit), console)
    console.print(_explain(excerpt, plain=console.color_system is None))


def _by_limit(excerpt: Excerpt) -> Iterator[tuple[int, list[View]]]:
    for limit, views in groupby(excerpt.views, key=lambda view: view.max_chunk_length):
        yield limit, list(views)


def _make_title(view: View) -> Text:
    name = safe.line(view.splitter)
    return Text(f"{name} at {view.max_chunk_length:,}", style="bold underline")


def _print_beside(columns: Sequence[Text], console: Console) -> None:
    grid = RichTable.grid(expand=True, padding=(0, 1))
    for _ in columns:
        grid.add_column(ratio=1, overflow="fold")
    grid.add_row(*columns)
    console.print(grid)


def draw_blocks(excerpt: Excerpt, view: View, *, plain: bool = False) -> Iterator[Text]:
    """The text with a colour per segment, a bar where each begins, and what is lost or broken.

    Lost characters are struck through; the name of a rule stands wherever it is broken. ``plain``
    tells the same without colours: lost characters stand between brackets. It comes in the blocks
    of ``_cut_blocks``, so those of several views can stand side by side.
    """
    notes, over = _find_notes(view)
    noted = deque(sorted(notes))
    ends = iter(_cut_blocks(excerpt))
    block_end = next(ends)
    shown = Text()

    def note(texts: Iterable[str]) -> None:
        for text in texts:
            shown.append(f"⟨{text}⟩", _MARK)

    def turn(place: int) -> Iterator[Text]:
        """The block that ends at a place, if one does and there is text after it."""
        nonlocal shown, block_end
        if place == block_end < excerpt.end:
            if shown.plain.endswith("\n"):  # every block begins on a line of its own
                shown.right_crop(1)
            yield shown
            shown, block_end = Text(), next(ends)

    def draw(start: int, end: int, style: Style) -> Iterator[Text]:
        while start < end:
            yield from turn(start)
            if noted and noted[0] == start:
                note(notes.pop(noted.popleft()))
            while noted and noted[0] <= start:
                noted.popleft()  # before the excerpt: said at the very end
            stop = min(end, block_end, noted[0] if noted else end)
            *lines, last = excerpt.text[start - excerpt.start : stop - excerpt.start].split("\n")
            for line in lines:
                shown.append(_make_visible(f"{line}\n"), style)
                shown.append("\n")
            shown.append(_make_visible(last), style)
            start = stop

    def lose(start: int, end: int) -> Iterator[Text]:
        if start < end:
            yield from turn(start)
            shown.append("⟦" if plain else "")
            yield from draw(start, end, _LOST)
            shown.append("⟧" if plain else "")

    reached = excerpt.start
    for number, span in enumerate(view.spans):
        yield from lose(reached, span.start)
        reached = max(reached, span.start)
        yield from turn(reached)
        band = _BANDS[number % 2]
        shown.append(_BOUNDARY, band + _MARK)
        if span.start in over:
            note([f"fits: {span.end - span.start:,} > {view.max_chunk_length:,}"])
        end = min(span.end, excerpt.end)
        yield from draw(reached, end, band)
        reached = max(reached, end)
    yield from lose(reached, excerpt.end)
    for place in sorted(notes):
        note(notes[place])
    yield shown


def _find_notes(view: View) -> tuple[dict[int, list[str]], set[int]]:
    """What is said at each offset, and where segments begin that are too long."""
    notes: defaultdict[int, list[str]] = defaultdict(list)
    too_long: defaultdict[int, list[str]] = defaultdict(list)
    for violation in view.violations:
        if violation.rule == "fits":
            too_long[violation.start].append(f"fits: {safe.line(violation.detail)}")
        else:
            notes[violation.start].append(safe.line(name_violation(violation)))
    over = {
        span.start
        for span in view.spans
        if span.start in too_long and span.end - span.start > view.max_chunk_length
    }
    for place in over:
        too_long[place].pop()  # what was added there comes before it
    for place, text in view.added:
        notes[place].append(f"added {_make_visible(text)}")
    for place in {place for place, _ in view.added}:
        notes[place] += too_long[place]
    return {place: texts for place, texts in notes.items() if texts}, over


def _cut_blocks(excerpt: Excerpt) -> list[int]:
    """Offsets at which the text is cut: after a newline if there is one within reach."""
    text = excerpt.text
    ends = []
    end = 0
    while end < len(text):
        start, end = end, min(end + _BLOCK, len(text))
        newline = text.rfind("\n", start, end) + 1
        if end < len(text) and newline > start:
            end = newline
        ends.append(excerpt.start + end)
    return ends or [excerpt.end]


def name_violation(violation: Violation) -> str:
    """The rule, and whether no splitter could keep it."""
    return f"{violation.rule}, unavoidable" if violation.unavoidable else violation.rule


def tabulate_views(excerpt: Excerpt, views: Sequence[View], limit: int) -> Table:
    """One row per splitter: its segments, and what it broke."""
    return Table(
        f"At {limit:,}",
        [
            words("splitter"),
            figures("segments"),
            figures(
                "longest",
                lambda view: max((span.end - span.start for span in view.spans), default=0),
            ),
            Column("lost whitespace", _read_loss("lost_whitespace"), show_loss, faults=True),
            Column("lost content", _read_loss("lost_content"), show_loss, faults=True),
            words("rules broken", _tell_broken),
        ],
        views,
    )


def _tell_broken(view: View) -> str:
    broken = Counter(map(name_violation, view.violations))
    return "; ".join(f"{rule} ({number:,})" for rule, number in broken.items()) or "none"


def _read_loss(name: str) -> Callable[[View], int | None]:
    """Reads what the document loses, as the loss calls it."""

    def read(view: View) -> int | None:
        if view.loss is None:
            return None
        lost: int = getattr(view.loss, name)
        return lost if view.loss.exact else AtLeast(lost)

    return read


def tabulate_migrations(excerpt: Excerpt, views: Sequence[View], limit: int) -> Table:
    """One row per change from the first splitter to another: which new segments were stored before.

    Segments that the text does not hold are left out.
    """
    before, *others = views
    records = []
    for after in others:
        kinds = Counter(classify_segments(excerpt.text, before.spans, after.spans))
        total = max(1, len(after.spans))
        records.append(
            {
                "change": f"{before.splitter} → {after.splitter}",
                "kinds": kinds,
                "changed": (kinds["edges"] + kinds["moved"]) / total if after.spans else None,
                "changed_stripped": kinds["moved"] / total if after.spans else None,
            }
        )
    return Table(
        f"Changing the splitter at {limit:,}",
        [
            words("change"),
            figures("same", "kinds.same"),
            figures("other edges", "kinds.edges"),
            figures("moved", "kinds.moved"),
            Column("to embed again", "changed", "{:.0%}".format),
            Column("if stripped first", "changed_stripped", "{:.0%}".format),
        ],
        records,
        [
            "Segments of the new splitter: the same as before, the same but for whitespace at the "
            "ends, or cut elsewhere."
        ],
    )


def _explain(excerpt: Excerpt, *, plain: bool) -> Text:
    """What the signs mean that stand for the text's characters."""
    lost = "⟦ ⟧" if plain else "struck through"
    found = [f"{sign} {name}" for c, (sign, name) in NAMED_SIGNS.items() if c in excerpt.text]
    return Text(f"{_BOUNDARY} a segment begins  {'  '.join(found)}  {lost}: lost", style="dim")


class _Signs(dict[int, str]):
    """What is drawn for each code point; learned as they come."""

    def __missing__(self, code_point: int) -> str:
        character = chr(code_point)
        self[code_point] = shown = find_sign(character) or character
        return shown


_SIGNS = _Signs()


def _make_visible(text: str) -> str:
    return text.translate(_SIGNS)
