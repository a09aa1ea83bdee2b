"""Parts of corpora that any process can read, as tests make them."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from corpora.document import Corpus, Document


class DeadlyDocument(Document):
    """A document whose text ends the process that wants it."""

    __slots__ = ()

    def __init__(self, identifier: str) -> None:
        object.__setattr__(self, "id", identifier)

    @property
    def text(self) -> str:  # type: ignore[override]
        os._exit(9)


@dataclass(frozen=True, slots=True)
class ListedPart:
    """Documents that it holds itself; those with ids in ``deadly`` end who wants their text.

    Reading it ends a process until so many processes have left marks in ``folder`` as ``deaths``
    says.
    """

    documents: tuple[Document, ...]
    folder: Path | None = None
    deaths: int = 0
    deadly: frozenset[str] = frozenset()
    url: str = "memory://part"
    state: str = "made"

    @property
    def size(self) -> int:
        return sum(len(document.text) for document in self.documents)

    def read(self) -> Iterator[Document]:
        if self.folder is not None and len(list(self.folder.iterdir())) < self.deaths:
            (self.folder / str(os.getpid())).touch()
            os._exit(9)
        for document in self.documents:
            yield DeadlyDocument(document.id) if document.id in self.deadly else document


class DeadlyReasons(dict[str, str]):
    """What is not applicable to a splitter; to ask ends the process."""

    def __contains__(self, _: object) -> bool:
        os._exit(9)


def make_parted(name: str, parts: Sequence[ListedPart]) -> Corpus:
    def read() -> Iterator[Document]:
        raise AssertionError("a corpus in parts is not read as a whole")
        yield

    return Corpus(name, read, "a test", parts=lambda _: iter(parts))
