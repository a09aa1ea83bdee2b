"""One splitter, one text, one rule: whether it holds, and what to print if it does not."""

import shlex
from collections.abc import Sequence

from segmenter.rules import Breach
from segmenter.testing.cases import Case
from segmenter.testing.checks import ACCEPTS, CHECKS, DETERMINISTIC, describe_rule
from segmenter.testing.notation import show_notation
from segmenter.testing.trial import (
    Ask,
    Attempt,
    Factory,
    RefusedTextError,
    ask,
    load_factory,
    name_factory,
    tell_factory,
)

# What is wrong cannot be seen from the segments of one call.
_UNSEEN = ("offsets", DETERMINISTIC)

# Longer texts are shown around the breach, and reproduced by the name of their case.
_SHOWN = 240


class RuleBrokenError(AssertionError):
    """A splitter breaks a rule; the message says on which text, where and how, in lines."""


def check(factory: Factory, case: Case, rule: str, *, ask: Ask = ask) -> None:
    """Try a splitter on a case by a rule.

    ``factory``, called with a limit, gives a splitter; ``ask`` gets its answer, in this process
    if nothing else is given. Raises RuleBrokenError if the rule is broken, NotApplicableError if it
    says nothing about this kind of splitter, and RefusedTextError if the splitter refuses the text,
    which only the rule ``accepts`` forbids.
    """
    try:
        answer = ask(factory, case.text, case.max_chunk_length, again=rule == DETERMINISTIC)
    except RefusedTextError as error:
        if rule != ACCEPTS:
            raise
        raise RuleBrokenError(_report(factory, case, rule, None, str(error))) from error
    attempt = Attempt(case.text, case.max_chunk_length, answer, case.segments)
    breach = next(CHECKS[rule](attempt), None)
    if breach is not None:
        raise RuleBrokenError(_report(factory, case, rule, attempt, breach))


def tell(factory: Factory | str, text: str, max_chunk_length: int, rule: str) -> str:
    """How a splitter breaks a rule on a text, as a failing test prints it; or that it does not.

    The factory may be given as `load_factory` takes it. Raises as `check` does but for
    RuleBrokenError.
    """
    if isinstance(factory, str):
        factory = load_factory(factory)
    try:
        check(factory, Case("any-text", rule, text, max_chunk_length, origin=""), rule)
    except RuleBrokenError as error:
        return str(error)
    return f"{rule} is not broken"


def _report(
    factory: Factory, case: Case, rule: str, attempt: Attempt | None, found: Breach | str
) -> str:
    at = found.start if isinstance(found, Breach) else 0
    lines = [
        ("rule", f"{rule}: {describe_rule(rule)}"),
        ("splitter", f"{tell_factory(factory)}, limit {case.max_chunk_length}"),
        ("case", f"{case.name} ({case.origin})" if case.origin else ""),
        ("about", case.note),
        ("text", _show_around([case.text], at)),
        ("segments", _show_around(attempt.segments, at) if attempt else ""),
        ("found", f"at {at}: {_shorten(found.detail)}" if isinstance(found, Breach) else found),
        ("reproduce", _reproduce(factory, case, rule)),
    ]
    return "\n".join(f"{label + ':':<11}{value}" for label, value in lines if value)


def _show_around(segments: Sequence[str], at: int) -> str:
    """The segments with bars between, those near an offset if they are many or long."""
    if not segments:
        return "none"
    total = sum(map(len, segments))
    low, high = max(0, at - _SHOWN // 2), at + _SHOWN // 2
    if total <= _SHOWN:
        low, high = 0, total
    shown, end = [], 0
    for segment in segments:
        start, end = end, end + len(segment)
        if start <= high and low <= end:
            shown.append(show_notation(segment[max(0, low - start) : max(0, high - start)]))
    before = f"({low} before) " if low else ""
    after = f" ({total - high} after)" if high < total else ""
    return f"{before}|{'|'.join(shown)}|{after}"


def _shorten(detail: str) -> str:
    return detail if len(detail) <= 2 * _SHOWN else f"{detail[: 2 * _SHOWN]}..."


def _reproduce(factory: Factory, case: Case, rule: str) -> str:
    """A line for a shell that prints the segments, or what they do not show.

    It is one for Python if the factory has no name.
    """
    name = name_factory(factory)
    splitter = f'"{name}"' if name else "splitter"
    does, after = ("tell", f', "{rule}"') if rule in _UNSEEN else ("split", "")
    text, imports = _quote(case.text), does
    if case.origin and len(case.text) > _SHOWN:
        text, imports = f'load_cases()["{case.name}"].text', f"load_cases, {does}"
    program = (
        f"from segmenter.testing import {imports}; "
        f"print({does}({splitter}, {text}, {case.max_chunk_length}{after}))"
    )
    return f"python -c {shlex.quote(program)}" if name else program


def _quote(text: str) -> str:
    """As ascii(), in double quotes if it can be, which a shell leaves alone."""
    quoted = ascii(f"'{text}")  # an apostrophe makes it choose the others
    return quoted.replace("'", "", 1) if quoted.startswith('"') else ascii(text)
