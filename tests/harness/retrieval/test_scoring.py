"""Scores on documents small enough to work out by hand."""

from collections.abc import Sequence

import numpy
import pytest

from corpora import Document
from harness.retrieval.index import Index, build_index
from harness.retrieval.questions import Gold, make_question
from harness.retrieval.scoring import Score, Target, make_targets, rank, score

# Five documents of 40 code points; the answer to each question is what lies between brackets.
#        0         10        20        30
TEXTS = (
    "aaaaaaaaa bbbbbbbbb ccccccccc ddddddddd ",  # answered by b, 10 to 19
    "eeeeeeeee fffffffff ggggggggg hhhhhhhhh ",  # by the end of e and all of f, 5 to 19
    "iiiiiiiii jjjjjjjjj kkkkkkkkk lllllllll ",  # by i and by k, 0 to 9 and 20 to 29
    "mmmmmmmmm nnnnnnnnn ooooooooo ppppppppp ",  # nothing of it is retrieved
    "qqqqqqqqq rrrrrrrrr sssssssss ttttttttt ",  # by all, 0 to 40
)
DOCUMENTS = [Document(f"{number}", text) for number, text in enumerate(TEXTS)]
QUARTERS = [[text[at : at + 10] for at in range(0, 40, 10)] for text in TEXTS]
HALVES_THAT_OVERLAP = [[text[0:20], text[10:30], text[20:40]] for text in TEXTS]


def target(*gold: tuple[int, int, int]) -> Target:
    spans = [Gold(str(document), start, end) for document, start, end in gold]
    (made,) = make_targets([make_question("?", spans)], DOCUMENTS)
    return made


def order(*numbers: int) -> "numpy.typing.NDArray[numpy.int64]":
    return numpy.array(numbers, dtype=numpy.int64)


def values(found: Score) -> Sequence[float]:
    return (found.recall, found.content_recall, found.precision, found.iou)


# Quarters are numbered through: document 1 has 4 to 7. By hand, for each line:
# recall = found / gold, content recall the same without whitespace, precision = found / taken,
# IoU = found / (gold + taken - found).
@pytest.mark.parametrize(
    ("gold", "taken", "budget", "expected"),
    [
        # All 9 of b found in 10 taken: 9/9, 9/9, 9/10, 9/(9+10-9).
        ([(0, 10, 19)], [1], 10, (1, 1, 0.9, 0.9)),
        # The same after 10 that are wrong: 9/9, 9/9, 9/20, 9/20.
        ([(0, 10, 19)], [0, 1], 20, (1, 1, 0.45, 0.45)),
        # The budget ends within b: 5 of its 10 are bought, 5/9, 5/9, 5/15, 5/(9+15-5).
        ([(0, 10, 19)], [0, 1], 15, (5 / 9, 5 / 9, 1 / 3, 5 / 19)),
        # A budget that is not used up: 9/9, 9/9, 9/20, 9/20.
        ([(0, 10, 19)], [1, 2], 1_000, (1, 1, 0.45, 0.45)),
        # 14 gold with one space, 13 of content; f gives 9 of both: 9/14, 9/13, 9/10, 9/(14+10-9).
        ([(1, 5, 19)], [5], 10, (9 / 14, 9 / 13, 0.9, 9 / 15)),
        # e, too: all 14 found in 20 taken, 14/20, 14/(14+20-14).
        ([(1, 5, 19)], [5, 4], 20, (1, 1, 0.7, 0.7)),
        # Two answers, one found: 9/18, 9/18, 9/10, 9/(18+10-9).
        ([(2, 0, 9), (2, 20, 29)], [8], 10, (0.5, 0.5, 0.9, 9 / 19)),
        # Answers in two documents, both found in 20 taken: 18/18, 18/18, 18/20, 18/20.
        ([(0, 10, 19), (2, 20, 29)], [1, 10], 20, (1, 1, 0.9, 0.9)),
        # Nothing found.
        ([(3, 0, 9)], [0, 4, 16], 30, (0, 0, 0, 0)),
        # Nothing taken.
        ([(3, 0, 9)], [], 30, (0, 0, 0, 0)),
        # A whole document of 40, 36 without its spaces; three quarters: 30/40, 27/36, 30/30, 30/40.
        ([(4, 0, 40)], [16, 17, 18], 30, (0.75, 0.75, 1, 0.75)),
    ],
)
def test_scores_are_those_worked_out_by_hand(
    gold: list[tuple[int, int, int]], taken: list[int], budget: int, expected: tuple[float, ...]
) -> None:
    index = build_index(DOCUMENTS, QUARTERS)
    assert values(score(target(*gold), index, order(*taken), budget)) == pytest.approx(expected)


def test_what_two_segments_cover_is_paid_for_twice_and_found_once() -> None:
    index = build_index(DOCUMENTS, HALVES_THAT_OVERLAP, overlapping=True)
    found = score(target((0, 10, 19)), index, order(0, 1), 40)
    # 9 of b found, though both have it: 9/9, 9/40, 9/(9+40-9).
    assert values(found) == pytest.approx((1, 1, 9 / 40, 9 / 40))


def test_a_splitter_that_strips_has_a_ceiling_of_recall_but_not_of_content_recall() -> None:
    stripped = build_index(DOCUMENTS, [[part.strip() for part in each] for each in QUARTERS])
    found = score(target((4, 0, 40)), stripped, order(16, 17, 18, 19), 1_000)
    # 36 of 40 found, all 36 that are content, in 36 taken; IoU is 36/(40+36-36).
    assert values(found) == pytest.approx((0.9, 1, 1, 0.9))


def test_a_segment_that_is_not_in_its_document_is_paid_for_and_finds_nothing() -> None:
    made_up = [["bbbbbbbb!", text] for text in TEXTS]
    index = build_index(DOCUMENTS, made_up)
    assert index.unplaced == 5
    found = score(target((0, 10, 19)), index, order(0, 1), 49)
    assert values(found) == pytest.approx((1, 1, 9 / 49, 9 / 49))


def test_the_index_leaves_out_whitespace_and_numbers_documents() -> None:
    documents = [Document("a", "one\n\ntwo"), Document("b", " \n"), Document("c", "three")]
    index = build_index(documents, [["one", "\n\n", "two"], [" \n"], ["", "three"]])
    assert index.texts == ["one", "two", "three"]
    assert index.documents.tolist() == [0, 0, 2]
    assert index.starts.tolist() == [0, 5, 0]
    assert index.lengths.tolist() == [3, 3, 5]


def test_segments_that_are_longer_together_than_their_text_overlap() -> None:
    index = build_index([Document("a", "abcdef")], [["abcd", "cdef"]])
    assert index.starts.tolist() == [0, 2]
    assert index.unplaced == 0


def index_of(*lengths: int) -> Index:
    text = "x" * sum(lengths)
    return build_index([Document("a", text)], [["x" * length for length in lengths]])


def test_equal_scores_rank_in_the_order_of_the_index() -> None:
    index = index_of(*[1] * 200)
    scores = numpy.zeros(200)
    scores[[150, 20]] = 1.0
    assert rank(scores, index.lengths, 5).tolist() == [20, 150, 0, 1, 2]


def test_ranking_ends_with_the_segment_that_uses_up_the_budget() -> None:
    index = index_of(3, 3, 3, 3)
    scores = numpy.array([0.1, 0.4, 0.3, 0.2])
    assert rank(scores, index.lengths, 6).tolist() == [1, 2]
    assert rank(scores, index.lengths, 7).tolist() == [1, 2, 3]
    assert rank(scores, index.lengths, 100).tolist() == [1, 2, 3, 0]


def test_ranking_a_part_is_ranking_all() -> None:
    generator = numpy.random.default_rng(1)
    lengths = generator.integers(1, 40, 3_000)
    for _ in range(20):
        scores = generator.integers(0, 9, 3_000) / generator.integers(1, 5)
        expected = sorted(range(3_000), key=lambda number: (-scores[number], number))
        budget = int(generator.integers(1, 3_000))
        ranked = rank(scores, lengths, budget).tolist()
        assert ranked == expected[: len(ranked)]
        assert lengths[ranked].sum() >= budget > lengths[ranked[:-1]].sum()
