"""What a comparison of splitters needs beside rules and speed.

How each meets texts that others choke on, whether the offsets that it offers are right, how its
time grows, what its import and its installation weigh.
"""

import contextlib
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Self

from harness.measure.check import find_uncovered
from harness.results.errors import MeasurementError
from harness.results.model import Exemption, Growth, Import, Trial
from harness.runner.process import SplitterError, SplitterProcess
from harness.runner.spool import write_spool
from harness.splitters.probes import weigh_import
from harness.splitters.registry import Splitter
from harness.splitters.venvs import Installation, UnavailableError, install

PATIENCE = 60.0
LIMIT = 500
HOSTILE_TEXTS: Mapping[str, str] = {
    "lone surrogate": "One sentence. Another \ud83d one.\n" * 40,
    "NUL": "One sentence. Another \0 one.\n" * 40,
    "1 MB without a space": ("".join(chr(97 + n * n % 26) for n in range(26)) * 38_462)[:1_000_000],
}
"""Texts that splitters choke on, by what is hostile in them."""

OFFSETS = "offsets"
_OFFSET_TEXTS = (
    "One sentence here. And — well — another! 漢字。仮名？\n\n    Indented  text\n" * 20,
    "  leading, repeated repeated repeated repeated repeated repeated 😀 😀 trailing  ",
)

_SENTENCE = (
    "It was a long day, and nobody (not even the clerk) had read the letter; so it lay there. "
)
SHAPES: Mapping[str, str] = {
    "prose": (_SENTENCE * 5 + "\n\n") * 250,
    "one line": _SENTENCE * 1_250,
    "lines of one letter": "a\n" * 50_000,
}
_LENGTHS = (25_000, 100_000)
_LIMITS = (LIMIT, 10 * LIMIT)
_ROUNDS = 3
_LONG = 1.0  # seconds


@dataclass(frozen=True, slots=True)
class Contenders:
    """Splitters that can be measured, where each is installed, and why others cannot be had.

    ``installations`` has one for each of ``splitters``, ``unavailable`` maps names to reasons.
    """

    splitters: Sequence[Splitter]
    installations: Mapping[str, Installation]
    unavailable: Mapping[str, str]


def gather(
    splitters: Iterable[Splitter], progress: Callable[[str], None] | None = None
) -> Contenders:
    """Find or make each splitter's environment; ``progress`` is called with a line for each made.

    A splitter that is given by its factory, without a requirement, belongs to this environment.
    """
    ready: list[Splitter] = []
    installations: dict[str, Installation] = {}
    unavailable: dict[str, str] = {}
    known: dict[tuple[str | None, str | None], Installation | UnavailableError] = {}
    for splitter in splitters:
        wanted = (splitter.requirement, splitter.python)
        if wanted not in known:
            try:
                known[wanted] = install(splitter, progress=progress)
            except UnavailableError as error:
                known[wanted] = error
        found = known[wanted]
        if isinstance(found, UnavailableError):
            unavailable[splitter.name] = str(found)
        else:
            installations[splitter.name] = found
            ready.append(replace(splitter, interpreter=found.interpreter))
    return Contenders(ready, installations, unavailable)


def list_exemptions(splitters: Iterable[Splitter]) -> list[Exemption]:
    """The rules that cannot be asked of splitters, and why."""
    return [
        Exemption(splitter.name, rule, reason)
        for splitter in splitters
        for rule, reason in splitter.not_applicable.items()
    ]


def try_splitter(splitter: Splitter, *, patience: float = PATIENCE) -> list[Trial]:
    """How a splitter meets each hostile text, and whether the offsets it offers are right.

    ``patience`` is how many seconds it may take to load, and for a text.
    """
    trials = []
    with _Bench(splitter, patience) as bench:
        for question, text in HOSTILE_TEXTS.items():
            try:
                segments = bench.split(text, LIMIT)
            except SplitterError as error:
                trials.append(Trial(splitter.name, question, error.status, error.detail))
            else:
                longest = max(map(len, segments), default=0)
                detail = f"{len(segments):,} segments, the longest of {longest:,}"
                given = _judge(text, segments, joins="join" not in splitter.not_applicable)
                trials.append(Trial(splitter.name, question, given, detail))
    return [*trials, _try_offsets(splitter, patience)]


def _judge(text: str, segments: Sequence[str], *, joins: bool) -> str:
    """What became of the text; ``joins`` tells whether segments are meant to join to it."""
    if not joins:
        return "not applicable" if any(find_uncovered(text, segments)) else "kept"
    joined = "".join(segments)
    if joined == text:
        return "kept"
    return "whitespace lost" if _without_whitespace(joined) == _without_whitespace(text) else "lost"


def _without_whitespace(text: str) -> str:
    return "".join(text.split())


def _try_offsets(splitter: Splitter, patience: float) -> Trial:
    if splitter.offsets is None:
        return Trial(splitter.name, OFFSETS, "not offered", "")
    judging = replace(
        splitter,
        factory="harness.splitters.adapters.third_party:tell_offset_faults",
        options={"factory": splitter.offsets, "options": dict(splitter.options)},
    )
    wrong = 0
    first = ""
    try:
        with _Bench(judging, patience) as bench:
            for text in _OFFSET_TEXTS:
                faults = bench.split(text, 50)
                wrong += len(faults)
                first = first or next(iter(faults), "")
    except SplitterError as error:
        return Trial(splitter.name, OFFSETS, error.status, error.detail)
    if wrong:
        return Trial(splitter.name, OFFSETS, "wrong", f"{wrong}, the first {first}")
    return Trial(splitter.name, OFFSETS, "right", "")


def measure_growth(
    splitter: Splitter, *, patience: float = PATIENCE
) -> tuple[list[Growth], list[Trial]]:
    """The time that texts of two lengths take, by shape and limit: the quickest of three calls,
    or a single one where that is long.

    What fails is told as a trial.
    """
    growth: list[Growth] = []
    trials: list[Trial] = []
    with _Bench(splitter, patience) as bench:
        for shape, text in SHAPES.items():
            for limit in _LIMITS:
                for length in _LENGTHS:
                    try:
                        seconds = bench.time(text[:length], limit)
                    except SplitterError as error:
                        question = f"{length:,} code points of {shape} at {limit:,}"
                        trials.append(Trial(splitter.name, question, error.status, error.detail))
                        break
                    growth.append(Growth(shape, limit, splitter.name, length, seconds))
    return growth, trials


def weigh_imports(contenders: Contenders) -> list[Import]:
    """What each splitter's import and installation weigh; once where several share both.

    What cannot be imported has no milliseconds and no modules.
    """
    found: dict[tuple[str | None, str], Import] = {}
    for splitter in contenders.splitters:
        key = (splitter.interpreter, splitter.module or "")
        if not splitter.module or key in found:
            continue
        installation = contenders.installations[splitter.name]
        distribution = splitter.distribution or "segbench"
        release = installation.versions.get(distribution) or version(distribution)
        milliseconds: list[float] = []
        modules = 0
        with contextlib.suppress(MeasurementError):
            milliseconds, modules = weigh_import(splitter.interpreter, splitter.module, _ROUNDS)
        found[key] = Import(
            f"{splitter.module} ({distribution} {release})",
            milliseconds,
            modules,
            len(installation.versions) or None,
            installation.size or None,
        )
    return list(found.values())


class _Bench:
    """A splitter's process and a folder for the texts that it is given."""

    def __init__(self, splitter: Splitter, patience: float) -> None:
        self._splitter = splitter
        self._patience = patience
        self._process: SplitterProcess | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="segbench-")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.close()
        self._folder.cleanup()

    def split(self, text: str, max_chunk_length: int) -> list[str]:
        spool = self._spool(text)
        process = self._load(max_chunk_length)
        (segments,) = process.split(spool, spool.with_name("segments"), again=-1)
        return segments

    def time(self, text: str, max_chunk_length: int) -> float:
        spool = self._spool(text)
        process = self._load(max_chunk_length)
        seconds = process.run_pass(spool).seconds
        if seconds > _LONG:
            return seconds
        return min(seconds, *(process.run_pass(spool).seconds for _ in range(_ROUNDS - 1)))

    def _load(self, max_chunk_length: int) -> SplitterProcess:
        """The process, or a new one where it failed."""
        if self._process is None or self._process.closed:
            self._process = SplitterProcess(self._splitter, patience=self._patience)
        self._process.load(max_chunk_length)
        return self._process

    def _spool(self, text: str) -> Path:
        spool = Path(self._folder.name, "spool")
        write_spool(spool, [("text", text)])
        return spool
