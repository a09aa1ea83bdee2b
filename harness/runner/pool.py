"""The processes of splitters that one process keeps, for all who want something split."""

import functools
import tempfile
import threading
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Self, cast

from harness.runner.process import SPLITTER_TIMEOUT, Loadable, SplitterError, SplitterProcess
from harness.runner.spool import write_spool

KEPT = 8  # those that always run, and one more


class SplitterPool:
    """Processes of splitters, started when they are wanted and kept for the next who wants one.

    ``timeout`` is how many seconds a splitter may take to load, and for a document; ``kept`` how
    many processes that nobody uses are kept. Threads may share a pool. One that is sent to other
    processes, as an argument of a task, is one pool in each of them, however often it is sent;
    their processes end when these do.
    """

    def __init__(self, *, timeout: float = SPLITTER_TIMEOUT, kept: int = KEPT) -> None:
        self.timeout = timeout
        self._kept = kept
        self._key = uuid.uuid4().hex
        self._lock = threading.RLock()
        self._running: list[SplitterProcess] = []
        self._idle: list[tuple[Loadable, SplitterProcess]] = []
        self._given_up: dict[str, SplitterError] = {}
        self._closed = False
        #: By name, those of splitters for which this machine has others than the splitters say.
        self.interpreters: Mapping[str, str | None] = {}

    def __reduce__(self) -> tuple[object, tuple[str, float, int]]:
        return _receive, (self._key, self.timeout, self._kept)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def borrow(self, splitter: Loadable) -> Iterator[SplitterProcess]:
        """A process of the splitter for oneself, kept afterwards unless the block fails.

        Raises SplitterError if it cannot be started, or the splitter was given up.
        """
        if error := self.find_given_up(splitter):
            raise error
        process = self._take(splitter)
        try:
            yield process
        except BaseException:
            process.close()
            raise
        finally:
            self._put(splitter, process)

    def _take(self, splitter: Loadable) -> SplitterProcess:
        with self._lock:
            for number, (kept, process) in enumerate(self._idle):
                if kept == splitter:
                    del self._idle[number]
                    return process
        here = splitter
        if splitter.name in self.interpreters:
            here = replace(cast(Any, splitter), interpreter=self.interpreters[splitter.name])
        process = SplitterProcess(here, timeout=self.timeout)
        with self._lock:
            if not self._closed:
                self._running.append(process)
                return process
        process.close()
        raise SplitterError("unavailable", "all processes of splitters have been ended")

    def _put(self, splitter: Loadable, process: SplitterProcess) -> None:
        with self._lock:
            if process not in self._running:
                return  # all were closed meanwhile
            if process.closed:
                self._running.remove(process)
                return
            self._idle.append((splitter, process))
            if len(self._idle) > self._kept:
                _, oldest = self._idle.pop(0)
                oldest.close()
                self._running.remove(oldest)

    def split(
        self, splitter: Loadable, documents: Iterable[tuple[str, str]], max_chunk_length: int
    ) -> list[list[str]]:
        """The segments of each (id, text) pair; raises SplitterError and StorageError."""
        with open_folder() as folder, self.borrow(splitter) as process:
            write_spool(folder / "spool", documents)
            process.load(max_chunk_length)
            return list(process.split(folder / "spool", folder / "segments", again=()))

    def time(
        self, splitter: Loadable, texts: Sequence[str], max_chunk_length: int, *, calls: int = 1
    ) -> list[float]:
        """The CPU seconds of the quickest of so many calls with each text; they take turns.

        Raises SplitterError and StorageError.
        """
        with open_folder() as folder, self.borrow(splitter) as process:
            spools = [folder / str(number) for number in range(len(texts))]
            for spool, text in zip(spools, texts, strict=True):
                write_spool(spool, [("text", text)])
            process.load(max_chunk_length)
            taken = [[process.take_turn(spool) for spool in spools] for _ in range(calls)]
            return [
                min(sum(turn.cpu_seconds) for turn in of_text)
                for of_text in zip(*taken, strict=True)
            ]

    def give_up(self, splitter: Loadable, error: SplitterError) -> SplitterError:
        """Start no more processes of a splitter, because of that error; what they raise instead."""
        detail = error.detail.removeprefix(_BEFORE)
        again = SplitterError(error.status, f"{_BEFORE}{detail}", error.frames)
        with self._lock:
            return self._given_up.setdefault(splitter.name, again)

    def find_given_up(self, splitter: Loadable) -> SplitterError | None:
        """Why a splitter was given up; None if it was not."""
        return self._given_up.get(splitter.name)

    def close(self) -> None:
        """End all processes, and start no more. May be called again."""
        with self._lock:
            self._closed = True
            for process in self._running:
                process.close()
            self._running.clear()
            self._idle.clear()


_BEFORE = "not tried again: "


_receiving = threading.Lock()


def _receive(key: str, timeout: float, kept: int) -> SplitterPool:
    with _receiving:  # else two threads that receive it at once have one each
        return _receive_once(key, timeout, kept)


@functools.lru_cache(maxsize=1)  # the pool of an earlier run is forgotten, and its processes end
def _receive_once(key: str, timeout: float, kept: int) -> SplitterPool:
    pool = SplitterPool(timeout=timeout, kept=kept)
    pool._key = key
    return pool


@contextmanager
def open_folder(within: Path | None = None) -> Iterator[Path]:
    """A temporary folder, until the block ends; in the system's place for them, or in another."""
    with tempfile.TemporaryDirectory(
        prefix="segbench-", dir=within, ignore_cleanup_errors=True
    ) as folder:
        yield Path(folder)
