"""Digests of what a splitter gave, so that two passes can be told to be the same.

Standard library only: the worker, which has no more, computes the same digests.
"""

import hashlib
import sys
from array import array
from collections.abc import Sequence


def digest_document(document_id: str, segments: Sequence[str]) -> bytes:
    """The digest of one document's segments.

    It is SHA-256 of, each preceded by its length or number, the document's id, the segments'
    lengths in code points, and the segments' text. Two documents have the same digest only if ids
    and segments are the same.
    """
    name = document_id.encode("utf-8", "surrogatepass")
    numbers = array("Q", [len(name), len(segments), *map(len, segments)])
    if sys.byteorder == "big":
        numbers.byteswap()
    digest = hashlib.sha256(numbers)
    digest.update(name)
    digest.update("".join(segments).encode("utf-8", "surrogatepass"))
    return digest.digest()


class SegmentsDigest:
    """The digest of a corpus through a splitter: SHA-256 of its documents' digests, in order."""

    def __init__(self) -> None:
        self._sha256 = hashlib.sha256()

    def add(self, document_id: str, segments: Sequence[str]) -> None:
        """Take the next document's segments."""
        self.add_digest(digest_document(document_id, segments))

    def add_digest(self, digests: bytes | bytearray) -> None:
        """Take the next document as what ``digest_document`` gave for it, or several, joined."""
        self._sha256.update(digests)

    def hexdigest(self) -> str:
        """The digest of all documents taken so far."""
        return self._sha256.hexdigest()
