"""Documents as other libraries load them: LangChain's loaders, and functions of the user's own."""

import importlib
import importlib.util
import sys
import traceback
from collections.abc import Callable, Coroutine, Generator, Iterable, Iterator, Mapping
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from corpora.document import Corpus, CorpusError, Document, RequestError
from corpora.timeout import Sign, watch
from corpora.wording import decode_name, one_line

if TYPE_CHECKING:
    from langchain_core.document_loaders import BaseLoader

_GRAMMAR = "path/to/file.py:FUNCTION or MODULE:FUNCTION"
_EXPECTED = (
    "it must take no argument, and return a LangChain loader, or strings or documents to iterate "
    "over"
)
# What LangChain, Haystack and LlamaIndex call the same, in their documents and their metadata.
_TEXTS = ("page_content", "content", "text")
_METADATA = ("metadata", "meta")
_SOURCES = ("source", "file_path", "url")
_PAGES = ("page", "page_number", "page_label")

Make = Callable[[], Any]


def from_langchain(loader: "BaseLoader", name: str | None = None) -> Corpus:
    """A corpus of what a LangChain document loader loads, lazily, again at each iteration.

    A document's id is the loader's own if it gives one, else its metadata's ``source``, with
    ``#page=3`` after it if the metadata has a ``page``, else ``document``. If an id comes again,
    the second gets ``#2``, and so on. ``name`` is the loader's class by default. Iterating raises
    CorpusError for whatever the loader raises, and for a document whose content is not a string.

    ``Corpus.as_langchain`` is the way back.
    """
    name = name or type(loader).__name__
    origin = f"{type(loader).__module__}.{type(loader).__qualname__}"
    return Corpus(name, lambda: _read(name, lambda: loader), origin)


def is_function(name: str) -> bool:
    """Whether a name has the form ``path/to/file.py:function`` or ``module:function``."""
    module, colon, function = name.rpartition(":")
    return bool(colon) and _is_dotted(function) and (_is_file(module) or _is_dotted(module))


def load_function(name: str, timeout: float) -> Corpus:
    """A corpus of what a function gives, which is called again for each iteration.

    It takes no argument and returns a LangChain loader, or an iterable of strings or of documents
    of LangChain, Haystack, LlamaIndex or this package. Ids are made as in `from_langchain`; since
    Haystack gives every document an id that is a digest, there the metadata comes first. Raises
    RequestError if the function does not exist. Iterating raises CorpusError for whatever the
    function raises, for anything else that it gives, and if nothing arrives for ``timeout``
    seconds.
    """
    shown = decode_name(name)
    function = _find(name)

    def read() -> Iterator[Document]:
        def source(give_sign: Sign) -> Generator[Document, None, None]:
            yield from _read(shown, function)

        try:
            yield from watch(source, timeout)
        except TimeoutError as error:
            raise CorpusError(
                f"{shown} cannot be read: {error}; give it more time, such as --timeout 600"
            ) from None

    note = f"{shown} loads its texts on this machine, so others cannot rebuild them from its name"
    return Corpus(shown, read, f"what {shown} loads", (note,))


def _read(name: str, make: Make) -> Iterator[Document]:
    given: set[str] = set()
    items = _iterate(name, make)
    while True:
        try:
            item = next(items)
        except StopIteration:
            return
        except CorpusError:
            raise
        except (Exception, SystemExit) as error:
            unsuitable = isinstance(error, TypeError) and not given
            cause = f"{_describe(error)}; {_EXPECTED if unsuitable else 'fix the loader'}"
            count = f"{len(given)} document{'' if len(given) == 1 else 's'}"
            raise CorpusError(f"{name} failed after {count}: {cause}") from error
        text = _find_text(item)
        if text is None:
            raise CorpusError(
                f"{name}: document {len(given) + 1}, of type {type(item).__name__}, has no text; "
                "give strings, or documents whose content is a string"
            )
        wanted = _name(item)
        identifier = wanted
        number = 1
        while identifier in given:
            number += 1
            identifier = f"{wanted}#{number}"
        given.add(identifier)
        yield Document(identifier, text)


def _iterate(name: str, make: Make) -> Iterator[Any]:
    made = make()
    if hasattr(made, "lazy_load") and not isinstance(made, type):
        made = made.lazy_load()
    if isinstance(made, str | bytes | Mapping) or not isinstance(made, Iterable):
        if isinstance(made, Coroutine):
            made.close()  # else Python complains that nobody waited for it
        raise CorpusError(f"{name} returned {type(made).__name__}; {_EXPECTED}")
    yield from made


def _find_text(item: Any) -> str | None:
    if isinstance(item, str):
        return str.__str__(item)
    for name in _TEXTS:
        if hasattr(item, name):
            text = getattr(item, name)
            return str.__str__(text) if isinstance(text, str) else None
    return None


def _name(item: Any) -> str:
    metadata = next((getattr(item, each) for each in _METADATA if hasattr(item, each)), None) or {}
    source = next((metadata[key] for key in _SOURCES if metadata.get(key)), None)
    page = next((metadata[key] for key in _PAGES if metadata.get(key) is not None), None)
    if source is not None and page is not None:
        source = f"{source}#page={page}"
    own = getattr(item, "id", None)
    wanted = (source or own) if hasattr(item, "meta") else (own or source)
    return str(wanted or "document")


def _describe(error: BaseException) -> str:
    """What was raised, and on which line, in one line."""
    described = f"{type(error).__name__}: {one_line(error)}"
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename != __file__ and "importlib" not in frame.filename
    ]
    if not frames:
        return described
    return f"{described} ({decode_name(frames[-1].filename)}, line {frames[-1].lineno})"


def _find(name: str) -> Make:
    module, _, function = name.rpartition(":")
    if _is_file(module) and not Path(module).is_file():
        raise RequestError(f"{decode_name(module)} is not a file; give an existing one")
    folder = str(Path(module).absolute().parent) if _is_file(module) else str(Path.cwd())
    if folder not in sys.path:
        sys.path.append(folder)  # as a program that is run there finds what is beside it
    try:
        imported = (
            _import_file(Path(module)) if _is_file(module) else importlib.import_module(module)
        )
    except (Exception, SystemExit) as error:
        if isinstance(error, ModuleNotFoundError) and error.name == module.split(".")[0]:
            raise RequestError(
                f"no module is named {module}; as a corpus, {decode_name(name)} names a function: "
                f"{_GRAMMAR}"
            ) from None
        raise CorpusError(
            f"{decode_name(module)} cannot be imported: {_describe(error)}; fix it, or install "
            "what it needs"
        ) from error
    try:
        found = attrgetter(function)(imported)
    except AttributeError:
        raise RequestError(
            f"{decode_name(module)} has no {function}; name a function of it"
        ) from None
    if not callable(found):
        raise RequestError(
            f"{function} of {decode_name(module)} is a {type(found).__name__}, not a function; "
            f"{_EXPECTED}"
        )
    make: Make = found
    return make


def _import_file(path: Path) -> ModuleType:
    # A name that no import gives, so that it stands in no module's place.
    name = f"_corpus_in_{path.stem.replace('.', '_')}"
    spec = importlib.util.spec_from_file_location(name, path.absolute())
    assert spec is not None  # its name ends in .py
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickle look there
    spec.loader.exec_module(module)
    return module


def _is_file(module: str) -> bool:
    return module.endswith(".py")


def _is_dotted(name: str) -> bool:
    return all(part.isidentifier() for part in name.split("."))
