"""The parent's side of :mod:`harness.runner.worker`: starts a worker, asks it, and ends it for certain."""

import contextlib
import json
import math
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any

from harness.runner.spool import read_segments, read_spool
from harness.splitters.registry import Splitter

PATIENCE = 60.0

_WORKER = Path(__file__).with_name("worker.py")


class SplitterError(Exception):
    """A splitter gave no answer: ``status`` says how it failed, ``detail`` why, in one line."""

    def __init__(self, status: str, detail: str) -> None:
        super().__init__(status, detail)  # what it is made from again in another process
        self.status = status
        self.detail = detail

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


class SplitterProcess:
    """A process of its own for one splitter, until ``close`` ends it.

    ``patience`` is how many seconds a splitter may take to load, and for a document. All raise
    SplitterError where the process cannot be started, dies, hangs or fails; it is then closed. Where the splitter has an interpreter of its own, the process sees the modules of
    that environment alone; else it sees the modules that this process sees. ``variables``, where
    they are given, are all the environment variables that the process has.
    """

    def __init__(
        self,
        splitter: Splitter,
        *,
        patience: float = PATIENCE,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self.closed = False
        self._splitter = splitter
        self._patience = patience
        environment = dict(os.environ if variables is None else variables)
        if splitter.interpreter:
            environment.pop("PYTHONPATH", None)
            environment["PYTHONNOUSERSITE"] = "1"
        elif variables is None:
            environment["PYTHONPATH"] = os.pathsep.join(
                path or str(Path.cwd()) for path in sys.path
            )
        interpreter = splitter.interpreter or sys.executable
        try:
            self._process = subprocess.Popen(
                [interpreter, "-P", str(_WORKER)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                # Away from Ctrl-C, which the parent handles, and one group with all it starts.
                start_new_session=True,
            )
        except OSError as error:
            self.closed = True
            detail = f"{interpreter} cannot be run: {error.strerror}"
            raise SplitterError("unavailable", detail) from error
        self._replies: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._errors: deque[bytes] = deque(maxlen=1)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._commands = self._process.stdin
        threading.Thread(
            target=_forward_lines, args=(self._process.stdout, self._replies), daemon=True
        ).start()
        self._listener = threading.Thread(
            target=_keep_last_line, args=(self._process.stderr, self._errors), daemon=True
        )
        self._listener.start()

    def keep_on_core(self, core: int) -> None:
        """Let the process run on this core alone, where the system can see to that."""
        if hasattr(os, "sched_setaffinity"):
            with contextlib.suppress(OSError):  # it is gone already, or the core is
                os.sched_setaffinity(self._process.pid, {core})

    def load(self, max_chunk_length: int) -> None:
        """Make the splitter for a limit in code points, in place of an earlier one."""
        self._ask(
            "did not load",
            command="load",
            factory=self._splitter.factory,
            options=dict(self._splitter.options),
            max_chunk_length=max_chunk_length,
        )

    def split(self, spool: Path, into: Path, *, again: int = 0) -> Iterator[list[str]]:
        """The segments of each document of ``spool``, with what was loaded.

        They travel in the file ``into``, which is replaced. Document number ``again`` is split
        twice, if there is such a one: where that gives other segments, the splitter has changed.
        """
        into.unlink(missing_ok=True)
        try:
            self._ask(
                "gave no segments", command="split", spool=str(spool), into=str(into), again=again
            )
        except SplitterError as error:
            if error.status not in ("timed out", "failed"):
                raise
            done = sum(1 for _ in read_segments(into)) if into.exists() else 0
            document = next(islice(read_spool(spool), done, None), None)
            where = f", in {document[0]!r}" if document else ""
            raise SplitterError(error.status, error.detail + where) from None
        return read_segments(into)

    def run_pass(
        self,
        spool: Path,
        progress: Callable[[int], None] | None = None,
        *,
        patience: float = math.inf,
    ) -> Pass:
        """Split every document of ``spool`` once, with what was loaded, in ``patience`` seconds.

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
            "finished no document", advance, patience, command="pass", spool=str(spool)
        )
        advance(reply["documents"])
        waited = time.perf_counter() - began
        seconds, cpu_seconds = reply["seconds"], reply["cpu_seconds"]
        if not (0 <= seconds <= waited and 0 <= cpu_seconds <= waited * (os.cpu_count() or 1)):
            self.close()
            detail = (
                f"a pass of {waited:.3g} s cannot have taken {seconds:.3g} s, of which "
                f"{cpu_seconds:.3g} s of CPU time: its clock was changed"
            )
            raise SplitterError("failed", detail)
        return Pass(seconds, cpu_seconds, reply["segments"], reply["digest"])

    def close(self) -> None:
        """End the process and whatever it started. May be called again."""
        if self.closed:
            return
        self.closed = True
        with contextlib.suppress(OSError):  # it is gone already
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        with contextlib.suppress(OSError):
            self._commands.close()
        self._process.wait()

    def _ask(
        self,
        silence: str,
        progress: Callable[[int], None] = lambda _: None,
        patience: float = math.inf,
        **command: object,
    ) -> dict[str, Any]:
        until = time.monotonic() + patience
        try:
            with contextlib.suppress(BrokenPipeError):  # it died: the replies' end says how
                self._commands.write(json.dumps(command).encode() + b"\n")
                self._commands.flush()
            while (reply := self._receive(silence))["reply"] == "working":
                progress(reply["documents"])
                if time.monotonic() > until:
                    detail = f"was not through all documents within {patience:g} seconds"
                    raise SplitterError("timed out", detail)
            if reply["reply"] == "failure":
                raise SplitterError(reply["status"], reply["detail"])
        except SplitterError:
            self.close()
            raise
        return reply

    def _receive(self, silence: str) -> dict[str, Any]:
        try:
            line = self._replies.get(timeout=self._patience)
        except queue.Empty:
            detail = f"{silence} within {self._patience:g} seconds"
            raise SplitterError("timed out", detail) from None
        if not line.endswith(b"\n"):
            raise SplitterError("failed", self._describe_death())
        reply: dict[str, Any] = json.loads(line)
        return reply

    def _describe_death(self) -> str:
        try:
            status = self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            return "its process lives but answers no more"
        if status < 0:
            return f"its process was ended by signal {-status} ({signal.strsignal(-status)})"
        self._listener.join(timeout=1)
        said = self._errors[0].decode(errors="replace").strip() if self._errors else ""
        return f"its process ended with status {status}" + (f": {said}" if said else "")


def _forward_lines(stream: IO[bytes], lines: "queue.SimpleQueue[bytes]") -> None:
    """Put each line into ``lines``, and an empty one at the stream's end."""
    with stream:
        for line in stream:
            lines.put(line)
    lines.put(b"")


def _keep_last_line(stream: IO[bytes], last: "deque[bytes]") -> None:
    with stream:
        last.extend(line for line in stream if line.strip())
