"""Real text that every Python installation carries, so that a run needs no data set.

``code/``   standard-library modules, a fixed list of those that every Python since 3.11 has
``prose/``  the topics that ``help()`` explains
``legal/``  the copyright notice and, if the installation has it, the licence file

The texts are those of the Python that runs, so they differ between versions and distributions;
a run's digest shows it. Only runs on the same Python compare.
"""

import importlib.util
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from corpora.document import CorpusError, Document

ORIGIN = f"the sources, help topics and licence of Python {sys.version.split()[0]}"

MODULES = (
    "argparse",
    "configparser",
    "csv",
    "dataclasses",
    "difflib",
    "enum",
    "fractions",
    "functools",
    "ipaddress",
    "optparse",
    "random",
    "statistics",
    "subprocess",
    "textwrap",
    "threading",
)


def read() -> Iterator[Document]:
    """Every text, by family; raises CorpusError if this Python lacks one of the families."""
    yield from _code()
    yield from _prose()
    yield from _legal()


def _code() -> Iterator[Document]:
    found = False
    for name in MODULES:
        spec = importlib.util.find_spec(name)
        if spec and spec.origin and Path(spec.origin).is_file() and spec.origin.endswith(".py"):
            found = True
            # Bytes, since reading as text would translate the line ends.
            yield Document(f"code/{name}.py", Path(spec.origin).read_bytes().decode("utf-8"))
    if not found:
        raise CorpusError(
            f"builtin has no code: {sys.executable} comes without its library's sources; "
            "use a Python that has them, or another --corpus"
        )


def _prose() -> Iterator[Document]:
    try:
        from pydoc_data.topics import topics
    except ImportError:
        raise CorpusError(
            f"builtin has no prose: {sys.executable} comes without pydoc_data; "
            "use a Python that has it, or another --corpus"
        ) from None
    for name in sorted(topics):
        yield Document(f"prose/{name}", topics[name])


def _legal() -> Iterator[Document]:
    yield Document("legal/copyright", sys.copyright)
    library = Path(sysconfig.get_path("stdlib"))
    # The Windows installer puts the file beside the interpreter.
    for folder in (library, library.parent):
        if (path := folder / "LICENSE.txt").is_file():
            yield Document("legal/LICENSE.txt", path.read_bytes().decode("utf-8"))
            break
