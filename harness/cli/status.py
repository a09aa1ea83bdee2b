"""The exit statuses."""

from harness.results.verdict import Verdict

WRONG_COMMAND = 2
NOT_MEASURED = 3
INTERRUPTED = 130

# No other place gives 1.
_OF_VERDICTS = {Verdict.WELL: 0, Verdict.BAD: 1, Verdict.NOT_MEASURED: NOT_MEASURED}


def exit_status(verdict: Verdict) -> int:
    """The exit status that tells a verdict."""
    return _OF_VERDICTS[verdict]
