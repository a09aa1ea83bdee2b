"""Corpora in temporary files: a run reads each once, and all that it measures reads the file."""

import hashlib
from array import array
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from corpora.document import Corpus, Document
from harness.runner.details import LONGEST, shorten
from harness.runner.pool import open_folder
from harness.runner.spool import naming, open_new, read_spool, write_document

SHARD_SIZE = 250_000  # code points


@dataclass(frozen=True, slots=True)
class Shard:
    """Neighbouring documents of a spooled corpus: a place in its file, and what is there.

    ``first`` is the id of the first one.
    """

    spool: Path
    start: int
    documents: int
    code_points: int
    first: str

    def read(self) -> list[Document]:
        """The documents; raises ValueError where the file is not what it was."""
        return [Document(*pair) for pair in read_spool(self.spool, self.start, self.documents)]


class SpooledCorpus:
    """A corpus that is read once: the first iteration writes the spool that later ones read.

    Raises CorpusError where the corpus cannot be read, StorageError where the spool cannot be
    written.
    """

    def __init__(self, corpus: Corpus, path: Path) -> None:
        self.name = corpus.name
        self._corpus = corpus
        self._path = path
        self._whole = False
        self._starts = array("Q")
        self._lengths = array("Q")

    def __iter__(self) -> Iterator[Document]:
        for shard in self.shards(1):
            yield from shard.read()

    @property
    def spool(self) -> Path:
        """The file that holds all of it."""
        self._finish()
        return self._path

    @property
    def documents(self) -> int:
        """How many documents it has."""
        self._finish()
        return len(self._starts)

    def _finish(self) -> None:
        if not self._whole:
            for _ in self.shards():
                pass

    def shards(self, size: int = SHARD_SIZE) -> Iterator[Shard]:
        """Neighbouring documents together, up to ``size`` code points or one longer document.

        A document counts one more than it has, so that empty ones do not pile up. A shard can be
        read as soon as it is there: the corpus is read no further before the next one is wanted.
        """
        start = documents = code_points = 0
        for at, length in self._measure():
            if documents and code_points + documents + length + 1 > size:
                yield self._cut(start, documents, code_points)
                start, documents, code_points = at, 0, 0
            documents += 1
            code_points += length
        if documents:
            yield self._cut(start, documents, code_points)

    def _cut(self, start: int, documents: int, code_points: int) -> Shard:
        ((first, _),) = read_spool(self._path, start, 1)
        return Shard(self._path, start, documents, code_points, first)

    def _measure(self) -> Iterator[tuple[int, int]]:
        """Where each document starts in the file and its code points; it is written before."""
        if self._whole:
            yield from zip(self._starts, self._lengths, strict=True)
            return
        self._starts, self._lengths = array("Q"), array("Q")
        with open_new(self._path) as file:
            for document in self._corpus:
                self._starts.append(file.tell())
                self._lengths.append(len(document.text))
                with naming(self._path):
                    write_document(file, (_bound(document.id), document.text))
                    file.flush()
                yield self._starts[-1], self._lengths[-1]
        self._whole = True


def _bound(identifier: str) -> str:
    """An id as all records of a run name the document; cut to a length that fits in a line.

    A data set may hold anything in the column of its ids. Ids that differ still differ.
    """
    if len(identifier) <= LONGEST:
        return identifier
    digest = hashlib.sha256(identifier.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{shorten(identifier, LONGEST - 17)} {digest}"


@contextmanager
def spool_corpora(
    corpora: Iterable[Corpus], within: Path | None = None
) -> Iterator[list[SpooledCorpus]]:
    """Corpora whose spools last until the block ends; ``within`` is the folder to put them in."""
    with open_folder(within) as folder:
        yield [
            SpooledCorpus(corpus, folder / f"spool-{number}")
            for number, corpus in enumerate(corpora)
        ]
