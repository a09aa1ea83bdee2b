"""The exit statuses."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # what ends the command in one line needs the standard library alone
    from harness.results.verdict import Verdict

WELL = 0
WRONG_COMMAND = 2
NOT_MEASURED = 3
INTERRUPTED = 130

# No other place gives 1.
_OF_VERDICTS = {"well": WELL, "bad": 1, "not measured": NOT_MEASURED}


def exit_status(verdict: "Verdict") -> int:
    """The exit status that tells a verdict."""
    return _OF_VERDICTS[verdict]
