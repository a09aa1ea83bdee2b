"""Vectors of texts: compared by their cosine, and those of a user's own model kept on disk."""

import hashlib
import os
import sqlite3
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy
import numpy.typing

from harness.results.errors import MeasurementError
from harness.results.escapes import quote

Array = numpy.typing.NDArray[numpy.floating]
Embed = Callable[[list[str]], Any]

_BATCH = 256  # texts that are embedded at once; what was embedded before an interruption is kept
_DIGESTS = 500  # that are looked up at once
_QUESTIONS = 64  # whose cosines are computed at once
# Scores that differ by less than sums are exact are equal, so that equal texts always are.
_DECIMALS = 6
# A text's new vector is that of the same model if its cosine with the old one is at least this.
_SAME = 0.999
_MESSAGE = 200  # characters of what a model says when it fails


def compare_vectors(segments: Array, questions: Array) -> Iterator[Array]:
    """For each question its cosine with each segment; 0 if a vector is all zeros."""
    from threadpoolctl import threadpool_limits

    segments, questions = _normalize(segments), _normalize(questions)
    for first in range(0, len(questions), _QUESTIONS):
        with threadpool_limits(limits=1):  # the order of sums depends on the number of threads
            batch = questions[first : first + _QUESTIONS] @ segments.T
        yield from numpy.round(batch, _DECIMALS)


def _normalize(vectors: Array) -> Array:
    norms = numpy.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Array = numpy.divide(vectors, norms, out=numpy.zeros_like(vectors), where=norms > 0)
    return unit


class VectorStore:
    """The vectors of one model by the digests of their texts, in a file of the folder.

    ``name`` tells models apart; ``embed`` takes up to 256 texts and gives a vector for each. Of the
    texts that are kept, one is embedded again each time: if its vector is another one, the name
    stands for another model now, and all vectors of the old one are dropped.
    """

    def __init__(self, folder: Path, name: str, embed: Embed) -> None:
        self._name = name
        self._embed = embed
        module = name.rpartition(":")[0]
        whole = f"{Path(module).absolute()}:{name}" if module.endswith(".py") else name
        self._path = folder / f"{hashlib.sha256(os.fsencode(whole)).hexdigest()[:32]}.sqlite"

    def find(self, texts: Sequence[str]) -> Array:
        """A row of float32 for each text; raises MeasurementError if model or file fails."""
        digests = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._path)) as database:
                kept = self._complete(database, dict(zip(digests, texts, strict=True)))
        except (OSError, sqlite3.Error, ValueError) as error:
            raise MeasurementError(
                f"the vectors of {self._name} in {self._path} cannot be used: {error}; delete that file"
            ) from None
        if len({len(vector) for vector in kept.values()}) > 1:
            raise MeasurementError(
                f"{self._name} does not give all texts vectors of the same length; "
                f"fix it, and delete {self._path}"
            )
        return numpy.array([kept[digest] for digest in digests], dtype=numpy.float32)

    def score(self, segments: Sequence[str], questions: Sequence[str]) -> Iterator[Array]:
        """The cosine of each question's vector with each segment's."""
        yield from compare_vectors(self.find(segments), self.find(questions))

    def _complete(
        self, database: sqlite3.Connection, texts: Mapping[bytes, str]
    ) -> dict[bytes, Array]:
        """The vector of each text, by its digest; what was missing is embedded and kept."""
        with database:
            database.execute(
                "create table if not exists vectors (digest blob primary key, vector blob)"
            )
        kept = _read(database, list(texts))
        if kept and not self._is_same(*next(iter(kept.items())), texts):
            kept = {}
            with database:
                database.execute("delete from vectors")
        missing = [digest for digest in texts if digest not in kept]
        for first in range(0, len(missing), _BATCH):
            batch = missing[first : first + _BATCH]
            vectors = self._make([texts[digest] for digest in batch])
            kept.update(zip(batch, vectors, strict=True))
            rows = [(digest, kept[digest].tobytes()) for digest in batch]
            with database:
                database.executemany("insert or replace into vectors values (?, ?)", rows)
        return kept

    def _is_same(self, digest: bytes, vector: Array, texts: Mapping[bytes, str]) -> bool:
        (again,) = self._make([texts[digest]])
        if again.shape != vector.shape:
            return False
        old, new = _normalize(numpy.array([vector, again], dtype=numpy.float64))
        return bool(old @ new >= _SAME) or not (vector.any() or again.any())

    def _make(self, texts: list[str]) -> Array:
        """Ask the model; raises MeasurementError unless it gives a finite vector for each text."""
        given = call(self._name, self._embed, texts)
        try:
            numbers = numpy.asarray(given)
            if numbers.dtype.kind not in "fiu":  # texts would be read as numbers
                raise TypeError
            vectors = numbers.astype("<f4")
        except (TypeError, ValueError):
            raise MeasurementError(
                f"{self._name} gave {type(given).__name__} that is not one vector of numbers per text"
            ) from None
        if vectors.ndim != 2 or len(vectors) != len(texts) or not vectors.shape[1]:
            raise MeasurementError(
                f"{self._name} gave an array of shape {vectors.shape} for {len(texts)} texts; "
                f"it must be ({len(texts)}, dimensions)"
            )
        if not numpy.isfinite(vectors).all():
            number = int(numpy.flatnonzero(~numpy.isfinite(vectors).all(axis=1))[0])
            raise MeasurementError(
                f"{self._name} gave a vector that is not finite (NaN or infinite) for the text "
                f"{quote(texts[number][:40])}"
            )
        return vectors


def _read(database: sqlite3.Connection, digests: Sequence[bytes]) -> dict[bytes, Array]:
    kept = {}
    for first in range(0, len(digests), _DIGESTS):
        some = digests[first : first + _DIGESTS]
        marks = ", ".join("?" * len(some))
        rows = database.execute(
            f"select digest, vector from vectors where digest in ({marks})", some
        )
        for digest, vector in rows:
            kept[digest] = numpy.frombuffer(vector, dtype="<f4")
    return kept


def call(name: str, function: Callable[..., Any], *arguments: object) -> Any:
    """Call what a user gave; raises MeasurementError with the exception and its place."""
    try:
        return function(*arguments)
    except Exception as error:
        said = " ".join(str(error).split())[:_MESSAGE]
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = "" if last.filename.startswith("<") else f" ({last.filename}, line {last.lineno})"
        raise MeasurementError(f"{name} raised {type(error).__name__}: {said}{where}") from error
