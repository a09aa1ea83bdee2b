"""The documents of a comparison, spooled once for both sides."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from corpora import Corpus
from harness.results.errors import MeasurementError
from harness.runner.spool import read_spool, write_spool

TURNS = 16  # of each side, a round and workload
_TURN_SECONDS = 0.015
_PASS_SECONDS = 2 * TURNS * _TURN_SECONDS


@dataclass(frozen=True, slots=True)
class Spooled:
    """All documents of a corpus: their spool, and what each comes to in code points."""

    corpus: str
    spool: Path
    lengths: Sequence[int]

    @property
    def code_points(self) -> int:
        return sum(self.lengths)


@dataclass(frozen=True, slots=True)
class Blocks:
    """Documents to time: a spool for each block of them, and how often a round goes over all."""

    spools: Sequence[Path]
    repeats: int
    documents: int
    code_points: int


def spool_corpora(corpora: Iterable[Corpus], folder: Path) -> list[Spooled]:
    """Spool every corpus into ``folder``.

    Raises CorpusError where one cannot be read, MeasurementError where it has no text.
    """
    spooled = []
    for number, corpus in enumerate(corpora):
        lengths: list[int] = []
        spool = folder / f"corpus-{number}"
        write_spool(spool, _list_lengths(corpus, lengths))
        if not any(lengths):
            raise MeasurementError(f"corpus {corpus.name} has no text, so there is nothing to time")
        spooled.append(Spooled(corpus.name, spool, lengths))
    return spooled


def _list_lengths(corpus: Corpus, lengths: list[int]) -> Iterator[tuple[str, str]]:
    for document in corpus:
        lengths.append(len(document.text))
        yield document.id, document.text


def cut_blocks(spooled: Spooled, seconds: float, folder: Path) -> Blocks:
    """Cut a corpus into blocks that can take turns, given the seconds of a pass over all of it.

    A turn should be short: then what disturbs the machine meets both sides or neither. Where a
    pass takes longer than a round may, every so many-th document that has text is taken. Blocks
    are of like size, as far as whole documents allow; where these are long, they are repeated less.
    """
    step = max(1, math.ceil(seconds / _PASS_SECONDS))
    chosen = [number for number, length in enumerate(spooled.lengths) if length][::step]
    wanted = round(seconds / step / _TURN_SECONDS)
    number = min(len(chosen), TURNS, max(1, wanted))
    place: dict[int, int] = {}
    sizes = [0] * number
    for document in sorted(chosen, key=lambda each: -spooled.lengths[each]):
        place[document] = sizes.index(min(sizes))
        sizes[place[document]] += spooled.lengths[document]
    folder.mkdir()
    spools = [folder / str(block) for block in range(number)]
    for block, spool in enumerate(spools):
        documents = enumerate(read_spool(spooled.spool))
        write_spool(spool, (document for each, document in documents if place.get(each) == block))
    code_points = sum(sizes)
    often = _PASS_SECONDS * spooled.code_points / (seconds * code_points) if seconds else TURNS
    least = 2 if number == 1 else 1  # so that the sides take turns in both orders
    return Blocks(
        spools,
        repeats=max(least, min(TURNS // number, int(often))),
        documents=len(chosen),
        code_points=code_points,
    )
