"""Writes the table of docs/cuts.md: ``python -m harness.measure.shares TEXTS``.

TEXTS is a folder that holds kinds of text, one folder each: logs, tables, latex, markdown, html,
thai and aozora. Python's own library is on every machine.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import corpora
from corpora.document import Document
from harness.measure.cuts import count_damage, find_places, find_structure, list_cuts
from harness.report.columns import Column, Table, figures, show_share, words
from harness.report.markdown import render_table
from harness.results.atomic import open_replacing
from harness.splitters.registry import load_splitter
from segmenter.rules import Splitting

CUTS_PAGE = Path(__file__).parents[2] / "docs" / "cuts.md"
_LIMITS = (128, 500, 2000)
_MOST = 100_000  # code points of a document
MARK = "<!-- measured -->\n"


class TextKind(NamedTuple):
    """A kind of text: its folder, the fitting separators, and LangChain's language for it."""

    folder: str
    separators: str
    language: str = ""


_KINDS = (
    TextKind("logs", "lines"),
    TextKind("tables", "lines"),
    TextKind("latex", "latex", "latex"),
    TextKind("markdown", "markdown", "markdown"),
    TextKind("html", "html", "html"),
    TextKind("thai", "prose"),
    TextKind("aozora", "cjk"),
    TextKind("Python's library", "python", "python"),
)


def measure_shares(kind: TextKind, texts: Sequence[Document]) -> Iterator[dict[str, object]]:
    """One record per limit and splitter; the texts' lines end in LF."""
    returned = [Document(each.id, each.text.replace("\n", "\r\n")) for each in texts]
    names = ["segmenter", f"segmenter-{kind.separators}", "langchain"]
    names += [f"langchain-language-{kind.language}"] if kind.language else []
    for limit in _LIMITS:
        for name in (*names, "fixed"):
            places, damage = _count(texts, name, limit)
            ends = _share_ends(places)
            returned_ends = _share_ends(_count(returned, name, limit)[0])
            yield {
                "kind": kind.folder,
                "limit": limit,
                "splitter": name,
                "ends": ends,
                "returned": returned_ends,
                "sentence": (places["sentence"]) / places.total(),
                "clause": places["clause"] / places.total(),
                "word": places["word"] / places.total(),
                "inside": sum(n for place, n in places.items() if place.startswith("inside"))
                / places.total(),
                "damage": "; ".join(
                    f"{what} {cut / of:.1%} of {of:,}" for what, (of, cut) in damage.items() if of
                )
                or None,
            }


def _share_ends(places: Counter[str]) -> float:
    return (places["paragraph"] + places["line"]) / places.total()


def _count(
    texts: Sequence[Document], name: str, limit: int
) -> tuple[Counter[str], dict[str, tuple[int, int]]]:
    split = load_splitter(name).make(limit)
    places: Counter[str] = Counter()
    damage: dict[str, tuple[int, int]] = {}
    for document in texts:
        text = document.text
        cuts = list_cuts(Splitting(text, split(text), limit))
        places.update(find_places(text, cuts))
        for what, found in count_damage(text, find_structure(document), cuts, limit).items():
            of, cut = damage.get(what, (0, 0))
            damage[what] = of + found.of, cut + found.cut
    return places, damage


def _read_kind(folder: Path, kind: TextKind) -> list[Document]:
    """The beginnings of a kind's documents, with LF at the ends of their lines."""
    if kind.separators == "python":
        found = [each for each in corpora.load("builtin") if each.id.endswith(".py")]
    else:
        (place,) = (
            each for each in (folder / kind.folder, folder / "kinds" / kind.folder) if each.is_dir()
        )
        paths = sorted(path for path in place.iterdir() if path.is_file())
        found = [Document(path.name, path.read_text(encoding="utf-8")) for path in paths]
    return [Document(each.id, each.text[:_MOST]) for each in found]


def tabulate(records: Sequence[dict[str, object]]) -> Table:
    """The records as the page shows them."""
    return Table(
        "Shares",
        [
            words("kind"),
            figures("limit"),
            words("splitter"),
            Column("at line ends", "ends", show_share),
            Column("the same in CR LF", "returned", show_share),
            Column("sentence", "sentence", show_share),
            Column("clause", "clause", show_share),
            Column("word", "word", show_share),
            Column("inside a word", "inside", show_share),
            words("cut of what fits", "damage"),
        ],
        records,
        names=3,
    )


def main(folder: Path) -> None:
    """Measure, and replace what stands between the marks of the page."""
    records = [
        record for kind in _KINDS for record in measure_shares(kind, _read_kind(folder, kind))
    ]
    before, _, after = CUTS_PAGE.read_text(encoding="utf-8").split(MARK)
    with open_replacing(CUTS_PAGE) as file:
        file.write(MARK.join([before, f"\n{render_table(tabulate(records))}\n", after]))


if __name__ == "__main__":
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit("segbench: name the folder that holds the kinds of text")
    main(Path(sys.argv[1]))
