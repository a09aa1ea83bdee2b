"""The user's own files and folders: texts as they are, and rows of tables."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from corpora.document import Corpus, CorpusError, Document, RequestError
from corpora.local.content import (
    DataFile,
    FileError,
    check_encoding,
    name_kind,
    open_regular,
)
from corpora.local.folder import Listing, Patterns, list_folder
from corpora.local.tables import find_table_kind, read_texts
from corpora.timeout import Sign, watch
from corpora.wording import decode_name, list_names

_BATCH_SIZE = 1 << 16  # code points: a document costs a message between threads otherwise
_ERRORS_AT_MOST = 20
_MORE_TIME = "leave it out, or give it more time, such as --timeout 600"

_T = TypeVar("_T")


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


def load_files(
    name: str, path: Path, choice: Choice, timeout: float
) -> tuple[Corpus, frozenset[str]]:
    """A file, or the files below a folder by their paths; and the options that applied.

    A file of rows gives a document for each row, from the ``text_column``; its id is the file's and
    the row's number, which is that of its first line if it has lines of its own. Any other file is
    one document, its id the path below the folder. ``encoding`` is that of all but Parquet. Of a
    folder, hidden and binary files, anything that is not a regular file, and what is not included
    are left out, which the notes tell. Raises RequestError if the path, the encoding, or a needed
    column is not there, and CorpusError for a path that is neither file nor folder.
    """
    shown = decode_name(str(path))
    check_encoding(choice.codec)
    if choice.text_column == "":
        raise RequestError("a column has a name; give it: --text-column")
    patterns = Patterns(choice.include, choice.exclude)
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        what = "is a link that leads nowhere" if path.is_symlink() else "does not exist"
        raise RequestError(f"{shown} {what}; give an existing file or folder") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CorpusError(f"{shown} cannot be read: {reason}; check the path") from None
    if path.is_dir():
        listing = _list(path, shown, patterns, choice, timeout)
    else:
        if kind := name_kind(mode):
            what = f"{shown} is a {kind}; only regular files are read, and folders"
            raise CorpusError(what)
        listing = Listing({decode_name(path.name): path})
    kinds = {
        each: find_table_kind(each.name, named_column=choice.text_column is not None)
        for each in listing.files.values()
    }
    for each, kind in kinds.items():
        if kind and choice.text_column is None:
            raise RequestError(
                f"{decode_name(str(each))} has columns; name the one with the text: --text-column"
            )
    applied = {"--include", "--exclude"} if path.is_dir() else set()
    if not listing.files:  # what must be told is that nothing is read
        applied = set(choice.given)
    if any(kinds.values()):
        applied.add("--text-column")
    if any(kind != "parquet" for kind in kinds.values()):
        applied.add("--encoding")
    read = partial(_read, path, listing, choice, timeout)
    corpus = Corpus(
        decode_name(name),
        read,
        decode_name(str(path.absolute())),
        listing.describe(decode_name(name)),
    )
    return corpus, frozenset(applied)


def _list(path: Path, shown: str, patterns: Patterns, choice: Choice, timeout: float) -> Listing:
    def source(give_sign: Sign) -> Generator[Listing, None, None]:
        named_column = choice.text_column is not None
        yield list_folder(
            path, patterns, give_sign, encoding=choice.codec, named_column=named_column
        )

    try:
        (listing,) = watch(source, timeout)
    except TimeoutError as error:
        raise CorpusError(f"{shown} cannot be listed: {error}; {_MORE_TIME}") from None
    if choice.include and not (listing.files or listing.unreadable):
        raise RequestError(
            f"no text below {shown} matches --include {' '.join(choice.include)}; "
            "hidden files and binary ones are never read"
        )
    return listing


def _read(path: Path, listing: Listing, choice: Choice, timeout: float) -> Iterator[Document]:
    reading = ""

    def source(give_sign: Sign) -> Generator[list[Document], None, None]:
        def read() -> Iterator[Document]:
            nonlocal reading
            errors = dict(listing.unreadable)
            for name, each in listing.files.items():
                reading = decode_name(str(each))
                try:
                    for document in _read_file(name, each, choice, give_sign):
                        if not errors:  # else what follows is read for its errors alone
                            yield document
                except FileError as error:
                    errors[name] = error
            if errors:
                raise CorpusError(_describe_errors(path, listing, errors))

        yield from _gather(read())

    try:
        for documents in watch(source, timeout):
            yield from documents
    except TimeoutError as error:
        raise CorpusError(f"{reading} cannot be read: {error}; {_MORE_TIME}") from None


def _read_file(name: str, path: Path, choice: Choice, give_sign: Sign) -> Iterator[Document]:
    file = DataFile(path.name, partial(open_regular, path, give_sign))
    kind = find_table_kind(path.name, named_column=choice.text_column is not None)
    if kind is None:
        yield Document(name, file.read_text(choice.codec))
        return
    assert choice.text_column is not None  # loading has made sure
    for number, text in read_texts(file, kind, choice.codec, choice.text_column):
        yield Document(f"{name}:{number}", text)


def _gather(documents: Iterator[Document]) -> Iterator[list[Document]]:
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


def _describe_errors(path: Path, listing: Listing, errors: Mapping[str, FileError]) -> str:
    """One line for all files that cannot be read, the first of them with what is wrong."""
    if len(errors) == 1:
        ((name, error),) = errors.items()
        place = listing.files.get(name, path / name)
        otherwise = "" if place == path else ", or leave it out: --exclude"
        return f"{error.describe(decode_name(str(place)))}; {error.remedy}{otherwise}"
    told = [error.describe(name) for name, error in errors.items()]
    remedies = list(dict.fromkeys(error.remedy for error in errors.values()))
    return (
        f"{len(errors):,} files of {decode_name(str(path))} cannot be read: "
        f"{list_names(told, _ERRORS_AT_MOST)}; {' or '.join(remedies[:3])}, "
        "or leave them out: --exclude"
    )
