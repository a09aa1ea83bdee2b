"""The segmenter against LangChain's splitter, in one process, in turns.

A round is one pass of each contender over all texts of a corpus; the order is reversed every
other round, and only passes of the same round are compared. The clock is the CPU time of the
process: nothing here waits, and what another process takes from the CPU is not the splitter's.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, pairwise
from time import process_time

import segmenter
from corpora import Corpus
from harness.measure.forms import load_pure
from harness.results.errors import MeasurementError
from harness.results.model import Timing, Workload
from harness.results.verdict import BASELINE
from harness.splitters.registry import Split, load_splitter

FLOOR = "floor"
PASSES = 6
LIMITS = (20, 128, 500)
_SHORTEST_PASS = 0.1  # seconds; a shorter one is repeated until it lasts as long

Progress = Callable[[str], object]


def measure_speed(
    corpora: Sequence[Corpus],
    limits: Sequence[int] = LIMITS,
    passes: int = PASSES,
    *,
    shortest_pass: float = _SHORTEST_PASS,
    progress: Progress = lambda _: None,
) -> tuple[list[Timing], dict[str, int]]:
    """Time LangChain, both forms of the segmenter where it is compiled, and the floor.

    Returns the passes, whose splitters are the contenders, and the code points of each corpus.
    The floor cuts the texts where the segmenter did, without looking for it. Texts are held in
    memory, a corpus at a time. Raises CorpusError where a corpus cannot be read, and
    MeasurementError where LangChain is not installed or a splitter gives wrong segments.
    """
    passes_taken: list[Timing] = []
    code_points = {}
    for corpus in corpora:
        texts = [document.text for document in corpus]
        code_points[corpus.name] = sum(map(len, texts))
        for limit in limits:
            progress(f"speed: {corpus.name} at {limit}")
            contenders = _prepare(corpus.name, texts, limit)
            passes_taken += [
                Timing(Workload(corpus.name, name, limit), number, seconds)
                for name, number, seconds in _take_turns(contenders, passes, shortest_pass)
            ]
    if not passes_taken:
        raise MeasurementError("no speed was measured; give a corpus and a limit")
    return passes_taken, code_points


def _prepare(corpus: str, texts: Sequence[str], limit: int) -> dict[str, Callable[[], int]]:
    """What makes one pass, by contender, each returning its number of segments."""
    pure = load_pure()(limit).split
    splits = {BASELINE: load_splitter(BASELINE).make(limit), "pure Python": pure}
    if segmenter.COMPILED:
        splits["compiled"] = segmenter.TextSegmenter(limit).split
    cuts = []
    for text in texts:
        segments = pure(text)
        if "".join(segments) != text or max(map(len, segments), default=0) > limit:
            raise MeasurementError(f"the segmenter is wrong on {corpus} at {limit}; run make test")
        if segmenter.COMPILED and splits["compiled"](text) != segments:
            raise MeasurementError(
                f"the compiled form differs on {corpus} at {limit}; run make compile test"
            )
        cuts.append(list(accumulate(map(len, segments), initial=0)))
    passes = {name: _repeat_split(split, texts) for name, split in splits.items()}
    return {**passes, FLOOR: lambda: _slice(texts, cuts)}


def _repeat_split(split: Split, texts: Sequence[str]) -> Callable[[], int]:
    return lambda: sum(len(split(text)) for text in texts)


def _slice(texts: Sequence[str], cuts: Sequence[Sequence[int]]) -> int:
    return sum(
        len([text[start:end] for start, end in pairwise(ends)])
        for text, ends in zip(texts, cuts, strict=True)
    )


def _take_turns(
    contenders: Mapping[str, Callable[[], int]], passes: int, shortest_pass: float
) -> list[tuple[str, int, float]]:
    """(contender, round, seconds of one pass), rounds counted from 0, after a warm-up each."""
    loops = {}
    segments = {}
    for name, run_pass in contenders.items():
        began = process_time()
        segments[name] = run_pass()
        warm_up = process_time() - began
        if not segments[name]:
            raise MeasurementError(f"{name} gave no segment, so it was not timed")
        loops[name] = max(1, math.ceil(shortest_pass / max(warm_up, 1e-6)))
    rows = []
    names = list(contenders)
    for number in range(passes):
        for name in names if number % 2 == 0 else reversed(names):
            run_pass = contenders[name]
            began = process_time()
            for _ in range(loops[name]):
                given = run_pass()
            seconds = process_time() - began
            if given != segments[name]:
                raise MeasurementError(f"{name} gave {given} segments, {segments[name]} before")
            rows.append((name, number, seconds / loops[name]))
    return rows
