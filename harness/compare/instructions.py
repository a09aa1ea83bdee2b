"""Counts the instructions of two versions on the same texts: work, whatever the machine does.

Valgrind's cachegrind runs :mod:`harness.compare.workload` in a process of its own: once with a
pass at every limit, and once for each limit with PASSES more at it. The difference is what these
took, without start-up, import and warm-up. The seed of hashes is fixed.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from harness.check import count_cores
from harness.compare.checkouts import Checkout
from harness.compare.documents import Spooled
from harness.compare.sides import clean_variables
from harness.results import MeasurementError
from harness.spool import read_spool, write_spool
from harness.verdict import Speed

TOLERANCE = 1.02
PASSES = 2

_DOCUMENTS = 100
_CODE_POINTS = 1_000  # of each document
_WORKLOAD = Path(__file__).with_name("workload.py")


@dataclass(frozen=True, slots=True)
class Instructions:
    """Instructions of PASSES passes over the fixed texts, at one limit."""

    max_chunk_length: int
    base: int
    head: int

    @property
    def ratio(self) -> float:
        return self.head / self.base

    @property
    def speed(self) -> Speed:
        """What the ratio means; counts repeat, so it needs no interval."""
        if self.ratio > TOLERANCE:
            return Speed.SLOWER
        return Speed.FASTER if self.ratio < 1 / TOLERANCE else Speed.FINE


def find_valgrind() -> str | None:
    """Where valgrind is installed; None where it is not."""
    return shutil.which("valgrind")


def count_instructions(
    valgrind: str,
    base: Checkout,
    head: Checkout,
    corpora: Sequence[Spooled],
    limits: Sequence[int],
    folder: Path,
) -> list[Instructions]:
    """Count what each version takes at each limit, on the beginnings of some documents.

    Raises MeasurementError where a version or valgrind fails.
    """
    texts = folder / "texts"
    each = -(-_DOCUMENTS // len(corpora))
    write_spool(
        texts,
        (
            (f"{spooled.corpus}/{document}", text[:_CODE_POINTS])
            for spooled in corpora
            for document, text in islice(
                read_spool(spooled.spool), 0, None, -(-len(spooled.lengths) // each)
            )
        ),
    )
    runs = [(), *([limit] * PASSES for limit in limits)]
    with ThreadPoolExecutor(count_cores()) as executor:  # it counts the same on a busy machine
        (base_start, *of_base), (head_start, *of_head) = (
            [executor.submit(_count, valgrind, checkout, [*limits, *more], texts) for more in runs]
            for checkout in (base, head)
        )
        return [
            Instructions(
                limit,
                base_run.result() - base_start.result(),
                head_run.result() - head_start.result(),
            )
            for limit, base_run, head_run in zip(limits, of_base, of_head, strict=True)
        ]


def _count(valgrind: str, checkout: Checkout, passes: Sequence[int], texts: Path) -> int:
    answer = subprocess.run(
        [
            valgrind,
            "--tool=cachegrind",
            "--cache-sim=no",
            "--cachegrind-out-file=/dev/null",
            sys.executable,
            "-P",
            str(_WORKLOAD),
            str(checkout.folder),
            checkout.segmenter,
            str(texts),
            *map(str, passes),
        ],
        env=clean_variables(seed=0),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
    )
    found = re.search(r"I\s+refs:\s+([\d,]+)", answer.stderr)
    if answer.returncode or not found:
        said = [line for line in answer.stderr.splitlines() if line.strip()]
        own = [line for line in said if not line.startswith("==")] or said or ["it said nothing"]
        raise MeasurementError(
            f"{checkout.name}: its instructions could not be counted "
            f"(valgrind ended with status {answer.returncode}): {own[-1]}"
        )
    return int(found[1].replace(",", ""))
