"""The journal of a check: what its shards gave, kept in the run folder until the run is written.

Lines of JSON are appended as shards finish, in whichever order. The first line tells what is
checked. A line that is torn, because the process was killed while it wrote, counts as absent.
"""

import contextlib
import shlex
import types
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Self, TypeVar, get_args

import msgspec

from harness.results.errors import MeasurementError, name_remedy
from harness.results.escapes import read_line, write_line
from harness.results.model import Environment

JOURNAL = "journal.jsonl"

#: Where a record belongs: those of the same stage, all but the last number, come together.
JournalPlace = tuple[int, ...]
_T = TypeVar("_T")


class ResumeError(MeasurementError):
    """An interrupted check cannot be resumed; the message is one line that says why."""


@dataclass(frozen=True, slots=True)
class Header:
    """What an interrupted check was: the command's arguments, in which folder, and on what."""

    arguments: tuple[str, ...]
    folder: str
    environment: Environment

    def require(self, here: Environment) -> None:
        """Raises ResumeError if results measured ``here`` would not be those of before."""
        before = self.environment
        pairs = [
            ("Python", before.python, here.python),
            ("the commit", _name_commit(before), _name_commit(here)),
            *(
                (name, before.versions.get(name), here.versions.get(name))
                for name in sorted({*before.versions, *here.versions})
            ),
            ("what is installed", [*before.installed], [*here.installed]),
        ]
        for what, earlier, now in pairs:
            if earlier != now:
                both = f": {earlier} then, {now} now" if isinstance(earlier or now, str) else ""
                raise ResumeError(
                    f"{what} is not the same as before the interruption{both}; "
                    "go on with what it was, or check again with --overwrite"
                )


def _name_commit(environment: Environment) -> str:
    return f"{environment.commit or 'none'}{' with changes' if environment.dirty else ''}"


def read_header(folder: Path) -> Header:
    """The header of the journal in a run folder; raises ResumeError if there is none."""
    path = folder / JOURNAL
    try:
        with path.open("rb") as file:
            return _decode(file.readline(), Header)
    except FileNotFoundError:
        raise ResumeError(f"{folder} holds no interrupted check; give the folder of one") from None
    except OSError as error:
        raise ResumeError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ResumeError(
            f"{path} does not say what was checked: {error}; check again with --overwrite"
        ) from error


def tell_resuming(folder: Path) -> str:
    """How to go on with the interrupted check in a run folder."""
    return f"to go on: {shlex.join(['segbench', 'check', '--resume', str(folder)])}"


class Journal(Generic[_T]):
    """Records of a kind, which are asked for in the order of their places.

    The file is made with ``header`` unless it is there. It is removed when it is closed if it holds
    no record. Raises MeasurementError if it cannot be written, ResumeError if another process is
    writing it.
    """

    def __init__(self, path: Path, header: Header, kind: type[_T]) -> None:
        self._path = path
        self._kind = kind
        self._used = False
        self._lines = _read_lines(path, path.stat().st_size if path.exists() else 0)
        self._ahead: dict[JournalPlace, tuple[str, object]] = {}
        self._next: tuple[JournalPlace, str, object] | None = None
        with self._writing():
            self._file = path.open("ab")
            _lock(self._file.fileno(), path)
            # Should the last line be torn, it stays one of its own.
            self._file.write(b"\n" if self._file.tell() else _encode(header) + b"\n")
            self._file.flush()
        self._advance()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._file.close()
        self._lines.close()
        if not self._used:
            self._path.unlink(missing_ok=True)

    def find(self, place: JournalPlace) -> tuple[str, _T] | None:
        """What was kept for a place, and of which texts; None if nothing was."""
        self._ahead = {each: held for each, held in self._ahead.items() if each >= place}
        while place not in self._ahead:
            if self._next is None or self._next[0][:-1] > place[:-1]:
                return None
            self._ahead[self._next[0]] = self._next[1:]
            self._advance()
        identity, record = self._ahead.pop(place)
        return identity, msgspec.convert(record, self._kind, strict=False, dec_hook=_make_counter)

    def append(self, place: JournalPlace, identity: str, record: _T) -> None:
        """Keep a record, made of texts that ``identity`` stands for."""
        with self._writing():
            self._file.write(_encode((place, identity, record)) + b"\n")
            self._file.flush()
        self._used = True

    def _advance(self) -> None:
        self._next = next(self._lines, None)
        self._used = self._used or self._next is not None

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            remedy = name_remedy(error) or "give another folder with --out"
            raise MeasurementError(
                f"cannot write {self._path}: {error.strerror}; {remedy}"
            ) from error


def _read_lines(path: Path, size: int) -> Generator[tuple[JournalPlace, str, object], None, None]:
    """The records in the first ``size`` bytes of a journal."""
    if not size:
        return
    with path.open("rb") as file:
        file.readline()
        while file.tell() < size:
            with contextlib.suppress(ValueError):
                yield _decode(file.readline(), tuple[JournalPlace, str, Any])


def _lock(file: int, path: Path) -> None:
    with contextlib.suppress(ImportError):  # a system without such locks
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ResumeError(f"{path} is being written by a check that still runs") from None


def _encode(record: object) -> bytes:
    return msgspec.json.encode(_map(msgspec.to_builtins(record, str_keys=True), write_line))


def _decode(line: bytes, kind: type[_T]) -> _T:
    value = _map(msgspec.json.decode(line), read_line)
    return msgspec.convert(value, kind, strict=False)


def _map(value: Any, change: Callable[[str], str]) -> Any:
    """The value with other strings: JSON keeps no lone surrogates apart."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {change(key): _map(each, change) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_map(each, change) for each in value]
    return value


def _make_counter(kind: Any, value: object) -> Counter[Any]:
    return Counter(
        msgspec.convert(value, types.GenericAlias(dict, (*get_args(kind), int)), strict=False)
    )
