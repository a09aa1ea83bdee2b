"""The rules that a splitter can be tried by, in sets: those that reports count, and more."""

import difflib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import accumulate, pairwise

from segmenter import TextSegmenter, rules
from segmenter.rules import Breach, find_run, find_unit_end, find_unit_start
from segmenter.testing.notation import show_notation
from segmenter.testing.trial import Attempt

Check = Callable[[Attempt], Iterator[Breach]]

ACCEPTS = "accepts"
DETERMINISTIC = "deterministic"


class UnknownRuleError(Exception):
    """A name that no rule and no set has; the message is one line and suggests near names."""


class NotApplicableError(Exception):
    """A rule says nothing about a splitter of this kind; the message is one line."""


def accepts(attempt: Attempt) -> Iterator[Breach]:
    """Every text gives segments at every limit, whatever is in it, and nothing raises."""
    # Where a splitter refuses the text, no attempt gets here.
    yield from ()


def fits(attempt: Attempt) -> Iterator[Breach]:
    """No segment is longer than the limit, in the measure of the splitter."""
    if attempt.lengths is None:
        yield from rules.fits(attempt.splitting)
        return
    for (start, _), length in zip(attempt.splitting.locate(), attempt.lengths, strict=True):
        if length > attempt.max_chunk_length:
            expected = f"at most {attempt.max_chunk_length}"
            yield Breach(start, False, f"segment of {length}; expected: {expected}")


def order(attempt: Attempt) -> Iterator[Breach]:
    """No segment begins before the one before it."""
    starts = attempt.outcome.starts
    if attempt.joins:
        return
    if starts is not None:
        for before, start in pairwise(starts):
            if start < before:
                yield Breach(start, False, f"segment at {start} comes after the one at {before}")
        return
    at = 0
    for segment in attempt.outcome.segments:
        found = attempt.text.find(segment, at)
        if found >= 0:
            at = found
        elif segment in attempt.text:
            yield Breach(at, False, f"{show_notation(segment)} is nowhere after {at}, but before")


def covers(attempt: Attempt) -> Iterator[Breach]:
    """Each segment begins no later than where the text before it is covered, to the text's end."""
    text = attempt.text
    end = 0
    for segment in attempt.segments:
        start = text.rfind(segment, 0, end + len(segment))
        if start < 0:
            yield Breach(end, False, f"{show_notation(segment)} does not begin at {end} or before")
            return
        end = max(end, start + len(segment))
    if end < len(text):
        yield Breach(end, False, f"nothing holds the text from {end}")


def offsets(attempt: Attempt) -> Iterator[Breach]:
    """A segment is the text from its start to its end, in code points."""
    segments, starts, ends = attempt.outcome.segments, attempt.outcome.starts, attempt.outcome.ends
    if starts is None:
        if segments:
            raise NotApplicableError("the splitter does not say where its segments are")
        return
    # Segments that join have one place each; of others the same text may be in several.
    places = accumulate(map(len, segments), initial=0) if attempt.joins else starts
    for start, place, segment in zip(starts, places, segments, strict=False):
        if start < 0 or start != place or not attempt.text.startswith(segment, start):
            yield Breach(max(start, 0), False, f"{show_notation(segment)} is not at {start}")
    for start, end, segment in zip(starts, ends or (), segments, strict=False):
        if end - start != len(segment):
            yield Breach(
                max(start, 0), False, f"{show_notation(segment)} is not from {start} to {end}"
            )


def deterministic(attempt: Attempt) -> Iterator[Breach]:
    """The same text gives the same segments again, and from another splitter made likewise."""
    for which, again in zip(("second", "other splitter's"), attempt.answer.again, strict=True):
        if isinstance(again, str):
            yield Breach(0, False, f"when split again: {again}")
            return
        if again != attempt.outcome:
            yield Breach(0, False, f"the {which} segments are {list(again.segments)!a}")
            return


def reference(attempt: Attempt) -> Iterator[Breach]:
    """The segments are those that the specification gives."""
    expected = attempt.expected
    if expected is None:
        expected = tuple(TextSegmenter(attempt.max_chunk_length).split(attempt.text))
    if attempt.outcome.segments == expected:
        return
    start = 0
    for given, right in zip(attempt.outcome.segments, expected, strict=False):
        if given != right:
            break
        start += len(right)
    yield Breach(start, False, f"expected: {' | '.join(map(show_notation, expected))}")


def _apply(name: str, attempt: Attempt) -> Iterator[Breach]:
    """A rule of the reports, without the breaches that no splitter can avoid."""
    if attempt.lengths is not None and name not in ("join", "empty"):
        raise NotApplicableError("the splitter does not count code points")
    return (breach for breach in rules.RULES[name](attempt.splitting) if not breach.unavoidable)


#: What each rule finds in an attempt.
CHECKS: Mapping[str, Check] = {
    ACCEPTS: accepts,
    **{name: partial(_apply, name) for name in rules.RULES},
    "fits": fits,
    "order": order,
    "covers": covers,
    "offsets": offsets,
    DETERMINISTIC: deterministic,
    "reference": reference,
}

_OVERLAP = ("fits", "order", "covers", "empty", "offsets", "deterministic")
_LOSSLESS = ("join", "fits", "order", "empty", "offsets", "deterministic")

#: The rules of each set. Which texts a splitter accepts is always tried: of others a rule would
#: say nothing.
RULE_SETS: Mapping[str, tuple[str, ...]] = {
    "lossless": (ACCEPTS, *_LOSSLESS),
    "overlap": (ACCEPTS, *_OVERLAP),
    "whitespace": (ACCEPTS, *_LOSSLESS, *(name for name in rules.RULES if name not in _LOSSLESS)),
    "reference": (ACCEPTS, "reference"),
}


def select_rules(names: str) -> list[str]:
    """The rules in sets and rules named with commas between; raises UnknownRuleError."""
    selected = {ACCEPTS: None}
    for name in filter(None, map(str.strip, names.split(","))):
        if name not in RULE_SETS and name not in CHECKS:
            known = [*RULE_SETS, *CHECKS]
            near = difflib.get_close_matches(name, known, n=3) or known
            raise UnknownRuleError(f"no rule is named {name!r}; did you mean {', '.join(near)}?")
        selected |= dict.fromkeys(RULE_SETS.get(name, (name,)))
    if len(selected) == 1 and ACCEPTS not in names:
        raise UnknownRuleError(f"no rule is named; there are {', '.join([*RULE_SETS, *CHECKS])}")
    return list(selected)


def describe_rule(name: str) -> str:
    """The rule in a sentence."""
    function = CHECKS[name] if name not in rules.RULES or name == "fits" else rules.RULES[name]
    sentence, _, _ = " ".join((function.__doc__ or "").split()).partition(". ")
    return sentence.removesuffix(".") + "."


def concerns(name: str, text: str, max_chunk_length: int) -> bool:
    """Whether a splitter could break the rule on that text at all."""
    blank = text.isspace()
    if name == "whitespace-only":
        return blank
    if name not in rules.RULES or name in ("join", "fits", "empty"):
        return True
    runs = [] if blank else list(_find_runs(text))
    match name:
        case "cut-after-last-newline":
            return any(run.cut is not None and "\n" in text[run.start : run.end] for run in runs)
        case "run-without-newline":
            return any(
                run.cut is not None and "\n" not in text[run.start : run.end] for run in runs
            )
        case "edges":
            return any(run.cut is None for run in runs)
        case "too-long-run":
            return any(
                find_unit_end(text, at) - find_unit_start(text, at) > max_chunk_length
                for run in runs
                for at in (run.start - 1, run.end)
                if 0 <= at < len(text)
            )
    return bool(runs)


def _find_runs(text: str) -> Iterator[rules.WhitespaceRun]:
    at = 0
    while at < len(text):
        if text[at].isspace():
            run = find_run(text, at)
            yield run
            at = run.end
        at += 1
