"""Documents to measure on: where they come from, and how their text is built."""

import difflib
import os
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, TypedDict, Unpack

from corpora import loaders, selection
from corpora.catalogue import Entry, read_catalogue
from corpora.document import Corpus, CorpusDigest, CorpusError, Document, Part, RequestError
from corpora.hub import named, public
from corpora.hub.fetching import FetchProgress
from corpora.hub.location import find_here
from corpora.hub.preparation import prepare
from corpora.hub.records import Record
from corpora.loaders import from_langchain
from corpora.local import builtin, files, places, synthetic
from corpora.local.files import Choice
from corpora.local.tables import SUFFIX_LIST as TABLES
from corpora.summary import Summary, summarize
from corpora.timeout import TIMEOUT
from corpora.wording import quote_name

__all__ = [
    "TIMEOUT",
    "Corpus",
    "CorpusDigest",
    "CorpusError",
    "Document",
    "Entry",
    "FetchProgress",
    "Options",
    "Part",
    "Presence",
    "Record",
    "RequestError",
    "Summary",
    "entries",
    "find",
    "from_langchain",
    "load",
    "load_all",
    "load_suite",
    "names",
    "prepare",
    "suites",
    "summarize",
]


def entries() -> tuple[Entry, ...]:
    """What is known about every named corpus, in the catalogue's order."""
    return tuple(read_catalogue().values())


def names() -> list[str]:
    """The corpora that ``load`` knows by name, in the catalogue's order."""
    return list(read_catalogue())


_PURPOSES = {
    "--encoding": "it is for files of your own that are not Parquet",
    "--exclude": "it is for folders of your own",
    "--include": "it is for folders of your own",
    "--mirror": "it is for the data sets that `segbench list corpora` names",
    "--text-column": f"it is for files of rows, which end in {TABLES}",
}


class Options(TypedDict, total=False):
    """What ``load_all`` takes beside the names."""

    mirror: Path | None
    first: int | None
    sample: int | None
    seed: int | None
    encoding: str | None
    text_column: str | None
    include: Sequence[str]
    exclude: Sequence[str]
    timeout: float
    progress: FetchProgress | None


def load(name: str, **options: Unpack[Options]) -> Corpus:
    """The corpus that ``name`` stands for, of which nothing is read yet.

    The options are those of ``load_all``. Raises RequestError for a name that stands for nothing
    and for options that make no sense or do not apply to it, CorpusError if the corpus is not
    there and cannot be fetched.
    """
    (corpus,) = load_all([name], **options)
    return corpus


def load_all(
    names: Iterable[str],
    *,
    mirror: Path | None = None,
    first: int | None = None,
    sample: int | None = None,
    seed: int | None = None,
    encoding: str | None = None,
    text_column: str | None = None,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    timeout: float = TIMEOUT,
    progress: FetchProgress | None = None,
) -> list[Corpus]:
    """The corpora that ``names`` stand for.

    A name is one of ``names()``; or ``hf:OWNER/NAME[@REVISION][:CONFIG][/SPLIT]#COLUMN``, a data
    set of the hub; or the path of a file or a folder, or its URL, as fsspec opens it, for which
    ``encoding`` and ``text_column`` count, and the patterns ``include`` and ``exclude``; or
    ``path/to/file.py:function`` or ``module:function``, a function that returns a LangChain loader,
    documents or strings. A named corpus is read from ``mirror``, a folder laid out
    ``OWNER/NAME/...`` that holds data sets or parts of them, if it is given; else from the Hugging
    Face cache or the hub, and may be fetched into the cache now, of which ``progress`` is told.

    ``first`` takes so many documents of each from the beginning; ``sample`` takes that many by
    chance, the same for the same ``seed``, 0 by default. ``timeout`` is how many seconds may pass
    without progress.

    Raises as ``load`` does; an option must apply to one of the corpora at least.
    """
    if first is not None and sample is not None:
        raise RequestError("give the first documents or a sample, not both")
    if seed is not None and sample is None:
        raise RequestError("a seed chooses the documents of a sample; give --sample too")
    if any(number is not None and number <= 0 for number in (first, sample, timeout)):
        raise RequestError("a number of documents, or of seconds, must be positive")
    choice = Choice(encoding, text_column, include, exclude)
    chosen = []
    unused = choice.given | ({"--mirror"} if mirror else set())
    for name in names:
        corpus, applied = _load(name, mirror, choice, timeout, progress)
        unused -= applied
        if first is not None:
            corpus = selection.take_first(corpus, first)
        elif sample is not None:
            corpus = selection.take_sample(corpus, sample, seed or 0)
        chosen.append(corpus)
    if unused:
        option = min(unused)
        raise RequestError(f"{option} applies to no corpus here; {_PURPOSES[option]}")
    return chosen


def _load(
    name: str,
    mirror: Path | None,
    choice: Choice,
    timeout: float,
    progress: FetchProgress | None,
) -> tuple[Corpus, frozenset[str]]:
    """The corpus, and the options that apply to it."""
    if name.startswith(public.PREFIX) and not places.is_url(name):
        return public.load_public(name, timeout), frozenset()
    if entry := read_catalogue().get(name):
        if entry.repository:
            corpus = named.load_data_set(entry, mirror, timeout=timeout, progress=progress)
        else:
            module = {"builtin": builtin, "synthetic": synthetic}[name]
            corpus = Corpus(name, module.read, module.ORIGIN)
        if os.path.lexists(name):
            corpus.notes += (f"{name} is the corpus of that name; the path is ./{name}",)
        return corpus, frozenset({"--mirror"} if entry.repository else ())
    if places.is_url(name):
        return files.load_files(name, choice, timeout)
    if loaders.is_function(name) and not os.path.lexists(name):
        return loaders.load_function(name, timeout), frozenset()
    if name and (os.path.lexists(name) or set(name) & set("./\\")):
        return files.load_files(name, choice, timeout)
    raise RequestError(
        f"no corpus, file or folder is named {quote_name(name)}; {_suggest(name, names())}"
    )


def suites() -> dict[str, str]:
    """The declared samples over several corpora, by name, and what they are."""
    return {name: table["description"] for name, table in _read_suites().items()}


def load_suite(
    name: str,
    *,
    mirror: Path | None = None,
    timeout: float = TIMEOUT,
    progress: FetchProgress | None = None,
) -> list[Corpus]:
    """The corpora of a suite, each a sample of itself; the arguments are those of ``load``.

    Raises RequestError for an unknown suite, and whatever ``load`` raises.
    """
    table = _read_suites().get(name)
    if table is None:
        raise RequestError(
            f"no suite is named {quote_name(name)}; {_suggest(name, _read_suites())}"
        )
    return [
        load(
            corpus,
            sample=documents,
            seed=table["seed"],
            mirror=mirror,
            timeout=timeout,
            progress=progress,
        )
        for corpus, documents in table["documents"].items()
    ]


def _read_suites() -> dict[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("suites.toml").read_text("utf-8"))


@dataclass(frozen=True, slots=True)
class Presence:
    """A named corpus, and whether it is here.

    ``source`` is where it would come from, ``place`` where it is now: "installed", the mirror,
    "cache", or None. ``summary`` is what it comes to there, None if nobody has measured it.
    ``notes`` tell what is missing of it there.
    """

    entry: Entry
    source: str
    place: str | None
    summary: Summary | None
    notes: Sequence[str] = ()


def find(name: str, *, mirror: Path | None = None, measure: bool = False) -> Presence:
    """Where a named corpus is, without the network.

    What it comes to is known if `segbench prepare` has recorded it; with ``measure`` all of it
    is read. Raises RequestError for an unknown name, CorpusError for one that cannot be read.
    """
    entry = read_catalogue().get(name)
    if entry is None:
        raise RequestError(f"no corpus is named {quote_name(name)}; {_suggest(name, names())}")
    if not entry.repository:
        corpus = load(name)
        return Presence(entry, corpus.origin, "installed", summarize(corpus))
    source = entry.url or f"hf://datasets/{entry.repository}@{entry.revisions[0]}"
    try:
        location = find_here(entry, mirror)
    except RequestError:
        raise
    except (CorpusError, ImportError):  # nothing of it, or no library that could read it
        location = None
    if location is None:
        return Presence(entry, source, None, None)
    summary = location.record.summary if location.record else None
    if measure:
        summary = summarize(named.open_corpus(entry, location))
    place = str(mirror) if mirror else "cache"
    return Presence(entry, source, place, summary, location.missing)


def _suggest(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name.lower(), known)
    return f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}"
