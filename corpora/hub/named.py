"""Corpora that are data sets: in a mirror, in the Hugging Face cache, or on the hub.

These places differ in their Location alone: what is loaded, in what order, and how rows become
documents is the same code. Rows are streamed, so memory is bounded by a few rows, and by the ids
already seen.
"""

import functools
import itertools
from collections.abc import Generator, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from corpora.catalogue import Entry
from corpora.document import Corpus, CorpusDigest, Document
from corpora.hub import errors, rows, texts
from corpora.hub.fetching import FetchProgress, fetch, find_on_hub
from corpora.hub.location import Location, blame, blame_data, find_here
from corpora.local.content import FileError
from corpora.local.places import open_place
from corpora.timeout import TIMEOUT, Sign, watch
from corpora.wording import one_line, quote_name

# LegalBench-RAG's own name for a document is its path below this folder.
TEXT_FOLDER = "corpus"


def load_data_set(
    entry: Entry,
    mirror: Path | None = None,
    *,
    timeout: float = TIMEOUT,
    progress: FetchProgress | None = None,
) -> Corpus:
    """The corpus that a table of the catalogue describes.

    It is read from the mirror, if one is named; else from the Hugging Face cache, if it is there;
    else it is fetched into the cache, or, if it is large, streamed from the hub.
    Raises CorpusError if the data set is not there, or `datasets` is not installed.
    """
    rows.check_libraries(entry.name)
    location = find_here(entry, mirror)
    if location is None and errors.is_offline():
        raise blame(
            entry, *errors.explain(ConnectionError(), f"run: segbench prepare {entry.name}")
        )
    if location is None and entry.streamed:
        location = find_on_hub(entry, timeout)
    if location is None:
        location = fetch(entry, timeout=timeout, progress=progress)
    return open_corpus(entry, location, timeout=timeout)


def open_corpus(
    entry: Entry, location: Location, *, timeout: float = TIMEOUT, verify: bool = True
) -> Corpus:
    """The data set at that location; ``verify`` compares it with the record there, if any."""
    record = location.record if verify else None
    notes = location.missing + (record.differences(entry) if record else ())
    read = functools.partial(_read, entry, replace(location, record=record), timeout)
    return Corpus(entry.name, read, location.origin, notes)


def _read(entry: Entry, location: Location, timeout: float) -> Iterator[Document]:
    """The documents; raises CorpusError if they are not those that a record tells of."""
    digest = CorpusDigest()
    read = _read_texts if entry.builder == "text" else _read_rows
    try:
        # All that touches Arrow is in one thread: memory that another gives back piles up.
        for document in watch(functools.partial(read, entry, location), timeout):
            digest.add(document)
            yield document
    except TimeoutError as error:
        cause, remedy = errors.explain(error, f"run: segbench prepare {entry.name}")
        raise blame(entry, cause, remedy, revision=location.revision) from None
    if location.record and location.record.summary.digest != digest.hexdigest():
        recorded = location.record.summary.digest
        cause = f"its digest is {digest.hexdigest()}, and was {recorded} when it was prepared"
        raise blame_data(entry, location, "", cause)


def _read_texts(
    entry: Entry, location: Location, give_sign: Sign
) -> Generator[Document, None, None]:
    assert location.folder is not None  # text files are fetched, not streamed
    root = location.folder / TEXT_FOLDER
    for place in itertools.chain.from_iterable(location.data_files.values()):
        try:
            text = open_place(place, give_sign).read_text("utf-8")
        except FileError as error:
            raise blame_data(entry, location, "", error.describe(place)) from None
        give_sign()
        yield Document(Path(place).relative_to(root).as_posix(), text)


def _read_rows(
    entry: Entry, location: Location, give_sign: Sign
) -> Generator[Document, None, None]:
    seen: set[str | int] = set()
    for split, places in location.data_files.items():
        for place in places:
            for batch in _stream(entry, location, split, place, give_sign):
                give_sign()  # many rows may repeat one document
                yield from _build_documents(entry, location, split, batch, seen)
    if not seen:
        raise blame_data(entry, location, ", ".join(location.data_files), "it holds no row")


def _build_documents(
    entry: Entry,
    location: Location,
    split: str,
    columns: Mapping[str, rows.ColumnValues],
    seen: set[str | int],
) -> Iterator[Document]:
    # Only the ids of a batch become Python objects; a repeated book stays in Arrow.
    for index in range(len(columns[entry.id])):
        identifier = columns[entry.id][index]
        if identifier in seen:
            continue
        seen.add(identifier)
        try:
            if identifier is None:
                raise ValueError(f"its {entry.id} is null")
            row = {name: column[index] for name, column in columns.items()}
            text = texts.BUILDERS[entry.name](row)
        except (TypeError, ValueError) as error:
            shown = quote_name(identifier) if isinstance(identifier, str) else identifier
            cause = f"document {shown} has no text: {one_line(error)}"
            raise blame_data(entry, location, split, cause) from None
        yield Document(str(identifier), text)


def _stream(
    entry: Entry, location: Location, split: str, place: str, give_sign: Sign
) -> Iterator[Mapping[str, rows.ColumnValues]]:
    batches = rows.read_rows(entry.builder, place, entry.columns, give_sign)
    while True:
        try:
            batch = next(batches)
        except StopIteration:
            return
        except Exception as error:  # noqa: BLE001  the file's, or the client's on the way to it
            again = f"run: segbench prepare {entry.name}"
            cause, remedy = "", ""
            if location.folder is None:
                cause, remedy = errors.explain(error, again)
            if not remedy:
                cause = error.describe(place) if isinstance(error, FileError) else one_line(error)
                remedy = f"fetch it again: {location.remedy} --force"
            raise blame(entry, cause, remedy, split=split, revision=location.revision) from None
        yield batch
