"""The generated texts: always the same, and of the kinds that their families promise."""

import hashlib
from collections import defaultdict

import pytest

import corpora

# A change of any text changes this, and every result on the corpus with it.
DIGEST = "34f709112c50fda484e418e98fe44cbf4f4422bc4e288b11205c625f6f384709"


@pytest.fixture(scope="module")
def texts() -> dict[str, list[str]]:
    families = defaultdict(list)
    for document in corpora.load("synthetic"):
        families[document.id.partition("/")[0]].append(document.text)
    return families


def test_same_texts_everywhere() -> None:
    digest = hashlib.sha256()
    count = 0
    for document in corpora.load("synthetic"):
        count += 1
        digest.update(f"{document.id}\0{len(document.text)}\0{document.text}".encode())
    assert (count, digest.hexdigest()) == (3000, DIGEST)


def test_size_suits_a_quick_run(texts: dict[str, list[str]]) -> None:
    assert sum(len(text) for family in texts.values() for text in family) < 1_000_000


def longest_run(text: str, whitespace: bool) -> int:
    longest = run = 0
    for character in text:
        run = run + 1 if character.isspace() == whitespace else 0
        longest = max(longest, run)
    return longest


@pytest.mark.parametrize(
    ("family", "kept"),
    [
        ("sentences", lambda t: t == t.strip()),
        ("blank-line-runs", lambda t: "\n" in t),
        ("indented-code", lambda t: t.endswith("\n")),
        ("trailing-blanks", lambda t: "\n" in t),
        ("tabs-and-no-break-spaces", lambda t: "\n" not in t and any(c.isspace() for c in t)),
        ("crlf", lambda t: "\r" in t or "\n" in t),
        ("cjk-punctuation", lambda t: any(c in t for c in "。、，？！")),
        ("unbroken-runs", lambda t: longest_run(t, whitespace=False) >= 19),
        ("too-long-runs", lambda t: longest_run(t, whitespace=True) >= 19),
        ("whitespace-alone", lambda t: t.isspace()),
    ],
)
def test_every_text_is_of_its_family(family, kept, texts: dict[str, list[str]]) -> None:
    assert len(texts[family]) == 250
    assert [text for text in texts[family] if not kept(text)] == []


@pytest.mark.parametrize(
    ("family", "wanted"),
    [
        ("edge-whitespace", lambda t: t[0].isspace() and t[-1].isspace()),
        ("blank-line-runs", lambda t: "\n" * 20 in t),
        ("indented-code", lambda t: "\n        " in t),
        ("indented-code", lambda t: "\n\t\t" in t),
        ("trailing-blanks", lambda t: " \n" in t),
        ("tabs-and-no-break-spaces", lambda t: "\t" in t and "\u00a0" in t),
        ("crlf", lambda t: "\r\n" in t),
        ("unbroken-runs", lambda t: longest_run(t, whitespace=False) > 500),
        ("too-long-runs", lambda t: longest_run(t, whitespace=True) > 500),
        ("whitespace-alone", lambda t: len(t) > 500),
    ],
)
def test_a_family_has_its_hard_cases(family, wanted, texts: dict[str, list[str]]) -> None:
    assert sum(wanted(text) for text in texts[family]) >= 10
