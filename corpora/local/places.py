"""Where files lie: paths of this machine, and URLs of whatever fsspec can open."""

import io
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Any
from urllib.parse import urlsplit

from corpora.document import CorpusError, RequestError
from corpora.local.content import BUFFER_SIZE, DataFile, FileError, name_kind, open_regular
from corpora.timeout import Sign
from corpora.wording import decode_name, one_line

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
REMEDY = "check the URL and your access to it"
# What changes with a file's content, the surest first. All that fsspec tells of a file would not
# do, nor would its ukey, which is the hash of that: a listing tells more than a look at one file.
_IDENTITIES = (
    "ETag",
    "etag",
    "md5Hash",
    "blob_id",
    "mtime",
    "LastModified",
    "Last-Modified",
    "last_modified",
    "modified",
    "created",
)


def is_url(name: str) -> bool:
    """Whether a name is a URL, and not a path, which would do with one slash."""
    return _SCHEME.match(name) is not None


def find_place(name: str) -> tuple[str, bool]:
    """The path or the URL that a name stands for, and whether it is a folder.

    Raises RequestError if nothing is there, and CorpusError for what is neither file nor folder.
    """
    if not is_url(name):
        return _find_path(Path(name))
    if "::" in name:
        raise RequestError(f"{name} has URLs within each other; name a single one")
    if urlsplit(name).password:
        raise RequestError(
            f"the URL of {urlsplit(name).hostname} has a password, which would be kept with the "
            "results; give it to fsspec by its configuration"
        )
    if name.startswith("hf://") and "#" in name:
        raise RequestError(
            f"{name} names a column, and hf:// is for single files and folders; for a data set's "
            "column give hf:OWNER/NAME#COLUMN, for a file's --text-column"
        )
    filesystem, path = find_filesystem(name)
    if name.startswith(("file://", "local://")):
        return _find_path(Path(path))
    try:
        kind = filesystem.info(path)["type"]
    except FileNotFoundError:
        raise RequestError(f"{name} does not exist; give an existing file or folder") from None
    except Exception as error:  # noqa: BLE001  whatever the library and its network meet
        raise CorpusError(f"{name} cannot be read: {one_line(error)}; {REMEDY}") from None
    return name.rstrip("/"), kind == "directory"


def _find_path(path: Path) -> tuple[str, bool]:
    shown = decode_name(str(path))
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        what = "is a link that leads nowhere" if path.is_symlink() else "does not exist"
        raise RequestError(f"{shown} {what}; give an existing file or folder") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CorpusError(f"{shown} cannot be read: {reason}; check the path") from None
    if stat.S_ISDIR(mode):
        return str(path), True
    if kind := name_kind(mode):
        raise CorpusError(f"{shown} is a {kind}; only regular files are read, and folders")
    return str(path), False


def find_filesystem(url: str) -> tuple[Any, str]:
    """The file system of fsspec that has a URL, and the path there.

    Raises RequestError for a protocol that fsspec does not know, and CorpusError if its library is
    not installed or refuses.
    """
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise CorpusError(
            f"{url} needs the `fsspec` library; run: pip install 'segbench[harness]'"
        ) from None
    try:
        filesystem, path = url_to_fs(url)
    except ImportError as error:
        library = getattr(error.__cause__, "name", None)
        remedy = f"run: pip install {library}" if library else "install what it needs"
        raise CorpusError(f"{url} cannot be read: {one_line(error)}; {remedy}") from None
    except Exception as error:  # noqa: BLE001  whatever the library makes of it
        kind = RequestError if isinstance(error, ValueError) else CorpusError
        raise kind(f"{url} cannot be read: {one_line(error)}; check the URL") from None
    return filesystem, path


def name_file(place: str) -> str:
    """The name of the file at a path or a URL, without a query."""
    if is_url(place):
        return PurePosixPath(urlsplit(place).path if "?" in place else place).name
    return decode_name(Path(place).name)


def join_place(folder: str, name: str) -> str:
    """The path or the URL of what has that name below a folder."""
    return f"{folder}/{name}" if is_url(folder) else str(Path(folder, name))


def scan(folder: str) -> Iterator[tuple[str, bool]]:
    """The names in a folder, and whether each is a folder; raises OSError."""
    if not is_url(folder):
        with os.scandir(folder) as entries:
            for entry in entries:
                yield entry.name, entry.is_dir(follow_symlinks=False)
        return
    filesystem, path = find_filesystem(folder)
    try:
        for entry in filesystem.ls(path, detail=True):
            # Object stores list a folder's own marker with what it holds.
            if entry["name"].rstrip("/") != path.rstrip("/"):
                yield PurePosixPath(entry["name"]).name, entry["type"] == "directory"
    except OSError:
        raise
    except Exception as error:
        raise OSError(one_line(error)) from error


def open_place(place: str, give_sign: Sign = lambda: None) -> DataFile:
    """The file at a path or a URL."""

    def open_raw() -> IO[bytes]:
        if not is_url(place):
            return open_regular(Path(place), give_sign)
        filesystem, path = find_filesystem(place)
        # What reads ahead would fetch 5 MB for the smallest column of each row group.
        parquet = name.lower().endswith(".parquet")
        ahead = "none" if parquet else "readahead"
        raw = _Watched(filesystem.open(path, "rb", cache_type=ahead), give_sign)
        return raw if parquet else io.BufferedReader(raw, BUFFER_SIZE)  # type: ignore[return-value]

    name = name_file(place)
    return DataFile(name, open_raw)


class _Watched(io.RawIOBase):
    """A file of fsspec that tells whenever bytes of it arrived."""

    def __init__(self, file: Any, give_sign: Sign) -> None:
        self._file = file
        self._give_sign = give_sign

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self._file.seekable())

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def readinto(self, buffer: Any, /) -> int:
        content = self._file.read(len(buffer))
        buffer[: len(content)] = content
        self._give_sign()
        return len(content)

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


def make_absolute(place: str) -> str:
    """The place of a file for a process with another working directory."""
    return place if is_url(place) else str(Path(place).absolute())


def describe_state(place: str) -> tuple[int, str]:
    """The size of a file in bytes, 0 if it is not known, and what changes when its content does.

    Raises FileError, and CorpusError as ``find_filesystem`` does.
    """
    if not is_url(place):
        try:
            status = Path(place).stat()
        except OSError as error:
            raise FileError(f"cannot be read: {error.strerror}") from None
        return status.st_size, f"{status.st_size} bytes, time {status.st_mtime_ns}"
    filesystem, path = find_filesystem(place)
    try:
        information = filesystem.info(path)
    except FileNotFoundError:
        raise FileError("does not exist", REMEDY) from None
    except Exception as error:  # noqa: BLE001  whatever the library and its network meet
        raise FileError(f"cannot be read: {one_line(error)}", REMEDY) from None
    size = information.get("size") or 0
    known = (information[name] for name in _IDENTITIES if information.get(name))
    return size, f"{size} bytes, {next(known, 'unknown version')}"
