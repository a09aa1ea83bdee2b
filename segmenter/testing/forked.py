"""A splitter in a process of its own, which may hang, crash or end without harm to the tests.

It is forked from the process of the tests, so it has whatever they made, and what it changes there
(the working directory, handlers of signals, built-in functions) is changed for it alone. Where
processes do not fork, it runs in that of the tests, which ends when the time is over.
"""

import contextlib
import faulthandler
import multiprocessing
import os
import re
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

import pytest

from segmenter.testing.trial import (
    Answer,
    Factory,
    RefusedTextError,
    UnusableSplitterError,
    ask,
    find_modules,
    tell_factory,
)

CAN_FORK = hasattr(os, "fork")

# The process ends itself when its time is over. If it cannot, it is ended so many seconds later.
_GRACE = 5.0
# To end by itself when it is asked to, as it has to for those who measure its coverage.
_FAREWELL = 2.0

_frame = re.compile(r'\s*File "(?P<file>.*)", line (?P<line>\d+) in (?P<name>.*)')


class HangingSplitterError(RefusedTextError):
    """A splitter did not end in time; the message says where it was."""


class ForkedSplitter:
    """Splitters of a factory in a process of their own, until ``close``.

    ``time_limit`` is in seconds, for each question. With 0 there is neither a limit nor a process
    of their own, as debuggers want it.
    """

    def __init__(self, factory: Factory, time_limit: float) -> None:
        self.factory = factory
        self._time_limit = time_limit
        self._process: multiprocessing.process.BaseProcess | None = None

    def ask(self, text: str, max_chunk_length: int, *, again: bool) -> Answer:
        """The answer of a splitter.

        Raises RefusedTextError also if its process ends, and HangingSplitterError; after these, the
        next question goes to a new process.
        """
        answer: Answer = self._call(ask, text, max_chunk_length, again=again)
        return answer

    def find_modules(self) -> list[str]:
        """As `segmenter.testing.trial.find_modules`."""
        try:
            modules: list[str] = self._call(find_modules)
        except RefusedTextError as error:
            name = tell_factory(self.factory)
            raise UnusableSplitterError(f"{name} makes no splitter: {error}") from error
        return modules

    def close(self) -> None:
        """End the process, and all that it started in its session."""
        if self._process is None:
            return
        with contextlib.suppress(OSError):
            self._connection.send(None)
        self._process.join(_FAREWELL)
        self._end()

    def _call(self, function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        if not self._time_limit:
            return function(self.factory, *arguments, **options)
        if not CAN_FORK:
            with _end_all_after(self._time_limit):
                return function(self.factory, *arguments, **options)
        if self._process is None:
            self._start()
        began = time.monotonic()
        try:
            self._connection.send((function, arguments, options))
            replied = self._connection.poll(self._time_limit + _GRACE)
            reply = self._connection.recv() if replied else None
        except (EOFError, OSError):
            reply = None
        except BaseException:  # the tests are interrupted
            self._end()
            raise
        if reply is None:
            raise self._find_end(time.monotonic() - began)
        value, error, skipped = reply
        if skipped is not None:
            pytest.skip(skipped)
        if error is not None:
            raise error
        return value

    def _start(self) -> None:
        self._connection, theirs = multiprocessing.Pipe()
        self._stack = tempfile.TemporaryFile("w+")  # noqa: SIM115  closed with the process
        process = multiprocessing.get_context("fork").Process(
            target=_serve,
            args=(self.factory, theirs, self._connection, self._stack, self._time_limit),
        )
        with warnings.catch_warnings():
            # Python warns of locks that other threads hold, as those of pytest-xdist: a splitter
            # has nothing to do with these.
            warnings.simplefilter("ignore", DeprecationWarning)
            process.start()
        theirs.close()
        self._process = process

    def _find_end(self, seconds: float) -> RefusedTextError:
        """What became of the process, which is ended."""
        status, place = self._end()
        if status == -signal.SIGALRM or seconds > self._time_limit:
            return HangingSplitterError(f"it did not end within {self._time_limit:g} s{place}")
        if status < 0:
            name = signal.strsignal(-status) or "unknown"
            return RefusedTextError(f"its process was ended by signal {-status} ({name})")
        return RefusedTextError(f"it ended its process, with status {status}")

    def _end(self) -> tuple[int, str]:
        """End the process; return its status, and where it was if its time was over."""
        assert self._process is not None
        process, self._process = self._process, None
        assert process.pid is not None
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()  # it may not have come as far as to have a group
        process.join()
        self._connection.close()
        with self._stack as stack:
            stack.seek(0)
            found = next(filter(None, map(_frame.match, stack)), None)
        status = process.exitcode
        assert status is not None
        place = f"; it was in {found['name']}, {found['file']}:{found['line']}" if found else ""
        return status, place


def _serve(
    factory: Factory, ours: Connection, theirs: Connection, stack: Any, time_limit: float
) -> None:
    """Answer questions until there are no more."""
    theirs.close()  # so that this process ends with that of the tests
    os.setsid()  # Ctrl-C is for the tests; and what is started here is ended with it
    own = os.getpid()
    # When the time is over the system ends this process, also in native code, and if nobody is left
    # who waits for it; before that it tells where it is.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    faulthandler.register(signal.SIGALRM, file=stack, all_threads=False, chain=True)
    with contextlib.suppress(EOFError, OSError):
        while question := ours.recv():
            function, arguments, options = question
            value: Any = None
            error = skipped = None
            signal.setitimer(signal.ITIMER_REAL, time_limit)
            try:
                value = function(factory, *arguments, **options)
            except (RefusedTextError, UnusableSplitterError) as refusal:
                error = type(refusal)(str(refusal))
            except pytest.skip.Exception as skip:  # a factory knows what is not installed
                skipped = skip.msg
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
                if os.getpid() != own:  # the splitter forked, and returns twice
                    os._exit(0)
            for stream in (sys.stdout, sys.stderr):
                with contextlib.suppress(Exception):  # a splitter may have put anything there
                    stream.flush()
            ours.send((value, error, skipped))


@contextmanager
def _end_all_after(seconds: float) -> Iterator[None]:
    """End this process with its stack and a status of failure, when the time is over."""
    faulthandler.dump_traceback_later(seconds, exit=True, file=2)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
