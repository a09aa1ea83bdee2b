"""Where questions come from, by the name of their corpus."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import corpora
from corpora import Corpus, CorpusDigest, Document, RequestError
from corpora.hub.location import Location, find_here
from corpora.hub.texts import Row
from harness.results.errors import summarize_error
from harness.results.escapes import quote
from harness.retrieval.datasets import (
    COVID_QA_COLUMNS,
    QASPER_COLUMNS,
    Found,
    find_covid_qa,
    find_legalbench_rag,
    find_qasper,
)
from harness.retrieval.questions import (
    QuestionError,
    QuestionSet,
    read_builtin_questions,
    read_question_file,
)

BUILTIN = "builtin"
LEGALBENCH_RAG = "legalbench_rag"
LEGALBENCH_PARTS = ("contractnli", "cuad", "maud", "privacy_qa")
NAMES = (BUILTIN, "covid_qa", LEGALBENCH_RAG, "qasper")
MIRRORED = tuple(entry.name for entry in corpora.entries() if entry.repository)
_ROWS = 256  # that are decoded at once


@dataclass(frozen=True, slots=True)
class Access:
    """How to find documents: the arguments of ``corpora.load`` beside the name."""

    mirror: Path | None = None
    timeout: float = corpora.TIMEOUT
    encoding: str | None = None
    text_column: str | None = None
    progress: corpora.FetchProgress | None = None

    def load(self, name: str) -> Corpus:
        """The corpus of that name; raises as ``corpora.load``. A mirror is not for all corpora."""
        mirror = self.mirror if name in MIRRORED else None
        return corpora.load(
            name,
            mirror=mirror,
            timeout=self.timeout,
            encoding=self.encoding,
            text_column=self.text_column,
            progress=self.progress,
        )


def load_questions(name: str, source: Access, file: Path | None = None) -> QuestionSet:
    """A corpus and the questions about it: those of ``file``, if given, else those of its own.

    ``name`` is what ``corpora.load`` takes, or ``legalbench_rag/PART`` for the documents and the
    questions of that part. Raises RequestError for a corpus that has no questions of its own, and
    CorpusError if documents or questions cannot be read, or no question is left.
    """
    whole, part = name, ""
    if name.startswith(f"{LEGALBENCH_RAG}/"):
        whole, _, part = name.partition("/")
        if part not in LEGALBENCH_PARTS:
            raise RequestError(
                f"{whole} has no part {quote(part)}; its parts are {', '.join(LEGALBENCH_PARTS)}"
            )
    if file is None and whole not in NAMES:
        raise RequestError(
            f"{name} brings no questions; give your own with --questions FILE, "
            f"or one of {', '.join(NAMES)}"
        )
    corpus = source.load(whole)
    documents = list(corpus)
    if part:
        documents = _select(documents, [part])
    notes = list(corpus.notes)
    found: list[Found] = []
    if file is not None:
        found = [Found(dict.fromkeys(read_question_file(file, documents)))]
    elif whole == BUILTIN:
        found = [Found(dict.fromkeys(read_builtin_questions(documents)))]
    elif whole == LEGALBENCH_RAG:
        files = _find_benchmarks(name, _locate(whole, source), [part] if part else LEGALBENCH_PARTS)
        if missing := [each for each in LEGALBENCH_PARTS if each not in files and not part]:
            notes.append(f"{name} has no questions here about {', '.join(missing)}: left out")
        documents = _select(documents, list(files))
        found = [find_legalbench_rag(file.name, _read(file), documents) for file in files.values()]
    else:
        find, columns = _BY_COLUMNS[whole]
        location = _locate(whole, source)
        try:
            found = [find(_read_rows(whole, location, columns), documents)]
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise QuestionError(
                f"{name}: a question is not as it should be: {summarize_error(error)}; "
                f"fetch it again: {location.remedy} --force"
            ) from error
    questions = [question for each in found for question in each.questions]
    notes += [f"{name}, {note}" for each in found for note in each.notes]
    if not questions:
        raise QuestionError(
            f"{name} has no question that can be asked here"
            + "".join(f"; {note}" for note in notes)
        )
    digest = CorpusDigest()
    for document in documents:
        digest.add(document)
    return QuestionSet(name, documents, questions, digest.hexdigest(), corpus.origin, notes)


def load_whatever_is_there(
    names: Iterable[str], source: Access
) -> tuple[list[QuestionSet], list[str]]:
    """The questions of those corpora that have some here, and of each other the reason.

    Names that stand for no corpus with questions are passed over. Raises CorpusError if documents
    cannot be read.
    """
    sets, reasons = [], []
    for name in names:
        if name in NAMES:
            try:
                sets.append(load_questions(name, source))
            except QuestionError as error:
                reasons.append(str(error))
    return sets, reasons


def _locate(name: str, source: Access) -> Location:
    (entry,) = (entry for entry in corpora.entries() if entry.name == name)
    location = find_here(entry, source.mirror)
    if location is None or location.folder is None:
        raise QuestionError(f"{name} was moved or removed while it was read; run the same again")
    return location


def _select(documents: Sequence[Document], parts: Sequence[str]) -> list[Document]:
    return [document for document in documents if document.id.partition("/")[0] in parts]


def _find_benchmarks(name: str, location: Location, parts: Sequence[str]) -> dict[str, Path]:
    """The files of questions that are here, by the part that they are about."""
    assert location.folder is not None  # see _locate
    folder = location.folder / "benchmarks"
    files = {part: folder / f"{part}.json" for part in parts}
    here = {part: file for part, file in files.items() if file.is_file()}
    if not here:
        raise QuestionError(
            f"{name}: {folder} holds no {' or '.join(file.name for file in files.values())}; "
            f"fetch it: {location.remedy} --force"
        )
    return here


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise QuestionError(f"{file} cannot be read: {error.strerror or error}") from None


def _read_rows(name: str, location: Location, columns: Sequence[str]) -> Iterator[Row]:
    """The rows of a data set's files, a few at a time, by dotted column.

    Raises QuestionError for a file that cannot be read or lacks a column.
    """
    import pyarrow
    import pyarrow.parquet

    tops = list(dict.fromkeys(column.partition(".")[0] for column in columns))
    for path in itertools.chain.from_iterable(location.data_files.values()):
        try:
            with pyarrow.parquet.ParquetFile(path) as file:
                missing = [top for top in tops if top not in file.schema_arrow.names]
                if missing:
                    raise QuestionError(
                        f"{name}: {path} has no questions: no column {', '.join(missing)}; "
                        f"fetch it whole: {location.remedy} --force"
                    )
                for batch in file.iter_batches(_ROWS, columns=tops):
                    for row in batch.to_pylist():
                        yield {column: _enter(row, column) for column in columns}
        except (OSError, KeyError, TypeError, pyarrow.ArrowException) as error:
            raise QuestionError(
                f"{name}: the questions of {path} cannot be read: {summarize_error(error)}; "
                f"fetch it again: {location.remedy} --force"
            ) from None


def _enter(row: Any, column: str) -> Any:
    for key in column.split("."):
        row = row[key]
    return row


_BY_COLUMNS: Mapping[str, tuple[Callable[..., Found], Sequence[str]]] = {
    "covid_qa": (find_covid_qa, COVID_QA_COLUMNS),
    "qasper": (find_qasper, QASPER_COLUMNS),
}
