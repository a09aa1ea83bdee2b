"""The user's own files and folders: texts as they are, and rows of tables."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from corpora.document import Corpus, CorpusError, Document, Part, RequestError
from corpora.local import places
from corpora.local.content import FileError, check_encoding
from corpora.local.folder import Listing, Patterns, list_folder
from corpora.local.parts import (
    SUGGEST_TIME,
    Reading,
    batch_documents,
    can_be_cut,
    cut_file,
    measure_file,
    read_file,
)
from corpora.timeout import Sign, watch
from corpora.wording import decode_name, list_names

_ERRORS_AT_MOST = 20


@dataclass(frozen=True, slots=True)
class Choice:
    """What of a file or a folder is read, and how; None and () are what nobody asked for."""

    encoding: str | None = None
    text_column: str | None = None
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()

    @property
    def codec(self) -> str:
        """The encoding to read with."""
        return "utf-8" if self.encoding is None else self.encoding

    @property
    def given(self) -> frozenset[str]:
        """The options that somebody asked for."""
        return frozenset(
            option
            for option, value in (
                ("--encoding", self.encoding),
                ("--text-column", self.text_column),
                ("--include", self.include),
                ("--exclude", self.exclude),
            )
            if value is not None and value != () and value != []
        )


def load_files(name: str, choice: Choice, timeout: float) -> tuple[Corpus, frozenset[str]]:
    """A file, or the files below a folder by their paths; and the options that applied.

    ``name`` is a path, or a URL that fsspec opens. A file of rows gives a document for each row,
    from the ``text_column``; its id is the file's and the row's number, which is that of its first
    line if it has lines of its own. Any other file is one document, its id the path below the
    folder. ``encoding`` is that of all but Parquet. Of a folder, hidden and binary files, anything
    that is not a regular file, and what is not included are left out, which the notes tell. Raises
    RequestError if the path, the encoding, or a needed column is not there, and CorpusError for a
    path that is neither file nor folder.
    """
    check_encoding(choice.codec)
    if choice.text_column == "":
        raise RequestError("a column has a name; give it: --text-column")
    patterns = Patterns(choice.include, choice.exclude)
    place, listing = _find(name, patterns, choice, timeout)
    in_folder = listing is not None
    listing = listing or Listing({places.name_file(place): place})
    reading = Reading(choice.codec, choice.text_column, timeout)
    kinds = {each: reading.find_kind(each) for each in listing.files.values()}
    for each, kind in kinds.items():
        if kind and choice.text_column is None:
            raise RequestError(
                f"{decode_name(each)} has columns; name the one with the text: --text-column"
            )
    applied = {"--include", "--exclude"} if in_folder else set()
    if not listing.files:  # what must be told is that nothing is read
        applied = set(choice.given)
    if any(kinds.values()):
        applied.add("--text-column")
    if any(kind != "parquet" for kind in kinds.values()):
        applied.add("--encoding")
    # Who reads a single file that cannot be cut leaves the others nothing to do.
    apart = in_folder or kinds[place] is None or can_be_cut(place, reading)
    corpus = Corpus(
        decode_name(name),
        partial(_read, place, listing, reading),
        decode_name(places.make_absolute(place)),
        listing.describe(decode_name(name)),
        partial(_cut, place, listing, reading) if apart else None,
        partial(_measure, listing, reading) if apart else None,
    )
    return corpus, frozenset(applied)


def _find(
    name: str, patterns: Patterns, choice: Choice, timeout: float
) -> tuple[str, Listing | None]:
    """The place that a name stands for, and what it holds if it is a folder."""

    def source(give_sign: Sign) -> Generator[tuple[str, Listing | None], None, None]:
        place, is_folder = places.find_place(name)
        if not is_folder:
            yield place, None
            return
        named_column = choice.text_column is not None
        yield (
            place,
            list_folder(
                place, patterns, give_sign, encoding=choice.codec, named_column=named_column
            ),
        )

    try:
        ((place, listing),) = watch(source, timeout)
    except TimeoutError as error:
        shown = decode_name(name if places.is_url(name) else str(Path(name)))
        raise CorpusError(f"{shown} cannot be listed: {error}; {SUGGEST_TIME}") from None
    if listing and choice.include and not (listing.files or listing.unreadable):
        raise RequestError(
            f"no text below {decode_name(place)} matches --include {' '.join(choice.include)}; "
            "hidden files and binary ones are never read"
        )
    return place, listing


def _cut(place: str, listing: Listing, reading: Reading, size: int) -> Iterator[Part]:
    if listing.unreadable:
        raise CorpusError(_describe_errors(place, listing, listing.unreadable))
    for name, each in listing.files.items():
        yield from cut_file(name, each, reading, size, _suggest_exclusion(each, place))


def _measure(listing: Listing, reading: Reading) -> int:
    return sum(measure_file(each, reading) for each in listing.files.values())


def _read(place: str, listing: Listing, reading: Reading) -> Iterator[Document]:
    current = ""

    def source(give_sign: Sign) -> Generator[list[Document], None, None]:
        def read() -> Iterator[Document]:
            nonlocal current
            errors = dict(listing.unreadable)
            for name, each in listing.files.items():
                current = decode_name(each)
                try:
                    for document in read_file(name, each, reading, give_sign):
                        if not errors:  # else what follows is read for its errors alone
                            yield document
                except FileError as error:
                    errors[name] = error
            if errors:
                raise CorpusError(_describe_errors(place, listing, errors))

        yield from batch_documents(read())

    try:
        for documents in watch(source, reading.timeout):
            yield from documents
    except TimeoutError as error:
        raise CorpusError(f"{current} cannot be read: {error}; {SUGGEST_TIME}") from None


def _suggest_exclusion(file: str, corpus: str) -> str:
    return "" if file == corpus else ", or leave it out: --exclude"


def _describe_errors(corpus: str, listing: Listing, errors: Mapping[str, FileError]) -> str:
    """One line for all files that cannot be read, the first of them with what is wrong."""
    if len(errors) == 1:
        ((name, error),) = errors.items()
        place = listing.files.get(name) or places.join_place(corpus, name)
        otherwise = _suggest_exclusion(place, corpus)
        return f"{error.describe(decode_name(place))}; {error.remedy}{otherwise}"
    told = [error.describe(name) for name, error in errors.items()]
    remedies = list(dict.fromkeys(error.remedy for error in errors.values()))
    return (
        f"{len(errors):,} files of {decode_name(corpus)} cannot be read: "
        f"{list_names(told, _ERRORS_AT_MOST)}; {' or '.join(remedies[:3])}, "
        "or leave them out: --exclude"
    )
