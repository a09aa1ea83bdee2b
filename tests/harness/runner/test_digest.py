"""Digests: known values, and that whatever differs gives another."""

import hashlib
import struct

from harness.runner.digest import SegmentsDigest, digest_document


def test_a_document_digest_is_what_its_definition_says() -> None:
    packed = struct.pack("<4Q", 2, 2, 3, 1)  # bytes of the id, segments, lengths of each
    expected = hashlib.sha256(packed + b"id" + "añ\ud800x".encode("utf-8", "surrogatepass"))
    assert digest_document("id", ["añ\ud800", "x"]) == expected.digest()


def test_other_segments_have_another_digest() -> None:
    different = [
        ("d", ["ab", "c"]),
        ("d", ["a", "bc"]),
        ("d", ["a", "b", "c"]),
        ("d", ["abc"]),
        ("d", ["abc", ""]),
        ("d", ["", "abc"]),
        ("d", []),
        ("d", [""]),
        ("da", ["bc"]),
        ("", ["dabc"]),
        ("d", ["\U0001f600"]),
        ("d", ["\ud83d\ude00"]),
        ("d", ["\r\n"]),
        ("d", ["\n"]),
    ]
    digests = {digest_document(name, segments) for name, segments in different}
    assert len(digests) == len(different)


def test_a_corpus_digest_is_of_its_documents_in_order() -> None:
    first, second = digest_document("1", ["a"]), digest_document("2", ["b", "c"])
    whole, parts, swapped = SegmentsDigest(), SegmentsDigest(), SegmentsDigest()
    whole.add("1", ["a"])
    whole.add("2", ["b", "c"])
    parts.add_digest(first)
    parts.add_digest(second)
    swapped.add_digest(second)
    swapped.add_digest(first)
    assert whole.hexdigest() == parts.hexdigest() == hashlib.sha256(first + second).hexdigest()
    assert swapped.hexdigest() != whole.hexdigest()
    assert SegmentsDigest().hexdigest() == hashlib.sha256().hexdigest()
