"""Do two versions give the same segments? Asked before anything is timed."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from harness.compare.checkouts import Checkout
from harness.compare.sides import Side, start_side
from harness.measure.spooling import SpooledCorpus
from harness.results.errors import MeasurementError
from harness.runner.spool import read_spool

_SHOWN = 80  # code points of an example


@dataclass(frozen=True, slots=True)
class Difference:
    """Documents of a corpus in which two versions give other segments.

    ``differing`` of its ``documents`` do. The first is ``document``, and its segments are the
    same up to ``start``, an offset in code points; ``base`` and ``head`` are the two versions'
    segments from there, cut off if they are long, None if the version has none left.
    """

    corpus: str
    max_chunk_length: int
    documents: int
    differing: int
    document: str
    start: int
    base: str | None
    head: str | None


@dataclass(frozen=True, slots=True)
class Verified:
    """What the first passes over the corpora told.

    ``seconds`` are those of the base's pass, by corpus and limit, of CPU time.
    """

    differences: Sequence[Difference]
    seconds: dict[tuple[str, int], float]


def compare_segments(
    base: Checkout,
    head: Checkout,
    corpora: Sequence[SpooledCorpus],
    limits: Sequence[int],
    folder: Path,
    progress: Callable[[int], None],
) -> Verified:
    """Send all documents through both versions at every limit.

    Raises MeasurementError if a version fails.
    """
    differences = []
    seconds = {}
    with ExitStack() as stack:
        sides = [stack.enter_context(start_side(checkout)) for checkout in (base, head)]
        for spooled in corpora:
            for limit in limits:
                passes = []
                for side in sides:
                    side.load(limit)
                    passes.append(side.run_pass(spooled.spool, progress))
                seconds[spooled.name, limit] = passes[0].cpu_seconds
                if passes[0].digest != passes[1].digest:
                    differences.append(_find_difference(spooled, limit, sides, folder))
    return Verified(differences, seconds)


def _find_difference(
    spooled: SpooledCorpus, limit: int, sides: Sequence[Side], folder: Path
) -> Difference:
    splits = [side.split(spooled.spool, folder / f"segments-{n}") for n, side in enumerate(sides)]
    first: tuple[str, int, str | None, str | None] | None = None
    documents = differing = 0
    for (document, _), base, head in zip(read_spool(spooled.spool), *splits, strict=True):
        documents += 1
        if base != head:
            differing += 1
            first = first or (document, *_find_parting(base, head))
    if first is None:
        raise MeasurementError(
            f"{spooled.name} at {limit}: the segments differed once and not again; "
            "one of the versions does not give the same segments every time"
        )
    return Difference(spooled.name, limit, documents, differing, *first)


def _find_parting(base: Sequence[str], head: Sequence[str]) -> tuple[int, str | None, str | None]:
    """Where two unlike lists of segments begin to differ, and what each has there."""
    at = next(n for n in count() if base[n : n + 1] != head[n : n + 1])
    one, other = (each[at][:_SHOWN] if at < len(each) else None for each in (base, head))
    return sum(map(len, base[:at])), one, other
