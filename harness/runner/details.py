"""Details of what went wrong, bounded: whatever a splitter says, a message stays a line.

Standard library only: the worker, which has no more, describes errors with it.
"""

import os
import sys
import traceback
from collections.abc import Sequence

from harness.results.escapes import quote

LONGEST = 300  # code points of a detail
_FRAMES = 8
_IDENTIFIER = 100


def shorten(text: str, most: int = LONGEST) -> str:
    """A text, without its middle if it is longer than ``most`` code points."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]} … {text[-(most - half - 3) :]}"


def name_document(document: str) -> str:
    """A document's id as messages quote it."""
    return quote(shorten(document, _IDENTIFIER))


def describe_error(error: BaseException) -> str:
    """The type of an error and the first line of its message, which may be anything."""
    kind = shorten(type(error).__name__, _IDENTIFIER)
    try:
        message = str(error)[: 100 * LONGEST].strip().partition("\n")[0]
    except BaseException as another:  # noqa: BLE001  it is the splitter's
        message = f"its message cannot be read, {type(another).__name__}"
    return f"{kind}: {shorten(message)}" if message else kind


def list_frames(error: BaseException, *own: str) -> list[str]:
    """The last frames of an error's traceback, without those of the files ``own``, each a line.

    A file is named as it is imported, without the folder on Python's path: run folders are shared.
    """
    return [
        shorten(
            f"{_name_file(frame.filename)}:{frame.lineno} in {frame.name}: "
            f"{frame.line or ''}".rstrip(": ")
        )
        for frame in _find_frames(error, own)[-_FRAMES:]
    ]


def _name_file(path: str) -> str:
    folders = [f"{folder.rstrip(os.sep)}{os.sep}" for folder in sys.path if folder]
    around = max((each for each in folders if path.startswith(each)), key=len, default="")
    return path.removeprefix(around)


def name_line(error: BaseException, *own: str) -> str:
    """Where an error was raised, as `` (file.py:12)``; empty if no line is known."""
    frames = _find_frames(error, own)
    if not frames:
        return ""
    name = shorten(frames[-1].filename.replace("\\", "/").rpartition("/")[2], _IDENTIFIER)
    return f" ({name}:{frames[-1].lineno})"


def _find_frames(error: BaseException, own: Sequence[str]) -> list[traceback.FrameSummary]:
    try:
        frames = traceback.extract_tb(error.__traceback__)
    except Exception:  # noqa: BLE001  a splitter's source, or what it made of Python
        return []
    return [
        frame
        for frame in frames
        if frame.filename not in own and not frame.filename.startswith("<frozen ")
    ]
