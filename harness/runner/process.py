"""The parent's side of :mod:`harness.runner.worker`: starts a worker, asks it, and ends it."""

import contextlib
import errno
import json
import math
import os
import queue
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any, Protocol

from harness.runner.details import name_document, shorten
from harness.runner.programs import Program, ProgramError, describe_end, last_line
from harness.runner.spool import StorageError, read_segments, read_spool

SPLITTER_TIMEOUT = 60.0  # seconds that a splitter may take to load, and for a document
TIMED_OUT = "timed out"

_WORKER = Path(__file__).with_name("worker.py")
_SECONDS_TO_END = 60.0
_LONGEST_REPLY = 1 << 20  # bytes


class Loadable(Protocol):
    """What a worker needs to know of a splitter: see ``harness.splitters.registry.Splitter``."""

    @property
    def name(self) -> str:
        """What failures call it."""

    @property
    def factory(self) -> str:
        """Where its factory is."""

    @property
    def options(self) -> Mapping[str, object]:
        """What its factory is called with, beside the limit."""

    @property
    def interpreter(self) -> str | None:
        """The Python that has it; None for this one."""


class SplitterError(Exception):
    """A splitter gave no answer: ``status`` says how it failed, ``detail`` why, in one line.

    ``frames`` are the last lines of its traceback, if it raised something.
    """

    def __init__(self, status: str, detail: str, frames: Sequence[str] = ()) -> None:
        # What it is made from again in another process.
        super().__init__(status, detail, tuple(frames))
        self.status = status
        self.detail = detail
        self.frames = tuple(frames)

    def __str__(self) -> str:
        return f"{self.status}: {self.detail}"


@dataclass(frozen=True, slots=True)
class Pass:
    """A splitter once over a whole corpus: seconds within its calls, and what they gave.

    ``cpu_seconds`` are those in which its process worked, ``seconds`` those that went by.
    """

    seconds: float
    cpu_seconds: float
    segments: int
    digest: str


@dataclass(frozen=True, slots=True)
class Turn:
    """A splitter over a stratum in some portions: what one pass over each took, and what it gave.

    Seconds are as in a Pass.
    """

    seconds: Sequence[float]
    cpu_seconds: Sequence[float]
    segments: int
    digest: str


class SplitterProcess:
    """A process of its own for one splitter, until ``close`` or the end of this process ends it.

    ``timeout`` is how many seconds a splitter may take to load, and for a document. All methods
    raise SplitterError if the process cannot be started, dies, hangs or fails, and StorageError
    if the machine fails; the process is then closed. If the splitter has an interpreter of
    its own, the process sees the modules of that virtual environment alone; else it sees the
    modules that this process sees. ``variables``, if they are given, are all the environment
    variables that the process has; ``seed`` is that of its hashes, another one each time without.
    ``under`` is a command that runs the process, such as valgrind's.
    """

    def __init__(
        self,
        splitter: Loadable,
        *,
        timeout: float = SPLITTER_TIMEOUT,
        variables: Mapping[str, str] | None = None,
        seed: int | None = None,
        under: Sequence[str] = (),
    ) -> None:
        self.closed = False
        self._splitter = splitter
        self._timeout = timeout
        environment = dict(os.environ if variables is None else variables)
        if splitter.interpreter:
            environment.pop("PYTHONPATH", None)
            environment["PYTHONNOUSERSITE"] = "1"
        elif variables is None:
            environment["PYTHONPATH"] = os.pathsep.join(
                path or str(Path.cwd()) for path in sys.path
            )
        if seed is not None:
            environment["PYTHONHASHSEED"] = str(seed)
        command = [*under, splitter.interpreter or sys.executable, "-P", str(_WORKER)]
        try:
            self._program = Program(command, variables=environment, talk=True)
        except ProgramError as error:
            self.closed = True
            raise SplitterError("unavailable", str(error)) from error
        self._replies: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._errors: deque[bytes] = deque(maxlen=1)
        threading.Thread(
            target=_forward_lines, args=(self._program.output, self._replies), daemon=True
        ).start()
        self._listener = threading.Thread(
            target=_keep_last_line, args=(self._program.errors, self._errors), daemon=True
        )
        self._listener.start()

    def keep_on_core(self, core: int) -> None:
        """Let the process run on this core alone, if the system can see to that."""
        self._ask("did not start", command="keep", core=core)

    def load(self, max_chunk_length: int) -> None:
        """Make the splitter for a limit in code points, in place of an earlier one."""
        self._ask(
            "did not load",
            command="load",
            factory=self._splitter.factory,
            options=dict(self._splitter.options),
            max_chunk_length=max_chunk_length,
        )

    def split(
        self, spool: Path, into: Path, *, again: Collection[int] = (0,)
    ) -> Iterator[list[str]]:
        """The segments of each document of ``spool``, with what was loaded.

        They travel in the file ``into``, which is replaced. The documents with the numbers
        ``again``, counted from 0, are split twice: if that gives other segments, the splitter has
        changed.
        """
        into.unlink(missing_ok=True)
        try:
            reply = self._ask(
                "gave no segments",
                command="split",
                spool=str(spool),
                into=str(into),
                again=list(again),
            )
        except SplitterError as error:
            if error.status not in (TIMED_OUT, "failed"):
                raise
            where = ""
            with contextlib.suppress(ValueError, OSError):
                done = sum(1 for _ in read_segments(into)) if into.exists() else 0
                rest = islice(read_spool(spool), done, None)
                if document := next(rest, None):
                    where = f", in {name_document(document[0])}"
            raise SplitterError(error.status, error.detail + where, error.frames) from None
        return self._read(into, reply["documents"])

    def _read(self, path: Path, documents: int) -> Iterator[list[str]]:
        """The segments of so many documents: what a splitter's process wrote may be anything."""
        number = 0
        try:
            for number, segments in enumerate(read_segments(path), start=1):  # noqa: B007
                yield segments
        except (ValueError, OverflowError, OSError):
            number = -1
        if number != documents:
            self.close()
            raise SplitterError("failed", "its process wrote segments that cannot be read")

    def run_pass(
        self,
        spool: Path,
        progress: Callable[[int], None] | None = None,
        *,
        timeout: float = math.inf,
    ) -> Pass:
        """Split every document of ``spool`` once, with what was loaded, in ``timeout`` seconds.

        ``progress`` is called with how many documents were split since the last call. A pass
        cannot take longer than this process waited for it: then the splitter changed the clock.
        """
        began = time.perf_counter()
        done = 0

        def advance(documents: int) -> None:
            nonlocal done
            if progress is not None:
                progress(documents - done)
            done = documents

        reply = self._ask(
            "finished no document", advance, timeout, command="pass", spool=str(spool)
        )
        advance(reply["documents"])
        seconds, cpu_seconds = reply["seconds"], reply["cpu_seconds"]
        self._check_clock(seconds, cpu_seconds, time.perf_counter() - began)
        return Pass(seconds, cpu_seconds, reply["segments"], reply["digest"])

    def take_turn(self, spool: Path, *, portions: int = 1, passes: int = 1) -> Turn:
        """Split every document of ``spool`` so many times, in portions, with what was loaded.

        There are about so many portions, of consecutive whole documents, and about as long as each
        other. Another answer within a turn is a SplitterError. The time limit is that of the
        process, for all of it.
        """
        began = time.perf_counter()
        reply = self._ask(
            "did not finish a turn",
            command="turn",
            spool=str(spool),
            portions=portions,
            passes=passes,
        )
        seconds, cpu_seconds = reply["seconds"], reply["cpu_seconds"]
        self._check_clock(sum(seconds), sum(cpu_seconds), (time.perf_counter() - began) / passes)
        return Turn(seconds, cpu_seconds, reply["segments"], reply["digest"])

    def split_between_marks(self, spool: Path, *, passes: int, timeout: float = math.inf) -> None:
        """Split every document of ``spool`` so many times between two marks.

        A mark is a call of the C function ``getpgid``. All of it has ``timeout`` seconds.
        """
        self._ask(
            "did not finish its passes",
            timeout=timeout,
            command="count",
            spool=str(spool),
            passes=passes,
        )

    def _check_clock(self, seconds: float, cpu_seconds: float, waited: float) -> None:
        if not (0 <= seconds <= waited and 0 <= cpu_seconds <= waited * (os.cpu_count() or 1)):
            self.close()
            detail = (
                f"a pass of {waited:.3g} s cannot have taken {seconds:.3g} s, of which "
                f"{cpu_seconds:.3g} s of CPU time: its clock was changed"
            )
            raise SplitterError("failed", detail)

    def close(self) -> None:
        """End the process and whatever it started. May be called again."""
        if not self.closed:
            self.closed = True
            self._program.end()

    def _ask(
        self,
        silence: str,
        progress: Callable[[int], None] = lambda _: None,
        timeout: float = math.inf,
        **command: object,
    ) -> dict[str, Any]:
        until = time.monotonic() + timeout
        late = f"was not through all documents within {round(timeout, 1):g} seconds"
        try:
            with contextlib.suppress(OSError):  # it died: the replies' end says how
                self._program.input.write(json.dumps(command).encode() + b"\n")
                self._program.input.flush()
            while (reply := self._receive(silence, until, late))["reply"] == "working":
                progress(reply["documents"])
                if time.monotonic() > until:
                    raise SplitterError(TIMED_OUT, late)
            if reply["reply"] == "failure":
                raise SplitterError(
                    reply["status"], shorten(reply["detail"], 1_000), reply["frames"]
                )
            if reply["reply"] == "machine":
                raise StorageError(reply["error"] or errno.EIO, reply["place"])
        except (SplitterError, StorageError):
            self.close()
            raise
        except (LookupError, TypeError, ValueError) as error:
            self.close()
            raise SplitterError("failed", "its process gave an answer that is none") from error
        return reply

    def _receive(self, silence: str, until: float, late: str) -> dict[str, Any]:
        try:
            timeout = min(self._timeout, max(0.0, until - time.monotonic()))
            line = self._replies.get(timeout=timeout)
        except queue.Empty:
            waited = f"{silence} within {self._timeout:g} seconds"
            detail = late if time.monotonic() >= until else waited
            raise SplitterError(TIMED_OUT, detail) from None
        if not line.endswith(b"\n"):
            raise SplitterError("failed", self._describe_death())
        reply: dict[str, Any] = json.loads(line)
        return reply

    def _describe_death(self) -> str:
        try:
            status = self._program.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            return "its process is alive but does not answer"
        if status < 0:
            return f"its process was {describe_end(status)}"
        self._listener.join(_SECONDS_TO_END)  # nobody is left who could write more
        said = last_line(line.decode(errors="replace") for line in self._errors)
        return f"its process {describe_end(status)}" + (f": {said}" if said else "")


def _forward_lines(stream: IO[bytes], lines: "queue.SimpleQueue[bytes]") -> None:
    """Put each line into ``lines``, and an empty one at the stream's end."""
    with stream:
        while line := stream.readline(_LONGEST_REPLY):
            lines.put(line)
    lines.put(b"")


def _keep_last_line(stream: IO[bytes], last: "deque[bytes]") -> None:
    with stream:
        while line := stream.readline(_LONGEST_REPLY):
            if line.strip():
                last.append(line)
