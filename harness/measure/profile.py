"""What a comparison of splitters needs beside rules and speed.

How each meets texts that others choke on, whether the offsets that it offers are right, how its
time grows, what its import and its installation weigh.
"""

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version

from harness.measure.check import find_uncovered
from harness.results.errors import MeasurementError
from harness.results.model import Exemption, Growth, Import, Trial
from harness.runner.pool import SplitterPool
from harness.runner.process import SplitterError
from harness.splitters.probes import weigh_import
from harness.splitters.registry import Splitter
from harness.splitters.venvs import Installation, UnavailableError, install

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


def try_splitter(splitter: Splitter, pool: SplitterPool) -> list[Trial]:
    """How a splitter meets each hostile text, and whether the offsets it offers are right."""
    trials = []
    for question, text in HOSTILE_TEXTS.items():
        try:
            (segments,) = pool.split(splitter, [("text", text)], LIMIT)
        except SplitterError as error:
            trials.append(Trial(splitter.name, question, error.status, error.detail))
        else:
            longest = max(map(len, segments), default=0)
            detail = f"{len(segments):,} segments, the longest of {longest:,}"
            given = _judge(text, segments, joins="join" not in splitter.not_applicable)
            trials.append(Trial(splitter.name, question, given, detail))
    return [*trials, _try_offsets(splitter, pool)]


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


def _try_offsets(splitter: Splitter, pool: SplitterPool) -> Trial:
    if splitter.offsets is None:
        return Trial(splitter.name, OFFSETS, "not offered", "")
    judging = replace(
        splitter,
        factory="harness.splitters.adapters.third_party:tell_offset_faults",
        options={"factory": splitter.offsets, "options": dict(splitter.options)},
    )
    wrong = 0
    first = ""
    texts = [(str(number), text) for number, text in enumerate(_OFFSET_TEXTS)]
    try:
        for faults in pool.split(judging, texts, 50):
            wrong += len(faults)
            first = first or next(iter(faults), "")
    except SplitterError as error:
        return Trial(splitter.name, OFFSETS, error.status, error.detail)
    if wrong:
        return Trial(splitter.name, OFFSETS, "wrong", f"{wrong}, the first {first}")
    return Trial(splitter.name, OFFSETS, "right", "")


def measure_growth(splitter: Splitter, pool: SplitterPool) -> tuple[list[Growth], list[Trial]]:
    """The time that texts of two lengths take, by shape and limit: the quickest of three calls,
    or a single one where that is long.

    What fails is told as a trial.
    """
    growth: list[Growth] = []
    trials: list[Trial] = []
    for shape, text in SHAPES.items():
        for limit in _LIMITS:
            for length in _LENGTHS:
                try:
                    seconds = _find_quickest(splitter, pool, text[:length], limit)
                except SplitterError as error:
                    question = f"{length:,} code points of {shape} at {limit:,}"
                    trials.append(Trial(splitter.name, question, error.status, error.detail))
                    break
                growth.append(Growth(shape, limit, splitter.name, length, seconds))
    return growth, trials


def _find_quickest(splitter: Splitter, pool: SplitterPool, text: str, limit: int) -> float:
    (seconds,) = pool.time(splitter, text, limit)
    if seconds > _LONG:
        return seconds
    return min(seconds, *pool.time(splitter, text, limit, calls=_ROUNDS - 1))


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
