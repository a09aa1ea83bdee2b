"""Violations that are known and explained, so that only others fail.

A file of them is TOML. Each table ``[[violation]]`` has a ``rule``, the ``cases`` that break it,
by name, ``any-text`` for texts that are found, and a ``reason``. One that is not a violation any
more is an error, as is one that is not listed.
"""

import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path

ANY_TEXT = "any-text"


class KnownViolationsError(Exception):
    """A file that cannot be used; the message is one line and names it."""


def read_known_violations(
    path: Path, rules: Collection[str], cases: Collection[str]
) -> Mapping[tuple[str, str], str]:
    """The reason for each rule and case; raises KnownViolationsError, also for a rule or a case
    that does not exist."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise KnownViolationsError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise KnownViolationsError(f"{path} is no TOML in UTF-8: {error}") from error
    reasons: dict[tuple[str, str], str] = {}
    entries = document.pop("violation", [])
    if document or not isinstance(entries, list):
        raise KnownViolationsError(f"{path}: write each as [[violation]]")
    for entry in entries:
        match entry:
            case {"rule": str(rule), "cases": [*names], "reason": str(reason), **rest} if (
                not rest and reason.strip() and names
            ):
                pass
            case _:
                raise KnownViolationsError(
                    f"{path}: a violation has a rule, cases and a reason, not {entry}"
                )
        if rule not in rules:
            raise KnownViolationsError(f"{path}: no rule is named {rule!r}")
        for name in names:
            if name != ANY_TEXT and name not in cases:
                raise KnownViolationsError(f"{path}: no case is named {name!r}")
            if (rule, name) in reasons:
                raise KnownViolationsError(f"{path}: {rule} on {name} is listed twice")
            reasons[rule, name] = reason
    return reasons
