"""The bytes of a file, and its text: regular files alone, decompressed, decoded as they are."""

import bz2
import codecs
import functools
import gzip
import io
import lzma
import os
import stat
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import IO, Any, NamedTuple

from corpora.document import RequestError
from corpora.timeout import Sign
from corpora.wording import one_line, quote_name

BUFFER_SIZE = 1 << 18
HEAD_SIZE = 8000  # bytes that are looked at to tell what a file is, as git does

_KINDS = {
    stat.S_ISDIR: "folder",
    stat.S_ISFIFO: "FIFO",
    stat.S_ISSOCK: "socket",
    stat.S_ISCHR: "device",
    stat.S_ISBLK: "device",
}
_COMPRESSIONS = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
# What such a file begins with: its name may hide it.
_SIGNATURES = {
    b"\x1f\x8b": "gzip-compressed; name it .gz",
    b"BZh": "bzip2-compressed; name it .bz2",
    b"\xfd7zXZ\x00": "xz-compressed; name it .xz",
    b"\x28\xb5\x2f\xfd": "zstd-compressed; name it .zst",
    b"PK\x03\x04": "a zip archive, as .docx and .xlsx are too; extract its text first",
    b"PAR1": "a Parquet file; name it .parquet",
    b"%PDF-": "a PDF; extract its text first",
    b"\x89PNG": "a picture; name a file of text",
    b"\xff\xd8\xff": "a picture; name a file of text",
}
_LFS_POINTER = b"version https://git-lfs.github.com/spec/"
_BYTE_ORDER_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)


class NumberedRow(NamedTuple):
    """A row's place in its file, such as "line 3", its number there, and what it holds."""

    place: str
    number: int
    value: Any


class FileError(Exception):
    """What is wrong with a file, or with one of its rows, and the remedy.

    ``what`` and ``remedy`` are parts of one line, which begins with the file's name.
    """

    def __init__(self, what: str, remedy: str = "check the file", *, row: str = "") -> None:
        super().__init__(what)
        self.remedy = remedy
        self.row = row
        self.name = ""  # of the file, if whoever catches this has none

    def describe(self, name: str) -> str:
        """What is wrong, without the remedy."""
        return f"{name}{self.row and f', {self.row}'}{self._joint()}{self}"

    def _joint(self) -> str:
        return "" if str(self).startswith(":") else " "


def check_encoding(encoding: str) -> None:
    """Raise RequestError if Python has no such encoding of text."""
    try:
        codecs.lookup(encoding)
        io.TextIOWrapper(io.BytesIO(), encoding=encoding)  # which refuses base64 and its kind too
    except (LookupError, ValueError):
        raise RequestError(
            f"Python has no text encoding {quote_name(encoding)}; name one that it has, such as "
            "--encoding utf-8"
        ) from None


def name_kind(mode: int) -> str | None:
    """What a path is that is not a regular file; None if it is one."""
    if stat.S_ISREG(mode):
        return None
    return next((kind for is_kind, kind in _KINDS.items() if is_kind(mode)), "special file")


class _Watched(io.FileIO):
    """A file that tells whenever bytes of it arrived."""

    def __init__(self, descriptor: int, give_sign: Sign) -> None:
        super().__init__(descriptor)
        self._give_sign = give_sign

    def readinto(self, buffer: Any, /) -> Any:
        number = super().readinto(buffer)
        self._give_sign()
        return number

    def readall(self) -> bytes:
        parts = []
        while part := self.read(BUFFER_SIZE):
            parts.append(part)
            self._give_sign()
        return b"".join(parts)


def open_regular(path: Path, give_sign: Sign = lambda: None) -> IO[bytes]:
    """A regular file's bytes; raises FileError for anything else, and OSError."""
    # Looked at first: to open a device may set it in motion.
    _refuse_special(path.stat().st_mode)
    # A FIFO that took its place meanwhile must not block.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        _refuse_special(os.fstat(descriptor).st_mode)
        os.set_blocking(descriptor, True)
    except BaseException:
        os.close(descriptor)
        raise
    content = io.BufferedReader(_Watched(descriptor, give_sign), BUFFER_SIZE)
    if content.peek(len(_LFS_POINTER)).startswith(_LFS_POINTER):
        content.close()
        raise FileError("is a pointer of Git LFS and not the file itself", "run: git lfs pull")
    return content


def _refuse_special(mode: int) -> None:
    if kind := name_kind(mode):
        raise FileError(f"is a {kind}; only regular files are read", "name a file or a folder")


def split_compression(name: str) -> tuple[str, str | None]:
    """A file's name without the suffix of a compression, and that compression."""
    suffix = PurePath(name).suffix
    compression = _COMPRESSIONS.get(suffix.lower())
    return (name.removesuffix(suffix), compression) if compression else (name, None)


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file wherever it lies; ``open_raw`` gives its bytes, compressed as they may be.

    It may be a range of the bytes of a larger one, which begins at ``start``.
    """

    name: str
    open_raw: Callable[[], IO[bytes]]
    start: int = 0

    def cut(self, start: int, stop: int) -> "DataFile":
        """A range of its bytes, if they are not compressed."""

        def open_raw() -> IO[bytes]:
            with self.open_raw() as raw:
                raw.seek(start)
                return io.BytesIO(raw.read(stop - start))

        return DataFile(self.name, open_raw, self.start + start)

    @contextmanager
    def open(self, encoding: str = "utf-8") -> Iterator[IO[bytes]]:
        """Its bytes, decompressed as its name says.

        What goes wrong while it is open is raised as FileError; text that cannot be decoded is
        told by its first such byte, of the decompressed file.
        """
        try:
            with self.open_raw() as raw, _decompress(self.name, raw) as content:
                yield content
        except UnicodeError as error:
            raise self._find_undecodable(encoding, error) from None
        except OSError as error:
            raise FileError(f"cannot be read: {error.strerror or one_line(error)}") from None
        except (EOFError, zlib.error, lzma.LZMAError, _get_zstd_error()) as error:
            raise FileError(f"cannot be read: {one_line(error)}") from None

    def read_text(self, encoding: str) -> str:
        """The text: no line end is translated and no byte order mark removed."""
        with self.open(encoding) as content:
            whole = content.read()
            if _is_tar(whole):  # which may decode
                raise FileError("is a tar archive", "unpack it")
            try:
                return whole.decode(encoding)
            except UnicodeDecodeError as error:
                raise _describe_undecodable(
                    whole[:HEAD_SIZE], error, error.start, encoding
                ) from None

    @contextmanager
    def open_text(self, encoding: str, newline: str) -> Iterator[io.TextIOWrapper]:
        """The text in pieces; ``newline`` is that of ``io.TextIOWrapper``."""
        with (
            self.open(encoding) as content,
            io.TextIOWrapper(content, encoding=encoding, newline=newline) as text,
        ):
            yield text

    def read_head(self) -> bytes:
        """The first HEAD_SIZE bytes, decompressed."""
        with self.open() as content:
            return content.read(HEAD_SIZE)

    def _find_undecodable(self, encoding: str, error: UnicodeError) -> FileError:
        """Read again in pieces: the reader of a stream does not tell where it was."""
        decoder = codecs.getincrementaldecoder(encoding)()
        before = self.start
        head = self.read_head()
        with self.open_raw() as raw, _decompress(self.name, raw) as content:
            while True:
                piece = content.read(BUFFER_SIZE)
                try:
                    decoder.decode(piece, final=not piece)
                except UnicodeDecodeError as found:
                    # What it was given ends where the piece ends.
                    at = before + len(piece) - len(found.object) + found.start
                    return _describe_undecodable(head, found, at, encoding)
                except UnicodeError:
                    break
                if not piece:
                    break
                before += len(piece)
        return _describe_undecodable(head, error, self.start, encoding)


def is_binary(head: bytes, encoding: str) -> bool:
    """Whether a file that begins so is not text, whatever the encoding makes of its bytes.

    That is if it is not UTF-8, and holds a NUL or begins as formats do that are not text. UTF-16
    and UTF-32 are full of NULs: there it is what cannot be decoded.
    """
    if _is_tar(head):
        return True
    if _is_wide(encoding):
        return head.startswith(tuple(_SIGNATURES)) or not _can_begin(head, encoding)
    if _can_begin(head, "utf-8") or head.startswith(_BYTE_ORDER_MARKS):
        return False
    return b"\0" in head or head.startswith(tuple(_SIGNATURES))


def _is_wide(encoding: str) -> bool:
    return codecs.lookup(encoding).name.startswith(("utf-16", "utf-32"))


def _can_begin(head: bytes, encoding: str) -> bool:
    """Whether a text in that encoding can begin so; its last character may be cut."""
    try:
        codecs.getincrementaldecoder(encoding)().decode(head)
    except UnicodeError:
        return False
    return True


def _is_tar(head: bytes) -> bool:
    return head[257:262] == b"ustar"


def _describe_undecodable(head: bytes, error: UnicodeError, at: int, encoding: str) -> FileError:
    for signature, kind in _SIGNATURES.items():
        if head.startswith(signature):
            what, _, remedy = f"is {kind}".partition("; ")
            return FileError(what, remedy)
    if is_binary(head, "utf-8"):
        return FileError("is binary, not text", "name a file of text")
    name = "UTF-8" if codecs.lookup(encoding).name == "utf-8" else encoding
    where = ""
    if isinstance(error, UnicodeDecodeError):
        where = f": byte {at} is 0x{error.object[error.start]:02x} ({error.reason})"
    elif text := one_line(error):
        where = f": {text}"
    return FileError(f"is not {name}{where}", "convert it, or name its encoding: --encoding")


def _decompress(name: str, raw: IO[bytes]) -> IO[bytes]:
    match split_compression(name)[1]:
        case "gzip":
            return io.BufferedReader(gzip.GzipFile(fileobj=raw))
        case "bzip2":
            return io.BufferedReader(bz2.BZ2File(raw))
        case "xz":
            return io.BufferedReader(lzma.LZMAFile(raw))
        case "zstd":
            if (zstd := _import_zstd()) is None:
                raise FileError(
                    "is zstd-compressed, which this Python cannot read",
                    "run: pip install backports.zstd, or decompress it with: zstd -d",
                )
            return io.BufferedReader(zstd.ZstdFile(raw))
        case _:
            return raw


@functools.cache
def _import_zstd() -> Any:
    """The standard library's module since Python 3.14, else its backport; None without either.

    No other library will do that gives the bytes of a file cut short without a word.
    """
    import importlib

    for name in ("compression.zstd", "backports.zstd"):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    return None


def _get_zstd_error() -> type[Exception]:
    zstd = _import_zstd()
    return EOFError if zstd is None else zstd.ZstdError
