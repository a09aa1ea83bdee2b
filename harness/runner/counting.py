"""Counts the instructions of a splitter's process: work, whatever the machine does meanwhile.

Valgrind's callgrind runs the process, some fifty times as slowly, and writes what it has counted
at each mark: so start-up and import are not in it. See :mod:`harness.runner.worker`.
"""

import math
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from harness.results.errors import MeasurementError
from harness.runner.process import Loadable, SplitterError, SplitterProcess

_COUNTING_TIMEOUT = 600.0  # seconds that a splitter may take to load, and for all that it splits


def find_valgrind() -> str | None:
    """Where valgrind is installed; None where it is not."""
    return shutil.which("valgrind")


def require_valgrind() -> str:
    """Where valgrind is installed; raises MeasurementError where it is not."""
    found = find_valgrind()
    if found is None:
        raise MeasurementError(
            "instructions cannot be counted: valgrind is not installed here; install it, or leave "
            "out --instructions"
        )
    return found


class CountedProcess(SplitterProcess):
    """A SplitterProcess whose instructions valgrind counts, with a fixed seed of hashes.

    What valgrind counts lies in ``folder``, which is there and empty.
    """

    def __init__(
        self,
        splitter: Loadable,
        valgrind: str,
        folder: Path,
        *,
        timeout: float = _COUNTING_TIMEOUT,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self._counts = folder / "counts"
        self._marks = 0
        command = [
            valgrind,
            "--quiet",  # else it has the last word when the process dies
            "--tool=callgrind",
            "--dump-before=getpgid",
            f"--callgrind-out-file={self._counts}",
        ]
        super().__init__(splitter, timeout=timeout, variables=variables, seed=0, under=command)

    def count_instructions(self, spool: Path, *, passes: int = 1, timeout: float = math.inf) -> int:
        """The instructions that so many passes over ``spool`` take.

        All of it has ``timeout`` seconds. Raises as SplitterProcess does, and SplitterError if
        valgrind counts nothing.
        """
        self.split_between_marks(spool, passes=passes, timeout=timeout)
        self._marks += 2
        dump = self._counts.with_name(f"{self._counts.name}.{self._marks}")
        text = dump.read_text(encoding="utf-8", errors="replace") if dump.exists() else ""
        totals = re.findall(r"^totals: (\d+)", text, re.MULTILINE)
        if len(totals) != 1:
            self.close()
            raise SplitterError("failed", "valgrind did not count its instructions")
        return int(totals[0])
