"""How the command ends, whatever happens: one line on standard error and an exit status.

Standard library only, since it also stands for libraries that cannot be imported.
"""

import contextlib
import io
import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Iterator
from types import FrameType
from typing import Any

from harness.cli.status import INTERRUPTED, NOT_MEASURED
from harness.results.errors import name_remedy
from harness.results.escapes import escape

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
_LONGEST_LINE = 2_000


class Ending(SystemExit):
    """The command's own exit status.

    Any other SystemExit is that of code which was measured or imported, and says nothing of the
    answer.
    """


def say(message: str) -> None:
    """Write one line to standard error; foreign text cannot break the line or the terminal."""
    print(f"segbench: {_bound(message)}", file=sys.stderr, flush=True)  # noqa: T201


def _bound(message: str) -> str:
    shown = escape(" ".join(message[: 2 * _LONGEST_LINE].split()))
    return shown if len(shown) <= _LONGEST_LINE else f"{shown[:_LONGEST_LINE]} …"


@contextlib.contextmanager
def end_in_one_line() -> Iterator[None]:
    """Run the block until it raises Ending, and tell in one line whatever else it raises.

    That ends with ``NOT_MEASURED``, a signal to stop with ``INTERRUPTED``.
    """
    _open_streams()
    signals = _Signals()
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except Ending as ending:
        status = ending.code
    except KeyboardInterrupt:
        status = say_interrupted()
    except BaseException as error:  # noqa: BLE001 - nothing of ours is above
        # An import that is interrupted may raise something else.
        status = say_interrupted() if signals.stopped else _say_uncaught(error)
    signals.restore()
    if status == INTERRUPTED:
        # All is tidied; Python itself may crash if a library was interrupted while it loaded.
        with contextlib.suppress(OSError):
            sys.stdout.flush()
        if (pools := sys.modules.get("multiprocessing.util")) is not None:
            # But for the semaphores of pools: Python would complain of them later, on its own.
            with contextlib.suppress(Exception):
                pools._run_finalizers()
        os._exit(INTERRUPTED)
    sys.exit(status)


def say_interrupted() -> int:
    """Say so; returns the exit status."""
    say("interrupted; no report was written")
    return INTERRUPTED


def _say_uncaught(error: BaseException) -> int:
    with contextlib.suppress(MemoryError):
        if isinstance(error, OSError) and error.errno is not None:
            say(describe_os_error(error))
            return NOT_MEASURED
        kind = type(error).__name__
        try:
            what = f"{kind}: {error}"
        except Exception:  # noqa: BLE001 - a foreign exception's own fault
            what = kind
        say(f"{what[: _LONGEST_LINE // 2]}; {_keep_traceback(error)}")
        return NOT_MEASURED
    os.write(2, b"segbench: out of memory\n")
    return NOT_MEASURED


def describe_os_error(error: OSError) -> str:
    """The system's words, the file that they are about, and what helps, if that is known."""
    files = [str(name) for name in (error.filename, error.filename2) if name is not None]
    said = ": ".join([*files, error.strerror or type(error).__name__])
    return f"{said}; {remedy}" if (remedy := name_remedy(error)) else said


def _keep_traceback(error: BaseException) -> str:
    """Write the traceback into a file that only this user can read; says where, or why not."""
    try:
        descriptor, path = tempfile.mkstemp(prefix="segbench-traceback-", suffix=".txt")
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.writelines(traceback.format_exception(error))
    except OSError as failure:
        return f"its traceback cannot be kept: {describe_os_error(failure)}"
    return f"its traceback is in {path}"


class _Signals:
    """Lets the signals that ask for an end interrupt the command, unless they are ignored.

    They are ignored under nohup and in a shell's background jobs.
    """

    def __init__(self) -> None:
        self.stopped = False
        self._handled = [
            number
            for name in _SIGNALS
            if (number := getattr(signal, name, None)) is not None
            and signal.getsignal(number) is not signal.SIG_IGN
        ]
        for number in self._handled:
            signal.signal(number, self._stop)

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self.stopped = True
        raise KeyboardInterrupt

    def restore(self) -> None:
        """From here on there is nothing to tidy: a signal just ends the process."""
        for number in self._handled:
            signal.signal(number, signal.SIG_DFL)


class _Output(io.FileIO):
    """A standard stream that after its first error swallows what it is given.

    If nobody reads, that is not an error: whoever pipes into ``head`` still gets the verdict. An
    error on standard error could not be told anywhere.
    """

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            if isinstance(error, BrokenPipeError) or self.fileno() == 2:
                return len(data)
            raise OSError(error.errno, error.strerror, "standard output") from error


def _open_streams() -> None:
    """Make standard output and error take any character, though nobody reads or they are closed."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:  # else the next file or pipe took its number, and a child lost that
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by who started the command
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115, PTH123
        elif isinstance(stream, io.TextIOWrapper) and isinstance(
            getattr(stream.buffer, "raw", stream.buffer), io.FileIO
        ):
            stream.flush()
            output = _Output(stream.fileno(), "w", closefd=False)
            setattr(
                sys,
                name,
                io.TextIOWrapper(
                    io.BufferedWriter(output),
                    encoding=stream.encoding,
                    errors="backslashreplace",
                    line_buffering=stream.line_buffering,
                    write_through=name == "stderr",
                ),
            )
