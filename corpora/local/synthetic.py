"""Generated texts, heavy in what text splitters stumble over.

Every text comes from its own seed, so each family can grow without changing another. The only
random numbers used are those of ``random.Random(int).random()``, whose sequence the documentation
of `random` promises to keep ("Notes on Reproducibility"); ``choice`` and its kin have no such
promise. So the texts are the same on every platform and every Python; a test pins their digest.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from corpora.document import Document

ORIGIN = "generated from fixed seeds"
TEXTS_A_FAMILY = 250

WORDS = [
    "a",
    "the",
    "of",
    "and",
    "to",
    "in",
    "it",
    "is",
    "that",
    "was",
    "for",
    "on",
    "are",
    "with",
    "as",
    "his",
    "they",
    "at",
    "be",
    "this",
    "from",
    "have",
    "or",
    "by",
    "one",
    "had",
    "not",
    "but",
    "what",
    "all",
    "were",
    "when",
    "we",
    "there",
    "can",
    "an",
    "your",
    "which",
    "their",
    "said",
    "if",
    "do",
    "will",
    "each",
    "about",
    "how",
    "up",
    "out",
    "them",
    "then",
    "she",
    "many",
    "some",
    "so",
    "these",
    "would",
    "other",
    "into",
    "has",
    "more",
    "her",
    "two",
    "like",
    "him",
    "see",
    "time",
    "could",
    "no",
    "make",
    "than",
    "first",
    "been",
    "its",
    "who",
    "now",
    "people",
    "my",
    "made",
    "over",
    "did",
    "down",
    "only",
    "way",
    "find",
    "use",
    "may",
    "water",
    "long",
    "little",
    "very",
    "after",
    "words",
    "called",
    "just",
    "where",
    "most",
    "know",
    "segment",
    "boundary",
    "whitespace",
    "paragraph",
    "indentation",
    "separator",
    "e.g.",
    "3.14",
    "2,106",
    "naïve",
    "café",
    "Zürich",
    "résumé",
    "O'Brien",
    "well-known",
    "https://example.org/a/b?c=d&e=f",
    "user@example.org",
]
_CJK = "日本語文章分割空白行末段落人山川田中水火木金土大小上下左右東西南北春夏秋冬のはがをにでとも"
MARKS = (".", ".", ".", "?", "!", ";", ":")
SPACES = (" ", " ", " ", "\t", "\u00a0", "\u2003", "\u202f", "\u3000", "\u2028", "\x0b", "\x85")
# Just below, at and above the limits that runs use by default.
NEAR_LIMITS = (19, 20, 21, 40, 127, 128, 129, 499, 500, 501, 640)


_T = TypeVar("_T")


class Draw:
    """Random values that are the same everywhere, for one text."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed).random

    def integer(self, low: int, high: int) -> int:
        """An integer from low to high, both included."""
        return low + int(self._random() * (high - low + 1))

    def choice(self, options: Sequence[_T]) -> _T:
        """One of the options, each as likely."""
        return options[self.integer(0, len(options) - 1)]

    def chance(self, probability: float) -> bool:
        """True with that probability."""
        return self._random() < probability

    def words(self, low: int, high: int) -> str:
        """From ``low`` to ``high`` words, with spaces between them."""
        return " ".join(self.choice(WORDS) for _ in range(self.integer(low, high)))

    def sentence(self) -> str:
        """A few words, with a capital letter and a mark at the end."""
        words = self.words(3, 14)
        return f"{words[0].upper()}{words[1:]}{self.choice(MARKS)}"

    def run(self, low: int, high: int, characters: Sequence[str] = SPACES) -> str:
        """From ``low`` to ``high`` of the characters."""
        return "".join(self.choice(characters) for _ in range(self.integer(low, high)))


def sentences(draw: Draw) -> str:
    """Paragraphs of sentences, dashes and lists of words between them."""
    gaps = (" ", " ", " ", "  ", "\n", "\n\n", " — ", "--", ", ", "; ")
    text = draw.sentence()
    for _ in range(draw.integer(0, 9)):
        text += draw.choice(gaps) + draw.sentence()
    return text


def edge_whitespace(draw: Draw) -> str:
    """Sentences with whitespace before the first and after the last."""
    blanks = (" ", "\n", "\t", "\r", "\u3000")
    return draw.run(0, 30, blanks) + sentences(draw) + draw.run(0, 30, blanks)


def blank_line_runs(draw: Draw) -> str:
    """Paragraphs apart by up to 40 newlines, some with blanks between them."""
    text = draw.sentence()
    for _ in range(draw.integer(1, 6)):
        line = draw.choice((("\n",), ("\n", "\n", " \n", "\n  ")))
        text += draw.run(1, draw.choice((2, 3, 8, 40)), line)
        text += draw.sentence()
    return text


def indented_code(draw: Draw) -> str:
    """Nested blocks and literals, indented by spaces or tabs."""
    indent = draw.choice(("  ", "    ", "\t", "        "))
    depth, lines = 0, []
    for _ in range(draw.integer(2, 16)):
        name = draw.choice(("value", "items", "self.limit", "x", "result"))
        kind = draw.integer(0, 5)
        if kind == 0:
            lines.append(f"{indent * depth}def {name}({draw.words(0, 3).replace(' ', ', ')}):")
            depth += 1
        elif kind == 1:
            lines.append(f"{indent * depth}{name} = [")
            lines += [f"{indent * (depth + 1)}({n}, {n * 7})," for n in range(draw.integer(1, 4))]
            lines.append(f"{indent * depth}],")
        elif kind == 2:
            lines.append(f'{indent * depth}{{"{name}": {draw.integer(0, 999)}}},')
        elif kind == 3:
            lines.append("")
        else:
            lines.append(f"{indent * depth}return {name}  # {draw.words(1, 6)}")
            depth = max(0, depth - draw.integer(0, 2))
    return "\n".join(lines) + "\n"


def trailing_blanks(draw: Draw) -> str:
    """Lines that end in blanks before their newline."""
    lines = [draw.sentence() + draw.run(0, 12, (" ", "\t")) for _ in range(draw.integer(2, 8))]
    return "\n".join(lines)


def tabs_and_no_break_spaces(draw: Draw) -> str:
    """Words apart by every kind of whitespace but the newline."""
    text = draw.choice(WORDS)
    for _ in range(draw.integer(5, 60)):
        text += draw.run(1, draw.choice((1, 1, 2, 5))) + draw.choice(WORDS)
    return text


def crlf(draw: Draw) -> str:
    """Lines that end in CR LF, a few in CR or LF alone."""
    text = ""
    for _ in range(draw.integer(2, 8)):
        text += draw.sentence() + draw.choice(
            ("\r\n", "\r\n", "\r\n", "\r\n\r\n", "\r", "\n\r", "\n")
        )
    return text


def cjk_punctuation(draw: Draw) -> str:
    """Chinese and Japanese marks, mostly with nothing after them, and ideographic indents."""
    text = draw.choice(("", "\u3000"))
    for _ in range(draw.integer(4, 24)):
        text += draw.run(1, 20, _CJK)
        text += draw.choice(
            ("。", "、", "，", "？", "！", "。\n", "？\n", "！\n\u3000", "。\r\n\u3000")
        )
    return text


def unbroken_runs(draw: Draw) -> str:
    """Content without a blank for longer than a limit."""
    size = draw.choice(NEAR_LIMITS)
    characters = draw.choice(
        ("x", "abc", "ab-", _CJK, "0123456789abcdef", "-", "a,b.c;", "é\u200b")
    )
    return draw.run(0, 3, WORDS) + draw.run(size, size, characters) + draw.run(0, 2, (" end", ". "))


def too_long_runs(draw: Draw) -> str:
    """Whitespace between two words for as long as a limit and more."""
    text = draw.words(1, 4)
    for _ in range(draw.integer(1, 2)):
        size = draw.choice(NEAR_LIMITS)
        text += draw.run(
            size, size, draw.choice((" ", "\n", " \n", " \t", " \u00a0\u3000", "\r\n"))
        )
        text += draw.words(1, 4)
    return text


def whitespace_alone(draw: Draw) -> str:
    """No content at all."""
    size = draw.choice((1, 2, 3, 7, *NEAR_LIMITS))
    return draw.run(size, size, draw.choice((" ", "\n", " \n", "\t ", "\r\n", SPACES)))


def mixtures(draw: Draw) -> str:
    """Two to four of the others, one after the other."""
    others = [family for family in FAMILIES.values() if family is not mixtures]
    return "".join(draw.choice(others)(draw) for _ in range(draw.integer(2, 4)))


FAMILIES: Mapping[str, Callable[[Draw], str]] = {
    "sentences": sentences,
    "edge-whitespace": edge_whitespace,
    "blank-line-runs": blank_line_runs,
    "indented-code": indented_code,
    "trailing-blanks": trailing_blanks,
    "tabs-and-no-break-spaces": tabs_and_no_break_spaces,
    "crlf": crlf,
    "cjk-punctuation": cjk_punctuation,
    "unbroken-runs": unbroken_runs,
    "too-long-runs": too_long_runs,
    "whitespace-alone": whitespace_alone,
    "mixtures": mixtures,
}


def read() -> Iterator[Document]:
    """Every text, family by family; the id is the family's name and the text's number in it."""
    for index, (name, family) in enumerate(FAMILIES.items()):
        for number in range(TEXTS_A_FAMILY):
            yield Document(f"{name}/{number:04}", family(Draw(index * 10_000 + number)))
