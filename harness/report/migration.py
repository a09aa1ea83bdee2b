"""What becomes of stored segments when one splitter is replaced by another.

Whoever stores segments, and embeddings of them, asks which of the new ones they have already. A new
segment has one of three kinds:

- *same*: an old segment lies in the same place, so its text is the same;
- *edges*: an old segment has the same content, and only the whitespace at its ends differs, so an
  embedding of the stripped text can be kept;
- *moved*: its boundaries lie elsewhere.

Only segments that lie in the text are told apart: what a splitter made up is *moved*.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from harness.results.model import Span
from segmenter.rules import Splitting

Kind = Literal["same", "edges", "moved"]


@dataclass(frozen=True, slots=True)
class Migration:
    """How many new segments are of each kind. Migrations of different documents can be added."""

    same: int = 0
    edges: int = 0
    moved: int = 0

    @property
    def after(self) -> int:
        """How many segments there are now."""
        return self.same + self.edges + self.moved

    @property
    def changed(self) -> float:
        """The share of the new segments that must be embedded again, 0 if there are none."""
        return (self.edges + self.moved) / self.after if self.after else 0.0

    @property
    def changed_stripped(self) -> float:
        """The same if segments are stripped before they are embedded."""
        return self.moved / self.after if self.after else 0.0

    def __add__(self, other: "Migration") -> "Migration":
        return Migration(*(getattr(self, n) + getattr(other, n) for n in Migration.__slots__))


def classify_segments(text: str, before: Iterable[Span], after: Iterable[Span]) -> list[Kind]:
    """The kind of each new segment, of segments that lie in ``text``."""
    old = set(before)
    contents = {_strip(text, span) for span in old}
    return [
        "same" if span in old else "edges" if _strip(text, span) in contents else "moved"
        for span in after
    ]


def find_migration(
    text: str, before: Sequence[str], after: Sequence[str], max_chunk_length: int
) -> Migration:
    """The migration of one text from the segments of one splitter to those of another.

    Segments of splitters that do not keep the text are looked for in it; a new one that is not
    found counts as moved.
    """
    old, new = (
        [
            Span(start, start + len(segment)) if start >= 0 else None
            for start, segment in zip(
                Splitting(text, segments, max_chunk_length).starts, segments, strict=True
            )
        ]
        for segments in (before, after)
    )
    kinds = iter(classify_segments(text, filter(None, old), filter(None, new)))
    counted: Counter[str] = Counter(next(kinds) if span else "moved" for span in new)
    return Migration(**counted)


def _strip(text: str, span: Span) -> Span:
    """The span without the whitespace at its ends; an empty one if it holds nothing else."""
    content = text[span.start : span.end]
    start = span.start + len(content) - len(content.lstrip())
    return Span(start, max(start, span.start + len(content.rstrip())))
