"""From LangChain's document loaders; the way to them is ``Corpus.as_langchain``."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from corpora.document import Corpus, CorpusError, Document

if TYPE_CHECKING:
    from langchain_core.document_loaders import BaseLoader


def from_langchain(loader: "BaseLoader", name: str | None = None) -> Corpus:
    """A corpus of what a LangChain document loader loads, lazily, again at each iteration.

    A document's id is the loader's own where it gives one, else its metadata's ``source``, else
    ``document``; a second of the same id is told apart by ``#2``, and so on. ``name`` is the
    loader's class where it is not given. Iterating raises CorpusError for whatever the loader
    raises, and for a document whose content is not a string.
    """
    name = name or type(loader).__name__

    def read() -> Iterator[Document]:
        given: set[str] = set()
        documents = iter(loader.lazy_load())
        while True:
            try:
                document = next(documents)
            except StopIteration:
                return
            except Exception as error:
                message = " ".join(str(error).split())
                raise CorpusError(
                    f"{name}: the loader failed after {len(given)} documents with "
                    f"{type(error).__name__}: {message}"
                ) from error
            wanted = str(document.id or document.metadata.get("source") or "document")
            identifier = wanted
            number = 1
            while identifier in given:
                number += 1
                identifier = f"{wanted}#{number}"
            given.add(identifier)
            yield Document(identifier, document.page_content)

    return Corpus(name, read, f"{type(loader).__module__}.{type(loader).__qualname__}")
