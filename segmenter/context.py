"""What stands around a segment, to embed it with: what others use chunks that overlap for."""

from collections.abc import Sequence
from itertools import pairwise

_Span = tuple[int, int]


def windows(
    spans: Sequence[_Span], *, before: int = 0, after: int = 0
) -> list[tuple[_Span, _Span]]:
    """Return each span with a wider one around it, which starts and ends where a span does.

    ``spans`` are those of `TextSegmenter.spans`: each starts where the one before it ends. The
    wider span has as many whole segments as fit in ``before`` code points before the segment, and
    in ``after`` code points after it; none if the nearest is longer than that.

    Raises ValueError if ``before`` or ``after`` is negative, or if a span does not start where the
    one before it ends.
    """
    if before < 0 or after < 0:
        raise ValueError(f"before and after must not be negative, not {before} and {after}")
    for (_, end), (start, _) in pairwise(spans):
        if start != end:
            raise ValueError(f"a span starts at {start}, but the one before it ends at {end}")
    found = []
    first = last = 0
    for number, (start, end) in enumerate(spans):
        while spans[first][0] < start - before:
            first += 1
        last = max(last, number)
        while last + 1 < len(spans) and spans[last + 1][1] <= end + after:
            last += 1
        found.append(((start, end), (spans[first][0], spans[last][1])))
    return found
