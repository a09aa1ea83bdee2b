"""What is lost and added, against a plain longest common subsequence."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from segmenter import loss
from segmenter.loss import Loss, find_agreements, find_common_length, find_loss


def align_slowly(text: str, joined: str) -> Loss:
    """The best common subsequence, cell by cell: the most content, then the most whitespace."""
    best = [(0, 0)] * (len(joined) + 1)
    for character in text:
        diagonal, best[0] = best[0], (0, 0)
        for place, other in enumerate(joined, 1):
            above = best[place]
            held = max(above, best[place - 1])
            if character == other:
                content, whitespace = diagonal
                blank = character.isspace()
                held = max(held, (content + (not blank), whitespace + blank))
            diagonal, best[place] = above, held
    content, whitespace = best[-1]
    return Loss(
        count_whitespace(text) - whitespace,
        len(text) - count_whitespace(text) - content,
        count_whitespace(joined) - whitespace,
        len(joined) - count_whitespace(joined) - content,
    )


def count_whitespace(text: str) -> int:
    return sum(map(str.isspace, text))


@st.composite
def changed_texts(draw: st.DrawFn) -> tuple[str, str]:
    """A text, and what a few insertions, deletions and moves make of it."""
    characters = st.sampled_from(
        draw(st.sampled_from(["ab \n", "abcdefgh  \n\u3000", "a ", "ab  "]))
    )
    text = draw(st.text(characters, max_size=40))
    changed = text
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, len(changed)))
        end = draw(st.integers(start, min(len(changed), start + 4)))
        piece = draw(st.sampled_from(["", changed[start:end][::-1], draw(characters)]))
        changed = changed[:start] + piece + changed[end:]
    return text, changed


@settings(derandomize=True, max_examples=1500, deadline=None)
@given(changed_texts(), st.sampled_from([0, 2, loss.MOST_EDITS]))
def test_the_loss_is_that_of_a_plain_common_subsequence(both: tuple[str, str], most: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loss, "MOST_EDITS", most)
        assert find_loss(*both) == align_slowly(*both)


@settings(derandomize=True, max_examples=500, deadline=None)
@given(changed_texts(), st.sampled_from([0, 2]))
def test_where_nothing_exact_is_affordable_the_loss_is_a_lower_bound(
    both: tuple[str, str], most: int
) -> None:
    exact = align_slowly(*both)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loss, "MOST_EDITS", most)
        patch.setattr(loss, "MOST_PAIRS", 0)
        bound = find_loss(*both)
    assert all(low <= high for low, high in zip(bound[:4], exact[:4], strict=True))
    if bound.exact:
        assert bound == exact
    # What is kept of the one is kept of the other.
    text, joined = both
    assert len(text) - bound.lost == len(joined) - bound.added


@settings(derandomize=True, max_examples=500, deadline=None)
@given(changed_texts())
def test_stretches_that_agree_are_in_every_longest_common_subsequence(
    both: tuple[str, str],
) -> None:
    first, second = both
    agreements = find_agreements(first, second, 100)
    assert agreements is not None
    # Without one of its characters, no common subsequence is as long: unless another is as good.
    whole = find_common_length(first, second)
    done = 0
    for start, stop, shift in agreements:
        assert done <= start < stop
        assert first[start:stop] == second[start - shift : stop - shift]
        for place in range(start, stop):
            without = first[:place] + "X" + first[place + 1 :]
            assert find_common_length(without, second) < whole
        done = stop


def test_a_blank_that_is_doubled_loses_nothing() -> None:
    text = "One sentence. Another one.\nA third. " * 1000
    assert find_loss(text, text.replace(". ", ".  ")) == Loss(added_whitespace=2000)
    assert find_loss(text.replace(". ", ".  "), text) == Loss(lost_whitespace=2000)


def test_words_are_not_given_up_for_blanks() -> None:
    text, joined = "a" + " " * 50 + "b", "ab" + " " * 50
    assert find_loss(text, joined) == Loss(lost_whitespace=50, added_whitespace=50)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda text: text.replace(" ", "\n"), Loss(6000, 0, 6000, 0)),
        (lambda text: text.replace(" ", "\n").replace("'", "", 1), Loss(6000, 1, 6000, 0)),
        (lambda text: text.replace("two", "2", 30).replace(" ", ""), Loss(6000, 90, 0, 30)),
        (lambda text: text.split()[0], Loss(6000, 19_496, 0, 0)),
        (lambda text: text + " ".join(text.split()[:9]), Loss(0, 0, 8, 30)),
    ],
)
def test_changes_far_apart_in_a_long_text_are_counted_exactly(
    change: Callable[[str], str], expected: Loss
) -> None:
    text = "".join(f"it's two{number:04} {'x ' * 2}" for number in range(1500))
    joined = change(text)
    found = find_loss(text, joined)
    assert found == expected
    assert len(text) - found.lost == len(joined) - found.added


def test_what_is_too_different_has_a_bound_that_is_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loss, "MOST_PAIRS", 0)
    text = "abcdefghij " * 100
    found = find_loss(text, text[::-1] + "!?")
    assert found == Loss(0, 0, 0, 2, exact=False)
    assert str(found) == "at least 0 characters lost, 2 added"
