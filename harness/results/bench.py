"""What ``segbench bench`` measures, and the file that holds it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from harness.results.atomic import write_json
from harness.results.folder import BENCH, ROUNDS, read_rounds, write_rounds
from harness.results.model import Environment, Growth, Import, Round, Trial
from harness.results.reading import read_json, reading
from harness.results.verdict import Verdict

MEMORY_ALLOWED = 64 * 2**20

_REMEDY = "run segbench bench again"


@dataclass(frozen=True, slots=True)
class Peak:
    """The most memory that was allocated while one text was split.

    Its segments are included, the text is not.
    """

    shape: str
    max_chunk_length: int
    splitter: str
    code_points: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Memory:
    """What a long text took, in bytes; ``beyond`` is the peak less the segments and their list."""

    form: str
    max_chunk_length: int
    code_points: int
    segments: int
    text_bytes: int
    segment_bytes: int
    beyond: int


@dataclass(frozen=True, slots=True)
class Bench:
    """What was measured of the segmenter; what was not asked for is empty.

    ``rounds`` are of the segmenter's forms and each baseline. ``trials`` are the texts on which a
    splitter failed while growth was measured; ``growth`` has neither those nor the longer ones of
    the same shape.
    """

    environment: Environment
    rounds: Sequence[Round] = ()
    growth: Sequence[Growth] = ()
    trials: Sequence[Trial] = ()
    peaks: Sequence[Peak] = ()
    memory: Sequence[Memory] = ()
    imports: Sequence[Import] = ()


def judge_bench(bench: Bench) -> Verdict:
    """Bad if the segmenter took more memory than it may."""
    if any(each.beyond > MEMORY_ALLOWED for each in bench.memory):
        return Verdict.BAD
    return Verdict.WELL


def holds_bench(folder: Path) -> bool:
    """Whether a folder is one of a bench rather than one of a run."""
    return (folder / BENCH).is_file()


def write_bench(folder: Path, bench: Bench) -> None:
    """Write ``bench.json``, and ``rounds.csv`` if speed was measured, into a folder.

    Raises MeasurementError if they cannot be written.
    """
    if bench.rounds:
        write_rounds(folder, bench.rounds)
    write_json(folder / BENCH, msgspec.to_builtins(replace(bench, rounds=())), indent=1)


def read_bench(folder: Path) -> Bench:
    """Read a folder's bench; raises MeasurementError if a file is absent or not readable."""
    path = folder / BENCH
    with reading(path, _REMEDY):
        bench = msgspec.convert(read_json(path), Bench)
    path = folder / ROUNDS
    if path.exists():
        with reading(path, _REMEDY):
            bench = replace(bench, rounds=read_rounds(folder))
    return bench
