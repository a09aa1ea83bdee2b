"""What event memory embeds of a segment: models of its two derivers.

The whole-text deriver quotes a segment's text, as JSON does. The sentence deriver takes the
segment's lines, stripped, and cuts them after marks that end a sentence; here by those marks
alone, without the model for English that it consults first, and each sentence is stripped.
Timestamp and producer, which stand before the quotes, are the event's and left out.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

Deriver = Callable[[str], Iterable[str]]

_sentence = re.compile(r".+?(?:[?!？！。]+|\.+(?=\s|$))|.+$")


def derive_whole(segment: str) -> list[str]:
    """The text to embed: one for a segment, its edge whitespace within the quotes."""
    return [json.dumps(segment, ensure_ascii=False)]


def derive_sentences(segment: str) -> list[str]:
    """The texts to embed: one for each sentence with a letter or digit, without edge whitespace."""
    return [
        json.dumps(sentence.strip(), ensure_ascii=False)
        for line in segment.strip().splitlines()
        for sentence in _sentence.findall(line.strip())
        if any(map(str.isalnum, sentence))
    ]


@dataclass(frozen=True, slots=True)
class Reembedding:
    """How many texts are embedded, and how many of them were not of the same document before.

    Those of different documents can be added.
    """

    texts: int = 0
    new: int = 0

    @property
    def share(self) -> float:
        """The share of new texts, 0 if there is none at all."""
        return self.new / self.texts if self.texts else 0.0

    def __add__(self, other: "Reembedding") -> "Reembedding":
        return Reembedding(self.texts + other.texts, self.new + other.new)


def compare_derived(before: Sequence[str], after: Sequence[str], derive: Deriver) -> Reembedding:
    """What is embedded of one document after its segments have changed."""
    old = Counter(_derive_all(before, derive))
    new = Counter(_derive_all(after, derive))
    return Reembedding(new.total(), (new - old).total())


def _derive_all(segments: Iterable[str], derive: Deriver) -> Iterator[str]:
    return (text for segment in segments for text in derive(segment))
