"""A slow, literal reading of the rules: what the fast segmenter is compared with.

It builds every list that the definition speaks of, one character and one separator at a time, and
shares no code with `segmenter`.
"""

import itertools
from collections.abc import Iterator, Sequence

SEPARATORS = [
    "\n\n",
    "],\n",
    "},\n",
    "),\n",
    "]\n",
    "}\n",
    ")\n",
    ",\n",
    "？\n",
    "?\n",
    "！\n",
    "!\n",
    "。\n",
    ".\n",
    "？",
    "? ",
    "！",
    "! ",
    "。",
    ". ",
    "; ",
    ": ",
    "—",
    "--",
    "，",
    "、",
    ", ",
    "\u200b",
    " ",
]


# What a text is cut after; or what stands before a cut, and what stands after it.
Separator = str | tuple[str, str]


def split(text: str, limit: int, separators: Sequence[Separator] = SEPARATORS) -> list[str]:
    return [text[start:end] for start, end in spans(text, limit, separators)]


def spans(
    text: str, limit: int, separators: Sequence[Separator] = SEPARATORS
) -> list[tuple[int, int]]:
    if not text:
        return []
    cut_of_run = _cut_of_each_run(text)
    pairs = [(each, "") if isinstance(each, str) else each for each in [*separators, ""]]
    return list(_split(text, 0, len(text), limit, pairs, cut_of_run))


def _cut_of_each_run(text: str) -> dict[int, int | None]:
    """For every position that touches whitespace, the cut of that run; None at the text's edges."""
    cuts: dict[int, int | None] = {}
    start = 0
    while start < len(text):
        if not text[start].isspace():
            start += 1
            continue
        end = start
        while end < len(text) and text[end].isspace():
            end += 1
        cut: int | None = text.rfind("\n", start, end) + 1 or end
        if start == 0 or end == len(text):
            cut = None
        for position in range(start, end + 1):
            cuts[position] = cut
        start = end
    return cuts


def _split(
    text: str,
    start: int,
    end: int,
    limit: int,
    separators: Sequence[tuple[str, str]],
    cut_of_run: dict[int, int | None],
) -> Iterator[tuple[int, int]]:
    if end - start <= limit:
        yield start, end
        return
    if not separators:
        for position in range(start, end, limit):
            yield position, min(position + limit, end)
        return
    found = (list(_cuts_of_occurrences(text, start, end, *each)) for each in separators)
    used, positions = next((i, positions) for i, positions in enumerate(found) if positions)
    cuts = set()
    for position in positions:
        cut = cut_of_run.get(position, position)
        if cut is not None and start < cut < end:
            cuts.add(cut)
    edges = [start, *sorted(cuts), end]
    merged = start
    for left, right in itertools.pairwise(edges):
        if right - left > limit:
            if merged < left:
                yield merged, left
            yield from _split(text, left, right, limit, separators[used + 1 :], cut_of_run)
            merged = right
        elif right - merged > limit:
            yield merged, left
            merged = left
    if merged < end:
        yield merged, end


def _cuts_of_occurrences(text: str, start: int, end: int, before: str, after: str) -> Iterator[int]:
    separator = before + after
    if not separator:
        yield from range(start + 1, end + 1)
        return
    position = start
    while position < end and position + len(before) <= end:
        if text.startswith(separator, position):
            yield position + len(before)
            position += len(separator)
        else:
            position += 1
