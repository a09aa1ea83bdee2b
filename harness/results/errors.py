"""How a measurement fails, and how an exception is told. Standard library only."""

import errno

_REMEDIES = {
    errno.EAGAIN: "end other processes, or raise their limit with ulimit -u",
    errno.EDQUOT: "free space there",
    errno.EFBIG: "raise the limit with ulimit -f",
    errno.EMFILE: "raise the limit with ulimit -n",
    errno.ENFILE: "end other processes: the system's limit is reached",
    errno.ENOSPC: "free space there",
}
_MOST = 200  # code points of an exception's message


class MeasurementError(Exception):
    """Something could not be measured; the message is one line: what, why, and what to do."""


def name_remedy(error: OSError) -> str | None:
    """What helps against an error of the system, if that follows from its kind."""
    return None if error.errno is None else _REMEDIES.get(error.errno)


def summarize_error(error: BaseException) -> str:
    """The type of an exception and the first line of its message, at most 200 code points."""
    first = next(iter(str(error).strip().splitlines()), "")
    return f"{type(error).__name__}: {first}"[:_MOST] if first else type(error).__name__
