"""Where boundaries lie in a text, and what of its structure they cut.

A boundary is a place strictly inside a document where two neighbouring segments meet; if a splitter
strips, it is the whitespace between them. Its place is the first of PLACES that applies. Word
boundaries and grapheme clusters are those of Unicode, found by ``regex``; the blocks of Markdown
are those of ``markdown-it-py``, and functions are those of Python's ``ast``.
"""

import ast
import re
import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple

import regex

from corpora.document import Document
from segmenter.rules import Splitting, find_run

_word_boundary = regex.compile(r"\b", regex.WORD)
_cluster = regex.compile(r"\X")
_tag = re.compile(r"<[/!?]?[A-Za-z](?:[^<>\"']|\"[^\"<]*\"|'[^'<]*')*>")
_line_end = re.compile(r"\r\n?|\n")

_ENDS = frozenset(".!?…")
_WIDE_ENDS = frozenset("。！？．")
_CLAUSES = frozenset(",;:")
_WIDE_CLAUSES = frozenset("，、；：")
_DASHES = frozenset("—–―")
_CLOSERS = "\"'”’»)]}」』）】〕》〉〗〙〛｣"
_WIDE_CLOSERS = "」』）】〕》〉〗〙〛｣”’。．｡"
_cjk_letter = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_blank_line = re.compile(r"(?:\r\n|\n|\r(?!\n))[ \t]*[\r\n]")
_cjk = re.compile(r"[。」、\u3040-\u30ff]")

_FEW = 4  # code points of whitespace
_REACH = 64  # code points on each side that tell a word or a cluster
_WIDEST = 8  # closing quotes and brackets after the end of a sentence


class Cuts(NamedTuple):
    """The boundaries of a text's segments, from the left.

    A boundary is where one segment ends and the next starts, which differ if whitespace is dropped
    there. Of the ``lost`` ones, by their numbers, other characters are dropped as well.
    """

    ends: Sequence[int]
    starts: Sequence[int]
    lost: Sequence[int] = ()


def list_cuts(splitting: Splitting) -> Cuts:
    """The boundaries of the segments that were found in their text."""
    if splitting.joins:
        return Cuts(splitting.boundaries, splitting.boundaries)
    text = splitting.text
    ends: list[int] = []
    starts: list[int] = []
    lost: list[int] = []
    end = -1
    for start, segment in splitting.pairs():
        if start < 0 or not segment:
            continue
        if 0 <= end <= start:
            between = text[end:start]
            if between and not between.isspace():
                lost.append(len(starts))
            ends.append(end)
            starts.append(start)
        end = start + len(segment)
    return Cuts(ends, starts, lost)


def find_places(text: str, cuts: Cuts) -> list[str]:
    """The place of each boundary. Time is linear in the text."""
    # Most are told by few characters, which are alike in many places.
    if cuts.ends is cuts.starts:
        near = [text[max(0, at - 2) : at + 1] for at in cuts.starts]
    else:
        near = [
            text[max(0, end - 1 - (start == end)) : start + 1] if start - end < _FEW else "  "
            for end, start in zip(cuts.ends, cuts.starts, strict=True)
        ]
    places = list(map(_tell_place, near))
    for number in cuts.lost:
        places[number] = "lost"
    run_start = run_end = -1
    run_place = ""
    for number, place in enumerate(places):
        if not place:
            end = cuts.ends[number]
            if not run_start <= end <= run_end:
                run_start, run_end, _ = find_run(text, end)
                run_place = _find_place(text, run_start, run_end)
            places[number] = run_place
    return places


@lru_cache(maxsize=1 << 16)
def _tell_place(around: str) -> str:
    """The place of a boundary before the last of these characters; empty if more must be known.

    Whitespace that is dropped there stands before it.
    """
    after = around[-1]
    content = around[:-1].rstrip()
    line_ends = count_line_ends(around[len(content) : -1])["all"]
    if line_ends > 1:
        return "paragraph"
    if after.isspace() or not content:
        return ""
    if line_ends:
        return "line"
    last = content[-1]
    if len(content) == len(around) - 1:
        # Between two letters in ASCII; what joins or parts others needs its neighbours.
        inside = last.isascii() and after.isascii() and last.isalnum() and after.isalnum()
        return "inside-word" if inside else ""
    if last in _ENDS or last in _WIDE_ENDS:
        return "sentence"
    if last in _CLAUSES or last in _WIDE_CLAUSES or last in _DASHES:
        return "clause"
    return "word" if last.isalnum() else ""


def _find_place(text: str, start: int, end: int) -> str:
    """The place of a boundary at a run of whitespace, which may be empty."""
    if line_ends := count_line_ends(text[start:end])["all"]:
        return "line" if line_ends == 1 else "paragraph"
    before = text[max(0, start - _WIDEST) : start]
    last = before[-1:]
    closed = before.rstrip(_CLOSERS)[-1:] if last in _CLOSERS else last
    if closed in _WIDE_ENDS or (start < end and closed in _ENDS):
        return "sentence"
    if last in _WIDE_CLAUSES or last in _DASHES or before.endswith("--"):
        return "clause"
    if start < end:
        return "clause" if last in _CLAUSES else "word"
    if not (last.isascii() and text[end].isascii()) and _is_in_cluster(text, end):
        return "inside-grapheme"
    window = text[max(0, end - _REACH) : end + _REACH]
    return "word" if _word_boundary.match(window, min(end, _REACH)) else "inside-word"


def _is_in_cluster(text: str, at: int) -> bool:
    """Whether a grapheme cluster holds the characters before and after a place."""
    start = at - 1
    while start and not text[start].isascii() and at - start < _REACH:
        start -= 1
    for found in _cluster.finditer(text, start, min(len(text), at + _REACH)):
        if found.end() >= at:
            return bool(found.end() > at)
    return False


# By what a document's name ends in.
_SUFFIXES = {
    "markdown": ".md .markdown",
    "python": ".py .pyi",
    "html": ".html .htm .xhtml",
    "lines": ".log .csv .tsv .jsonl",
    "latex": ".tex",
    "rst": ".rst",
    "c": ".c .h",
    "cpp": ".cc .cpp .hpp",
    "csharp": ".cs",
    "elixir": ".ex .exs",
    "go": ".go",
    "haskell": ".hs",
    "java": ".java",
    "js": ".js .mjs .jsx",
    "kotlin": ".kt",
    "lua": ".lua",
    "perl": ".pl .pm",
    "php": ".php",
    "powershell": ".ps1",
    "proto": ".proto",
    "r": ".r",
    "ruby": ".rb",
    "rust": ".rs",
    "scala": ".scala",
    "sol": ".sol",
    "swift": ".swift",
    "ts": ".ts .tsx",
}
_BY_SUFFIX = {suffix: name for name, listed in _SUFFIXES.items() for suffix in listed.split()}
_LOOKED_AT = 20_000  # code points that tell what kind of text it is


def guess_separators(document: Document) -> str:
    """The list of separators that fits: by what the document's name ends in, else by its text."""
    if known := _BY_SUFFIX.get(PurePosixPath(document.id).suffix.lower()):
        return known
    text = document.text[:_LOOKED_AT]
    if len(_cjk_letter.findall(text)) > len(text) / 5:
        return "cjk"
    line_ends = count_line_ends(text)["all"]
    has_blank_lines = _blank_line.search(text) is not None
    return "prose" if has_blank_lines or not line_ends else "lines"


def count_line_ends(text: str) -> dict[str, int]:
    """How many line ends a text has, and how many of these are CR LF."""
    cr_lf = text.count("\r\n")
    return {"all": text.count("\n") + text.count("\r") - cr_lf, "cr_lf": cr_lf}


class Stretch(NamedTuple):
    """Where something of a text starts and ends, without whitespace around it."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Structure:
    """What a text has that is better not cut: stretches by what they are, in order.

    Of ``headings``, what counts is whether a segment ends with one.
    """

    headings: Sequence[Stretch] = ()
    stretches: Mapping[str, Sequence[Stretch]] = field(default_factory=dict)
    cjk: bool = False


def find_structure(document: Document) -> Structure:
    """The structure of a document, whose kind is told by the end of its name and by its letters."""
    text = document.text
    cjk = _cjk.search(text) is not None
    match _BY_SUFFIX.get(PurePosixPath(document.id).suffix.lower()):
        case "markdown":
            headings, stretches = _find_blocks(text)
            return Structure(headings, stretches, cjk)
        case "python":
            return Structure(stretches={"function": _find_functions(text)}, cjk=cjk)
        case "html":
            tags = [Stretch(*found.span()) for found in _tag.finditer(text)]
            return Structure(stretches={"tag": tags}, cjk=cjk)
    return Structure(cjk=cjk)


_BLOCKS = {
    "fence": "fence",
    "list_item_open": "list item",
    "table_open": "table",
    "tr_open": "table row",
}


def _find_blocks(text: str) -> tuple[list[Stretch], dict[str, list[Stretch]]]:
    from markdown_it import MarkdownIt  # slow, and most corpora have no Markdown

    markdown = MarkdownIt("commonmark").enable("table").disable("inline")
    lines = _Lines(text)
    headings: list[Stretch] = []
    blocks: dict[str, list[Stretch]] = {name: [] for name in _BLOCKS.values()}
    for token in markdown.parse(text):
        if token.map is None:
            continue
        if token.type == "heading_open":
            headings += lines.find(*token.map)
        elif token.type in _BLOCKS:
            blocks[_BLOCKS[token.type]] += lines.find(*token.map)
    return headings, blocks


def _find_functions(text: str) -> list[Stretch]:
    """Functions with their decorators; none if the text is not Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    lines = _Lines(text, ends=re.compile(r"\r\n?|\n|\f(?=\n)"))
    found: list[Stretch] = []
    statements: list[ast.AST] = list(tree.body)
    while statements:
        node = statements.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            found += lines.find(first - 1, node.end_lineno or node.lineno)
        # Expressions, of which there are most, hold no function that has a name.
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, part, ())
            if isinstance(inner, list):
                statements += inner
    return sorted(found)


class _Lines:
    """A text by its lines."""

    def __init__(self, text: str, ends: re.Pattern[str] = _line_end) -> None:
        self.text = text
        self.starts = [0, *(found.end() for found in ends.finditer(text)), len(text)]

    def find(self, first: int, last: int) -> Iterator[Stretch]:
        """Lines from first on and before last, if they hold anything."""
        start, end = (self.starts[min(n, len(self.starts) - 1)] for n in (first, last))
        held = self.text[start:end]
        if held.strip():
            yield Stretch(end - len(held.lstrip()), start + len(held.rstrip()))


class Damage(NamedTuple):
    """How many there are of something, and how many of these were cut."""

    of: int
    cut: int


def count_damage(text: str, structure: Structure, cuts: Cuts, limit: int) -> dict[str, Damage]:
    """What of a text's structure its segments cut, of what fits the limit.

    ``heading orphaned``: a segment ends with a heading. ``closing mark first``: of all
    boundaries, those after which a closing quote, a closing bracket or a full stop comes first.
    """
    damage = {}
    ends, starts, _ = cuts
    if structure.headings:
        content_end = len(text.rstrip())
        followed = [each for each in structure.headings if each.end < content_end]
        orphaned = sum(_is_last(text, each, starts) for each in followed)
        damage["heading orphaned"] = Damage(len(followed), orphaned)
    for name, stretches in structure.stretches.items():
        fitting = [each for each in stretches if each.end - each.start <= limit]
        # Whether the first boundary after the start of a stretch lies before its end.
        cut = 0
        for start, end in fitting:
            number = bisect_right(starts, start)
            cut += number < len(ends) and ends[number] < end
        damage[name] = Damage(len(fitting), cut)
    if structure.cjk:
        left = sum(text[at : at + 1] in _WIDE_CLOSERS for at in starts)
        damage["closing mark first"] = Damage(len(starts), left)
    return damage


def _is_last(text: str, heading: Stretch, starts: Sequence[int]) -> bool:
    number = bisect_left(starts, heading.end)
    return number < len(starts) and not text[heading.end : starts[number]].strip()
