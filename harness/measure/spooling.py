"""Corpora cut into shards: places that other processes can read, never text.

A corpus that has parts is read where it lies. Any other is read once, into a temporary file, the
spool, and all that a run measures reads the file.
"""

import hashlib
from array import array
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from corpora.document import Corpus, CorpusDigest, Document, Part
from harness.runner.details import LONGEST, shorten
from harness.runner.pool import open_folder
from harness.runner.spool import naming, open_new, read_spool, write_document

SHARD_SIZE = 250_000  # code points


@dataclass(frozen=True, slots=True)
class Shard:
    """Neighbouring parts of a corpus, which any process can read that can read these."""

    parts: tuple[Part, ...]

    @property
    def size(self) -> int:
        """About how many code points it has."""
        return sum(part.size for part in self.parts)

    @property
    def identity(self) -> str:
        """The same only for the same place, with the same content as far as the parts know it."""
        told = repr(self.parts).encode("utf-8", "surrogatepass")
        return hashlib.sha256(told).hexdigest()

    def read(self) -> Iterator[Document]:
        """The documents, one at a time, with their ids as all records of a run name them.

        Raises CorpusError where a part cannot be read, ValueError where a spool is cut short.
        """
        for part in self.parts:
            for document in part.read():
                yield _bound(document)


def _bound(document: Document) -> Document:
    """The document with its id cut to a length that fits in a line.

    A data set may hold anything in the column of its ids. Ids that differ still differ.
    """
    identifier = document.id
    if len(identifier) <= LONGEST:
        return document
    digest = hashlib.sha256(identifier.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return Document(f"{shorten(identifier, LONGEST - 17)} {digest}", document.text)


class ShardedCorpus(Protocol):
    """A corpus whose documents other processes read."""

    @property
    def name(self) -> str:
        """That of the corpus."""

    @property
    def size(self) -> int | None:
        """About how many code points it has, as far as that is known without reading it."""

    def shards(self, size: int = SHARD_SIZE) -> Iterator[Shard]:
        """All documents in order, in shards of about ``size`` code points, each when it is wanted.

        A shard is larger only where a document, or what cannot be cut, is. Raises CorpusError.
        """

    def describe_empty(self) -> str:
        """What to say if it turns out to hold no document."""


class PartedCorpus:
    """A corpus that is read in its parts, by whom they are given to, and never as a whole."""

    def __init__(self, corpus: Corpus) -> None:
        assert corpus.parts is not None
        self.name = corpus.name
        self.describe_empty = corpus.describe_empty
        self._parts = corpus.parts
        self._size = corpus.size

    @property
    def size(self) -> int | None:
        """As ShardedCorpus says."""
        return self._size() if self._size else None

    def shards(self, size: int = SHARD_SIZE) -> Iterator[Shard]:
        """As ShardedCorpus says; a part counts one more, so that empty ones do not pile up."""
        together: list[Part] = []
        held = 0
        for part in self._parts(size):
            if together and held + part.size + 1 > size:
                yield Shard(tuple(together))
                together, held = [], 0
            together.append(part)
            held += part.size + 1
        if together:
            yield Shard(tuple(together))


@dataclass(frozen=True, slots=True)
class SpoolRange:
    """Neighbouring documents in a spool, a part of its corpus: ``state`` is their digest."""

    spool: Path = field(repr=False)  # each run has another one
    start: int
    documents: int
    size: int
    state: str

    @property
    def url(self) -> str:
        """The file."""
        return str(self.spool)

    def read(self) -> Iterator[Document]:
        """The documents; raises ValueError where the file is not what it was."""
        for pair in read_spool(self.spool, self.start, self.documents):
            yield Document(*pair)


class SpooledCorpus:
    """A corpus that is read once: the first iteration writes the spool that later ones read.

    Raises CorpusError where the corpus cannot be read, StorageError where the spool cannot be
    written.
    """

    def __init__(self, corpus: Corpus, path: Path) -> None:
        self.name = corpus.name
        self.describe_empty = corpus.describe_empty
        self._corpus = corpus
        self._path = path
        self._whole = False
        self._starts = array("Q")
        self._lengths = array("Q")
        self._digests = array("Q")  # eight bytes of each document's

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

    @property
    def size(self) -> int | None:
        """How many code points it has; None before it was read."""
        return sum(self._lengths) if self._whole else None

    def _finish(self) -> None:
        if not self._whole:
            for _ in self.shards():
                pass

    def shards(self, size: int = SHARD_SIZE) -> Iterator[Shard]:
        """Neighbouring documents together, up to ``size`` code points or one longer document.

        A document counts one more than it has, so that empty ones do not pile up. A shard can be
        read as soon as it is there: the corpus is read no further before the next one is wanted.
        """
        first = code_points = 0
        for number, length in enumerate(self._measure()):
            documents = number - first
            if documents and code_points + documents + length + 1 > size:
                yield self._cut(first, number, code_points)
                first, code_points = number, 0
            code_points += length
        if first < len(self._starts):
            yield self._cut(first, len(self._starts), code_points)

    def _cut(self, first: int, stop: int, code_points: int) -> Shard:
        state = hashlib.sha256(self._digests[first:stop].tobytes()).hexdigest()
        start = self._starts[first]
        return Shard((SpoolRange(self._path, start, stop - first, code_points, state),))

    def _measure(self) -> Iterator[int]:
        """The code points of each document, which is written before."""
        if self._whole:
            yield from self._lengths
            return
        self._starts, self._lengths, self._digests = array("Q"), array("Q"), array("Q")
        with open_new(self._path) as file:
            for document in map(_bound, self._corpus):
                self._starts.append(file.tell())
                self._lengths.append(len(document.text))
                self._digests.frombytes(digest_text(document)[:8])
                with naming(self._path):
                    write_document(file, (document.id, document.text))
                    file.flush()
                yield self._lengths[-1]
        self._whole = True


def digest_text(document: Document) -> bytes:
    """The CorpusDigest of a document alone."""
    digest = CorpusDigest()
    digest.add(document)
    return bytes.fromhex(digest.hexdigest())


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
