import copy
import itertools
import pickle
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from segmenter import COMPILED, SEPARATORS, Separator, TextSegmenter
from segmenter.testing import texts
from segmenter.testing.texts import make_text
from tests.segmenter import oracle

PIECES = (*texts.PIECES, "\ud800")

# Separators with the properties that need care: overlapping themselves, beginning with
# whitespace, being whitespace alone, being cut inside their own whitespace, being cut inside.
UNUSUAL_SEPARATORS: list[list[Separator]] = [
    [],
    ["--", "---"],
    ["aba", "-"],
    ["aa", "a"],
    ["- -", "-"],
    ["b", "abc"],
    ["a b", "ab"],
    [" and ", "\n## "],
    ["\n x", "."],
    [" \n ", " "],
    ["\n  "],
    [". \n", "\n\n"],
    [".\n ", " "],
    ["\t", " ", "\n"],
    ["  ", "\u00a0"],
    ["a", "a"],
    [("\n", "# "), " "],
    [("\n", "b"), ("\n  ", "b"), ("", "a")],
    [("a", "a"), "--"],
    [("-", "-"), "a"],
    [("", "aba"), ("ab", "a")],
    [("a ", "b"), ("a", "\n")],
    [("", "\n"), ("", " x")],
    [("", " "), ("b\n", "\n")],
]


def random_texts(seed: int, count: int, pieces: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Texts, each with a limit."""
    return (make_text(seed * count + number, tuple(pieces)) for number in range(count))


@pytest.mark.parametrize("seed", range(10))
def test_random_texts_agree_with_the_oracle(seed):
    for text, limit in random_texts(seed, 9_000, PIECES):
        assert TextSegmenter(limit).split(text) == oracle.split(text, limit), (text, limit)


@pytest.mark.parametrize("separators", UNUSUAL_SEPARATORS)
def test_random_texts_agree_with_the_oracle_for_other_separators(separators):
    pieces = [*map("".join, separators), " ", "\n", "a", "b", " x", "-", "\n  "]
    for text, limit in random_texts(1, 1_000, pieces):
        segments = TextSegmenter(limit, separators=separators).split(text)
        assert segments == oracle.split(text, limit, separators), (text, limit)


@settings(max_examples=500, deadline=None, derandomize=True)
@given(
    text=st.lists(st.sampled_from(PIECES) | st.characters(), max_size=60).map("".join),
    limit=st.integers(1, 40),
)
def test_any_text_agrees_with_the_oracle(text, limit):
    assert TextSegmenter(limit).split(text) == oracle.split(text, limit)


@pytest.mark.parametrize(
    ("limit", "text", "segments"),
    [
        pytest.param(5, "", [], id="empty"),
        pytest.param(5, "abcde", ["abcde"], id="exact-fit"),
        pytest.param(5, "abcdef", ["abcde", "f"], id="one-over"),
        pytest.param(
            6, "one.\n\n  two", ["one.\n\n", "  two"], id="indentation-stays-with-its-line"
        ),
        pytest.param(6, "one  two", ["one  ", "two"], id="run-without-newline-goes-left"),
        pytest.param(4, "a\n \n b c", ["a\n \n", " b c"], id="run-is-cut-after-its-last-newline"),
        pytest.param(2, "a       b", ["a ", "  ", "  ", "  ", "b"], id="run-longer-than-the-limit"),
        pytest.param(3, " \t \n ", [" \t ", "\n "], id="whitespace-alone"),
        pytest.param(6, "a. b; c d", ["a. ", "b; c d"], id="sentence-before-clause"),
        pytest.param(3, "-----x", ["--", "--", "-x"], id="hyphens-pair-from-the-left"),
        pytest.param(
            4, "ab\r\n\r\ncd", ["a", "b\r\n\r", "\n", "cd"], id="unit-longer-than-the-limit"
        ),
        pytest.param(3, "漢字。漢字", ["漢字。", "漢字"], id="ideographic-full-stop"),
        pytest.param(
            2, "\ud800\udc00\x00\ufeff", ["\ud800\udc00", "\x00\ufeff"], id="anything-goes-in"
        ),
    ],
)
def test_worked_examples(limit, text, segments):
    assert TextSegmenter(limit).split(text) == segments


def test_vectors_hold(vectors):
    for name, text, limit, expected in vectors:
        assert TextSegmenter(limit).split(text) == expected, name


def test_fault_cases_hold(fault_cases):
    for name, text, limit in fault_cases:
        segmenter = TextSegmenter(limit)
        segments = segmenter.split(text)
        assert segments == oracle.split(text, limit), name
        assert "".join(segments) == text
        assert all(0 < len(segment) <= limit for segment in segments)
        assert [text[start:end] for start, end in segmenter.spans(text)] == segments


def test_real_documents_agree_with_the_oracle(real_documents):
    for name, text in real_documents:
        for limit in (20, 128, 500):
            segments = TextSegmenter(limit).split(text[:60_000])
            assert segments == oracle.split(text[:60_000], limit), name


def test_spans_are_contiguous_and_cut_the_text_into_its_segments():
    text = "naïve 😀 text.\n\n    漢字。 And\u00a0more…"
    segmenter = TextSegmenter(7)
    spans = segmenter.spans(text)
    assert [text[start:end] for start, end in spans] == segmenter.split(text)
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text)
    assert all(left[1] == right[0] for left, right in itertools.pairwise(spans))
    assert segmenter.spans("") == []


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"max_chunk_length": 5.0}, "max_chunk_length must be an int, not float"),
        ({"max_chunk_length": "5"}, "max_chunk_length must be an int, not str"),
        ({"max_chunk_length": True}, "max_chunk_length must be an int, not bool"),
        ({"max_chunk_length": None}, "max_chunk_length must be an int, not None"),
        ({"separators": None}, "separators must be a sequence of strings, not None"),
        ({"separators": 5}, "separators must be a sequence of strings, not int"),
        ({"separators": "\n"}, "separators must be a sequence of strings, not one string"),
        ({"separators": {"a"}}, "separators must be a sequence of strings, not set"),
        (
            {"separators": frozenset("a")},
            "separators must be a sequence of strings, not frozenset",
        ),
        ({"separators": {"a": 1}}, "separators must be a sequence of strings, not dict"),
        (
            {"separators": {"a": 1}.keys()},
            "separators must be a sequence of strings, not dict_keys",
        ),
        ({"separators": b"\n"}, "separators must be strings or pairs of strings, not int"),
        ({"separators": [" ", None]}, "separators must be strings or pairs of strings, not None"),
        ({"separators": [[" "]]}, "separators must be strings or pairs of strings, not list"),
        (
            {"separators": [("a", "b", "c")]},
            "separators must be strings or pairs of strings, not a tuple of 3",
        ),
        ({"separators": [("a", None)]}, "a pair of separators must be of strings, not None"),
        ({"separators": [(1, "a")]}, "a pair of separators must be of strings, not int"),
    ],
    ids=repr,
)
def test_an_argument_of_a_wrong_type_is_named(options, sentence):
    with pytest.raises(TypeError) as raised:
        TextSegmenter(**options)
    assert str(raised.value) == sentence


@pytest.mark.parametrize(
    ("text", "kind"), [(None, "None"), (b"bytes", "bytes"), (5, "int"), (["a"], "list")]
)
def test_a_text_of_a_wrong_type_is_named(text, kind):
    for method in (TextSegmenter().split, TextSegmenter().spans):
        with pytest.raises(TypeError) as raised:
            method(text)
        assert str(raised.value) == f"text must be a str, not {kind}"


class Claiming(str):
    """A str that tells lies about what it holds."""

    def __str__(self) -> str:
        return "other"

    def __len__(self) -> int:
        return 1

    def __getitem__(self, place: object) -> str:
        return "other"


class Limit(int):
    def __index__(self) -> int:
        return 99

    def __add__(self, other: object) -> int:
        return 99


@pytest.mark.parametrize("limit", [1, 2, 3, 20])
@pytest.mark.parametrize("text", ["", "ab cd", "    ", "a\n b c d e"])
def test_segments_of_any_str_are_plain(text, limit):
    segments = TextSegmenter(limit).split(Claiming(text))
    assert segments == TextSegmenter(limit).split(text)
    assert {type(segment) for segment in segments} <= {str}
    assert TextSegmenter(limit).spans(Claiming(text)) == TextSegmenter(limit).spans(text)


def test_limit_and_separators_of_any_kind_are_kept_plain():
    segmenter = TextSegmenter(Limit(3), separators=[Claiming("-")])
    assert segmenter.split("a-bcd") == ["a-", "bcd"]
    assert type(segmenter.max_chunk_length) is int
    assert segmenter.max_chunk_length == 3
    assert [type(each) for each in segmenter.separators] == [str]
    assert segmenter.separators == ("-",)


def test_a_segmenter_shows_its_limit():
    assert repr(TextSegmenter()) == "TextSegmenter(500)"
    assert repr(TextSegmenter(20, separators=["-", "\n"])) == (
        r"TextSegmenter(20, separators=('-', '\n'))"
    )


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_that_is_not_positive_is_refused(limit):
    with pytest.raises(ValueError, match=f"positive.*{limit}"):
        TextSegmenter(limit)


def test_an_empty_separator_is_refused():
    with pytest.raises(ValueError, match="empty"):
        TextSegmenter(separators=["\n", ""])


def test_separators_may_come_from_any_iterable():
    segmenter = TextSegmenter(3, separators=(each for each in ("b", "a")))
    assert segmenter.separators == ("b", "a")
    assert segmenter.split("aabaa") == ["aab", "aa"]


def test_more_separators_than_the_interpreter_may_recurse():
    separators = [chr(0x4E00 + number) for number in range(3_000)]
    text = "".join(reversed(separators))
    # Each separator in turn ends a piece that is too long by one character.
    segments = TextSegmenter(2, separators=separators).split(text)
    assert segments == [text[:2], *text[2:]]


if not COMPILED:

    class Named(TextSegmenter):
        def __init__(self, name: str) -> None:
            super().__init__(3, separators=["-"])
            self.name = name


def test_a_segmenter_can_be_pickled_and_copied():
    segmenter = TextSegmenter(3, separators=["-"])
    for same in (pickle.loads(pickle.dumps(segmenter)), copy.deepcopy(segmenter)):
        assert same.max_chunk_length == 3
        assert same.separators == ("-",)
        assert same.split("a-bcd") == segmenter.split("a-bcd") == ["a-", "bcd"]


def test_nothing_that_one_form_alone_knows_is_pickled():
    """Else what the pure form has pickled could not be read in the compiled one."""
    _, _, added = TextSegmenter(3).__reduce__()
    assert added is None


@pytest.mark.skipif(COMPILED, reason="the compiled form has no subclasses")
def test_a_subclass_can_be_pickled_and_copied():
    segmenter = Named("n")
    for same in (
        pickle.loads(pickle.dumps(segmenter)),
        copy.copy(segmenter),
        copy.deepcopy(segmenter),
    ):
        assert type(same) is Named
        assert (same.name, same.max_chunk_length, same.separators) == ("n", 3, ("-",))
        assert same.split("a-bcd") == ["a-", "bcd"]


def test_default_limit_is_500():
    assert TextSegmenter().max_chunk_length == 500
    assert TextSegmenter().separators == SEPARATORS
    assert [len(segment) for segment in TextSegmenter().split("x" * 1001)] == [500, 500, 1]


def test_the_separators_are_the_specified_ones():
    assert list(SEPARATORS) == oracle.SEPARATORS
