"""The compiled form gives what its source gives. Runs where the compiled form is installed."""

import argparse
import importlib.util
import inspect
import ipaddress
import random
import textwrap
from pathlib import Path

import pytest

import segmenter
from segmenter import TextSegmenter
from tests.segmenter.test_text_segmenter import PIECES, UNUSUAL_SEPARATORS, random_texts

pytestmark = pytest.mark.skipif(not segmenter.COMPILED, reason="the segmenter is not compiled here")


@pytest.fixture(scope="module")
def pure() -> type[TextSegmenter]:
    source = Path(segmenter.__file__).with_name("text_segmenter.py")
    spec = importlib.util.spec_from_file_location("pure_text_segmenter", source)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.TextSegmenter is not TextSegmenter
    return module.TextSegmenter


def test_random_texts_are_split_alike(pure):
    generator = random.Random(1)
    for text in random_texts(1, 30_000, PIECES):
        limit = generator.randint(1, 40)
        assert TextSegmenter(limit).split(text) == pure(limit).split(text), (text, limit)


@pytest.mark.parametrize("separators", UNUSUAL_SEPARATORS)
def test_random_texts_are_split_alike_at_other_separators(separators, pure):
    for text in random_texts(2, 1_000, [*separators, " ", "\n", "a", "b", " x", "-", "\n  "]):
        for limit in (2, 5, 9):
            ours = TextSegmenter(limit, separators=separators)
            assert ours.split(text) == pure(limit, separators=separators).split(text), (text, limit)


@pytest.mark.parametrize("limit", [1, 20, 128, 500, 100_000])
def test_real_texts_are_split_alike(limit, pure):
    for module in (argparse, ipaddress, textwrap):
        text = inspect.getsource(module)
        assert TextSegmenter(limit).split(text) == pure(limit).split(text)
        assert TextSegmenter(limit).spans(text) == pure(limit).spans(text)


def test_real_documents_are_split_alike(shared, pure):
    documents = sorted((shared / "texts/aozora").glob("*.txt"))[:6]
    documents += sorted((shared / "hub/awinml/legalbench-rag/corpus").rglob("*.txt"))[::40]
    assert documents
    for document in documents:
        text = document.read_bytes().decode("utf-8")[:200_000]
        for limit in (20, 128, 500):
            assert TextSegmenter(limit).split(text) == pure(limit).split(text), document.name
