"""What ranks segments: always the same way, and never in silence when it cannot."""

import math
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy
import pytest

from harness.results.errors import MeasurementError
from harness.retrieval.retrievers import load_retriever
from harness.retrieval.vectors import VectorStore

SEGMENTS = [
    "The cat sat on the mat.",
    "A dog chased the cat, and the cat ran.",
    "Stock prices fell sharply.",
    "the and of",
    "The cat sat on the mat.",
]


def score(name: str, segments: Sequence[str], *questions: str) -> list[list[float]]:
    retriever = load_retriever(name, Path("unused"))
    return [list(map(float, scores)) for scores in retriever.score(segments, questions)]


def test_bm25_is_lucene_s() -> None:
    ((first, second, third, fourth, fifth),) = score("bm25", SEGMENTS, "Where is the cat?")
    # Words without stop words: 3, 5, 4, 0 and 3, so 3 on average; "cat" stands in three of five
    # segments, "where" in none. Lucene: ln(1 + (N - n + 0.5) / (n + 0.5)) * f / (f + k), with
    # k = 1.5 * (0.25 + 0.75 * length / average).
    weight = math.log(1 + (5 - 3 + 0.5) / (3 + 0.5))
    assert first == pytest.approx(weight * 1 / (1 + 1.5 * (0.25 + 0.75 * 3 / 3)), rel=1e-5)
    assert second == pytest.approx(weight * 2 / (2 + 1.5 * (0.25 + 0.75 * 5 / 3)), rel=1e-5)
    assert (third, fourth) == (0, 0)
    assert fifth == first


def test_lsa_prefers_what_shares_words_and_is_a_cosine() -> None:
    ((first, second, third, _, fifth),) = score("lsa", SEGMENTS, "Prices fell sharply")
    assert third == max(first, second, third, fifth)
    assert 0.8 < third <= 1
    assert first == fifth


@pytest.mark.parametrize("name", ["bm25", "lsa"])
def test_what_has_no_word_scores_nothing(name: str) -> None:
    assert score(name, ["?", "!", "..."], "What?", "") == [[0, 0, 0], [0, 0, 0]]
    assert score(name, ["apple pie", "plum"], "", "zzz") == [[0, 0], [0, 0]]
    assert score(name, ["apple pie"], "apple")[0][0] > 0


def test_scores_depend_on_neither_hash_seed_nor_threads(tmp_path: Path) -> None:
    program = """
import hashlib
from pathlib import Path
import corpora
from harness.retrieval.retrievers import load_retriever
text = next(iter(corpora.load("builtin"))).text
segments = [text[at:at + 200] for at in range(0, len(text), 200)]
for name in ("bm25", "lsa"):
    digest = hashlib.sha256()
    for scores in load_retriever(name, Path("unused")).score(segments, segments[:40]):
        digest.update(scores.tobytes())
    print(digest.hexdigest())
"""
    answers = set()
    for seed, threads in (("1", "1"), ("2", "2"), ("3", "4")):
        variables = {"PYTHONHASHSEED": seed}
        for library in ("OMP", "OPENBLAS", "MKL"):
            variables[f"{library}_NUM_THREADS"] = threads
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            check=True,
        )
        answers.add(done.stdout)
    assert len(answers) == 1
    assert len("".join(answers).split()) == 2


def test_an_unknown_name_is_refused(tmp_path: Path) -> None:
    for name in ("bm52", ":f", "module:", "module:2"):
        with pytest.raises(ValueError, match="no retriever is named"):
            load_retriever(name, tmp_path)


@pytest.mark.parametrize(("name", "distribution"), [("bm25", "bm25s"), ("lsa", "scikit-learn")])
def test_what_is_not_installed_is_said_with_the_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, distribution: str
) -> None:
    import importlib.metadata

    def absent(asked: str) -> str:
        raise importlib.metadata.PackageNotFoundError(asked)

    monkeypatch.setattr(importlib.metadata, "version", absent)
    with pytest.raises(MeasurementError) as raised:
        load_retriever(name, tmp_path)
    assert str(raised.value) == (
        f"{distribution} is not installed; run: pip install 'segbench[retrieval]'"
    )


MODEL = '''
"""Counts letters."""
from pathlib import Path

def make():
    def embed(texts):
        with Path(__file__).with_name("asked").open("a") as file:
            file.writelines(f"{text}\\n" for text in texts)
        return [[text.count(letter) for letter in "abc"] for text in texts]
    return embed

def fail():
    raise OSError("no weights\\nhere")

def none():
    return None
'''


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "letters.py"
    path.write_text(MODEL)
    return path


def test_a_model_of_ones_own_is_compared_by_cosine(model: Path, tmp_path: Path) -> None:
    retriever = load_retriever(f"{model}:make", tmp_path / "vectors")
    scores = [
        list(map(float, each)) for each in retriever.score(["aa", "ab", "b", "x"], ["a", "b"])
    ]
    half = pytest.approx(math.sqrt(0.5), abs=1e-6)
    assert scores == [[1, half, 0, 0], [0, half, 1, 0]]


def test_only_new_texts_are_embedded(model: Path, tmp_path: Path) -> None:
    def run(*segments: str) -> list[str]:
        retriever = load_retriever(f"{model}:make", tmp_path / "vectors")
        list(retriever.score(segments, ["a?"]))
        asked = (tmp_path / "asked").read_text().split()
        (tmp_path / "asked").unlink()
        return asked

    assert run("aa", "b", "aa") == ["aa", "b", "a?"]
    # Of the texts that are kept, one is asked again at each look, to see that it is the same model.
    again = run("b", "c", "aa")
    assert again.count("c") == 1
    assert len(again) == 3
    model.write_text(MODEL.replace('"abc"', '"cab"'))
    assert sorted(set(run("b", "aa"))) == ["a?", "aa", "b"]


def test_a_model_that_cannot_be_made_is_named(model: Path, tmp_path: Path) -> None:
    with pytest.raises(MeasurementError, match=r"raised OSError: no weights here \(.*line 13\)$"):
        load_retriever(f"{model}:fail", tmp_path)
    with pytest.raises(MeasurementError, match="gave NoneType, which is not a function of a list"):
        load_retriever(f"{model}:none", tmp_path)
    with pytest.raises(MeasurementError, match=r"raised ImportError: .* has no 'other'"):
        load_retriever(f"{model}:other", tmp_path)
    with pytest.raises(MeasurementError, match="raised ModuleNotFoundError: No module named"):
        load_retriever("no_such_module_here:make", tmp_path)


def fail(texts: list[str]) -> Any:
    raise RuntimeError(f"cannot embed {texts[0] * 10_000}")


@pytest.mark.parametrize(
    ("embed", "said"),
    [
        (fail, "m raised RuntimeError: cannot embed ababab"),
        (lambda texts: None, "m gave NoneType that is not one vector of numbers"),
        (lambda texts: [["1"]] * len(texts), "m gave list that is not one vector of numbers"),
        (lambda texts: [["x"]] * len(texts), "m gave list that is not one vector of numbers"),
        (lambda texts: [[1.0], [1.0, 2.0]], "m gave list that is not one vector of numbers"),
        (lambda texts: [1.0] * len(texts), r"m gave an array of shape \(2,\) for 2 texts"),
        (lambda texts: [[1.0]], r"shape \(1, 1\) for 2 texts; it must be \(2, dimensions\)"),
        (lambda texts: [[], []], r"shape \(2, 0\) for 2 texts"),
        (lambda texts: [[1.0], [math.nan]], r"not finite \(NaN or infinite\) for the text 'c'"),
        (lambda texts: [[math.inf], [1.0]], r"not finite \(NaN or infinite\) for the text 'ab'"),
    ],
)
def test_vectors_that_are_none_are_refused(
    tmp_path: Path, embed: Callable[[list[str]], Any], said: str
) -> None:
    with pytest.raises(MeasurementError, match=said) as raised:
        VectorStore(tmp_path, "m", embed).find(["ab", "c"])
    assert len(str(raised.value)) < 500
    assert "\n" not in str(raised.value)


def test_vectors_of_several_lengths_are_refused(tmp_path: Path) -> None:
    store = VectorStore(tmp_path, "m", lambda texts: numpy.ones((len(texts), len(texts))))
    store.find(["a", "b"])
    with pytest.raises(
        MeasurementError, match="does not give all texts vectors of the same length"
    ):
        VectorStore(
            tmp_path, "m", lambda texts: numpy.ones((len(texts), 2 if "a" in texts else 3))
        ).find(["a", "c"])


def test_a_damaged_file_of_vectors_is_named(tmp_path: Path) -> None:
    VectorStore(tmp_path, "m", lambda texts: numpy.ones((len(texts), 2))).find(["a"])
    (path,) = tmp_path.glob("*.sqlite")
    path.write_bytes(b"not a database " * 500)
    with pytest.raises(MeasurementError, match=r"the vectors of m in .* delete that file$"):
        VectorStore(tmp_path, "m", lambda texts: numpy.ones((len(texts), 2))).find(["a"])
    path.unlink()
    with sqlite3.connect(path) as database:
        database.execute("create table vectors (digest blob primary key, vector blob)")
    assert VectorStore(tmp_path, "m", lambda texts: numpy.ones((len(texts), 2))).find(
        ["a"]
    ).shape == (1, 2)
