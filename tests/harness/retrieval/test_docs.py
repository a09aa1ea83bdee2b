"""The examples of docs/retrieval.md work as they stand there."""

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from harness.retrieval.retrievers import load_retriever
from harness.retrieval.sources import Access, load_questions

TEXT = (Path(__file__).parents[3] / "docs/retrieval.md").read_text(encoding="utf-8")


def find_block(language: str) -> str:
    (block,) = re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)
    return str(block)


def test_its_questions_are_read(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.txt").write_text("The key lies under the mat.")
    (notes / "b.txt").write_text("x" * 400)
    file = tmp_path / "questions.jsonl"
    file.write_text(find_block("json"))
    first, second = load_questions(str(notes), Access(), file).questions
    assert [(gold.start, gold.end) for gold in first.gold] == [(13, 26)]
    assert [(gold.start, gold.end) for gold in second.gold] == [(120, 164), (300, 312)]


def test_its_embedding_function_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a stand-in for the library, which counts letters."""

    class SentenceTransformer:
        def __init__(self, name: str) -> None:
            assert name

        def encode(self, texts: list[str]) -> list[list[int]]:
            return [[text.count("a"), text.count("b")] for text in texts]

    library = ModuleType("sentence_transformers")
    library.SentenceTransformer = SentenceTransformer  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", library)
    (tmp_path / "model.py").write_text(find_block("python"))
    retriever = load_retriever(f"{tmp_path / 'model.py'}:factory", tmp_path / "vectors")
    (scores,) = retriever.score(["a", "b"], ["aa"])
    assert scores.tolist() == [1, 0]
