"""Violations that are known and explained, so that only others fail.

A file of them is TOML. Each table ``[[violation]]`` has a ``rule``, the ``cases`` that break it,
by name, ``any-text`` for texts that are found, and a ``reason``. A listed violation that does not
occur is an error, and so is one that is not listed.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path

from segmenter.testing.cases import load_cases
from segmenter.testing.checks import CHECKS, concerns

ANY_TEXT = "any-text"


class KnownViolationsError(Exception):
    """A file that cannot be used, or an entry of it that is wrong; the message is one line."""


def read_known_violations(path: Path) -> Mapping[tuple[str, str], str]:
    """The reason for each rule and case.

    Raises KnownViolationsError, also for a rule or a case that does not exist, and for a case on
    which no splitter can break the rule.
    """
    cases = load_cases()
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise KnownViolationsError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise KnownViolationsError(f"{path} is not TOML in UTF-8: {error}") from error
    reasons: dict[tuple[str, str], str] = {}
    entries = document.pop("violation", [])
    if document or not isinstance(entries, list):
        raise KnownViolationsError(f"{path}: write each as [[violation]]")
    for entry in entries:
        match entry:
            case {"rule": str(rule), "cases": [*names], "reason": str(reason), **rest} if (
                not rest
                and reason.strip()
                and names
                and all(isinstance(name, str) for name in names)
            ):
                pass
            case _:
                raise KnownViolationsError(
                    f"{path}: a violation has a rule, cases and a reason, not {entry}"
                )
        if rule not in CHECKS:
            raise KnownViolationsError(f"{path}: no rule is named {rule!r}")
        for name in names:
            if name != ANY_TEXT:
                if name not in cases:
                    raise KnownViolationsError(f"{path}: no case is named {name!r}")
                if not concerns(rule, cases[name].text, cases[name].max_chunk_length):
                    raise KnownViolationsError(f"{path}: no splitter can break {rule} on {name}")
            if (rule, name) in reasons:
                raise KnownViolationsError(f"{path}: {rule} on {name} is listed twice")
            reasons[rule, name] = reason
    return reasons
