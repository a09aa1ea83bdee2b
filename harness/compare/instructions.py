"""Counts the instructions of two versions on the same texts: work, whatever the machine does.

Valgrind's callgrind runs :mod:`harness.compare.workload` once for each version: whole documents of
every stratum at every limit. The program calls a C function that nothing else calls before and
after each pass, and callgrind writes what it has counted at every such call: so start-up, import
and warm-up are not in it. The seed of hashes is fixed.
"""

import contextlib
import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.compare.checkouts import Checkout
from harness.compare.decision import Speed
from harness.compare.sides import clean_variables
from harness.measure.rounds import Task
from harness.results.errors import MeasurementError
from harness.runner.programs import Program, ProgramError, describe_end, last_line

INSTRUCTIONS_TOLERANCE = 1.01  # the same code differs by 0.0007
INSTRUCTIONS_STRATUM_TOLERANCE = 1.05

_MARK = "getpgid"
_WORKLOAD = Path(__file__).with_name("workload.py")


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


def find_valgrind() -> str | None:
    """Where valgrind is installed; None where it is not."""
    return shutil.which("valgrind")


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
    arguments = [
        each for task, stratum in parts for each in (str(task.max_chunk_length), str(stratum.spool))
    ]
    counts = _count(valgrind, (base, head), arguments, folder, timeout)
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
    valgrind: str,
    checkouts: Sequence[Checkout],
    arguments: Sequence[str],
    folder: Path,
    timeout: float,
) -> list[list[int]]:
    """The instructions of each checkout in every pass.

    They are counted side by side, since a busy machine does not change them.
    """
    until = time.monotonic() + timeout
    started: list[tuple[Checkout, Path, Program]] = []
    with contextlib.ExitStack() as stack:
        for number, checkout in enumerate(checkouts):
            place = folder / f"callgrind-{number}"
            command = [
                valgrind,
                "--tool=callgrind",
                f"--dump-before={_MARK}",
                f"--callgrind-out-file={place}",
                *(sys.executable, "-P", str(_WORKLOAD)),
                *(json.dumps(checkout.options), *arguments),
            ]
            try:
                program = Program(command, variables=clean_variables(seed=0))
            except ProgramError as error:
                raise MeasurementError(f"instructions were not counted: {error}") from error
            stack.callback(program.end)
            started.append((checkout, place, program))
        counts = []
        for checkout, place, program in started:
            try:
                _, errors = program.communicate(max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                raise TimeoutError from None
            said = errors.decode(errors="replace")
            counts.append(_read_counts(checkout, said, program.wait(), place, len(arguments) // 2))
        return counts


def _read_counts(
    checkout: Checkout, errors: str, status: int, place: Path, passes: int
) -> list[int]:
    """The number of each pass.

    Of the dumps, numbered from 1, every other one is of what lies between two passes.
    """
    found = []
    for number in range(2, 2 * passes + 1, 2):
        dump = place.with_name(f"{place.name}.{number}")
        text = dump.read_text(encoding="utf-8", errors="replace") if dump.exists() else ""
        found += [int(total) for total in re.findall(r"^totals: (\d+)", text, re.MULTILINE)]
    if status or len(found) != passes:
        said = errors.splitlines()
        own = last_line(line for line in said if not line.startswith("=="))
        raise MeasurementError(
            f"{checkout.name}: its instructions could not be counted "
            f"(valgrind {describe_end(status)}): {own or last_line(said) or 'it said nothing'}"
        )
    return found
