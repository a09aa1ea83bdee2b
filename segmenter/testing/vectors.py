"""The cases for other languages: a line of JSON each, and whether a program answers them rightly.

A vector is an object with ``version``, ``name``, ``rule``, ``text``, ``max_chunk_length`` and
``segments``; of a text that is not cut by the default separators also ``separators``, each a list
of what stands before its cut and what stands after it. All of it is ASCII. A text is a string;
if it holds surrogates, which not every JSON reader lets through, it is the list of its code
points, and so is each of its segments.

A program under test reads a vector without its segments from each line, and for each writes a
line with an object: its ``segments``, strings or lists of code points, or, under ``skipped``, the
reason why it cannot take the text.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any

from segmenter import TextSegmenter
from segmenter.testing.cases import Case, load_cases
from segmenter.testing.notation import show_notation
from segmenter.testing.texts import make_text

#: Changes when a vector of the same name has other segments, or when the form changes.
VERSION = 2

_GENERATED = 400
_OTHERWISE = 100  # generated ones that are cut by other separators
_SEPARATORS: Sequence[Sequence[tuple[str, str]]] = (
    (("\n", "# "), ("\n\n", ""), (" ", "")),
    (("", "def "), ("\n", "")),
    (("\n", "a"), ("b", "\n"), ("-", "-")),
    (("", "aba"), ("ab", "a"), ("--", "")),
)
_SECONDS = 120
_SHOWN = 300  # characters of what a program wrote


class UnusableProgramError(Exception):
    """A program gave no answers; the message is one line that says why."""


@dataclass(frozen=True, slots=True)
class VectorResults:
    """What became of each vector: a line for each wrong answer, a reason for each skipped one.

    ``unexcused`` of the skipped ones hold no surrogate and are cut by the default separators, so
    every program could take them.
    """

    right: int
    wrong: Sequence[str]
    skipped: Sequence[str]
    unexcused: int = 0


def write(stream: IO[str]) -> None:
    """Write every vector."""
    for vector in _make_vectors():
        stream.write(json.dumps(vector) + "\n")


def check_program(command: Sequence[str]) -> VectorResults:
    """Feed every vector to a program and compare its answers.

    Raises UnusableProgramError if it cannot be run, fails, does not end, or answers none, and
    ValueError if no program is named.
    """
    if not command:
        raise ValueError("name a program")
    vectors = list(_make_vectors())
    questions = [{key: vector[key] for key in vector if key != "segments"} for vector in vectors]
    lines = _ask(command, "".join(json.dumps(question) + "\n" for question in questions))
    if len(lines) != len(vectors):
        raise UnusableProgramError(
            f"{command[0]} answered {len(lines)} lines to {len(vectors)} vectors; "
            "it has to write one line for each that it reads"
        )
    wrong, skipped, unexcused = [], [], 0
    for vector, line in zip(vectors, lines, strict=True):
        answer = _read_answer(line)
        if isinstance(answer, _Skipped):
            skipped.append(_cut(f"{vector['name']}: {' '.join(answer.reason.split())}"))
            unexcused += isinstance(vector["text"], str) and "separators" not in vector
        elif (expected := _decode_all(vector["segments"])) != answer:
            given = [line] if answer is None else answer
            wrong.append(
                f"{vector['name']}: {_show_beginning(expected)} expected at limit "
                f"{vector['max_chunk_length']}, not {_show_beginning(given)}"
            )
    right = len(vectors) - len(wrong) - len(skipped)
    if not right and not wrong:
        raise UnusableProgramError(f"{command[0]} skipped every vector")
    return VectorResults(right, wrong, skipped, unexcused)


def describe_results(answers: VectorResults) -> list[str]:
    """What to print: the wrong answers, the skipped ones, and how many there are of each."""
    return [
        *(f"wrong: {line}" for line in answers.wrong),
        *(f"skipped: {line}" for line in answers.skipped),
        f"{answers.right} right, {len(answers.wrong)} wrong, {len(answers.skipped)} skipped",
    ]


def _make_vectors() -> Iterator[dict[str, Any]]:
    for case in [*load_cases().values(), *map(_generate, range(_GENERATED))]:
        segments = case.segments or TextSegmenter(case.max_chunk_length).split(case.text)
        yield _make_vector(case, segments)
    for number in range(_OTHERWISE):
        separators = _SEPARATORS[number % len(_SEPARATORS)]
        pieces = (*map("".join, separators), *(half for pair in separators for half in pair))
        text, limit = make_text(number, (*filter(None, pieces), " ", "\n", "  ", "x"))
        name = f"separators-{number:03}"
        case = Case(name, "separators", text, limit, origin="")
        segments = TextSegmenter(limit, separators=separators).split(text)
        yield {**_make_vector(case, segments), "separators": separators}


def _make_vector(case: Case, segments: Sequence[str]) -> dict[str, Any]:
    as_strings = not any("\ud800" <= character <= "\udfff" for character in case.text)
    return {
        "version": VERSION,
        "name": case.name,
        "rule": case.rule,
        "text": case.text if as_strings else list(map(ord, case.text)),
        "max_chunk_length": case.max_chunk_length,
        "segments": [segment if as_strings else list(map(ord, segment)) for segment in segments],
    }


def _generate(seed: int) -> Case:
    text, limit = make_text(seed)
    return Case(f"generated-{seed:03}", "reference", text, limit, origin="")


def _show_beginning(segments: Sequence[str]) -> str:
    enough = _SHOWN + 1  # of a segment, and of segments: each shows a character or more
    return _cut(" | ".join(show_notation(each[:enough]) for each in segments[:enough]))


def _cut(line: str) -> str:
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"


def _ask(command: Sequence[str], questions: str) -> list[str]:
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="surrogateescape",
            start_new_session=True,  # one group with all that it starts
        )
    except OSError as error:
        raise UnusableProgramError(f"{command[0]} cannot be run: {error.strerror}") from error
    try:
        answers, said = process.communicate(questions, timeout=_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise UnusableProgramError(
            f"{command[0]} did not end within {_SECONDS} s; it has to end with its input"
        ) from error
    finally:
        _end(process)
    if process.returncode:
        ended = f"ended by signal {-process.returncode}" if process.returncode < 0 else ""
        how = ended or f"failed with status {process.returncode}"
        reasons = map(_cut, _find_reason(said))
        raise UnusableProgramError(": ".join([f"{command[0]} {how}", *reasons]))
    return answers.removesuffix("\n").split("\n") if answers else []


def _end(process: subprocess.Popen[str]) -> None:
    """End a program and what it started; waiting for it closes its pipes."""
    with contextlib.suppress(OSError):  # all of them have ended
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    with process:
        pass


# The name of an error begins the line: if it is quoted from the source, it does not.
_error = re.compile(r"(?:Uncaught |panic: |fatal )?[\w.]*(?:Error|Exception|Panic|error)\b.*")


def _find_reason(said: str) -> list[str]:
    """The line that says why a program failed: the last that names an error, else the last."""
    lines = [line for line in said.splitlines() if line.strip()]
    return ([line for line in lines if _error.match(line)] or lines)[-1:]


@dataclass(frozen=True, slots=True)
class _Skipped:
    reason: str


def _read_answer(line: str) -> list[str] | _Skipped | None:
    """The segments, or why there are none; None for what is not an answer."""
    try:
        match json.loads(line):
            case {"segments": [*segments]}:
                return _decode_all(segments)
            case {"skipped": str(reason)} if reason:
                return _Skipped(reason)
    except (ValueError, TypeError, OverflowError, RecursionError):
        pass
    return None


def _decode_all(segments: Sequence[Any]) -> list[str]:
    return [
        segment if isinstance(segment, str) else "".join(map(_decode, segment))
        for segment in segments
    ]


def _decode(code_point: object) -> str:
    if not isinstance(code_point, int) or isinstance(code_point, bool):
        raise TypeError(f"{code_point!r} is not a code point")
    return chr(code_point)
