"""How a measurement fails, and how an exception is told. Standard library only."""

_MOST = 200  # code points of an exception's message


class MeasurementError(Exception):
    """Something could not be measured; the message is one line: what, why, and what to do."""


def summarize_error(error: BaseException) -> str:
    """The type of an exception and the first line of its message, at most 200 code points."""
    first = next(iter(str(error).strip().splitlines()), "")
    return f"{type(error).__name__}: {first}"[:_MOST] if first else type(error).__name__
