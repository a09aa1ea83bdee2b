"""``viewer.json``: excerpts, packed as the page of a report wants them."""

import re
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import msgspec

from harness.results.model import PLACES, Excerpt, Span, View, Violation
from segmenter.loss import Loss

_between_surrogates = re.compile("(?<=[\ud800-\udbff])(?=[\udc00-\udfff])")


class _View(msgspec.Struct):
    splitter: str
    limit: int
    segments: int
    first: int
    begin: int = msgspec.field(name="from")
    runs: list[int]
    breaches: list[tuple[str, int, bool, str]]
    added: list[tuple[int, list[str]]]
    loss: Loss | None = None
    places: list[int] = []  # of PLACES, or how many these are


class _Excerpt(msgspec.Struct):
    corpus: str
    licence: str
    document: str
    length: int
    start: int
    text: list[str]
    views: list[_View]


def pack_excerpt(excerpt: Excerpt) -> Any:
    """An excerpt as JSON values, compact.

    ``text`` is a list of pieces, since JSON would read two lone surrogates that meet as one
    character. A view's ``runs`` are in turn the gap before each segment and its length, from
    ``from``, which is relative to the excerpt's start.
    """
    return msgspec.to_builtins(
        _Excerpt(
            excerpt.corpus,
            excerpt.licence,
            excerpt.document,
            excerpt.length,
            excerpt.start,
            _between_surrogates.split(excerpt.text),
            [_pack_view(view, excerpt.start) for view in excerpt.views],
        )
    )


def unpack_excerpts(packed: object) -> list[Excerpt]:
    """Excerpts of what ``pack_excerpt`` made of each; raises ValueError for anything else."""
    return [_unpack(each) for each in msgspec.convert(packed, list[_Excerpt])]


def _pack_view(view: View, start: int) -> _View:
    begin = end = view.spans[0].start if view.spans else start
    runs: list[int] = []
    for span in view.spans:
        runs += (span.start - end, span.end - span.start)
        end = span.end
    return _View(
        view.splitter,
        view.max_chunk_length,
        view.segments,
        view.first,
        begin - start,
        runs,
        [(v.rule, v.start - start, v.unavoidable, v.detail) for v in view.violations],
        [(place - start, _between_surrogates.split(text)) for place, text in view.added],
        view.loss,
        [PLACES.index(place) if place else len(PLACES) for place in view.places],
    )


def _unpack(packed: _Excerpt) -> Excerpt:
    return Excerpt(
        packed.corpus,
        packed.licence,
        packed.document,
        packed.length,
        packed.start,
        "".join(packed.text),
        [_unpack_view(view, packed) for view in packed.views],
    )


def _unpack_view(packed: _View, excerpt: _Excerpt) -> View:
    start = excerpt.start
    return View(
        packed.splitter,
        packed.limit,
        packed.segments,
        packed.first,
        _place_segments(packed.runs, start + packed.begin),
        [
            Violation(rule, excerpt.document, start + place, unavoidable, detail)
            for rule, place, unavoidable, detail in packed.breaches
        ],
        [(start + place, "".join(pieces)) for place, pieces in packed.added],
        packed.loss,
        [(*PLACES, "")[number] for number in packed.places] or (),
    )


def _place_segments(runs: Sequence[int], begin: int) -> list[Span]:
    ends = list(accumulate(runs, initial=begin))
    return [Span(ends[n], ends[n + 1]) for n in range(1, len(runs), 2)]
