"""Runs a program, and ends it with everything that it started.

A program, started by :mod:`harness.runner.programs`: ``guard.py LIFELINE COMMAND...``. ``LIFELINE``
is the number of the reading end of a pipe. Nothing is ever written to it: it tells that the process
which holds the other end is gone, or wants the program ended. No process can prevent that, since
the kernel closes what a killed process held.

The program gets a session of its own. When it has ended, or is to end, so are the processes that it
left behind. On Linux they come to the guard, sessions of their own or not; elsewhere those end that
share the program's process group. The guard then ends as the program did. Standard library only.
"""

import contextlib
import os
import select
import signal
import sys
import time

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_ENDING = frozenset(
    getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name)
)
_SECONDS_TO_END = 10.0
CANNOT_RUN = 127  # the exit status of a shell for a command that it cannot run


def main() -> None:
    """Start the program that the command line names, and end it when the lifeline is cut."""
    lifeline, command = int(sys.argv[1]), sys.argv[2:]
    os.set_inheritable(lifeline, False)
    _ask_linux(_PR_SET_CHILD_SUBREAPER, 1)
    news, tell = os.pipe()
    os.set_blocking(news, False)
    os.set_blocking(tell, False)
    signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, *_ENDING):
        signal.signal(number, _note)
    program = _start(command)
    status = _wait(program, lifeline, news)
    status = _end_all(program, status)
    _end_as(status)


def _note(*_: object) -> None:
    """Do nothing: the number of the signal comes through the pipe."""


def _start(command: list[str]) -> int:
    guard = os.getpid()
    program = os.fork()
    if program:
        return program
    try:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGPIPE, *_ENDING):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        os.setsid()
        # Where the guard is killed: nothing else could tell the program.
        _ask_linux(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() == guard:
            os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]} cannot be run: {error.strerror}\n".encode(errors="replace"))
    finally:
        os._exit(CANNOT_RUN)


def _wait(program: int, lifeline: int, news: int) -> int | None:
    """Wait until the program has ended, and return its status; None if it is to be ended."""
    events = select.poll()
    events.register(lifeline, select.POLLIN)
    events.register(news, select.POLLIN)
    while (status := _reap(program)[0]) is None:
        ready = {file for file, _ in events.poll()}
        if lifeline in ready:
            return None
        with contextlib.suppress(BlockingIOError):
            if not _ENDING.isdisjoint(os.read(news, 512)):
                return None
    return status


def _reap(program: int) -> tuple[int | None, bool]:
    """Take note of all that have ended: the program's status if it has, and if any is left."""
    status = None
    try:
        while True:
            ended, how = os.waitpid(-1, os.WNOHANG)
            if not ended:
                return status, True
            if ended == program:
                status = how
    except ChildProcessError:
        return status, False


def _end_all(program: int, status: int | None) -> int | None:
    """Kill the program and what it left until nothing is there; the program's status."""
    until = time.monotonic() + _SECONDS_TO_END
    while time.monotonic() < until:
        with contextlib.suppress(OSError):
            os.killpg(program, signal.SIGKILL)
        for process in _find_descendants(os.getpid()):
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        found, left = _reap(program)
        status = status if found is None else found
        if not left:
            return status
        time.sleep(0.002)
    return status


def _find_descendants(ancestor: int) -> list[int]:
    """The processes below one, if the system lists them."""
    children: dict[int, list[int]] = {}
    with contextlib.suppress(OSError):  # pathlib takes longer to import than all of this
        for name in filter(str.isdecimal, os.listdir("/proc")):  # noqa: PTH208
            with contextlib.suppress(OSError, ValueError, IndexError):
                with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123
                    # What the program is called, in brackets, may be anything.
                    parent = int(file.read().rpartition(b")")[2].split()[1])
                children.setdefault(parent, []).append(int(name))
    found: list[int] = []
    waiting = [ancestor]
    while waiting:
        below = children.pop(waiting.pop(), [])
        found += below
        waiting += below
    return found


def _end_as(status: int | None) -> None:
    """End with the status of the program, or by the signal that ended it."""
    if status is None or not os.WIFSIGNALED(status):
        os._exit(0 if status is None else os.WEXITSTATUS(status))
    number = os.WTERMSIG(status)
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    os._exit(128 + number)


def _ask_linux(option: int, value: int) -> None:
    """Call prctl, if there is one."""
    if sys.platform != "linux":
        return
    with contextlib.suppress(ImportError, OSError, AttributeError):
        import ctypes

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


if __name__ == "__main__":
    main()
