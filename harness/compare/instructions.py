"""Counts the instructions of two versions on the same texts: work, whatever the machine does.

Valgrind's cachegrind runs :mod:`harness.compare.workload` in a process of its own: once with a
pass at every limit, and once for each limit with PASSES more at it. The difference is what these
took, without start-up, import and warm-up. The seed of hashes is fixed.
"""

import contextlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from harness.compare.checkouts import Checkout
from harness.compare.documents import Spooled
from harness.compare.sides import clean_variables
from harness.compare.statistics import Speed
from harness.results.errors import MeasurementError
from harness.runner.programs import Program
from harness.runner.spool import read_spool, write_spool

TOLERANCE = 1.02
PASSES = 2
TIMEOUT = 300.0  # seconds, for one count

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
    base_start, head_start = _count(valgrind, (base, head), limits, texts)
    counted = []
    for limit in limits:
        further = [*limits, *[limit] * PASSES]
        base_all, head_all = _count(valgrind, (base, head), further, texts)
        taken = Instructions(limit, base_all - base_start, head_all - head_start)
        if min(taken.base, taken.head) <= 0:
            raise MeasurementError("the texts are too short to count; give a longer --corpus")
        counted.append(taken)
    return counted


def _count(
    valgrind: str, checkouts: Sequence[Checkout], passes: Sequence[int], texts: Path
) -> list[int]:
    """The instructions of each checkout, side by side: they count the same on a busy machine."""
    with contextlib.ExitStack() as stack:
        programs = []
        for checkout in checkouts:
            command = [
                valgrind,
                "--tool=cachegrind",
                "--cache-sim=no",
                "--cachegrind-out-file=/dev/null",
                sys.executable,
                "-P",
                str(_WORKLOAD),
                json.dumps(checkout.options),
                str(texts),
                *map(str, passes),
            ]
            programs.append(Program(command, variables=clean_variables(seed=0)))
            stack.callback(programs[-1].end)
        counts = []
        for checkout, program in zip(checkouts, programs, strict=True):
            try:
                _, errors = program.communicate(TIMEOUT)
            except subprocess.TimeoutExpired:
                raise MeasurementError(
                    f"{checkout.name}: its instructions were not counted within {TIMEOUT:g} s; "
                    "compare without --instructions"
                ) from None
            said = errors.decode(errors="replace")
            counts.append(_read_count(checkout, said, program.wait()))
        return counts


def _read_count(checkout: Checkout, errors: str, status: int) -> int:
    found = re.search(r"I\s+refs:\s+([\d,]+)", errors)
    if status or not found:
        said = [line for line in errors.splitlines() if line.strip()]
        own = [line for line in said if not line.startswith("==")] or said or ["it said nothing"]
        raise MeasurementError(
            f"{checkout.name}: its instructions could not be counted "
            f"(valgrind ended with status {status}): {own[-1]}"
        )
    return int(found[1].replace(",", ""))
