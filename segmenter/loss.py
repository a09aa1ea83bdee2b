"""What of a text its segments lose, and what they add to it.

Of the common subsequences of a text and its joined segments, one with the most content is taken,
and of these one with the most whitespace. *Lost* is what it does not hold of the text, *added* what
it does not hold of the segments. So a word is never given up for a longer stretch of blanks, and
what is counted of the content is what a longest common subsequence of the contents leaves out.

The value is exact if it can be found in time that is linear in the text:

- if all that is not whitespace is the same in both, the content holds the text together, and each
  gap in it is compared with the gap in the same place;
- if one of the two is a subsequence of the other, lengths tell it;
- if the contents differ by few insertions and deletions (``MOST_EDITS``), the places are found in
  which every longest common subsequence has to agree (E. W. Myers, "An O(ND) difference algorithm
  and its variations", 1986, from both ends). Between them little is left, which a longest common
  subsequence in bit-parallel form decides (H. Hyyrö, "Bit-parallel LCS-length computation
  revisited", 2004).

Else it is a lower bound, which leaves out of account in what order the characters come.

Standard library only.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import NamedTuple

#: Insertions and deletions of content up to which the exact value is looked for.
MOST_EDITS = 200
#: Pairs of characters, one of the text and one of the segments, that may be compared at once.
MOST_PAIRS = 1 << 30
_MOST_CHARACTERS = 1 << 18

_whitespace = re.compile(r"(\s+)")


class Loss(NamedTuple):
    """Code points of a text that its segments lack, and of segments that the text lacks.

    Where it is not ``exact``, there are at least as many.
    """

    lost_whitespace: int = 0
    lost_content: int = 0
    added_whitespace: int = 0
    added_content: int = 0
    exact: bool = True

    @property
    def lost(self) -> int:
        """All that is lost."""
        return self.lost_whitespace + self.lost_content

    @property
    def added(self) -> int:
        """All that is added."""
        return self.added_whitespace + self.added_content

    def plus(self, other: "Loss") -> "Loss":
        """What two texts lose together."""
        return Loss(
            self.lost_whitespace + other.lost_whitespace,
            self.lost_content + other.lost_content,
            self.added_whitespace + other.added_whitespace,
            self.added_content + other.added_content,
            self.exact and other.exact,
        )

    def __str__(self) -> str:
        least = "" if self.exact else "at least "
        return f"{least}{self.lost} characters lost, {self.added} added"


def find_loss(text: str, joined: str) -> Loss:
    """What a text loses, and what is added to it, when it becomes its joined segments."""
    text, joined = _trim(text, joined)
    if _is_subsequence(joined, text):
        return _lack(text, joined)
    if _is_subsequence(text, joined):
        return _turn(_lack(joined, text))
    before, after = _Gaps(text), _Gaps(joined)
    if before.content == after.content:
        return before.compare(after, 0, 0, len(before.content) + 1)
    least = find_loss_unordered(text, joined)
    if least.lost_content + least.added_content <= MOST_EDITS:
        agreements = find_agreements(before.content, after.content, MOST_EDITS)
        if agreements is not None:
            return _combine(before, after, agreements)
    return _align(text, joined) or least


def lose_all(text: str) -> Loss:
    """The loss of a whole text."""
    content = sum(map(len, text.split()))
    return Loss(len(text) - content, content)


def find_loss_unordered(text: str, joined: str) -> Loss:
    """What is lost and added at least, in whatever order the characters come."""
    before, after = Counter(text), Counter(joined)
    return (
        lose_all("".join((before - after).elements()))
        .plus(_turn(lose_all("".join((after - before).elements()))))
        ._replace(exact=False)
    )


def _lack(whole: str, part: str) -> Loss:
    """What a text loses that becomes a subsequence of it."""
    content = sum(map(len, whole.split())) - sum(map(len, part.split()))
    return Loss(len(whole) - len(part) - content, content)


def _turn(loss: Loss) -> Loss:
    """The loss in the opposite direction."""
    return Loss(
        loss.added_whitespace,
        loss.added_content,
        loss.lost_whitespace,
        loss.lost_content,
        loss.exact,
    )


def _is_subsequence(part: str, whole: str) -> bool:
    if len(part) > len(whole):
        return False
    rest = iter(whole)
    return all(character in rest for character in part)


def _trim(first: str, second: str) -> tuple[str, str]:
    """Two strings without what both begin with, then without what both end with.

    Of the best common subsequences, one holds all of it.
    """
    begin = _count_equal(first, 0, second, 0)
    first, second = first[begin:], second[begin:]
    end = _count_equal(first[::-1], 0, second[::-1], 0)
    return first[: len(first) - end], second[: len(second) - end]


def _count_equal(first: str, start: int, second: str, begin: int) -> int:
    """For how many characters two strings agree from there on."""
    most = min(len(first) - start, len(second) - begin)
    if most <= 0 or first[start] != second[begin]:
        return 0
    equal, step = 1, 16
    while equal < most:
        ahead = min(step, most - equal)
        if (
            first[start + equal : start + equal + ahead]
            == second[begin + equal : begin + equal + ahead]
        ):
            equal += ahead
            step *= 2
            continue
        low, high = 0, ahead - 1  # they agree for so many more, and for no more than so many
        while low < high:
            middle = (low + high + 1) // 2
            one = first[start + equal + low : start + equal + middle]
            if one == second[begin + equal + low : begin + equal + middle]:
                low = middle
            else:
                high = middle - 1
        return equal + low
    return equal


class _Gaps:
    """A text as its content and the whitespace in it, by the offset in the content."""

    def __init__(self, text: str) -> None:
        parts = _whitespace.split(text)
        self.content = "".join(parts[::2])
        self.offsets = list(accumulate(map(len, parts[:-1:2])))
        self._gaps = dict(zip(self.offsets, parts[1::2], strict=True))

    def compare(self, other: "_Gaps", shift: int, start: int, stop: int) -> Loss:
        """What is lost of the gaps from ``start`` on, before ``stop``.

        That is if the other's content is the same there; its offsets are less by ``shift``.
        """
        here = self._between(start, stop)
        there = other._between(start - shift, stop - shift)
        if shift:
            there = {offset + shift: gap for offset, gap in there.items()}
        lost = added = 0
        for offset in {offset for offset, _ in here.items() ^ there.items()}:
            mine, theirs = here.get(offset, ""), there.get(offset, "")
            common = _find_common_whitespace(mine, theirs)
            lost += len(mine) - common
            added += len(theirs) - common
        return Loss(lost_whitespace=lost, added_whitespace=added)

    def _between(self, start: int, stop: int) -> Mapping[int, str]:
        begin, end = bisect_left(self.offsets, start), bisect_left(self.offsets, stop)
        if end - begin == len(self.offsets):
            return self._gaps
        return {offset: self._gaps[offset] for offset in self.offsets[begin:end]}

    def cut(self, start: int, stop: int) -> str:
        """The text from a content offset to another, with the whitespace on both sides."""
        begin, end = bisect_left(self.offsets, start), bisect_right(self.offsets, stop)
        pieces = []
        for offset in self.offsets[begin:end]:
            pieces += [self.content[start:offset], self._gaps[offset]]
            start = offset
        return "".join([*pieces, self.content[start:stop]])


@lru_cache(maxsize=1 << 12)
def _find_common_whitespace(first: str, second: str) -> int:
    if not (first and second):
        return 0
    begun = len(first)
    first, second = _trim(first, second)
    held = begun - len(first)
    if not (first and second):
        return held
    if len({*first}) == len({*second}) == 1:
        return held + (min(len(first), len(second)) if first[0] == second[0] else 0)
    return held + find_common_length(first, second)


def find_common_length(first: str, second: str) -> int:
    """The length of a longest common subsequence."""
    places: defaultdict[str, int] = defaultdict(int)
    for place, character in enumerate(second):
        places[character] |= 1 << place
    full = (1 << len(second)) - 1
    missing = full
    for character in first:
        found = missing & places[character]
        missing = ((missing + found) | (missing - found)) & full
    return len(second) - missing.bit_count()


def _align(text: str, joined: str) -> Loss | None:
    """The exact loss of texts that are short; None if they are not."""
    lost, added = lose_all(text), lose_all(joined)
    # So often content is repeated, to outweigh all whitespace that both can hold.
    weight = 1 + min(lost.lost_whitespace, added.lost_whitespace)
    sizes = [each.lost_whitespace + weight * each.lost_content for each in (lost, added)]
    if sizes[0] * sizes[1] > MOST_PAIRS or max(sizes) > _MOST_CHARACTERS:
        return None
    first, second = (
        "".join([each if each.isspace() else each * weight for each in characters])
        for characters in (text, joined)
    )
    content, whitespace = divmod(find_common_length(first, second), weight)
    return Loss(
        lost.lost_whitespace - whitespace,
        lost.lost_content - content,
        added.lost_whitespace - whitespace,
        added.lost_content - content,
    )


class Agreement(NamedTuple):
    """A stretch of one string, and how much farther it begins there than in the other."""

    start: int
    stop: int
    shift: int


def find_agreements(first: str, second: str, most: int) -> list[Agreement] | None:
    """The stretches that every longest common subsequence takes from two strings in these places.

    None if they differ by more than ``most`` insertions and deletions. Time is linear in the
    strings, and grows with the square of the number of edits.
    """
    ahead = _find_reach(first, second, most)
    if ahead is None:
        return None
    behind = _find_reach(first[::-1], second[::-1], most)
    assert behind is not None  # it is the same number of edits
    edits, end = len(ahead) - 1, len(first) - len(second)
    # By diagonal, from where to where a longest common subsequence may pass through it.
    turns: list[tuple[int, int, int]] = []
    for diagonal in range(-edits, edits + 1):
        passed = sorted(
            (max(len(first) - behind[edits - made][end - diagonal], diagonal, 0), reach[diagonal])
            for made, reach in enumerate(ahead)
            if diagonal in reach and end - diagonal in behind[edits - made]
        )
        last = -1
        for start, stop in passed:
            start = max(start, last)
            if start <= stop:
                turns += [
                    (2 * start - diagonal, 1, diagonal),
                    (2 * stop - diagonal + 1, -1, diagonal),
                ]
                last = stop + 1
    agreements = []
    turns.sort()
    taken = total = 0
    for (at, step, diagonal), (following, _, _) in pairwise(turns):
        taken += step
        total += step * diagonal
        if taken == 1:
            # Nothing else is passed here, so between these points the way is the same for all.
            start = -((at + 1 + total) // -2)
            stop = (following - 2 + total) // 2
            if start < stop:
                agreements.append(Agreement(start, stop, total))
    return agreements


def _find_reach(first: str, second: str, most: int) -> list[dict[int, int]] | None:
    """For each number of edits, how far into the first string they lead on each diagonal.

    A diagonal is the offset in the first string less that in the second. The numbers go up to the
    one that leads to the end of both.
    """
    reached: list[dict[int, int]] = []
    before: dict[int, int] = {}
    for edits in range(most + 1):
        now: dict[int, int] = {}
        for diagonal in range(-min(edits, len(second)), min(edits, len(first)) + 1):
            if (diagonal - edits) % 2:
                continue
            place = max(
                before.get(diagonal - 1, -2) + 1,  # a character of the first string is left out
                before.get(diagonal + 1, -1),
                0 if not edits else -1,
            )
            if place < 0:
                continue
            place = min(place, len(first), len(second) + diagonal)
            now[diagonal] = place + _count_equal(first, place, second, place - diagonal)
        reached.append(now)
        if now.get(len(first) - len(second)) == len(first):
            return reached
        before = now
    return None


def _combine(before: _Gaps, after: _Gaps, agreements: Sequence[Agreement]) -> Loss:
    """The loss from the stretches of content that agree, and from what is left between them."""
    total = Loss()
    done = there = 0
    for start, stop, shift in [
        *agreements,
        Agreement(len(before.content), 0, len(before.content) - len(after.content)),
    ]:
        total = total.plus(_settle(before.cut(done, start), after.cut(there, start - shift)))
        total = total.plus(before.compare(after, shift, start + 1, stop))
        done, there = stop, stop - shift
    return total


def _settle(text: str, joined: str) -> Loss:
    text, joined = _trim(text, joined)
    if not (text and joined):
        return lose_all(text).plus(_turn(lose_all(joined)))
    return _align(text, joined) or find_loss_unordered(text, joined)
