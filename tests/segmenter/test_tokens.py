import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

import corpora
from segmenter import TextSegmenter
from segmenter.rules import find_violations
from segmenter.testing.faults import FAULTS
from segmenter.testing.strategies import inputs
from segmenter.tokens import TokenSegmenter
from tests.segmenter.test_text_segmenter import PIECES, UNUSUAL_SEPARATORS, random_texts


@pytest.fixture(scope="module")
def documents() -> list[str]:
    return [document.text[:2_000] for document in corpora.load("builtin", sample=20)]


@pytest.fixture(scope="module")
def tokenizer(documents) -> Tokenizer:
    """Byte pairs as GPT-2 has them, learned here, so that nothing is downloaded."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=4_000, initial_alphabet=alphabet, show_progress=False)
    made.train_from_iterator(documents, trainer)
    return made


class Counting:
    """How long a text is in tokens, and how often that was asked."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.calls = 0

    def __call__(self, text: str) -> int:
        self.calls += 1
        return len(self.tokenizer.encode(text).ids)


@pytest.mark.parametrize("limit", [8, 64, 512])
def test_segments_join_and_fit_and_keep_the_whitespace_rule(limit, documents, tokenizer):
    length = Counting(tokenizer)
    segmenter = TokenSegmenter(limit, length)
    for text in documents:
        segments = segmenter.split(text)
        assert "".join(segments) == text
        assert max(map(length, segments)) <= limit
        # No unit of these texts has so many tokens, so no run is cut elsewhere.
        longest = max(map(len, segments))
        assert not any(find_violations(text, segments, longest).values())
        assert [text[start:end] for start, end in segmenter.spans(text)] == segments


@pytest.mark.parametrize("limit", [8, 64, 512])
def test_length_is_called_a_logarithmic_number_of_times(limit, documents, tokenizer):
    length = Counting(tokenizer)
    text = "\n\n".join(documents)
    segments = TokenSegmenter(limit, length).split(text)
    asked = sum(2 * math.log2(len(segment) + 1) for segment in segments)
    assert length.calls <= asked + 2 * len(segments)
    assert length.calls >= len(segments)


def test_segments_are_filled(documents, tokenizer):
    """What is left of a limit is less than a word, seldom two: half a word can have more tokens."""
    length = Counting(tokenizer)
    text = " ".join(" ".join(documents).split())
    segments = TokenSegmenter(64, length, separators=[" "]).split(text)
    assert sum(map(length, segments[:-1])) > 0.95 * 64 * (len(segments) - 1)


@pytest.mark.parametrize("separators", [None, *UNUSUAL_SEPARATORS], ids=str)
def test_a_length_in_characters_gives_the_segments_of_text_segmenter(separators):
    given = {} if separators is None else {"separators": separators}
    pieces = PIECES if separators is None else [*map("".join, separators), *" \nab-", " x", "\n  "]
    for text, limit in random_texts(5, 300, pieces):
        expected = TextSegmenter(limit, **given).split(text)
        assert TokenSegmenter(limit, len, **given).split(text) == expected, (text, limit)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_texts_that_lose_elsewhere_join(fault):
    def count_words(text: str) -> int:
        return len(text.split())

    segments = TokenSegmenter(3, count_words).split(fault.text)
    assert "".join(segments) == fault.text
    assert all(count_words(segment) <= 3 for segment in segments)


@given(inputs(), st.randoms(use_true_random=False))
def test_a_length_that_is_not_always_longer_for_more_text_keeps_the_limit(given, chance):
    """As a byte pair encoding counts: one more character can make fewer tokens."""
    text, limit = given
    noise = {}

    def length(part: str) -> int:
        return len(part) + noise.setdefault(part, chance.choice([0, 0, 1, 2]))

    segments = TokenSegmenter(limit, length).split(text)
    assert "".join(segments) == text
    assert all(length(segment) <= limit or len(segment) == 1 for segment in segments)


def test_a_character_that_is_too_long_by_itself_is_a_segment():
    segments = TokenSegmenter(2, lambda text: len(text.encode())).split("aé漢b c")
    assert segments == ["a", "é", "漢", "b ", "c"]


def test_an_empty_text_has_no_segments_and_is_not_measured():
    assert TokenSegmenter(3, lambda _: 1 // 0).split("") == []
    assert TokenSegmenter(3, len).spans("") == []


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((0, len), ValueError, "^max_tokens must be positive, not 0$"),
        ((1.5, len), TypeError, "^max_tokens must be an int, not float$"),
        ((3, "gpt2"), TypeError, "^length must be a function of a text, not str; for a tokenizer"),
    ],
)
def test_what_cannot_be_measured_is_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        TokenSegmenter(*arguments)
    with pytest.raises(TypeError, match="text must be a str, not bytes"):
        TokenSegmenter(3, len).split(b"text")
