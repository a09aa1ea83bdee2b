"""Any splitter, and what it makes of a text."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from operator import index, itemgetter
from pathlib import Path
from typing import Any, Protocol, SupportsIndex

from segmenter.rules import Splitting
from segmenter.testing.factories import (
    A_FACTORY,
    FactoryError,
    SegmentsError,
    exhaust,
    extract_segments,
    find_factory,
    find_split,
    make_splitter,
)

#: Called with a limit, makes a splitter for it: a function of a text, or an object with a method
#: ``split_text`` or ``split``. It gives segments: strings, or documents with a ``text`` or
#: ``page_content``, in any iterable.
Factory = Callable[[int], Any]

#: In code points: one that tests use, so that whatever can be tested can be made for it.
_ORDINARY_LIMIT = 20

# Of a message: some quote the whole text.
_SHOWN = 600


class UnusableSplitterError(Exception):
    """What was named makes no splitters; the message is one line."""


class RefusedTextError(Exception):
    """A splitter raised, or gave what are no segments; the message is one line."""


@dataclass(frozen=True)
class Outcome:
    """What a splitter gave: segments, and where they start and end if it says so.

    ``lengths`` are the segments' as the splitter counts them, None if it counts code points.
    """

    segments: tuple[str, ...]
    starts: tuple[int, ...] | None = None
    ends: tuple[int, ...] | None = None
    lengths: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Answer:
    """What a splitter gave for a text.

    ``again`` is what it gave when it was asked again, and what another that was made likewise gave,
    if that was asked for: why there is nothing, if it refused.
    """

    outcome: Outcome
    again: tuple[Outcome | str, ...] = ()


class Ask(Protocol):
    """Gives the answer of a factory's splitter; raises RefusedTextError."""

    def __call__(
        self, factory: Factory, text: str, max_chunk_length: int, *, again: bool
    ) -> Answer:
        """The answer to a text at a limit; with ``again``, those to later calls too."""


def ask(factory: Factory, text: str, max_chunk_length: int, *, again: bool = False) -> Answer:
    """Make a splitter and split the text; with ``again``, once more, and by another one.

    Raises RefusedTextError if the splitter raises, or gives what are no segments.
    """
    splitter = _make(factory, max_chunk_length)
    outcome = _split(splitter, text)
    if not again:
        return Answer(outcome)
    return Answer(
        outcome,
        (
            _refusal_or(lambda: _split(splitter, text)),
            _refusal_or(lambda: _split(_make(factory, max_chunk_length), text)),
        ),
    )


def _refusal_or(split: Callable[[], Outcome]) -> Outcome | str:
    try:
        return split()
    except RefusedTextError as error:
        return str(error)


@dataclass(frozen=True)
class Attempt:
    """One text through one splitter at one limit.

    ``expected`` are the right segments if they are written down, else None.
    """

    text: str
    max_chunk_length: int
    answer: Answer
    expected: tuple[str, ...] | None = None

    @property
    def outcome(self) -> Outcome:
        """What the splitter gave."""
        return self.answer.outcome

    @cached_property
    def joins(self) -> bool:
        """Whether the segments join to the text as they were given.

        Then no order is in doubt, and no place.
        """
        return "".join(self.outcome.segments) == self.text

    @cached_property
    def segments(self) -> tuple[str, ...]:
        """The segments in the order of the text.

        They are as given if they join to it or have no offsets, else in the order of these.
        """
        segments = self.outcome.segments
        return tuple(segments[place] for place in self._places)

    @cached_property
    def lengths(self) -> tuple[int, ...] | None:
        """The length of each of ``segments`` as the splitter counts it, None for code points."""
        lengths = self.outcome.lengths
        return None if lengths is None else tuple(lengths[place] for place in self._places)

    @cached_property
    def _places(self) -> list[int]:
        places = range(len(self.outcome.segments))
        starts = self.outcome.starts
        if starts is None or self.joins:
            return list(places)
        return [place for _, place in sorted(zip(starts, places, strict=True), key=itemgetter(0))]

    @cached_property
    def splitting(self) -> Splitting:
        """The segments in the text, for the rules."""
        return Splitting(self.text, self.segments, self.max_chunk_length)


def split(factory: Factory | str, text: str, max_chunk_length: int) -> list[str]:
    """The segments as a splitter gives them; raises RefusedTextError.

    The factory may be given as `load_factory` takes it.
    """
    if isinstance(factory, str):
        factory = load_factory(factory)
    return list(ask(factory, text, max_chunk_length).outcome.segments)


def _make(factory: Factory, max_chunk_length: int) -> Any:
    with _refusal():
        return make_splitter(factory, max_chunk_length)


@contextmanager
def _refusal() -> Iterator[None]:
    try:
        yield
    except UnusableSplitterError:
        raise
    except BaseException as error:
        # A panic of a splitter written in Rust is no Exception; a test that is skipped is none
        # either.
        refused = isinstance(error, Exception | SystemExit)
        if not refused and type(error).__name__ != "PanicException":
            raise
        raise RefusedTextError(_describe(error)) from error


def _describe(error: BaseException) -> str:
    """The error in one line."""
    message = " ".join(str(error)[:_SHOWN].split())
    if isinstance(error, FactoryError | SegmentsError):  # these speak for themselves
        return message
    return f"{type(error).__name__}: {message}".removesuffix(": ")


def _find_method(splitter: Any, name: str) -> Callable[[str], Any] | None:
    """The method, None if the name is of something else: of a number, say."""
    method = getattr(splitter, name, None)
    return method if callable(method) else None


def _split(splitter: Any, text: str) -> Outcome:
    with _refusal():
        items = exhaust(find_split(splitter)(text))
        segments = tuple(extract_segments(items))
        measure = _find_method(splitter, "length")
        lengths = None if measure is None else tuple(_read_integer(measure(s)) for s in segments)
        ends = None
        if spans := _find_method(splitter, "spans"):
            pairs = [(_read_integer(start), _read_integer(end)) for start, end in spans(text)]
            starts = tuple(start for start, _ in pairs)
            ends = tuple(end for _, end in pairs)
        else:
            found = map(_start_of, items)
            starts = tuple(_read_integer(start) for start in found if start is not None)
        if not starts:
            return Outcome(segments, lengths=lengths)
        if len(starts) != len(segments):
            raise SegmentsError(f"it gave {len(starts)} offsets for {len(segments)} segments")
        return Outcome(segments, starts, ends, lengths)


def _start_of(item: Any) -> Any:
    start = getattr(item, "start_index", None)
    if start is None and isinstance(found := getattr(item, "metadata", None), Mapping):
        start = found.get("start_index")
    return start


def _read_integer(number: Any) -> int:
    if not isinstance(number, SupportsIndex):  # numpy's integers are no int
        raise SegmentsError(f"it gave {type(number).__name__} for an offset or a length")
    return index(number)


@dataclass(frozen=True)
class NamedFactory:
    """A factory by its name; it is imported when it is called, in the process that calls it."""

    path: str

    def __call__(self, max_chunk_length: int) -> Any:
        """The splitter for a limit, as the factory makes it."""
        return self.factory(max_chunk_length)

    @cached_property
    def factory(self) -> Factory:
        """The factory itself; raises UnusableSplitterError."""
        if (here := str(Path.cwd())) not in sys.path:
            sys.path.insert(0, here)
        try:
            factory = find_factory(self.path)
        except (Exception, SystemExit) as error:  # a module may raise anything when it is imported
            raise UnusableSplitterError(
                f"no splitter at {self.path}: {_describe(error)}"
            ) from error
        if not callable(factory):
            raise UnusableSplitterError(
                f"{self.path} is a {type(factory).__name__}, not a factory; {A_FACTORY}"
            )
        found: Factory = factory
        return found


def load_factory(path: str) -> Factory:
    """The factory that ``module:name`` or ``path/to/file.py:name`` names.

    Modules of the working directory are found too. Raises UnusableSplitterError for what is no such
    name, and when it is called, if there is nothing of that name.
    """
    if ":" not in path:
        raise UnusableSplitterError(f"{path} names no factory; write MODULE:FACTORY")
    return NamedFactory(path)


def find_modules(factory: Factory) -> list[str]:
    """Make a splitter, as every test will; return the modules that it and its factory are from.

    Raises UnusableSplitterError if none can be made, for example because what it needs is not
    installed.
    """
    try:
        made = _make(factory, _ORDINARY_LIMIT)
    except RefusedTextError as error:
        raise UnusableSplitterError(
            f"{tell_factory(factory)} makes no splitter: {error}"
        ) from error
    function = factory.factory if isinstance(factory, NamedFactory) else factory
    modules = [*_modules_of(function), *_modules_of(made), *_names_in(function)]
    return list(dict.fromkeys(filter(None, modules)))


def find_versions(modules: Iterable[str]) -> list[str]:
    """The distributions that have the modules, with their versions."""
    providers = metadata.packages_distributions()
    names = dict.fromkeys(
        name for module in modules for name in providers.get(module.split(".")[0], [])
    )
    return [f"{name} {metadata.version(name)}" for name in names]


def tell_factory(factory: Factory) -> str:
    """What to call the factory in a message."""
    return name_factory(factory) or f"{factory!r}"


def name_factory(factory: Factory) -> str | None:
    """The name by which `load_factory` finds the factory, None if it has none."""
    if isinstance(factory, NamedFactory):
        return factory.path
    module = getattr(factory, "__module__", None)
    name = getattr(factory, "__qualname__", None)
    found: Any = sys.modules.get(module or "")
    for part in (name or "").split("."):
        found = getattr(found, part, None)
    return f"{module}:{name}" if found is not None and found is factory else None


def _modules_of(made: Any) -> list[str | None]:
    """Where an object, or what a method is bound to, was defined."""
    bound = getattr(made, "__self__", made)
    return [getattr(made, "__module__", None), type(bound).__module__]


def _names_in(function: Any) -> list[str | None]:
    """The names that a function uses, some of them of modules, and where they are from.

    A splitter written in another language may not say what module it is of.
    """
    names = getattr(getattr(function, "__code__", None), "co_names", ())
    found = [getattr(function, "__globals__", {}).get(name) for name in names]
    return [*names, *(getattr(each, "__name__", None) for each in found)]
