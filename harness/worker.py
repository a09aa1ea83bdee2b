"""One splitter in one process: loads it once, then runs passes over spooled corpora.

A program, started by :mod:`harness.process`; it needs the standard library and the splitter only,
so it runs under any interpreter that has both. It reads commands and writes replies as JSON
lines:

- ``{"command": "load", "factory": "module:name", "options": {...}, "max_chunk_length": n}`` is
  answered by ``{"reply": "ready"}``;
- ``{"command": "pass", "spool": path}`` splits every document once and is answered by
  ``{"reply": "done", "documents": n, "segments": n, "seconds": s, "digest": hex}``, with
  ``{"reply": "working", "documents": n}`` a few times a second until then;
- either may be answered by ``{"reply": "failure", "status": s, "detail": text}`` instead.

``seconds`` counts the calls of the splitter alone: reading, decoding and digesting lie between
the clock's readings. The garbage collector stays enabled, as it is for users, and collects before
each pass, so that no pass pays for what came before it.
"""

import gc
import importlib
import importlib.machinery
import importlib.util
import json
import os
import queue
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

_SECONDS_BETWEEN_REPLIES = 0.2


def main() -> None:
    commands, replies = _take_streams()
    _import_harness()
    inbox: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(commands, inbox), daemon=True).start()

    def reply(kind: str, **values: object) -> None:
        replies.write(json.dumps({"reply": kind, **values}) + "\n")
        replies.flush()

    split: Callable[[str], list[str]] | None = None
    while True:
        command = inbox.get()
        try:
            if command["command"] == "load":
                split = _load(command["factory"], command["options"], command["max_chunk_length"])
                reply("ready")
            elif split is not None:
                reply("done", **_run_pass(split, Path(command["spool"]), reply))
        except _SplitterError as error:
            reply("failure", status=error.status, detail=error.detail)


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
    spec.submodule_search_locations = [str(Path(__file__).parent)]
    sys.modules["harness"] = importlib.util.module_from_spec(spec)


def _receive(commands: IO[str], inbox: "queue.SimpleQueue[dict[str, Any]]") -> None:
    """Pass commands on; at their end the parent is gone, so end at once, even within a pass."""
    for line in commands:
        inbox.put(json.loads(line))
    os._exit(0)


def _load(
    factory: str, options: dict[str, Any], max_chunk_length: int
) -> Callable[[str], list[str]]:
    module, _, name = factory.partition(":")
    try:
        make = getattr(importlib.import_module(module), name)
        split: Callable[[str], list[str]] = make(max_chunk_length, **options)
    except ImportError as error:
        raise _SplitterError("unavailable", _describe(error)) from error
    except BaseException as error:
        raise _SplitterError("raised", f"{_describe(error)}, when it was loaded") from error
    return split


def _run_pass(
    split: Callable[[str], list[str]], spool: Path, reply: Callable[..., None]
) -> dict[str, object]:
    from harness.digest import CorpusDigest
    from harness.spool import read_spool

    digest = CorpusDigest()
    documents = number = 0
    seconds = 0.0
    gc.collect()
    replied = time.perf_counter()
    for document, text in read_spool(spool):
        began = time.perf_counter()
        try:
            segments = split(text)
        except BaseException as error:  # a splitter may raise anything, SystemExit included
            raise _SplitterError("raised", f"{_describe(error)}, in {document!r}") from error
        ended = time.perf_counter()
        seconds += ended - began
        if not isinstance(segments, list) or not all(isinstance(s, str) for s in segments):
            raise _SplitterError(
                "invalid", f"it gave no list of strings but {_name_type(segments)}, in {document!r}"
            )
        digest.add(document, segments)
        documents += 1
        number += len(segments)
        if ended - replied > _SECONDS_BETWEEN_REPLIES:
            reply("working", documents=documents)
            replied = ended
    return {
        "documents": documents,
        "segments": number,
        "seconds": seconds,
        "digest": digest.hexdigest(),
    }


def _name_type(answer: object) -> str:
    if not isinstance(answer, list):
        return type(answer).__name__
    stranger = next(item for item in answer if not isinstance(item, str))
    return f"a list with {type(stranger).__name__}"


def _describe(error: BaseException) -> str:
    """The error's type and the first line of its message."""
    message = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


if __name__ == "__main__":
    main()
