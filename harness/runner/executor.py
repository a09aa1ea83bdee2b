"""Processes of this machine that share work, and end when this process does."""

import contextlib
import multiprocessing
import os
import signal
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import NoReturn, TypeVar

from harness.runner.pool import open_folder

# A terminal sends these to every process; the one that was started by a person handles them.
_FOR_THE_PARENT = [getattr(signal, name) for name in ("SIGINT", "SIGHUP") if hasattr(signal, name)]


@contextmanager
def open_process_pool(processes: int | None = None) -> Iterator[Executor]:
    """An executor of processes on this machine, as many as it has cores to give.

    When the block ends by an exception, Ctrl-C among them, the processes are ended at once: a
    splitter that never returns must not keep them alive. They end also where this process is
    killed, and hold none of its streams.
    """
    processes = processes or count_cores()
    before = set(multiprocessing.active_children())
    with open_folder() as folder:  # processes that are ended cannot remove theirs
        # Forking copies locks that other threads hold.
        pool = ProcessPoolExecutor(
            processes,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_prepare_process,
            initargs=(str(folder),),
        )
        try:
            with _hold_interrupts():
                for _ in range(processes):
                    pool.submit(count_cores)  # each starts one process
            yield pool
        except BaseException:
            # First forget what waits: its futures are cancelled, and cannot be told of a death.
            pool.shutdown(wait=False, cancel_futures=True)
            for process in set(multiprocessing.active_children()) - before:
                process.kill()
            raise
        finally:
            pool.shutdown(cancel_futures=True)


T = TypeVar("T")


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
