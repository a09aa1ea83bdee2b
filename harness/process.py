"""The parent's side of :mod:`harness.worker`: starts a worker, asks it, and ends it for certain."""

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from harness.splitters import Splitter

PATIENCE = 60.0

_WORKER = Path(__file__).with_name("worker.py")


class SplitterError(Exception):
    """A splitter gave no answer: ``status`` says how it failed, ``detail`` why, in one line."""

    def __init__(self, status: str, detail: str) -> None:
        super().__init__(f"{status}: {detail}")
        self.status = status
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Pass:
    """A splitter once over a whole corpus: seconds within its calls, and what they gave."""

    seconds: float
    segments: int
    digest: str


class SplitterProcess:
    """A process of its own for one splitter, until ``close`` ends it.

    ``patience`` is how many seconds a splitter may take to load, and for a document. ``load`` and
    ``run_pass`` raise SplitterError where the process dies, hangs or fails; it is then closed.
    ``interpreter`` may belong to another environment, of which it then sees the modules alone;
    this environment's own interpreter sees the modules that this process sees.
    """

    def __init__(
        self,
        splitter: Splitter,
        *,
        interpreter: str = sys.executable,
        patience: float = PATIENCE,
    ) -> None:
        self.closed = False
        self._splitter = splitter
        self._patience = patience
        environment = dict(os.environ)
        if interpreter == sys.executable:
            environment["PYTHONPATH"] = os.pathsep.join(
                path or str(Path.cwd()) for path in sys.path
            )
        self._process = subprocess.Popen(
            [interpreter, "-P", str(_WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            # Away from Ctrl-C, which the parent handles, and one group with all that it starts.
            start_new_session=True,
        )
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

    def load(self, max_chunk_length: int) -> None:
        """Make the splitter for a limit in code points, in place of an earlier one."""
        self._ask(
            "did not load",
            command="load",
            factory=self._splitter.factory,
            options=dict(self._splitter.options),
            max_chunk_length=max_chunk_length,
        )

    def run_pass(self, spool: Path, progress: Callable[[int], None] | None = None) -> Pass:
        """Split every document of ``spool`` once, with what was loaded.

        ``progress`` is called with how many documents were split since the last call.
        """
        done = 0

        def advance(documents: int) -> None:
            nonlocal done
            if progress is not None:
                progress(documents - done)
            done = documents

        reply = self._ask("finished no document", advance, command="pass", spool=str(spool))
        advance(reply["documents"])
        return Pass(reply["seconds"], reply["segments"], reply["digest"])

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
        self, silence: str, progress: Callable[[int], None] = lambda _: None, **command: object
    ) -> dict[str, Any]:
        try:
            with contextlib.suppress(BrokenPipeError):  # it died: the replies' end says how
                self._commands.write(json.dumps(command).encode() + b"\n")
                self._commands.flush()
            while (reply := self._receive(silence))["reply"] == "working":
                progress(reply["documents"])
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
