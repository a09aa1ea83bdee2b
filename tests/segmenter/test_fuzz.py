"""What `make fuzz` compares is compared here in small, in the form that is imported."""

from itertools import islice

import pytest

from segmenter import TextSegmenter
from tests.segmenter import fuzz
from tests.segmenter.fuzz import Input


class Failing(fuzz.SOURCE_SEGMENTER):  # the compiled form has no subclasses
    """Splits texts with a semicolon otherwise, and raises for those with an exclamation mark."""

    def split(self, text: str) -> list[str]:
        if "!" in text:
            raise RuntimeError
        return [text] if ";" in text else super().split(text)


@pytest.mark.parametrize("seed", [0, 100_000])
def test_random_inputs_are_split_as_the_oracle_splits_them(seed: int) -> None:
    for given in islice(fuzz.make_random(seed), 3_000):
        assert fuzz.agree(given, TextSegmenter), given


def test_real_texts_that_were_spoilt_are_split_as_the_oracle_splits_them() -> None:
    for given in islice(fuzz.make_mutations(0), 60):
        assert fuzz.agree(given, TextSegmenter), given


@pytest.mark.parametrize("mark", [";", "!"])
def test_a_disagreement_is_found_and_made_small(mark: str) -> None:
    given = Input(f"one two three{mark} four five six", 5)
    assert not fuzz.agree(given, Failing)
    small = fuzz.shrink(given, Failing)
    assert not fuzz.agree(small, Failing)
    assert mark in small.text
    assert len(small.text) == (6 if mark == ";" else 1)


def test_a_disagreement_is_reported(capsys, monkeypatch) -> None:
    monkeypatch.setattr(fuzz, "agree", lambda given, form=None: "x" not in given.text)
    assert fuzz.compare(iter([Input("ab", 1), Input("axb", 1)]), seconds=60) == 1
    assert "disagree: Input(text='x', limit=1," in capsys.readouterr().out
    assert fuzz.compare(iter([Input("ab", 1), Input("cd", 1)]), seconds=60) == 0
    assert capsys.readouterr().out == "2 texts are split as the oracle splits them\n"
