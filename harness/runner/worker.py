"""One splitter in one process: loads it once, then splits spooled documents.

A program, started by :mod:`harness.runner.process`; it needs the standard library and the splitter only,
so it runs under any interpreter that has both. It reads commands and writes replies as JSON
lines:

- ``{"command": "load", "factory": "module:name", "options": {...}, "max_chunk_length": n}`` is
  answered by ``{"reply": "ready"}``; what was loaded for a limit once is kept;
- ``{"command": "split", "spool": path, "into": path, "again": k}`` writes each document's segments
  to the file ``into``, splits document ``k`` (from 0) twice, and is answered by
  ``{"reply": "done", "documents": n}``;
- ``{"command": "pass", "spool": path}`` splits every document once and is answered by ``{"reply":
  "done", "documents": n, "segments": n, "seconds": s, "cpu_seconds": s, "digest": hex}``;
- both say ``{"reply": "working", "documents": n}`` a few times a second until then;
- each may be answered by ``{"reply": "failure", "status": s, "detail": text}`` instead.

``seconds`` counts the calls of the splitter alone, ``cpu_seconds`` what the process worked in
them: reading, decoding and digesting lie between the clocks' readings. The garbage collector
stays enabled, as it is for users, and collects before each pass, so that no pass pays for what
came before it.
"""

import gc
import importlib.machinery
import importlib.util
import json
import os
import queue
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from time import perf_counter, process_time  # as they are before a splitter is loaded
from types import ModuleType
from typing import IO, Any, NamedTuple

_SECONDS_BETWEEN_REPLIES = 0.2


def main() -> None:
    commands, replies = _take_streams()
    _import_harness()
    sys.meta_path.append(_SegmenterFinder())
    inbox: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(commands, inbox), daemon=True).start()

    def reply(kind: str, **values: object) -> None:
        replies.write(json.dumps({"reply": kind, **values}) + "\n")
        replies.flush()

    loaded: dict[int, Split] = {}
    split: Split | None = None
    while True:
        command = inbox.get()
        try:
            if command["command"] == "load":
                limit = command["max_chunk_length"]
                if limit not in loaded:
                    loaded[limit] = _load(command["factory"], command["options"], limit)
                split = loaded[limit]
                reply("ready")
            elif split is not None and command["command"] == "split":
                spool, into = Path(command["spool"]), Path(command["into"])
                reply("done", documents=_split(split, spool, into, command["again"], reply))
            elif split is not None:
                reply("done", **_run_pass(split, Path(command["spool"]), reply))
        except _SplitterError as error:
            reply("failure", status=error.status, detail=error.detail)


Split = Callable[[str], Any]


class _SplitterError(Exception):
    """The splitter, not the harness, failed: ``status`` says how, ``detail`` why."""

    def __init__(self, status: str, detail: str) -> None:
        super().__init__(status, detail)
        self.status = status
        self.detail = detail


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
    """Make this package importable from its place, without its neighbours on ``sys.path``.

    An interpreter of another environment does not have it installed, and must not see what else
    is installed beside it.
    """
    spec = importlib.machinery.ModuleSpec("harness", None, is_package=True)
    spec.submodule_search_locations = [str(Path(__file__).parents[1])]
    sys.modules["harness"] = importlib.util.module_from_spec(spec)


@cache
def _find_factories() -> Any:
    """The module that makes splitters, from beside this harness and under a name of its own.

    The package ``segmenter`` of this process may be another version's, the one under test.
    """
    path = Path(__file__).parents[2] / "segmenter" / "testing" / "factories.py"
    spec = importlib.util.spec_from_file_location("harness.factories", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class _SegmenterFinder:
    """Finds the package ``segmenter`` beside this one where the environment has none.

    It needs the standard library only, and adapters take its separators.
    """

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != "segmenter":
            return None
        checkout = str(Path(__file__).parents[2])
        return importlib.machinery.PathFinder.find_spec(name, [checkout])


def _receive(commands: IO[str], inbox: "queue.SimpleQueue[dict[str, Any]]") -> None:
    """Pass commands on; at their end the parent is gone, so end at once, even within a pass."""
    for line in commands:
        inbox.put(json.loads(line))
    os._exit(0)


def _load(factory: str, options: dict[str, Any], max_chunk_length: int) -> Split:
    try:
        split: Split = _find_factories().make_split(factory, options, max_chunk_length)
    except ImportError as error:
        raise _SplitterError("unavailable", _describe(error)) from error
    except BaseException as error:
        raise _SplitterError("raised", f"{_describe(error)}, when it was loaded") from error
    finally:
        _end_copies()
    return split


_own = os.getpid()


def _end_copies() -> None:
    """End here where the splitter forked and returns twice: replies are the first process's."""
    if os.getpid() != _own:
        os._exit(0)


class _Answer(NamedTuple):
    document: str
    text: str
    segments: list[str]
    seconds: float
    cpu_seconds: float


def _split(split: Split, spool: Path, into: Path, again: int, reply: Callable[..., None]) -> int:
    """Split every document of ``spool`` into the file ``into``; return how many there were."""
    from harness.runner.spool import write_segments

    documents = 0
    with into.open("wb") as file:
        for answer in _split_documents(split, spool, reply):
            if documents == again:
                _expect_same(split, answer)
            write_segments(file, answer.segments)
            file.flush()  # where this process dies, the file tells how far it came
            documents += 1
    return documents


def _expect_same(split: Split, answer: _Answer) -> None:
    factories = _find_factories()
    try:
        again = factories.read_segments(factories.exhaust(split(answer.text)))
    except BaseException as error:
        detail = f"a second call raised {_describe(error)}, in {answer.document!r}"
        raise _SplitterError("changed", detail) from error
    finally:
        _end_copies()
    if again != answer.segments:
        detail = f"a second call did not give the same segments, in {answer.document!r}"
        raise _SplitterError("changed", detail)


def _run_pass(split: Split, spool: Path, reply: Callable[..., None]) -> dict[str, object]:
    from harness.runner.digest import CorpusDigest

    digest = CorpusDigest()
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


def _split_documents(split: Split, spool: Path, reply: Callable[..., None]) -> Iterator[_Answer]:
    from harness.runner.spool import read_spool

    factories = _find_factories()
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
            raise _SplitterError("invalid", f"{error}, in {document!r}") from error
        except BaseException as error:  # a splitter may raise anything, SystemExit included
            _end_copies()
            raise _SplitterError("raised", f"{_describe(error)}, in {document!r}") from error
        ended = perf_counter()
        cpu_ended = process_time()
        _end_copies()
        try:
            # A new list: the splitter may give the same again, with more in it.
            segments = factories.read_segments(given)
        except factories.SegmentsError as error:
            raise _SplitterError("invalid", f"{error}, in {document!r}") from error
        yield _Answer(document, text, segments, ended - began, cpu_ended - cpu_began)
        if ended - replied > _SECONDS_BETWEEN_REPLIES:
            reply("working", documents=documents + 1)
            replied = ended


def _describe(error: BaseException) -> str:
    """The error's type and the first line of its message."""
    message = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


if __name__ == "__main__":
    main()
