"""A limit on the time without progress, which the libraries that load do not have."""

import queue
import threading
import time
from collections.abc import Callable, Generator
from typing import TypeVar

#: Seconds without progress after which loading is given up, unless another limit is asked for.
TIMEOUT = 120.0

#: What a source calls to say that it is at work.
Sign = Callable[[], None]
_T = TypeVar("_T")


def watch(
    source: Callable[[Sign], Generator[_T, None, None]], seconds: float
) -> Generator[_T, None, None]:
    """What ``source`` generates, each item when it is asked for, in a thread of its own.

    ``source`` is given a function to call as a sign of life between its items. Whatever it raises
    is raised here. Raises TimeoutError when it gives neither an item nor a sign of life for so
    many seconds; its thread cannot be ended, but does not keep the interpreter alive.
    """
    asked: queue.SimpleQueue[bool] = queue.SimpleQueue()  # whether to go on
    answers: queue.SimpleQueue[tuple[list[_T], BaseException | None]] = queue.SimpleQueue()
    last_sign = 0.0

    def give_sign() -> None:
        nonlocal last_sign
        last_sign = time.monotonic()

    def answer() -> None:
        items = source(give_sign)
        while asked.get():
            try:
                answers.put(([next(items)], None))
            except StopIteration:
                answers.put(([], None))
            except BaseException as error:  # noqa: BLE001  it is raised where it is waited for
                answers.put(([], error))
        items.close()

    def wait() -> tuple[list[_T], BaseException | None]:
        give_sign()
        while (remaining := last_sign + seconds - time.monotonic()) > 0:
            try:
                return answers.get(timeout=remaining)
            except queue.Empty:
                continue  # there may have been a sign of life
        raise TimeoutError(f"nothing arrived for {seconds:g} s")

    thread = threading.Thread(target=answer, name="segbench loading", daemon=True)
    thread.start()
    try:
        while True:
            asked.put(True)
            item, error = wait()
            if error is not None:
                raise error
            if not item:
                return
            yield item[0]
    finally:
        asked.put(False)
        thread.join(timeout=1)  # Arrow aborts the process if it exits while a reader is at work
