"""The two shapes in which documents travel."""

import hashlib
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from langchain_core.document_loaders import BaseLoader


class CorpusError(Exception):
    """A corpus that cannot be read; the message is one line: what, why, and what to do."""


class RequestError(CorpusError):
    """What was asked for makes no sense: the request is wrong, not a corpus."""


@dataclass(frozen=True, slots=True)
class Document:
    """One text to split. ``id`` is unique within its corpus."""

    id: str
    text: str


class CorpusDigest:
    """SHA-256 over documents in their order, which tells whether two people have the same texts.

    A document adds the number of bytes of its id and of its text, each as an unsigned 64-bit
    little-endian integer, then the id and the text in UTF-8 (a lone surrogate in three bytes).
    """

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def add(self, document: Document) -> None:
        """Take the next document."""
        identifier = document.id.encode("utf-8", "surrogatepass")
        text = document.text.encode("utf-8", "surrogatepass")
        self._hash.update(struct.pack("<QQ", len(identifier), len(text)))
        self._hash.update(identifier)
        self._hash.update(text)

    def hexdigest(self) -> str:
        """The digest of all documents taken so far."""
        return self._hash.hexdigest()


class Part(Protocol):
    """Neighbouring documents of a corpus, as a place: small, and any process that has it can read.

    It can be pickled. ``url`` names the file, ``size`` is about how many code points the documents
    have, and ``state`` changes if the file does.
    """

    @property
    def url(self) -> str:
        """An absolute path, or a URL that fsspec opens."""

    @property
    def size(self) -> int:
        """About how many code points, at a cost that does not depend on them."""

    @property
    def state(self) -> str:
        """What the file was when the part was made, in one line."""

    def read(self) -> Iterator[Document]:
        """The documents, one at a time; raises CorpusError, also for a file that has changed."""


@dataclass(slots=True, eq=False)
class Corpus:
    """A named source of documents; ``origin`` says in words where they come from.

    Each iteration reads the source again and yields one document at a time, deduplicated by id,
    in the same order every time. It raises CorpusError if the source cannot be read, and
    where it holds no document at all: an empty corpus is never a silent pass.

    ``notes`` are what a reader of results must know, such as a split that is missing. ``digest``
    is the CorpusDigest of the last iteration that came to its end, None before the first.

    ``parts`` cuts the corpus without reading all of it: the parts in their order hold the documents
    of an iteration in theirs. Each has about as many code points as asked for, or more if nothing
    smaller can be read by itself. ``size`` says about how many code points all of them have, by
    what their files tell. Both are None if the corpus must be read in one go, and both raise
    CorpusError.
    """

    name: str
    read: Callable[[], Iterator[Document]]
    origin: str = ""
    notes: tuple[str, ...] = ()
    parts: Callable[[int], Iterator[Part]] | None = None
    size: Callable[[], int] | None = None
    digest: str | None = field(default=None, init=False)

    def __iter__(self) -> Iterator[Document]:
        digest = CorpusDigest()
        empty = True
        for document in self.read():
            empty = False
            digest.add(document)
            yield document
        if empty:
            raise CorpusError(self.describe_empty())
        self.digest = digest.hexdigest()

    def describe_empty(self) -> str:
        """What to tell if not one document was there."""
        where = f" ({self.origin})" if self.origin else ""
        return f"{self.name} holds no document{where}; check that its source is complete"

    def as_langchain(self) -> "BaseLoader":
        """The corpus as a LangChain document loader.

        Its documents carry the id, and in their metadata ``source``, the corpus' name, and ``id``.
        Raises CorpusError if langchain-core is not installed.
        """
        try:
            from langchain_core.document_loaders import BaseLoader
            from langchain_core.documents import Document as LangChainDocument
        except ImportError:
            raise CorpusError(
                "langchain-core is not installed; run: pip install langchain-core"
            ) from None
        corpus = self

        class CorpusLoader(BaseLoader):
            def lazy_load(self) -> Iterator[LangChainDocument]:
                for document in corpus:
                    yield LangChainDocument(
                        id=document.id,
                        page_content=document.text,
                        metadata={"source": corpus.name, "id": document.id},
                    )

        return CorpusLoader()
