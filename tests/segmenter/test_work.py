"""What is done once is not done twice: how many characters are looked at, on texts of all kinds.

A change that makes the segmenter look at fewer may lower the figures; one that makes it look at
more has to say why. Of each figure, one to two looks come from measuring a run of whitespace in
windows, which reach beyond the run: that takes less time than a character at a time. How work
grows with the text, test_linear.py shows.
"""

import pytest

import corpora
import segmenter
from segmenter import SEPARATORS, Separator, TextSegmenter, text_segmenter
from tests.segmenter.test_linear import CountedText, split_uncopied

pytestmark = pytest.mark.skipif(segmenter.COMPILED, reason="compiled code asks no subclass of str")


@pytest.fixture(scope="module")
def text() -> str:
    return "".join(document.text for document in list(corpora.load("synthetic"))[::8])


def count_looks(text: str, limit: int) -> int:
    counted = CountedText(text)
    split_uncopied(TextSegmenter(limit))(counted)
    return counted.visited


@pytest.mark.parametrize(("limit", "looks"), [(20, 33.355), (128, 30.774), (500, 25.010)])
def test_no_character_is_looked_at_more_often_than_before(text, limit, looks):
    assert count_looks(text, limit) <= looks * len(text)


def test_a_newline_before_all_else_costs_next_to_nothing():
    lines = "ab==1.2.3.4\n" * 300
    assert count_looks("\n" + lines, 500) <= count_looks(lines, 500) + 100


def test_only_separators_that_need_it_are_scanned_from_the_left():
    assert not any(map(text_segmenter._needs_scan, SEPARATORS))
    assert all(map(text_segmenter._needs_scan, ["aba", " and ", "\n x", "a\n "]))
    assert not any(map(text_segmenter._needs_scan, ["ab", "a ", "a\n", "a \n"]))


def test_only_a_separator_that_is_a_pair_is_cut_before_its_end():
    order = text_segmenter._Order((("\n", "#"), ("-", "-"), "--", ". "))
    assert order.offsets[1:-1] == [1, 1, 2, 2]
    assert order.scanned[1:-1] == [True, True, False, False]
    assert order.repeated[1:-1] == [False, False, True, False]


def test_separators_that_end_a_line_are_known():
    def lined(*separators: Separator) -> list[str]:
        order = text_segmenter._Order(separators)
        return list(order.separators[order.lined : order.unlined])

    assert lined(*SEPARATORS) == list(SEPARATORS[1:14])
    assert lined("a", "\n", ". \n", "\n\n", "x\ny") == []
    assert lined("a", "b\n", "cd\n", " ", "e\n") == ["b\n", "cd\n"]
    assert lined() == []
    assert lined(("a", "\n"), "b\n", ("c", "d\n")) == ["b\n"]
