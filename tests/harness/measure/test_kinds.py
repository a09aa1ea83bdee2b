import re

import pytest

from harness.measure.kinds import KINDS, load_kinds


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_has_about_the_length_asked_for_and_is_always_the_same(kind):
    text = KINDS[kind](10_000)
    assert 10_000 <= len(text) < 10_200
    assert text == KINDS[kind](10_000)
    assert KINDS[kind](20_000).startswith(text)
    assert KINDS[kind](0) == ""


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("dot leaders", r"\d+\.\d [A-Z][a-z ]+ \.{20,} \d+"),
        ("version numbers", r"[a-z]+-[a-z]+==\d+\.\d+\.\d+\.\d+"),
        ("time stamps", r"2024-05-\d\dT\d\d:\d\d:\d\d\.000Z"),
        ("colon-separated addresses", r"([0-9a-f]{2}:){5}[0-9a-f]{2} ([0-9a-f]{4}:){7}[0-9a-f]{4}"),
        ("deep indentation", r" {40}[a-z ]+"),
        ("closing brackets", r"\){80}"),
        ("runs of dashes", r"-{78}|\| [a-z ]{50} \| +\d+ \|"),
    ],
)
def test_every_line_is_of_its_kind(kind, line):
    lines = KINDS[kind](5_000).splitlines()
    assert all(re.fullmatch(line, each) for each in lines)


def test_a_subtitle_has_a_number_times_and_words():
    number, times, words = KINDS["subtitles"](5_000).split("\n\n")[40].split("\n")
    assert number == "41"
    assert times == "00:02:03,000 --> 00:02:03,900"
    assert words.endswith(".")


def test_kinds_are_corpora_of_code_and_of_each_made_text():
    kinds = {each.name: list(each) for each in load_kinds()}
    assert list(kinds) == ["code", *KINDS]
    code = kinds.pop("code")
    assert {document.id for document in code} >= {"code/argparse.py", "code/enum.py"}
    assert all(document.id.startswith("code/") for document in code)
    for name, (document,) in kinds.items():
        assert document.text == KINDS[name](50_000)
