"""One splitter in one process: loads it once, then splits spooled documents.

A program, started by :mod:`harness.runner.process`; it needs the standard library and the splitter
only, so it runs under any interpreter that has both. It reads commands and writes replies as JSON
lines:

- ``{"command": "keep", "core": n}`` lets the process run on that core alone, if the system can
  see to that, and is answered by ``{"reply": "ready"}``;
- ``{"command": "load", "factory": "module:name", "options": {...}, "max_chunk_length": n}`` is
  answered by ``{"reply": "ready"}``; what was loaded for a limit once is kept;
- ``{"command": "split", "spool": path, "into": path, "again": [k, ...]}`` writes each document's
  segments to the file ``into``, splits those documents (counted from 0) twice, and is answered by
  ``{"reply": "done", "documents": n}``;
- ``{"command": "pass", "spool": path}`` splits every document once and is answered by ``{"reply":
  "done", "documents": n, "segments": n, "seconds": s, "cpu_seconds": s, "digest": hex}``;
- ``{"command": "turn", "spool": path, "portions": n, "passes": n}`` cuts the documents into about
  so many portions of consecutive ones, splits each portion so many times, and is answered as a pass
  is, with lists of the seconds that one pass over each portion took;
- ``{"command": "count", "spool": path, "passes": n}`` splits every document so many times, between
  two calls of the C function ``getpgid``, for which the program that counts the instructions of
  this one waits, and is answered by ``{"reply": "done"}``;
- until then ``split`` and ``pass`` say ``{"reply": "working", "documents": n}`` a few times a
  second;
- each may be answered by ``{"reply": "failure", "status": s, "detail": text, "frames": [line,
  ...]}`` instead, or by ``{"reply": "machine", "error": number, "place": path}`` if a file of
  the harness cannot be read or written, which is not the splitter's fault.

``seconds`` counts the calls of the splitter alone, ``cpu_seconds`` what the process worked in them:
reading, decoding and digesting lie outside the clocks' readings. Of a pass the clocks are read for
each document; of a turn before and after each portion, since a reading costs as much as a short
document. A turn's texts are decoded before, its segments compared with those of the turn before
after it. The garbage collector stays enabled, as it is for users, and collects before each pass or
turn, so that none pays for what came before it.
"""

import builtins
import contextlib
import gc
import importlib.machinery
import importlib.util
import json
import os
import queue
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import perf_counter, process_time  # as they are before a splitter is loaded
from types import ModuleType
from typing import IO, Any, NamedTuple

# A splitter may replace what is built in: the functions below keep what Python gave.
__builtins__ = dict(vars(builtins))  # type: ignore[assignment]  # a module or its names

_SECONDS_BETWEEN_REPLIES = 0.2
_HARNESS = Path(__file__).parents[1]
_ROOT = _HARNESS.parent
_FACTORIES = "harness.factories"


def main() -> None:
    """Read commands and answer them until there are no more."""
    commands, replies = _take_streams()
    _import_harness()
    sys.meta_path.append(_SegmenterFinder())
    inbox: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(commands, inbox), daemon=True).start()

    def reply(kind: str, **values: object) -> None:
        replies.write(json.dumps({"reply": kind, **values}) + "\n")
        replies.flush()

    loaded: dict[int, _Split] = {}
    taken: dict[Path, _Taken] = {}
    split: _Split | None = None
    while True:
        command = inbox.get()
        try:
            if command["command"] == "keep":
                _keep_on_core(command["core"])
                reply("ready")
            elif command["command"] == "load":
                limit = command["max_chunk_length"]
                if limit not in loaded:
                    loaded[limit] = _load(command["factory"], command["options"], limit)
                split = loaded[limit]
                taken.clear()
                reply("ready")
            elif split is not None and command["command"] == "split":
                reply("done", documents=_split(split, command, reply))
            elif split is not None and command["command"] == "turn":
                reply("done", **_take_turn(split, command, taken))
            elif split is not None and command["command"] == "count":
                _split_between_marks(split, Path(command["spool"]), command["passes"])
                reply("done")
            elif split is not None:
                reply("done", **_run_pass(split, Path(command["spool"]), reply))
        except _SplitterError as error:
            reply("failure", status=error.status, detail=error.detail, frames=error.frames)
        except OSError as error:  # only the harness's own: those of a splitter are failures
            reply("machine", error=error.errno, place=str(command.get("into", command["spool"])))


_Split = Callable[[str], Any]


class _SplitterError(Exception):
    """The splitter, not the harness, failed: ``status`` says how, ``detail`` why.

    ``frames`` are the last lines of its traceback, if it raised something.
    """

    def __init__(self, status: str, detail: str, raised: BaseException | None = None) -> None:
        super().__init__(status, detail)
        self.status = status
        self.detail = detail
        self.frames = [] if raised is None else _list_frames(raised)


def _take_streams() -> tuple[IO[str], IO[str]]:
    """Keep standard input and output for the protocol; a splitter that prints gets stderr."""
    commands = os.fdopen(os.dup(0), encoding="utf-8")
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return commands, replies


def _import_harness() -> None:
    """Make the harness importable from its place, without its neighbours on ``sys.path``.

    An interpreter of a virtual environment does not have it installed, and must not see what else
    is installed beside it. What the worker needs is imported before any splitter is, with the
    builtins that the worker has.
    """
    for package in ("harness", "harness.results", "harness.runner"):
        spec = importlib.machinery.ModuleSpec(package, None, is_package=True)
        spec.submodule_search_locations = [str(_ROOT.joinpath(*package.split(".")))]
        sys.modules[package] = importlib.util.module_from_spec(spec)
    for name in ("results.escapes", "runner.details", "runner.digest", "runner.spool"):
        _import_file(f"harness.{name}", _HARNESS.joinpath(*name.split(".")).with_suffix(".py"))
    # Under a name of its own: the package `segmenter` of this process may be another version's.
    factories = _ROOT / "segmenter" / "testing" / "factories.py"
    _import_file(_FACTORIES, factories)


def _import_file(name: str, path: Path) -> None:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    vars(module)["__builtins__"] = __builtins__
    sys.modules[name] = module
    spec.loader.exec_module(module)


class _SegmenterFinder:
    """Finds the package ``segmenter`` beside this one if the environment has none.

    It needs the standard library only, and adapters take its separators.
    """

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != "segmenter":
            return None
        return importlib.machinery.PathFinder.find_spec(name, [str(_ROOT)])


def _receive(commands: IO[str], inbox: "queue.SimpleQueue[dict[str, Any]]") -> None:
    """Pass commands on; at their end the parent is gone, so end at once, even within a pass.

    Where there is a guard, it ends the process before this can.
    """
    status = 1
    try:
        for line in commands:
            inbox.put(json.loads(line))
        status = 0
    except Exception as error:  # noqa: BLE001  what a splitter replaced, others need
        os.write(2, f"{_describe(error)}\n".encode(errors="replace"))
    finally:
        os._exit(status)


def _keep_on_core(core: int) -> None:
    if hasattr(os, "sched_setaffinity"):
        with contextlib.suppress(OSError):  # the core is gone
            os.sched_setaffinity(0, {core})


def _load(factory: str, options: dict[str, Any], max_chunk_length: int) -> _Split:
    make_split: Callable[..., _Split] = sys.modules[_FACTORIES].make_split

    try:
        split: _Split = make_split(factory, options, max_chunk_length)
    except ImportError as error:
        raise _SplitterError("unavailable", _describe(error), error) from error
    except BaseException as error:
        detail = f"{_describe(error)}{_name_line(error)}, when it was loaded"
        raise _SplitterError("raised", detail, error) from error
    finally:
        _end_copies()
    return split


_own = os.getpid()


def _end_copies() -> None:
    """End here if the splitter forked and returns twice: replies are the first process's."""
    if os.getpid() != _own:
        os._exit(0)


class _Answer(NamedTuple):
    document: str
    text: str
    segments: list[str]
    seconds: float
    cpu_seconds: float


def _split(split: _Split, command: dict[str, Any], reply: Callable[..., None]) -> int:
    """Split documents into a file, as the command says; return how many there were."""
    from harness.runner.spool import naming, open_new, write_segments

    documents = 0
    again = set(command["again"])
    into = Path(command["into"])
    with open_new(into) as file:
        for answer in _split_documents(split, Path(command["spool"]), reply):
            if documents in again:
                _expect_same(split, answer)
            with naming(into):
                write_segments(file, answer.segments)
                file.flush()  # if this process dies, the file tells how far it came
            documents += 1
    return documents


def _expect_same(split: _Split, answer: _Answer) -> None:
    factories = sys.modules[_FACTORIES]
    where = _name(answer.document)
    try:
        again = factories.extract_segments(factories.exhaust(split(answer.text)))
    except BaseException as error:
        detail = f"a second call raised {_describe(error)}{_name_line(error)}, in {where}"
        raise _SplitterError("changed", detail, error) from error
    finally:
        _end_copies()
    if again != answer.segments:
        detail = f"a second call did not give the same segments, in {where}"
        raise _SplitterError("changed", detail)


def _run_pass(split: _Split, spool: Path, reply: Callable[..., None]) -> dict[str, object]:
    from harness.runner.digest import SegmentsDigest

    digest = SegmentsDigest()
    documents = number = 0
    seconds = cpu_seconds = 0.0
    for answer in _split_documents(split, spool, reply):
        digest.add(answer.document, answer.segments)
        documents += 1
        number += len(answer.segments)
        seconds += answer.seconds
        cpu_seconds += answer.cpu_seconds
    return {
        "documents": documents,
        "segments": number,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "digest": digest.hexdigest(),
    }


class _Taken(NamedTuple):
    """The documents of a stratum, and what its last turn gave: every turn should give the same."""

    documents: list[tuple[str, str]]
    segments: list[list[str]]
    digest: str


def _take_turn(
    split: _Split, command: dict[str, Any], taken: dict[Path, _Taken]
) -> dict[str, object]:
    from harness.runner.spool import read_spool

    exhaust = sys.modules[_FACTORIES].exhaust
    spool, passes = Path(command["spool"]), command["passes"]
    before = taken.get(spool)
    documents = before.documents if before else list(read_spool(spool))
    given: list[tuple[list[list[Any]], list[list[Any]]]] = []
    seconds, cpu_seconds = [], []
    # What the last turn left. A full collection also goes through all that was imported: for
    # LangChain 18 ms, longer than the turn itself.
    gc.collect(1)
    with _blaming_splitter():
        for texts in _cut(documents, command["portions"]):
            wall_began = perf_counter()
            cpu_began = process_time()
            first = last = [exhaust(split(text)) for text in texts]
            for _ in range(1, passes):
                # What the pass before gave is freed: to keep it would have the machine find more
                # memory, which takes a quick splitter longer than its work.
                last = [exhaust(split(text)) for text in texts]
            cpu_seconds.append((process_time() - cpu_began) / passes)
            seconds.append((perf_counter() - wall_began) / passes)
            given.append((first, last))
    segments = _extract_all(documents, [each for first, _ in given for each in first])
    if passes > 1:
        last_ones = [each for _, last in given for each in last]
        if _extract_all(documents, last_ones) != segments:
            raise _SplitterError("changed", "a later pass did not give the same segments")
    if before is None or before.segments != segments:
        before = taken[spool] = _Taken(documents, segments, _digest(documents, segments))
    return {
        "documents": len(documents),
        "segments": sum(map(len, segments)),
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "digest": before.digest,
    }


_mark = getattr(os, "getpgid", None)  # nothing else here calls the C function of that name


def _split_between_marks(split: _Split, spool: Path, passes: int) -> None:
    from harness.runner.spool import read_spool

    exhaust = sys.modules[_FACTORIES].exhaust
    texts = [text for _, text in read_spool(spool)]
    assert _mark is not None  # what counts runs on systems that have it
    gc.collect()
    with _blaming_splitter():
        _mark(0)
        for _ in range(passes):
            for text in texts:
                exhaust(split(text))
        _mark(0)


@contextlib.contextmanager
def _blaming_splitter() -> Iterator[None]:
    """Whatever is raised within, SystemExit included, is the splitter's; so is a fork."""
    factories = sys.modules[_FACTORIES]
    try:
        yield
    except factories.SegmentsError as error:
        _end_copies()
        raise _SplitterError("invalid", str(error)) from error
    except BaseException as error:
        _end_copies()
        raise _SplitterError("raised", f"{_describe(error)}{_name_line(error)}", error) from error
    _end_copies()


def _cut(documents: Sequence[tuple[str, str]], portions: int) -> list[list[str]]:
    """The texts in about so many portions of consecutive ones that are about as long."""
    whole = sum(len(text) for _, text in documents)
    cut: dict[int, list[str]] = {}
    done = 0
    for _, text in documents:
        middle = done + len(text) / 2
        cut.setdefault(int(middle * portions / whole) if whole else 0, []).append(text)
        done += len(text)
    return list(cut.values())


def _extract_all(
    documents: Sequence[tuple[str, str]], answers: Sequence[list[Any]]
) -> list[list[str]]:
    factories = sys.modules[_FACTORIES]
    extracted = []
    for (document, _), answer in zip(documents, answers, strict=True):
        try:
            extracted.append(factories.extract_segments(answer))
        except factories.SegmentsError as error:
            raise _SplitterError("invalid", f"{error}, in {_name(document)}") from error
    return extracted


def _digest(documents: Sequence[tuple[str, str]], segments: Sequence[Sequence[str]]) -> str:
    from harness.runner.digest import SegmentsDigest

    digest = SegmentsDigest()
    for (document, _), of_document in zip(documents, segments, strict=True):
        digest.add(document, of_document)
    return digest.hexdigest()


def _split_documents(split: _Split, spool: Path, reply: Callable[..., None]) -> Iterator[_Answer]:
    from harness.runner.spool import read_spool

    factories = sys.modules[_FACTORIES]
    exhaust = factories.exhaust
    gc.collect()
    replied = perf_counter()
    for documents, (document, text) in enumerate(read_spool(spool)):
        cpu_began = process_time()
        began = perf_counter()
        try:
            given = exhaust(split(text))
        except factories.SegmentsError as error:
            _end_copies()
            raise _SplitterError("invalid", f"{error}, in {_name(document)}") from error
        except BaseException as error:  # a splitter may raise anything, SystemExit included
            _end_copies()
            detail = f"{_describe(error)}{_name_line(error)}, in {_name(document)}"
            raise _SplitterError("raised", detail, error) from error
        ended = perf_counter()
        cpu_ended = process_time()
        _end_copies()
        try:
            # A new list: the splitter may give the same again, with more in it.
            segments = factories.extract_segments(given)
        except factories.SegmentsError as error:
            raise _SplitterError("invalid", f"{error}, in {_name(document)}") from error
        yield _Answer(document, text, segments, ended - began, cpu_ended - cpu_began)
        if ended - replied > _SECONDS_BETWEEN_REPLIES:
            reply("working", documents=documents + 1)
            replied = ended


def _describe(error: BaseException) -> str:
    from harness.runner.details import describe_error

    return describe_error(error)


def _list_frames(error: BaseException) -> list[str]:
    from harness.runner.details import list_frames

    return list_frames(error, __file__, str(_ROOT / "segmenter" / "testing" / "factories.py"))


def _name_line(error: BaseException) -> str:
    """Where an error was raised, as its message says it; empty if no line is known."""
    from harness.runner.details import name_line

    return name_line(error, __file__, str(_ROOT / "segmenter" / "testing" / "factories.py"))


def _name(document: str) -> str:
    from harness.runner.details import name_document

    return name_document(document)


if __name__ == "__main__":
    main()
