"""The temporary folder of a command, in which all others lie; what killed commands left, goes.

Standard library only. A command that is killed cannot remove its folder, so the next one does. It
removes folders of the same user only, if nobody holds their lock: the kernel gives a lock back
when the process that holds it ends, and process numbers, which are used again, do not matter.
"""

import contextlib
import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LOCK = ".owner"
_VARIABLES = ("TMPDIR", "TEMP", "TMP")
_OLD = 600.0  # seconds


@contextmanager
def open_own_folder() -> Iterator[Path]:
    """A folder for every temporary file of this process and of those that it starts.

    Raises OSError if there can be none.
    """
    earlier = tempfile.tempdir
    kept = {name: os.environ.get(name) for name in _VARIABLES}
    with open_owned(Path(tempfile.gettempdir()), "segbench-") as folder:
        try:
            tempfile.tempdir = str(folder)
            os.environ.update(dict.fromkeys(_VARIABLES, str(folder)))
            yield folder
        finally:
            tempfile.tempdir = earlier
            for name, value in kept.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value


@contextmanager
def open_owned(place: Path, prefix: str) -> Iterator[Path]:
    """A folder in ``place`` that is removed when the block ends.

    Those of the prefix whose owners were killed are removed first. Raises OSError.
    """
    remove_abandoned(place, prefix)
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=place))
    try:
        with (folder / LOCK).open("wb") as file:
            with contextlib.suppress(ImportError, OSError):  # then nobody removes what is left
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remove_abandoned(place: Path, prefix: str) -> None:
    """Remove the folders in ``place`` that processes of this user left when they were killed."""
    named = re.compile(re.escape(prefix) + r"\w{8}")
    with contextlib.suppress(OSError, ImportError):
        import fcntl

        for entry in os.scandir(place):
            with contextlib.suppress(OSError):
                if not named.fullmatch(entry.name) or not _is_own_folder(entry):
                    continue
                folder = Path(entry.path)
                try:
                    file = os.open(folder / LOCK, os.O_RDONLY | os.O_NOFOLLOW)
                except FileNotFoundError:
                    # Killed before it could say whose it is: an empty one cannot be missed.
                    if time.time() - entry.stat(follow_symlinks=False).st_mtime > _OLD:
                        folder.rmdir()
                    continue
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(folder, ignore_errors=True)
                finally:
                    os.close(file)


def _is_own_folder(entry: os.DirEntry[str]) -> bool:
    status = entry.stat(follow_symlinks=False)
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
