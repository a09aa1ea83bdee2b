"""The TextSegmenter of a checkout, wherever this runs and whatever is installed.

Standard library only: it runs in the workers that a comparison starts.
"""

import importlib
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType


def text_segmenter(
    max_chunk_length: int, *, folder: str, segmenter: str
) -> Callable[[str], list[str]]:
    """``split`` of the TextSegmenter that the checkout ``folder`` has.

    ``segmenter`` is the package or the module that has it, as a path below ``folder``. Its
    sources are loaded, not what was compiled from them: one side of a comparison may be built and
    the other not. Raises ImportError where it is not there, or where any part of it came from
    elsewhere; and whatever it raises itself.
    """
    path = Path(folder, segmenter).resolve()
    if not path.exists():
        raise ImportError(f"there is no {segmenter} in {folder}")
    if not any(isinstance(finder, _CheckoutFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _CheckoutFinder(path))
    loaded = importlib.import_module(path.stem)
    for name, module in list(sys.modules.items()):
        place = getattr(module, "__file__", None)
        if name.partition(".")[0] == path.stem and (
            place is None or not Path(place).resolve().is_relative_to(path)
        ):
            raise ImportError(f"{name} came from {place}, not from {path}")
    split: Callable[[str], list[str]] = loaded.TextSegmenter(max_chunk_length).split
    return split


class _CheckoutFinder:
    """Finds one top-level module and what is in it, and nothing else, below one folder."""

    def __init__(self, path: Path) -> None:
        self._module = path.stem
        self._folder = str(path.parent)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: object = None
    ) -> ModuleSpec | None:
        if name.partition(".")[0] != self._module:
            return None
        for folder in [self._folder] if path is None else path:
            spec = FileFinder(folder, (_SourceLoader, SOURCE_SUFFIXES)).find_spec(name)
            if spec is not None and spec.loader is not None:
                return spec
        raise ModuleNotFoundError(f"No module named {name!r} below {self._folder}", name=name)


class _SourceLoader(SourceFileLoader):
    """Reads the source always: bytecode beside it may be older, and is not ours to write."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)
