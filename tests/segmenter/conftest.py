"""Inputs that the project has of its own, and those of ../shared where that lies beside it.

So every kind of test runs in a bare clone, on little, and on much where there is much.
"""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from segmenter.testing.cases import load_cases
from segmenter.testing.faults import FAULTS

OWN = Path(__file__).with_name("documents")
SHARED = Path(__file__).parents[2] / ".." / "shared"

Vector = tuple[str, str, int, list[str]]


def _read_lines(name: str) -> list[dict[str, object]]:
    path = SHARED / name
    if not SHARED.is_dir():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="session")
def vectors() -> list[Vector]:
    """Texts with the right segments, written down by hand: name, text, limit and segments."""
    own = [
        (case.name, case.text, case.max_chunk_length, list(case.segments))
        for case in load_cases().values()
        if case.segments is not None
    ]
    shared = [
        (each["id"], each["text"], each["max_chunk_length"], each["segments"])
        for each in _read_lines("spec/vectors.jsonl")
    ]
    assert len(own) > 70
    assert len(shared) in (0, 305)
    return own + shared


@pytest.fixture(scope="session")
def fault_cases() -> list[tuple[str, str, int]]:
    """Texts that showed faults in other splitters: name, text and limit."""
    own = [(case.name, case.text, case.max_chunk_length) for case in FAULTS]
    shared = [
        (each["id"], each["text"], each["max_chunk_length"])
        for each in _read_lines("cases/fault_cases.jsonl")
    ]
    assert len(own) > 30
    assert len(shared) in (0, 42)
    return own + shared


@pytest.fixture(scope="session")
def real_documents() -> Sequence[tuple[str, str]]:
    """Texts as people write them, in several scripts and forms: name and text."""
    paths = sorted(OWN.iterdir())
    assert len(paths) == 6
    paths += sorted((SHARED / "texts/aozora").glob("*.txt"))[:4]
    paths += sorted((SHARED / "hub/awinml/legalbench-rag/corpus").rglob("*.txt"))[::80]
    return [(path.name, path.read_bytes().decode("utf-8")[:100_000]) for path in paths]
