"""The compiled form gives what its source gives. Runs where the compiled form is installed."""

import argparse
import inspect
import ipaddress
import textwrap

import pytest

import segmenter
from harness.splitters.adapters.segmenter import load_pure
from segmenter import TextSegmenter
from tests.segmenter.test_text_segmenter import PIECES, UNUSUAL_SEPARATORS, random_texts

pytestmark = pytest.mark.skipif(not segmenter.COMPILED, reason="the segmenter is not compiled here")


@pytest.fixture(scope="module")
def pure() -> type[TextSegmenter]:
    return load_pure()


def test_random_texts_are_split_alike(pure):
    assert pure is not TextSegmenter
    for text, limit in random_texts(1, 30_000, PIECES):
        assert TextSegmenter(limit).split(text) == pure(limit).split(text), (text, limit)


@pytest.mark.parametrize("separators", UNUSUAL_SEPARATORS)
def test_random_texts_are_split_alike_at_other_separators(separators, pure):
    pieces = [*map("".join, separators), " ", "\n", "a", "b", " x", "-", "\n  "]
    for text, limit in random_texts(2, 1_000, pieces):
        ours = TextSegmenter(limit, separators=separators)
        assert ours.split(text) == pure(limit, separators=separators).split(text), (text, limit)


@pytest.mark.parametrize("limit", [1, 20, 128, 500, 100_000])
def test_real_texts_are_split_alike(limit, pure):
    for module in (argparse, ipaddress, textwrap):
        text = inspect.getsource(module)
        assert TextSegmenter(limit).split(text) == pure(limit).split(text)
        assert TextSegmenter(limit).spans(text) == pure(limit).spans(text)


def test_real_documents_are_split_alike(real_documents, pure):
    for name, text in real_documents:
        for limit in (20, 128, 500):
            assert TextSegmenter(limit).split(text) == pure(limit).split(text), name
