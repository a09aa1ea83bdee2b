"""Makes a splitter from the words that name its factory, and reads what it gives.

Standard library only, and nothing of the project: workers load this file by its path.
"""

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterable, Mapping, Set
from inspect import isawaitable
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any

#: Gives the segments of a text as a splitter gives them: see `exhaust` and `extract_segments`.
Split = Callable[[str], Any]

#: For messages to whoever named something else.
A_FACTORY = (
    "a factory is called with the limit, its one positional argument, and returns a splitter: "
    "a function of a text, or an object with a method split_text or split"
)


class FactoryError(Exception):
    """What was named is not a factory; the message says what one is."""


class SegmentsError(Exception):
    """A splitter gave something else than segments; the message is one line."""


def make_split(factory: str, options: Mapping[str, Any], max_chunk_length: int) -> Split:
    """The function of a text that the splitter of a factory is, or has.

    Raises as `find_factory` and `make_splitter` do.
    """
    return find_split(make_splitter(find_factory(factory), max_chunk_length, options))


def make_splitter(
    factory: Any, max_chunk_length: int, options: Mapping[str, Any] | None = None
) -> Any:
    """Call a factory with a limit and options.

    Raises FactoryError if it cannot be called so or gives no splitter, and whatever it raises.
    """
    try:
        made = factory(max_chunk_length, **(options or {}))
    except (TypeError, AttributeError) as error:  # as a function of a text would
        raise FactoryError(f"{type(error).__name__}: {error}; {A_FACTORY}") from error
    find_split(made)
    return made


def find_split(made: Any) -> Split:
    """The function of a text that a splitter is or has.

    That is its ``split_text``, its ``split``, else itself. Raises FactoryError for anything that is
    not a splitter.
    """
    methods = ("split_text", "split")
    if isinstance(made, type) and any(hasattr(made, name) for name in methods):
        raise FactoryError(
            f"it returned the class {made.__name__}, not an object of it; {A_FACTORY}"
        )
    if not isinstance(made, str | bytes | bytearray):  # these split themselves
        for split in (*(getattr(made, name, None) for name in methods), made):
            if callable(split):
                found: Split = split
                return found
    raise FactoryError(f"it returned {type(made).__name__}; {A_FACTORY}")


def exhaust(given: Any) -> list[Any]:
    """All that a splitter gave, in a list; a generator does its work here.

    Raises SegmentsError for what gives nothing in order, and whatever a generator raises.
    """
    if type(given) is list:
        return given
    remedy = ""
    if isawaitable(given) or hasattr(given, "__aiter__"):
        remedy = "; wrap an asynchronous splitter, for example with asyncio.run"
        if hasattr(given, "close"):
            given.close()  # else Python complains that nobody waited for it
    others = (str, bytes, bytearray, memoryview, Mapping, Set)  # can be iterated, too
    if remedy or isinstance(given, others) or not isinstance(given, Iterable):
        raise SegmentsError(f"it gave no list of strings but {type(given).__name__}{remedy}")
    return list(given)


def extract_segments(given: list[Any]) -> list[str]:
    """The segments in what `exhaust` returns.

    Those are strings, or documents with ``text`` or ``page_content``. The list is new and has plain
    strings, also from those of a subclass. Raises SegmentsError for anything else in it.
    """
    return [item if type(item) is str else _read_segment(item) for item in given]


def _read_segment(item: Any) -> str:
    for text in (item, getattr(item, "text", None), getattr(item, "page_content", None)):
        if isinstance(text, str):
            return "".join((text,))  # what a subclass says of itself is not asked
    raise SegmentsError(f"it gave no list of strings but a list with {type(item).__name__}")


def find_factory(factory: str) -> Any:
    """Import what ``module:name`` or ``path/to/file.py:name`` names; dots in the name lead on.

    Raises ImportError if there is no such module, file or name, and whatever an imported module
    raises.
    """
    module, _, name = factory.rpartition(":")
    imported = _import_file(Path(module)) if is_file(module) else importlib.import_module(module)
    try:
        return attrgetter(name)(imported)
    except AttributeError:
        raise ImportError(f"{module} has no {name!r}") from None


def is_file(module: str) -> bool:
    """Whether the part of a factory before the last colon names a file, not a module."""
    return module.endswith(".py")


def _import_file(path: Path) -> ModuleType:
    # A name that no import gives, so that it stands in no module's place.
    name = f"_splitter_in_{path.stem.replace('.', '_')}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ImportError(f"there is no file {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickle look there
    spec.loader.exec_module(module)
    return module
