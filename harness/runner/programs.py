"""Runs other programs: each ends, with all that it started, when this process does.

However this process ends: see :mod:`harness.runner.guard`. Where the system cannot fork (Windows),
a program runs without a guard. Standard library only.
"""

import contextlib
import errno
import os
import signal
import subprocess
import sys
import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from harness.runner.details import shorten

_GUARD = Path(__file__).with_name("guard.py")
_GUARDED = hasattr(os, "fork")
_SECONDS_TO_END = 15.0


class ProgramError(Exception):
    """A program could not be run, or not to its end; the message is one line that says why."""


class Program:
    """A program that runs, until `end`, its own end or that of this process.

    Its standard output and error are pipes, and so is its standard input if ``talk`` is wanted;
    else there is nothing to read. ``variables`` are all its environment variables, those of this
    process if none are given. Raises ProgramError if it cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        variables: Mapping[str, str] | None = None,
        talk: bool = False,
    ) -> None:
        if fault := _find_fault(command[0], os.environ if variables is None else variables):
            raise ProgramError(f"{command[0]} cannot be run: {os.strerror(fault)}")
        # What is forgotten is ended as well: its guard sees the end of this pipe.
        lifeline, end = os.pipe() if _GUARDED else (-1, -1)
        self._cut = weakref.finalize(self, os.close, end) if _GUARDED else None
        guard = [sys.executable, "-I", "-S", str(_GUARD), str(lifeline)] if _GUARDED else []
        try:
            self._process: subprocess.Popen[bytes] = subprocess.Popen(
                [*guard, *command],
                stdin=subprocess.PIPE if talk else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=variables,
                pass_fds=[lifeline] if _GUARDED else (),
                start_new_session=True,  # away from Ctrl-C, which this process handles
            )
        except OSError as error:
            raise ProgramError(f"{command[0]} cannot be run: {error.strerror}") from error
        finally:
            if _GUARDED:
                os.close(lifeline)

    @property
    def input(self) -> IO[bytes]:
        """Its standard input, of a program that one talks to."""
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def output(self) -> IO[bytes]:
        """Its standard output."""
        assert self._process.stdout is not None
        return self._process.stdout

    @property
    def errors(self) -> IO[bytes]:
        """Its standard error."""
        assert self._process.stderr is not None
        return self._process.stderr

    def communicate(self, timeout: float | None) -> tuple[bytes, bytes]:
        """All that it writes, until it ends; raises subprocess.TimeoutExpired."""
        return self._process.communicate(timeout=timeout)

    def wait(self, timeout: float | None = None) -> int:
        """Its exit status when it ends; that of a signal is negative.

        Raises subprocess.TimeoutExpired.
        """
        return self._process.wait(timeout)

    def end(self) -> None:
        """End the program and all that it started. May be called again."""
        if self._cut:
            self._cut()
        else:
            self._process.kill()
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        try:
            self._process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:  # even the guard does not answer
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


def _find_fault(name: str, variables: Mapping[str, str]) -> int:
    """Why a program cannot be run: a guard would start, and only then find no program."""
    folders = [""] if os.path.dirname(name) else os.get_exec_path(dict(variables))  # noqa: PTH120
    places = [Path(folder, name) for folder in folders]
    if any(os.access(place, os.X_OK) and place.is_file() for place in places) or not _GUARDED:
        return 0
    return errno.EACCES if any(place.exists() for place in places) else errno.ENOENT


@dataclass(frozen=True, slots=True)
class Finished:
    """A program that ran to its end: its exit status and all that it wrote."""

    status: int
    output: str
    errors: str

    @property
    def reason(self) -> str:
        """Why it failed, in one line: how it ended, and the last thing that it complained of."""
        said = last_line(self.errors.splitlines())
        return f"{describe_end(self.status)}: {said}" if said else describe_end(self.status)


def run_program(
    command: Sequence[str],
    *,
    timeout: float | None,
    variables: Mapping[str, str] | None = None,
) -> Finished:
    """Run a program to its end, without standard input.

    Raises ProgramError if it cannot be run, or takes more than ``timeout`` seconds, if there is
    a limit.
    """
    program = Program(command, variables=variables)
    try:
        output, errors = program.communicate(timeout)
    except subprocess.TimeoutExpired as error:
        message = f"{command[0]} did not finish within {timeout:g} seconds"
        raise ProgramError(message) from error
    finally:
        program.end()
    return Finished(
        program.wait(),
        output.decode(errors="replace").replace("\r\n", "\n"),
        errors.decode(errors="replace").replace("\r\n", "\n"),
    )


def describe_end(status: int) -> str:
    """How a process ended, from its exit status."""
    if status < 0:
        return f"ended by signal {-status} ({signal.strsignal(-status)})"
    return f"ended with status {status}"


def last_line(lines: Iterable[str]) -> str:
    """The last line that says something, cut to a length that fits in a message."""
    said = [line.strip() for line in lines if line.strip()]
    return shorten(said[-1]) if said else ""
