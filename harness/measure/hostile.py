"""How splitters meet texts that others choke on, and whether their offsets are right."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from harness.measure.tally import find_uncovered
from harness.results.model import Trial
from harness.runner.pool import SplitterPool
from harness.runner.process import SplitterError
from harness.splitters.registry import Splitter

_LIMIT = 500
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


def try_splitter(splitter: Splitter, pool: SplitterPool) -> list[Trial]:
    """How a splitter meets each hostile text, and whether the offsets it offers are right."""
    trials = []
    for question, text in HOSTILE_TEXTS.items():
        try:
            (segments,) = pool.split(splitter, [("text", text)], _LIMIT)
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
        return "not applicable" if any(find_uncovered(text, segments)[:4]) else "kept"
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
