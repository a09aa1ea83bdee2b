"""Counts the instructions of two versions on the same texts: work, whatever the machine does.

They are those of passes over whole documents of every stratum at every limit.
"""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from harness.compare.checkouts import Checkout
from harness.compare.decision import Speed
from harness.compare.sides import as_splitter, clean_variables, naming_side
from harness.measure.rounds import Task
from harness.measure.strata import Stratum
from harness.results.errors import MeasurementError
from harness.runner.counting import CountedProcess
from harness.runner.process import TIMED_OUT, SplitterError

INSTRUCTIONS_TOLERANCE = 1.01  # the same code differs by 0.0007
INSTRUCTIONS_STRATUM_TOLERANCE = 1.05

_PASSES = 3  # the first one is a little luckier, or less so, with where memory is found


@dataclass(frozen=True, slots=True)
class Instructions:
    """Instructions of the passes over a stratum at a limit.

    Over all strata together, ``corpus`` and ``stratum`` are empty and the limit is 0.
    """

    corpus: str
    max_chunk_length: int
    stratum: str
    base: int
    head: int

    @property
    def ratio(self) -> float:
        """Head's number divided by base's."""
        return self.head / self.base

    @property
    def speed(self) -> Speed:
        """What the ratio means; counts repeat, so it needs no interval."""
        tolerance = INSTRUCTIONS_STRATUM_TOLERANCE if self.stratum else INSTRUCTIONS_TOLERANCE
        if self.ratio > tolerance:
            return Speed.SLOWER
        return Speed.FASTER if self.ratio < 1 / tolerance else Speed.FINE


def count_instructions(
    valgrind: str,
    base: Checkout,
    head: Checkout,
    tasks: Sequence[Task],
    folder: Path,
    timeout: float,
) -> list[Instructions]:
    """Count what each version takes: in all first, then for each stratum at each limit.

    Every stratum counts the same in the whole, as in time. Raises TimeoutError where that takes
    more than ``timeout`` seconds, and MeasurementError where a version or valgrind fails.
    """
    parts = [(task, stratum) for task in tasks for stratum in task.strata]
    until = time.monotonic() + timeout
    # Side by side, since a busy machine does not change the numbers.
    with ThreadPoolExecutor() as threads, ExitStack() as stack:
        counting = []
        for number, checkout in enumerate((base, head)):
            place = folder / f"instructions-{number}"
            place.mkdir()
            with naming_side(checkout):
                process = CountedProcess(
                    as_splitter(checkout, checkout.name),
                    valgrind,
                    place,
                    timeout=timeout,
                    variables=clean_variables(seed=0),
                )
            stack.callback(process.close)
            counting.append(threads.submit(_count, checkout, process, parts, until))
        counts = [each.result() for each in counting]
    counted = [
        Instructions(task.corpus, task.max_chunk_length, stratum.name, *taken)
        for (task, stratum), *taken in zip(parts, *counts, strict=True)
    ]
    if not all(each.base > 0 and each.head > 0 for each in counted):
        raise MeasurementError("the texts are too short to count; give a longer --corpus")
    mean = sum(each.ratio for each in counted) / len(counted)
    total = sum(each.base for each in counted)
    return [Instructions("", 0, "", total, round(total * mean)), *counted]


def _count(
    checkout: Checkout,
    process: CountedProcess,
    parts: Sequence[tuple[Task, Stratum]],
    until: float,
) -> list[int]:
    """The instructions of a checkout's segmenter on each part; raises as ``count_instructions``."""
    counts = []
    with naming_side(checkout):
        try:
            for task, stratum in parts:
                process.load(task.max_chunk_length)
                for passes in (1, _PASSES):  # the first pass warms up, and its count is not kept
                    timeout = max(0.0, until - time.monotonic())
                    counted = process.count_instructions(
                        stratum.spool, passes=passes, timeout=timeout
                    )
                counts.append(counted)
        except SplitterError as error:
            if error.status == TIMED_OUT:
                raise TimeoutError from error
            raise
    return counts
