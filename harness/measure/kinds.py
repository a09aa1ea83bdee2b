"""Kinds of text that are common in practice and hard on splitters: code, and made texts.

Each made text is dense in one character that begins a separator, or in whitespace, and rarely has
the separators themselves. Real texts of these kinds are seldom free to pass on.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

import corpora
from corpora import Corpus, CorpusError, Document
from harness.measure.shapes import Shape, fill

Lines = Callable[[random.Random], Iterator[str]]

_WORDS = (
    *("the", "splitter", "reads", "a", "contract", "clause", "and", "writes", "it", "where"),
    *("every", "reader", "of", "an", "appendix", "finds", "what", "was", "agreed", "between"),
    *("both", "parties", "before", "any", "payment", "is", "due", "under", "this", "schedule"),
)


def _phrase(draw: random.Random, fewest: int, most: int) -> str:
    return " ".join(draw.choices(_WORDS, k=draw.randint(fewest, most)))


def _numbers(draw: random.Random, count: int, most: int) -> list[str]:
    return [str(draw.randint(0, most)) for _ in range(count)]


def _dot_leaders(draw: random.Random) -> Iterator[str]:
    """The lines of a table of contents."""
    page = 1
    while True:
        title = f"{draw.randint(1, 20)}.{draw.randint(1, 9)} {_phrase(draw, 1, 6).capitalize()}"
        yield f"{title} {'.' * (72 - len(title))} {page}\n"
        page += draw.randint(0, 3)


def _version_numbers(draw: random.Random) -> Iterator[str]:
    """The pins of a requirements file."""
    while True:
        name = "-".join(draw.choices(_WORDS, k=2))
        yield f"{name}=={'.'.join(_numbers(draw, 4, 30))}\n"


def _time_stamps(draw: random.Random) -> Iterator[str]:
    """A column of times, one per line."""
    second = 0
    while True:
        second += draw.randint(0, 40)
        hour, minute = second // 3600 % 24, second // 60 % 60
        yield f"2024-05-{1 + second // 86400 % 28:02}T{hour:02}:{minute:02}:{second % 60:02}.000Z\n"


def _addresses(draw: random.Random) -> Iterator[str]:
    """Addresses of network cards and hosts, whose parts are joined by colons."""
    while True:
        yield f"{draw.randbytes(6).hex(':')} {draw.randbytes(16).hex(':', 2)}\n"


def _deep_indentation(draw: random.Random) -> Iterator[str]:
    """Lines that are indented by 40 spaces."""
    while True:
        yield f"{' ' * 40}{_phrase(draw, 1, 4)}\n"


def _subtitles(draw: random.Random) -> Iterator[str]:
    """Numbered subtitles with their times, a blank line between two."""
    number = 0
    while True:
        number += 1
        minute, second = number * 3 // 60 % 60, number * 3 % 60
        times = f"00:{minute:02}:{second:02},000 --> 00:{minute:02}:{second:02},900"
        yield f"{number}\n{times}\n{_phrase(draw, 3, 9).capitalize()}.\n\n"


def _brackets(_: random.Random) -> Iterator[str]:
    """A page of one closing bracket, 80 to a line."""
    while True:
        yield f"{')' * 80}\n"


def _dashes(draw: random.Random) -> Iterator[str]:
    """A table in plain text: rules of dashes between its rows."""
    while True:
        yield f"{'-' * 78}\n| {_phrase(draw, 2, 5):<50} | {draw.randint(0, 10**6):>20} |\n"


def _make(lines: Lines) -> Shape:
    return lambda length: fill(lines(random.Random(0)), length)


KINDS: Mapping[str, Shape] = {
    "dot leaders": _make(_dot_leaders),
    "version numbers": _make(_version_numbers),
    "time stamps": _make(_time_stamps),
    "colon-separated addresses": _make(_addresses),
    "deep indentation": _make(_deep_indentation),
    "subtitles": _make(_subtitles),
    "closing brackets": _make(_brackets),
    "runs of dashes": _make(_dashes),
}
"""Name -> function from a length in code points to a text of whole lines of about that length."""

CODE = "code"
_LENGTH = 50_000  # code points of a made text, if it is a corpus


def load_kinds() -> list[Corpus]:
    """Each kind as a corpus: the code of the builtin corpus, and every made text."""
    builtin = corpora.load("builtin")

    def read_code() -> Iterator[Document]:
        return (each for each in builtin if each.id.startswith("code/"))

    def read_made(name: str) -> Iterator[Document]:
        yield Document(name, KINDS[name](_LENGTH))

    made = [Corpus(name, partial(read_made, name), "made by the harness") for name in KINDS]
    return [Corpus(CODE, read_code, builtin.origin), *made]


def load_folders(folder: Path) -> list[Corpus]:
    """Each folder in a folder as a corpus of its name, its files as they are: a table is text too.

    Raises CorpusError if the folder cannot be read or there is none in it; reading a corpus does
    if a file is not UTF-8.
    """
    try:
        folders = sorted(each for each in folder.iterdir() if each.is_dir())
    except OSError as error:
        raise CorpusError(f"{folder} cannot be read: {error.strerror}") from error
    if not folders:
        raise CorpusError(f"{folder} has no folder in it; give one with a folder for each kind")

    def read(kind: Path) -> Iterator[Document]:
        for path in sorted(each for each in kind.rglob("*") if each.is_file()):
            try:
                yield Document(path.relative_to(kind).as_posix(), path.read_bytes().decode("utf-8"))
            except OSError as error:
                raise CorpusError(f"{path} cannot be read: {error.strerror}") from error
            except UnicodeDecodeError as error:
                raise CorpusError(
                    f"{path} is not UTF-8: byte {error.start:,}, {error.reason}; convert it"
                ) from error

    return [Corpus(each.name, partial(read, each), str(each)) for each in folders]
