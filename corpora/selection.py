"""Parts of a corpus."""

import hashlib
import heapq
import itertools
from collections.abc import Iterator

from corpora.document import Corpus, Document


def take_first(corpus: Corpus, documents: int) -> Corpus:
    """The corpus' first documents, as many as asked for or all; nothing is read beyond them."""

    def read() -> Iterator[Document]:
        return itertools.islice(corpus, documents)

    return Corpus(f"{corpus.name}[first {documents}]", read, corpus.origin, corpus.notes)


def take_sample(corpus: Corpus, documents: int, seed: int) -> Corpus:
    """A random sample of the corpus, of as many documents as asked for or all.

    The sample depends on the seed and the ids alone, neither on the order in which documents
    come nor on the platform: it is the documents whose ids have the smallest keyed hashes, in the
    order of these. So a smaller sample is the beginning of a larger one. The whole corpus is read;
    no more documents than asked for are held.
    """

    def read() -> Iterator[Document]:
        # A heap gives up its smallest item first, and here the largest hash must go first.
        chosen: list[tuple[int, str, Document]] = []
        for document in corpus:
            item = (-_hash(document.id, seed), document.id, document)
            if len(chosen) < documents:
                heapq.heappush(chosen, item)
            else:
                heapq.heappushpop(chosen, item)
        for _, _, document in sorted(chosen, reverse=True):
            yield document

    name = f"{corpus.name}[sample {documents} seed {seed}]"
    return Corpus(name, read, corpus.origin, corpus.notes)


def _hash(identifier: str, seed: int) -> int:
    content = identifier.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(content, key=str(seed).encode(), digest_size=16).digest())
