"""Makes a splitter from the words that name its factory. Standard library only: workers use it."""

import importlib
import importlib.util
from collections.abc import Callable, Mapping
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any

Split = Callable[[str], list[str]]


def make_split(factory: str, options: Mapping[str, Any], max_chunk_length: int) -> Split:
    """Call a factory with a limit and options; what it gives splits a text.

    Raises as `find_factory` and `find_split` do, and whatever the factory raises.
    """
    made = find_factory(factory)(max_chunk_length, **options)
    split: Split = find_split(made)
    return split


def find_split(made: Any) -> Any:
    """The function of a text that a splitter is or has: its ``split_text``, its ``split``, else
    itself.

    Raises TypeError for what is no splitter.
    """
    # A str has a split too, but what it splits is itself.
    if not isinstance(made, str | bytes):
        for name in ("split_text", "split"):
            if callable(method := getattr(made, name, None)):
                return method
        if callable(made):
            return made
    raise TypeError(f"the factory gave a {type(made).__name__}, which splits no text")


def find_factory(factory: str) -> Any:
    """Import what ``module:name`` or ``path/to/file.py:name`` names; dots in the name lead on.

    Raises ImportError where there is no such module, file or name, and whatever an imported module
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
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ImportError(f"there is no file {path}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
