"""Any splitter, and what it makes of a text."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from operator import index, itemgetter
from pathlib import Path
from typing import Any, SupportsIndex

from segmenter.rules import Splitting
from segmenter.testing.factories import find_factory, find_split

#: Called with a limit, makes a splitter for it. That is a function of a text, or has a method
#: ``split``. It gives segments: strings, or documents with a ``text`` or ``page_content``.
Factory = Callable[[int], Any]

#: In code points: one that tests use, so that whatever can be tested can be made for it.
_ORDINARY_LIMIT = 20


class UnusableSplitterError(Exception):
    """What was named makes no splitters; the message is one line."""


class RefusedTextError(Exception):
    """A splitter raised, or gave what are no segments; the message is one line."""


@dataclass(frozen=True)
class Outcome:
    """What a splitter gave: segments, and where they start and end where it says so."""

    segments: tuple[str, ...]
    starts: tuple[int, ...] | None = None
    ends: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Trial:
    """One text through one splitter at one limit.

    ``expected`` are the right segments where they are written down, else None. ``measure`` gives
    a segment's length as the splitter counts it, None where it counts code points.
    """

    text: str
    max_chunk_length: int
    outcome: Outcome
    again: Callable[[], Iterator[Outcome]]
    measure: Callable[[str], int] | None
    expected: tuple[str, ...] | None

    @cached_property
    def joins(self) -> bool:
        """Whether the segments join to the text as they were given; so no order is in doubt, and
        no place."""
        return "".join(self.outcome.segments) == self.text

    @cached_property
    def segments(self) -> tuple[str, ...]:
        """The segments in the order of the text: as given where they join to it or have no
        offsets, else in the order of these."""
        segments, starts = self.outcome.segments, self.outcome.starts
        if starts is None or self.joins:
            return segments
        placed = sorted(zip(starts, segments, strict=True), key=itemgetter(0))
        return tuple(segment for _, segment in placed)

    @cached_property
    def splitting(self) -> Splitting:
        return Splitting(self.text, self.segments, self.max_chunk_length)


def try_splitter(
    factory: Factory,
    text: str,
    max_chunk_length: int,
    expected: tuple[str, ...] | None = None,
) -> Trial:
    """Make a splitter and split the text.

    Raises RefusedTextError where the splitter raises, or gives what are no segments.
    """
    splitter = _make(factory, max_chunk_length)

    def split_again() -> Iterator[Outcome]:
        yield _split(splitter, text)
        yield _split(_make(factory, max_chunk_length), text)

    outcome = _split(splitter, text)
    measure = _find_method(splitter, "length")
    return Trial(text, max_chunk_length, outcome, split_again, measure, expected)


def split(factory: Factory | str, text: str, max_chunk_length: int) -> list[str]:
    """The segments as a splitter gives them; raises RefusedTextError.

    The factory may be given as `load_factory` takes it.
    """
    if isinstance(factory, str):
        factory = load_factory(factory)
    return list(_split(_make(factory, max_chunk_length), text).segments)


def _make(factory: Factory, max_chunk_length: int) -> Any:
    with _refusal():
        return factory(max_chunk_length)


@contextmanager
def _refusal() -> Iterator[None]:
    try:
        yield
    except BaseException as error:
        # A panic of a splitter written in Rust is no Exception; a test that is skipped is none
        # either.
        refused = isinstance(error, Exception | SystemExit)
        if not refused and type(error).__name__ != "PanicException":
            raise
        raise RefusedTextError(_describe(error)) from error


def _describe(error: BaseException) -> str:
    """The error in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}".removesuffix(": ")


def _find_method(splitter: Any, name: str) -> Callable[[str], Any] | None:
    """The method, None where the name is of something else: of a number, say."""
    method = getattr(splitter, name, None)
    return method if callable(method) else None


def _split(splitter: Any, text: str) -> Outcome:
    with _refusal():
        given = find_split(splitter)(text)
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise TypeError(f"a {type(given).__name__} is no list of segments")
        items = list(given)
        segments = tuple(map(_text_of, items))
        ends = None
        if spans := _find_method(splitter, "spans"):
            pairs = [(_read_offset(start), _read_offset(end)) for start, end in spans(text)]
            starts = tuple(start for start, _ in pairs)
            ends = tuple(end for _, end in pairs)
        else:
            found = map(_start_of, items)
            starts = tuple(_read_offset(start) for start in found if start is not None)
        if not starts:
            return Outcome(segments)
        if len(starts) != len(segments):
            raise TypeError(f"{len(starts)} offsets for {len(segments)} segments")
        return Outcome(segments, starts, ends)


def _text_of(item: Any) -> str:
    for text in (item, getattr(item, "text", None), getattr(item, "page_content", None)):
        if isinstance(text, str):
            return text
    raise TypeError(f"a {type(item).__name__} is no segment")


def _start_of(item: Any) -> Any:
    start = getattr(item, "start_index", None)
    if start is None and isinstance(found := getattr(item, "metadata", None), Mapping):
        start = found.get("start_index")
    return start


def _read_offset(offset: Any) -> int:
    if not isinstance(offset, SupportsIndex):  # numpy's integers are no int
        raise TypeError(f"a {type(offset).__name__} is no offset")
    return index(offset)


@dataclass(frozen=True)
class _NamedFactory:
    """A factory that remembers under what name it was found."""

    path: str
    function: Factory

    def __call__(self, max_chunk_length: int) -> Any:
        return self.function(max_chunk_length)


def load_factory(path: str) -> Factory:
    """The factory that ``module:name`` or ``path/to/file.py:name`` names.

    Modules of the working directory are found too. Raises UnusableSplitterError.
    """
    if ":" not in path:
        raise UnusableSplitterError(f"{path} names no factory; write MODULE:FACTORY")
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)
    try:
        factory = find_factory(path)
    except (Exception, SystemExit) as error:  # a module may raise anything when it is imported
        raise UnusableSplitterError(f"no splitter at {path}: {_describe(error)}") from error
    if not callable(factory):
        raise UnusableSplitterError(f"{path} is a {type(factory).__name__}, not a factory")
    return _NamedFactory(path, factory)


def try_factory(factory: Factory) -> None:
    """Make a splitter, as every test will; raises UnusableSplitterError where none can be made,
    as where what it needs is not installed."""
    try:
        _make(factory, _ORDINARY_LIMIT)
    except RefusedTextError as error:
        name = name_factory(factory) or f"{factory!r}"
        raise UnusableSplitterError(f"{name} makes no splitter: {error}") from error


def name_factory(factory: Factory) -> str | None:
    """The name by which `load_factory` finds the factory, None where it has none."""
    if isinstance(factory, _NamedFactory):
        return factory.path
    module = getattr(factory, "__module__", None)
    name = getattr(factory, "__qualname__", None)
    found: Any = sys.modules.get(module or "")
    for part in (name or "").split("."):
        found = getattr(found, part, None)
    return f"{module}:{name}" if found is not None and found is factory else None


def find_versions(factory: Factory) -> list[str]:
    """The distributions that the factory, and the splitter that it makes, come from, with their
    versions."""
    try:
        made = _make(factory, _ORDINARY_LIMIT)
    except RefusedTextError:  # the tests will say so
        made = None
    function = factory.function if isinstance(factory, _NamedFactory) else factory
    modules = [*_modules_of(function), *_modules_of(made), *_names_in(function)]
    providers = metadata.packages_distributions()
    names = dict.fromkeys(
        name for module in modules if module for name in providers.get(module.split(".")[0], [])
    )
    return [f"{name} {metadata.version(name)}" for name in names]


def _modules_of(made: Any) -> list[str | None]:
    """Where an object, or what a method is bound to, was defined."""
    bound = getattr(made, "__self__", made)
    return [getattr(made, "__module__", None), type(bound).__module__]


def _names_in(function: Any) -> list[str | None]:
    """The names that a function uses, some of them of modules, and where what they name is from:
    a splitter written in another language may not say what module it is of."""
    names = getattr(getattr(function, "__code__", None), "co_names", ())
    found = [getattr(function, "__globals__", {}).get(name) for name in names]
    return [*names, *(getattr(each, "__name__", None) for each in found)]
