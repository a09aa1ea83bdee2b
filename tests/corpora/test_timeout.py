"""The limit on the time without progress."""

import threading
import time
from collections.abc import Callable, Generator

import pytest

from corpora.timeout import watch

Sign = Callable[[], None]


def test_gives_all_in_order() -> None:
    def source(_: Sign) -> Generator[int, None, None]:
        yield from range(100)

    assert list(watch(source, 5)) == list(range(100))


def test_raises_what_the_source_raises() -> None:
    def source(_: Sign) -> Generator[int, None, None]:
        yield 1
        raise KeyError("x")

    items = watch(source, 5)
    assert next(items) == 1
    with pytest.raises(KeyError):
        next(items)


def test_gives_up_when_nothing_comes() -> None:
    release = threading.Event()

    def source(_: Sign) -> Generator[int, None, None]:
        yield 1
        release.wait(30)

    items = watch(source, 0.05)
    assert next(items) == 1
    with pytest.raises(TimeoutError, match=r"nothing arrived for 0\.05 s"):
        next(items)
    release.set()


def test_signs_of_life_count() -> None:
    def source(give_sign: Sign) -> Generator[int, None, None]:
        for _ in range(10):
            time.sleep(0.1)
            give_sign()
        yield 1

    assert list(watch(source, 0.5)) == [1]


def test_a_slow_reader_is_no_trouble() -> None:
    def source(_: Sign) -> Generator[int, None, None]:
        yield from range(3)

    got = []
    for item in watch(source, 0.2):
        time.sleep(0.3)
        got.append(item)
    assert got == [0, 1, 2]


def test_source_is_asked_for_no_more_than_is_taken() -> None:
    given = []

    def source(_: Sign) -> Generator[int, None, None]:
        for number in range(100):
            given.append(number)
            yield number

    items = watch(source, 5)
    assert [next(items), next(items)] == [0, 1]
    items.close()
    assert given == [0, 1]


def test_source_is_closed_where_the_reader_stops() -> None:
    closed = threading.Event()

    def source(_: Sign) -> Generator[int, None, None]:
        try:
            yield from range(1000)
        finally:
            closed.set()

    items = watch(source, 5)
    next(items)
    items.close()
    assert closed.wait(5)
