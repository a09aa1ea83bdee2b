"""Files of the user's own, each as a whole or cut: how its documents are read, wherever it lies."""

import codecs
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from corpora.document import CorpusError, Document
from corpora.local import places
from corpora.local.content import FileError, split_compression
from corpora.local.tables import Range, cut_lines, find_table_kind, read_texts
from corpora.timeout import Sign, watch
from corpora.wording import decode_name, one_line

SUGGEST_TIME = "leave it out, or give it more time, such as --timeout 600"

_BATCH_SIZE = 1 << 16  # code points: a document costs a message between threads otherwise


class Reading(NamedTuple):
    """How files are read: all that is the same for each file of a corpus."""

    encoding: str
    column: str | None
    timeout: float

    def find_kind(self, place: str) -> str | None:
        """Which kind of table a file is, None for a text."""
        return find_table_kind(places.name_file(place), named_column=self.column is not None)


def read_file(
    name: str, place: str, reading: Reading, give_sign: Sign, rows: Range | None = None
) -> Iterator[Document]:
    """The documents of a file, or those of a range of its rows; ``name`` is that of all of them.

    Raises FileError, and CorpusError if the file's place cannot be reached.
    """
    file = places.open_place(place, give_sign)
    kind = reading.find_kind(place)
    try:
        if kind is None:
            yield Document(name, file.read_text(reading.encoding))
            return
        assert reading.column is not None  # loading has made sure
        for number, text in read_texts(file, kind, reading.encoding, reading.column, rows=rows):
            yield Document(f"{name}:{number}", text)
    except (FileError, CorpusError):
        raise
    except Exception as error:
        if not places.is_url(place):
            raise
        raise FileError(f"cannot be read: {one_line(error)}", places.REMEDY) from error


@dataclass(frozen=True, slots=True)
class FilePart:
    """A file, or neighbouring rows of one: see ``corpora.document.Part``.

    ``remedy`` is what helps beside the remedy of an error.
    """

    name: str
    url: str
    reading: Reading
    rows: Range | None
    size: int
    state: str
    remedy: str

    def read(self) -> Iterator[Document]:
        """The documents, one at a time; raises CorpusError, also for a file that has changed."""

        def source(give_sign: Sign) -> Generator[list[Document], None, None]:
            yield from batch_documents(self._read(give_sign))

        try:
            for documents in watch(source, self.reading.timeout):
                yield from documents
        except TimeoutError as error:
            raise CorpusError(
                f"{decode_name(self.url)} cannot be read: {error}; {SUGGEST_TIME}"
            ) from None

    def _read(self, give_sign: Sign) -> Iterator[Document]:
        with _naming(self.url, self.remedy):
            _, state = places.describe_state(self.url)
            if state != self.state:
                what = f"was changed meanwhile: it had {self.state}, and has {state}"
                raise FileError(what, "start again")
            yield from read_file(self.name, self.url, self.reading, give_sign, self.rows)


def cut_file(
    name: str, place: str, reading: Reading, size: int, remedy: str = ""
) -> Iterator[FilePart]:
    """Parts of a file with about ``size`` code points, or one part; ``remedy`` is that of errors.

    Lines of JSON are counted, and of Parquet only the end is read, which tells of its row groups.
    Raises CorpusError.
    """
    place = places.make_absolute(place)
    with _naming(place, remedy):
        length, state = places.describe_state(place)
        whole = True
        for rows, held in _cut(place, reading, length, size) if can_be_cut(place, reading) else ():
            whole = False
            yield FilePart(name, place, reading, rows, held, state, remedy)
        if whole:
            yield FilePart(name, place, reading, None, length, state, remedy)


def measure_file(place: str, reading: Reading) -> int:
    """About how many code points the documents of a file have; raises CorpusError."""
    with _naming(place, ""):
        if reading.find_kind(place) == "parquet" and can_be_cut(place, reading):
            return sum(held for _, held in _cut(place, reading, 0, sys.maxsize))
        return places.describe_state(place)[0]


def can_be_cut(place: str, reading: Reading) -> bool:
    """Whether the name of a file tells that its rows can be found without reading those before."""
    name = places.name_file(place)
    if name.lower().endswith(".json") or split_compression(name)[1]:
        return False
    kind = reading.find_kind(place)
    # Of no other encoding is it certain that a line ends where a byte says so.
    if kind == "json":
        return codecs.lookup(reading.encoding).name == "utf-8"
    return kind == "parquet"


def _cut(place: str, reading: Reading, length: int, size: int) -> Iterator[tuple[Range, int]]:
    file = places.open_place(place)
    if reading.find_kind(place) == "parquet":
        from corpora.local import parquet

        assert reading.column is not None  # loading has made sure
        for rows, held in parquet.cut_rows(file, reading.column, size):
            yield Range(rows.start, rows.stop), held
    elif length > size:
        for lines in cut_lines(file, size):
            yield lines, lines.stop - lines.start


@contextmanager
def _naming(place: str, remedy: str) -> Iterator[None]:
    """Let a FileError be a CorpusError that names the file."""
    try:
        yield
    except FileError as error:
        described = error.describe(decode_name(place))
        raise CorpusError(f"{described}; {error.remedy}{remedy}") from None


def batch_documents(documents: Iterator[Document]) -> Iterator[list[Document]]:
    """The documents in batches, each of them before an error that follows it."""
    batch: list[Document] = []
    size = 0
    try:
        for document in documents:
            batch.append(document)
            size += len(document.text) + len(document.id)
            if size >= _BATCH_SIZE:
                yield batch
                batch, size = [], 0
    except CorpusError:
        if batch:
            yield batch
        raise
    if batch:
        yield batch
