"""Processes of this machine that share work, and end when this process does."""

import contextlib
import errno
import multiprocessing
import os
import queue
import signal
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from harness.runner.pool import open_folder

# A terminal sends these to every process; the one that was started by a person handles them.
_FOR_THE_PARENT = [getattr(signal, name) for name in ("SIGINT", "SIGHUP") if hasattr(signal, name)]


T = TypeVar("T")


class ProcessPool(Executor):
    """Processes of this machine, each with one task at a time.

    If one dies, the future of its task raises BrokenExecutor, and another process takes its place.
    Futures raise OSError if none can.
    """

    def __init__(self, processes: int, folder: Path) -> None:
        self._folder = folder
        self._closed = False
        self._threads = ThreadPoolExecutor(processes)
        # A pool for each: one of several processes cannot tell which task killed, and ends as well.
        self._idle: queue.SimpleQueue[ProcessPoolExecutor] = queue.SimpleQueue()
        for _ in range(processes):
            self._idle.put(self._start()[0])

    def _start(self) -> tuple[ProcessPoolExecutor, Future[int]]:
        # Forking copies locks that other threads hold.
        pool = ProcessPoolExecutor(
            1,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_prepare_process,
            initargs=(str(self._folder),),
        )
        with _hold_interrupts():
            return pool, pool.submit(count_cores)  # which starts the process

    def submit(self, task: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Make a call in a process that is free."""
        return self._threads.submit(self._call, task, args, kwargs)

    def _call(self, task: Callable[..., T], args: Sequence[Any], kwargs: Mapping[str, Any]) -> T:
        process = self._idle.get()
        try:
            return process.submit(task, *args, **kwargs).result()
        except BrokenExecutor:
            process.shutdown()
            if not self._closed:
                process, started = self._start()
                self._expect(started)
            raise
        finally:
            self._idle.put(process)

    def _expect(self, started: Future[int]) -> None:
        try:
            started.result()
        except BrokenExecutor as error:
            said = "a process of this command ends as soon as it starts; memory may have run out"
            raise OSError(errno.ECHILD, said) from error

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes when their tasks are done."""
        self._threads.shutdown(wait=wait, cancel_futures=cancel_futures)
        with contextlib.suppress(queue.Empty):
            while wait:
                self._idle.get_nowait().shutdown()

    def close(self) -> None:
        """Forget what waits: its futures are cancelled. No other process is started."""
        self._closed = True
        self.shutdown(wait=False, cancel_futures=True)


@contextmanager
def open_process_pool(processes: int | None = None) -> Iterator[ProcessPool]:
    """An executor of processes on this machine, as many as it has cores to give.

    When the block ends by an exception, Ctrl-C among them, the processes are ended at once: a
    splitter that never returns must not keep them alive. They end also where this process is
    killed, and hold none of its streams.
    """
    before = set(multiprocessing.active_children())
    with open_folder() as folder:  # processes that are ended cannot remove theirs
        pool = ProcessPool(processes or count_cores(), folder)
        try:
            yield pool
        except BaseException:
            pool.close()
            for process in set(multiprocessing.active_children()) - before:
                process.kill()
            raise
        finally:
            pool.shutdown(cancel_futures=True)


def call_all(calls: Iterable[Callable[[], T]], *, stop: Callable[[], object]) -> list[Future[T]]:
    """Make calls that wait for other processes, as many at once as there are cores.

    Each has a future that is done. When this is interrupted, those that have not begun are left
    out, and ``stop`` must make the others end.
    """
    with ThreadPoolExecutor(count_cores()) as threads:
        try:
            begun = [threads.submit(each) for each in calls]
            wait(begun)
        except BaseException:
            threads.shutdown(wait=False, cancel_futures=True)
            stop()
            raise
    return begun


def count_cores() -> int:
    """How many cores this process may use."""
    return len(list_cores())


def list_cores() -> list[int]:
    """The numbers of the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def _prepare_process(folder: str) -> None:
    tempfile.tempdir = folder
    threading.Thread(target=_end_with_parent, daemon=True).start()
    for number in _FOR_THE_PARENT:
        signal.signal(number, signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):  # whoever reads what the parent writes waits for nobody else
        os.dup2(nothing, stream)
    os.close(nothing)


def _end_with_parent() -> NoReturn:
    """End at once when the parent is gone, however it ended; the splitters' processes follow."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    with contextlib.suppress(OSError):
        parent.join()
    os._exit(1)


@contextmanager
def _hold_interrupts() -> Iterator[None]:
    """Let what starts meanwhile never see Ctrl-C, and this process only afterwards."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    earlier = signal.pthread_sigmask(signal.SIG_BLOCK, _FOR_THE_PARENT)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, earlier)
