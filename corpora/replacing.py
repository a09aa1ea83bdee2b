"""Files are replaced whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Write ``path`` beside its place and move it in when the block ends without an exception.

    Its permissions are those of any new file. Raises OSError.
    """
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    beside = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        beside.chmod(0o666 & ~_find_umask())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def _find_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
