"""The TextSegmenter of a checkout, wherever this runs and whatever is installed.

Standard library only: it runs in the workers that a comparison starts.
"""

import importlib
import site
import sys
import sysconfig
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, ModuleSpec, SourceFileLoader
from operator import attrgetter
from pathlib import Path
from types import CodeType, FunctionType

# What the worker needs later must not be looked for among the modules of the checkout.
import harness.runner.digest
import harness.runner.spool  # noqa: F401


def checkout_segmenter(
    max_chunk_length: int,
    *,
    folder: str,
    root: str,
    module: str,
    attribute: str,
    own: Sequence[str],
    repositories: Sequence[str],
    twins: Mapping[str, str],
) -> Callable[[str], list[str]]:
    """``split`` of the TextSegmenter that the checkout ``folder`` has.

    ``root`` is the folder in it from which modules are imported, ``module`` and ``attribute``
    name the TextSegmenter, ``own`` the top-level modules of ``root`` that may be imported, all of
    them if none is named. ``repositories`` and ``twins`` are those of Checkout. Sources are
    loaded, not what was compiled from them: one side of a comparison may be built and the other
    not. Raises ImportError if the TextSegmenter is not there, or if any part of it came from
    elsewhere; and whatever it raises itself.
    """
    place = Path(folder, root).resolve()
    finder = next((each for each in sys.meta_path if isinstance(each, _CheckoutFinder)), None)
    if finder is None:
        origins = _Origins(Path(folder).resolve(), repositories, twins)
        finder = _CheckoutFinder(place, own, origins, before=set(sys.modules))
        sys.meta_path.insert(0, finder)
    loaded = importlib.import_module(module)
    found = attrgetter(attribute)(loaded)
    finder.expect_own(module, found)
    split: Callable[[str], list[str]] = found(max_chunk_length).split
    finder.expect_own(module, found)  # of what was imported just now
    return split


class _Origins:
    """Tells where a module may come from."""

    def __init__(self, folder: Path, repositories: Sequence[str], twins: Mapping[str, str]) -> None:
        # The innermost folder that has a file decides.
        self._allowed = {Path(each).resolve(): False for each in repositories}
        self._allowed |= {each.resolve(): True for each in _list_installed()}
        self._allowed[folder] = True
        self._twins = twins
        self._folder = folder

    def has(self, place: str) -> bool:
        """Whether a file or a folder is the checkout's."""
        return self._find(Path(place).resolve()) == self._folder

    def expect_allowed(self, name: str, file: str | None) -> None:
        """Raises ImportError for a module of the repository that is not the checkout's."""
        if not file or self.has(file):
            return
        twin = self._twins.get(name.partition(".")[0])
        if twin is not None:
            raise ImportError(
                f"{name} came from {file}, not from {twin} of this version; name the folder from "
                "which both are imported: --segmenter FOLDER:MODULE:ATTRIBUTE"
            )
        within = self._find(Path(file).resolve())
        if within is not None and not self._allowed[within]:
            raise ImportError(f"{name} came from {file}, which is not of this version")

    def _find(self, file: Path) -> Path | None:
        return next((each for each in (file, *file.parents) if each in self._allowed), None)


def _list_installed() -> list[Path]:
    """The folders of the interpreter's modules, which may lie in a repository."""
    paths = sysconfig.get_paths()
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    return [Path(each) for each in (*(paths[name] for name in names), *site.getsitepackages())]


class _CheckoutFinder:
    """Finds the modules of a checkout in one folder, and refuses those that only look like it."""

    def __init__(
        self, place: Path, own: Sequence[str], origins: _Origins, before: set[str]
    ) -> None:
        self._place = str(place)
        self._own = own
        self._origins = origins
        self._before = before

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: object = None
    ) -> ModuleSpec | None:
        top = name.partition(".")[0]
        if top in sys.stdlib_module_names:
            return None
        bare = None  # a folder without __init__.py: a package, if nothing else has that name
        if top in self._own or not self._own:
            for folder in [self._place] if path is None else filter(self._origins.has, path):
                spec = _find_source(name, folder)
                if spec is not None and (spec.loader is not None or top in self._own):
                    return spec
                bare = bare or spec
            if top in self._own:
                raise ModuleNotFoundError(
                    f"No module named {name!r} below {self._place}", name=name
                )
        for finder in sys.meta_path:
            found = None if finder is self else finder.find_spec(name, path, target)  # type: ignore[arg-type]
            if found is not None and found.loader is None and bare is not None:
                break
            if found is not None:
                return self._check(name, found)
        return bare

    def _check(self, name: str, spec: ModuleSpec) -> ModuleSpec:
        if not spec.has_location or spec.origin is None:
            return spec
        self._origins.expect_allowed(name, spec.origin)
        if not self._origins.has(spec.origin):
            return spec
        file = Path(spec.origin)
        package = spec.submodule_search_locations is not None
        return _find_source(name, str(file.parents[1] if package else file.parent)) or spec

    def expect_own(self, module: str, found: object) -> None:
        """Raise ImportError if ``found``, or anything imported with it, is another version's."""
        home = getattr(found, "__module__", None) if isinstance(found, (type, FunctionType)) else ""
        for name, loaded in list(sys.modules.items()):
            file = getattr(loaded, "__file__", None)
            top = name.partition(".")[0]
            if top in (self._own or [module.partition(".")[0]]):
                places = [file] if file else list(getattr(loaded, "__path__", ()))
                if not places or not all(self._is_own(top, place) for place in places):
                    raise ImportError(f"{name} came from {file}, not from {self._place}")
            elif name not in self._before:
                self._origins.expect_allowed(name, file)
            if name == home and not (file and self._origins.has(file)):
                raise ImportError(
                    f"{found!r} came from {file}, which is not of this version: both versions "
                    "would be measured with the same code"
                )

    def _is_own(self, top: str, place: str) -> bool:
        module = Path(self._place, top)
        below = Path(place).is_relative_to(module) or Path(place) == module.with_name(f"{top}.py")
        return below and self._origins.has(place)


def _find_source(name: str, folder: str) -> ModuleSpec | None:
    return FileFinder(folder, (_SourceLoader, SOURCE_SUFFIXES)).find_spec(name)


class _SourceLoader(SourceFileLoader):
    """Reads the source always: bytecode beside it may be older, and is not ours to write."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)
