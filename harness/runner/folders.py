"""The temporary folder of a command, in which all others lie; what killed commands left, goes.

Standard library only. A command that is killed cannot remove its folder, so the next one does. It
removes folders of the same user only, whose owner holds no lock any more: the kernel gives a lock
back when the process that holds it ends, and process numbers, which are used again, do not matter.
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

_PREFIX = "segbench-"
_NAME = re.compile(r"segbench-\w{8}")
_LOCK = ".owner"
_VARIABLES = ("TMPDIR", "TEMP", "TMP")
_OLD = 600.0  # seconds


@contextmanager
def open_own_folder() -> Iterator[Path]:
    """A folder for every temporary file of this process and of those that it starts.

    It is removed when the block ends. What was left by processes that were killed is removed first.
    Raises OSError where there can be none.
    """
    earlier = tempfile.tempdir
    kept = {name: os.environ.get(name) for name in _VARIABLES}
    remove_abandoned(Path(tempfile.gettempdir()))
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    try:
        with _lock(folder):
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
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """Say that the folder has an owner, until the block ends or the process does."""
    with (folder / _LOCK).open("wb") as file:
        with contextlib.suppress(ImportError, OSError):  # where it cannot be said, nothing is swept
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield


def remove_abandoned(place: Path) -> None:
    """Remove the folders in ``place`` that processes of this user left when they were killed."""
    with contextlib.suppress(OSError, ImportError):
        import fcntl

        for entry in os.scandir(place):
            with contextlib.suppress(OSError):
                if not _NAME.fullmatch(entry.name) or not _is_own_folder(entry):
                    continue
                folder = Path(entry.path)
                try:
                    file = os.open(folder / _LOCK, os.O_RDONLY | os.O_NOFOLLOW)
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
