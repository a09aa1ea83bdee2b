"""Cuts a corpus into strata to time: documents of like length, and made texts of odd shapes."""

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from corpora import Corpus, Document
from harness.measure.shapes import repeat
from harness.runner.spool import read_spool, write_spool

TURN_SECONDS = 0.005  # of the baseline, for a pass over a stratum
QUARTERS = 4
SHAPES_CORPUS = "shapes"
_SHAPE_LENGTH = 20_000  # code points


@dataclass(frozen=True, slots=True)
class Stratum:
    """Documents that are timed together: their spool, and what they come to."""

    name: str
    spool: Path
    documents: int
    code_points: int


def cut_strata(spool: Path, seconds: float, folder: Path) -> list[Stratum]:
    """Cut a spooled corpus into quarters by its documents' lengths, the shortest first.

    Documents of one length are in one stratum, so there may be fewer; empty documents are in none.
    ``seconds`` is what a pass of the baseline over all of the corpus takes: of a stratum that would
    take it longer than a turn, every n-th document is used. The strata's spools are written to
    ``folder``. Raises StorageError if they cannot be.
    """
    lengths = [len(text) for _, text in read_spool(spool)]
    ranked = sorted((length, number) for number, length in enumerate(lengths) if length)
    quarters = range(1, QUARTERS) if ranked else ()
    bounds = sorted({ranked[len(ranked) * quarter // QUARTERS][0] for quarter in quarters})
    groups: dict[int, list[int]] = {}
    for length, number in ranked:
        groups.setdefault(bisect_right(bounds, length), []).append(number)
    wanted = sum(lengths) * TURN_SECONDS / seconds if seconds else math.inf
    folder.mkdir(parents=True, exist_ok=True)
    return [
        _write(
            _name([lengths[number] for number in numbers]),
            spool,
            [*_thin_out(numbers, lengths, wanted)],
            lengths,
            folder / f"stratum-{place}",
        )
        for place, numbers in enumerate(groups.values())
    ]


def _name(sizes: Sequence[int]) -> str:
    """What a reader knows documents of these ordered lengths by, whichever of them are timed."""
    name = f"{sizes[0]:,}–{sizes[-1]:,}" if sizes[0] < sizes[-1] else f"{sizes[0]:,}"
    return f"{name} code points"


def _thin_out(numbers: Sequence[int], lengths: Sequence[int], wanted: float) -> Iterator[int]:
    """Every n-th of documents that are ordered by length, about as many code points as wanted."""
    step = max(1, round(sum(lengths[number] for number in numbers) / wanted))
    yield from numbers[min(step, len(numbers)) // 2 :: step]


def _write(
    name: str, spool: Path, chosen: Sequence[int], lengths: Sequence[int], path: Path
) -> Stratum:
    kept = set(chosen)
    documents = (document for n, document in enumerate(read_spool(spool)) if n in kept)
    write_spool(path, documents)
    return Stratum(name, path, len(kept), sum(lengths[number] for number in kept))


def make_shapes() -> Corpus:
    """Texts that a corpus of prose lacks.

    Each document is a stratum of its own, but for the short ones, which are one together.
    """
    return Corpus(
        SHAPES_CORPUS, lambda: iter(Document(*each) for each in _SHAPES), "made by the harness"
    )


def cut_shapes(spool: Path, folder: Path) -> list[Stratum]:
    """The strata of ``make_shapes``, from its spool.

    Raises StorageError if they cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    names = list(dict.fromkeys(document.partition(": ")[0] for document, _ in _SHAPES))
    strata = []
    for place, name in enumerate(names):
        documents = [d for d in read_spool(spool) if d[0].partition(": ")[0] == name]
        path = folder / f"stratum-{place}"
        write_spool(path, documents)
        strata.append(Stratum(name, path, len(documents), sum(len(text) for _, text in documents)))
    return strata


_SHAPES = (
    (
        "long runs of whitespace",
        repeat("A few words," + " " * 700 + "then a line.\n" + "\n" * 300)(_SHAPE_LENGTH),
    ),
    (
        "one line",
        repeat("Words without an end, one after the other; and commas, now and then ")(
            _SHAPE_LENGTH
        ),
    ),
    *(
        (f"many short documents: {number}", f"Note {number}. It has two sentences.\n")
        for number in range(200)
    ),
)
