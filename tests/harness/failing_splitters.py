"""Splitters that fail in every way that a splitter can; factories, for ``Splitter.factory``."""

import builtins
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from types import SimpleNamespace


def slices(limit: int) -> Callable[[str], list[str]]:
    """One that does not fail."""
    return lambda text: [text[i : i + limit] for i in range(0, len(text), limit)]


def logging(limit: int, path: str, name: str) -> Callable[[str], list[str]]:
    """Tells in a file that it was called."""

    def split(text: str) -> list[str]:
        with Path(path).open("a") as file:
            file.write(name)
        return slices(limit)(text)

    return split


def logging_lengths(limit: int, path: str, name: str) -> Callable[[str], list[str]]:
    """Tells in a file that it was called, and with how long a text."""

    def split(text: str) -> list[str]:
        with Path(path).open("a") as file:
            file.write(f"{name}{len(text)}")
        return slices(limit)(text)

    return split


def logging_seed(limit: int, path: str) -> Callable[[str], list[str]]:
    """Tells in a file what seed of hashes its process was given."""
    with Path(path).open("a") as file:
        file.write(f"{os.environ.get('PYTHONHASHSEED', 'none')} ")
    return slices(limit)


def killed_third_at_5(limit: int, path: str) -> Callable[[str], list[str]]:
    """Dies at limit 5 where it is made the third time; a file counts."""
    if limit != 5:
        return slices(limit)
    with Path(path).open("a") as file:
        file.write("x")
    return killed(limit) if len(Path(path).read_text()) == 3 else slices(limit)


def losing(limit: int) -> Callable[[str], list[str]]:
    return lambda text: slices(limit)(text[1:])


def overlong(limit: int) -> Callable[[str], list[str]]:
    return lambda text: [text]


def raising(limit: int) -> Callable[[str], list[str]]:
    def split(text: str) -> list[str]:
        raise LookupError("no such thing\nsecond line")

    return split


def exiting(limit: int) -> Callable[[str], list[str]]:
    return lambda text: sys.exit(0)


def vanishing(limit: int) -> Callable[[str], list[str]]:
    def split(text: str) -> list[str]:
        sys.stderr.write("out of\npatience\n")
        os._exit(7)

    return split


def killed(limit: int) -> Callable[[str], list[str]]:
    def split(text: str) -> list[str]:
        os.kill(os.getpid(), signal.SIGKILL)
        return []

    return split


def killed_at_5(limit: int) -> Callable[[str], list[str]]:
    return killed(limit) if limit == 5 else slices(limit)


def hanging(limit: int) -> Callable[[str], list[str]]:
    """Hangs with a child process of its own."""

    def split(text: str) -> list[str]:
        subprocess.run([sys.executable, "-c", "import time; time.sleep(600)"], check=True)
        return []

    return split


def hanging_at_load(limit: int) -> Callable[[str], list[str]]:
    time.sleep(600)
    return slices(limit)


def printing(limit: int) -> Callable[[str], list[str]]:
    """Prints what looks like an answer, below Python too, and reads standard input."""

    def split(text: str) -> list[str]:
        sys.stdout.write('{"reply": "done", "documents": 0, "segments": 0, "digest": ""}\n')
        sys.stdout.flush()
        os.write(1, b"noise\n")
        sys.stdin.read()
        return slices(limit)(text)

    return split


def of_bytes(limit: int) -> Callable[[str], list[str]]:
    return lambda text: [text.encode()]


def stripping(limit: int) -> Callable[[str], list[str]]:
    return lambda text: [piece.strip() for piece in slices(limit)(text)]


def overlapping(limit: int) -> Callable[[str], list[str]]:
    return lambda text: [text[i : i + limit] for i in range(0, len(text), max(1, limit - 2))]


def choking(limit: int, path: str) -> Callable[[str], list[str]]:
    """Raises on one text, and tells in a file what it was given."""

    def split(text: str) -> list[str]:
        with Path(path).open("a") as file:
            file.write(f"{text}\n")
        if text == "2":
            raise RecursionError
        return [text]

    return split


def raising_at_load(limit: int) -> Callable[[str], list[str]]:
    raise ValueError("no such limit")


def raising_later(limit: int) -> Callable[[str], list[str]]:
    """Raises at the second call."""
    calls: list[str] = []

    def split(text: str) -> list[str]:
        calls.append(text)
        if len(calls) == 2:
            raise LookupError
        return [text]

    return split


def lazy(limit: int) -> Callable[[str], Iterator[str]]:
    return lambda text: iter(slices(limit)(text))


def working_late(limit: int) -> Callable[[str], Iterator[str]]:
    def split(text: str) -> Iterator[str]:
        yield from slices(limit)(text)

    return split


class Method:
    """What is splitting in it is named as in LangChain; being called is for something else."""

    def __init__(self, limit: int) -> None:
        self.split_text = slices(limit)

    def __call__(self, nodes: list[object]) -> list[object]:
        raise NotImplementedError


def of_documents(limit: int) -> Callable[[str], tuple[object, ...]]:
    return lambda text: tuple(SimpleNamespace(page_content=s) for s in slices(limit)(text))


class LyingString(str):
    __slots__ = ()

    def __len__(self) -> int:
        return 1


def of_subclass(limit: int) -> Callable[[str], list[str]]:
    return lambda text: [LyingString(s) for s in slices(limit)(text)]


def of_one_string(limit: int) -> Callable[[str], str]:
    return lambda text: text


def asynchronous(limit: int) -> Callable[[str], Awaitable[list[str]]]:
    async def split(text: str) -> list[str]:
        return slices(limit)(text)

    return split


def words(text: str) -> list[str]:
    """No factory: it splits itself."""
    return text.split()


def changing(limit: int) -> Callable[[str], list[str]]:
    """Gives the same number of segments and code points, cut elsewhere at every call."""
    calls = 0

    def split(text: str) -> list[str]:
        nonlocal calls
        calls += 1
        return [text[:calls], text[calls:]]

    return split


def unloadable(limit: int) -> Callable[[str], list[str]]:
    import a_package_that_nobody_has

    return a_package_that_nobody_has.split


def dropping(limit: int) -> Callable[[str], list[str]]:
    """Drops the first segment."""
    return lambda text: slices(limit)(text)[1:]


def doubling(limit: int) -> Callable[[str], list[str]]:
    """Takes twice the limit."""
    return lambda text: slices(2 * limit)(text + " " * max(0, limit + 1 - len(text)))


def slice_offsets(limit: int) -> Callable[[str], list[tuple[str, int, int]]]:
    return lambda text: [
        (text[i : i + limit], i, min(i + limit, len(text))) for i in range(0, len(text), limit)
    ]


def wrong_offsets(limit: int) -> Callable[[str], list[tuple[str, int, int]]]:
    return lambda text: [
        (segment, start + 1, end + 1) for segment, start, end in slice_offsets(limit)(text)
    ]


def forking(limit: int) -> Callable[[str], list[str]]:
    """It returns twice: once in a copy of its process."""

    def split(text: str) -> list[str]:
        os.fork()
        return slices(limit)(text)

    return split


def growing(limit: int) -> Callable[[str], list[str]]:
    """It gives the same list again, with more in it."""
    given: list[str] = []

    def split(text: str) -> list[str]:
        given.extend(slices(limit)(text))
        return given

    return split


def no_offsets(limit: int) -> Callable[[str], list[tuple[str, int, int]]]:
    return lambda text: []


def quadratic(limit: int) -> Callable[[str], list[str]]:
    """It counts every pair of segments."""

    def split(text: str) -> list[str]:
        segments = slices(limit)(text)
        pairs = sum(1 for _ in segments for _ in segments)
        assert pairs == len(segments) ** 2
        return segments

    return split


def slow(limit: int) -> Callable[[str], list[str]]:
    def split(text: str) -> list[str]:
        time.sleep(0.3)
        return slices(limit)(text)

    return split


def replacing_len(limit: int) -> Callable[[str], list[str]]:
    """Replaces what is built in: a length is always 1."""

    def split(text: str) -> list[str]:
        builtins.len = lambda _: 1
        return slices_of(text, limit)

    return split


def slices_of(text: str, limit: int) -> list[str]:
    return [text[i : i + limit] for i in range(0, text.__len__(), limit)]


class Lying(str):
    """A string that tells another length, and other equals, than it has."""

    __slots__ = ()

    def __len__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = str.__hash__


def lying(limit: int) -> Callable[[str], list[str]]:
    """Loses the first segment; the others are strings that lie."""
    return lambda text: [Lying(each) for each in slices_of(text, limit)[1:]]


def verbose(limit: int) -> Callable[[str], list[str]]:
    """Raises an error that holds the text."""

    def split(text: str) -> list[str]:
        raise ValueError(f"cannot split {text * 2_000_000!r}")

    return split


def verbose_at_end(limit: int) -> Callable[[str], list[str]]:
    """Writes an endless line, and dies."""

    def split(text: str) -> list[str]:
        sys.stderr.write("x" * 3_000_000)
        sys.stderr.flush()
        os._exit(3)

    return split


def leaving(limit: int, path: str) -> Callable[[str], list[str]]:
    """Leaves a process in a session of its own, and tells its number."""

    def split(text: str) -> list[str]:
        code = "import time; time.sleep(600)"
        left = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
        Path(path).write_text(str(left.pid))
        return slices(limit)(text)

    return split


def garbling(limit: int) -> Callable[[str], list[str]]:
    """Writes its own file of segments over the harness's, once that is there."""

    def split(text: str) -> list[str]:
        for place in Path("/proc/self/fd").iterdir():
            if place.exists() and place.readlink().name == "segments":
                os.truncate(place.readlink(), 0)
                place.readlink().write_bytes(b"\x01" * 100)
        return slices(limit)(text)

    return split


def widening(limit: int) -> Callable[[str], list[str]]:
    """Ends each line with a blank more."""
    return lambda text: [f"{line} " for line in text.splitlines(keepends=True)]


def rewriting(limit: int) -> Callable[[str], list[str]]:
    """Takes a word for another once in a text, and the newlines away."""
    return lambda text: text.replace("number 7", "no. 7", 1).splitlines()
