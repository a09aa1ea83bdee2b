"""The splitters that can be measured, as ``splitters.toml`` declares them."""

import difflib
import re
import shlex
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from harness.results.errors import MeasurementError
from harness.results.escapes import quote
from harness.results.verdict import IN_HOUSE
from segmenter import SEPARATORS
from segmenter.separators import LISTS
from segmenter.testing.factories import Split as Split
from segmenter.testing.factories import is_file, make_split


class UnknownSplitterError(Exception):
    """A name that no splitter has; the message is one line and suggests near names."""


@dataclass(frozen=True, slots=True)
class Splitter:
    """A declared splitter.

    ``factory`` is ``module:function``, or ``path/to/file.py:function``; called with a limit and
    ``options`` it gives a function that splits a text. ``offsets`` is a like factory of a function
    that gives (segment, start, end) triples; None if the splitter offers no offsets.

    ``requirement`` is what must be installed for it, None if nothing is; several requirements
    stand side by side, as pip takes them. ``python`` are the versions it runs on, None if it
    runs on those that this project runs on. ``newest`` tells whether it is always the newest
    release that ``requirement`` allows, else what a lock pins. ``module`` is what a user of it
    imports.

    ``not_applicable`` maps rules that cannot be asked of it to the reason. ``always`` tells
    whether it is measured if nobody names splitters.

    ``interpreter`` is that of an environment of its own, None for a splitter of this one.
    """

    name: str
    factory: str
    options: Mapping[str, object] = field(default_factory=dict)
    requirement: str | None = None
    python: str | None = None
    newest: bool = False
    module: str | None = None
    offsets: str | None = None
    not_applicable: Mapping[str, str] = field(default_factory=dict)
    always: bool = False
    description: str = ""
    interpreter: str | None = None

    @property
    def requirements(self) -> list[str]:
        """What must be installed, one requirement each, the splitter's own first."""
        return shlex.split(self.requirement or "")

    @property
    def distribution(self) -> str | None:
        """The name of the distribution that ``requirement`` asks for first."""
        if not self.requirements:
            return None
        return re.split(r"[^A-Za-z0-9._-]", self.requirements[0], maxsplit=1)[0]

    def make(self, max_chunk_length: int) -> Split:
        """Load the splitter for a limit in code points, in this process.

        Raises MeasurementError if its package is not installed in this environment.
        """
        try:
            return make_split(self.factory, self.options, max_chunk_length)
        except ImportError as error:
            message = f"splitter {self.name} cannot be loaded: {error}"
            if self.requirements:
                message += f"; run: {shlex.join(['pip', 'install', *self.requirements])}"
            raise MeasurementError(message) from error


@cache
def _declared() -> Mapping[str, Splitter]:
    text = Path(__file__).with_name("splitters.toml").read_text(encoding="utf-8")
    declared = {}
    for name, table in tomllib.loads(text).items():
        variants = table.pop("variants", None)
        if variants is None:
            declared[name] = Splitter(name, **table)
        else:
            for suffix, options in variants.items():
                variant = f"{name}-{suffix}"
                own = {**table, "options": {**table.get("options", {}), **options}}
                declared[variant] = Splitter(variant, **own)
    for name, separators in LISTS.items():
        if separators is not SEPARATORS:
            named = name_with_separators(name)
            declared[named] = replace(
                declared[IN_HOUSE],
                name=named,
                options={"separators": name},
                always=False,
                description=f"the segmenter with its separators for {name}",
            )
    return declared


def name_with_separators(name: str) -> str:
    """The splitter that is the segmenter with a named list of separators."""
    return IN_HOUSE if LISTS[name] is SEPARATORS else f"{IN_HOUSE}-{name}"


def list_splitters() -> list[str]:
    """The names of all splitters, in the order in which they are declared and run."""
    return list(_declared())


def default_names() -> list[str]:
    """The names of the splitters that always run."""
    return [name for name, splitter in _declared().items() if splitter.always]


def _is_path(name: str) -> bool:
    return all(part.isidentifier() for part in name.split("."))


def load_splitter(name: str) -> Splitter:
    """The splitter of that name; or anyone's, by its factory.

    That is ``module:factory`` or ``path/to/file.py:factory``. Raises UnknownSplitterError for any
    other name, which suggests near ones, and for a file that is not there.
    """
    if splitter := _declared().get(name):
        return splitter
    module, colon, factory = name.rpartition(":")
    if is_file(module) and _is_path(factory):
        path = Path(module).absolute()
        if not path.is_file():
            raise UnknownSplitterError(f"{module} is not a file; give an existing one")
        return Splitter(name, f"{path}:{factory}", description="given by its file")
    if colon and _is_path(factory) and _is_path(module):
        if (here := str(Path.cwd())) not in sys.path:
            sys.path.append(here)  # the processes of splitters see what this one sees
        return Splitter(name, name, description="given by its factory")
    if is_file(name):
        raise UnknownSplitterError(f"say which function of {name} makes it: {name}:FUNCTION")
    near = difflib.get_close_matches(name, list_splitters(), n=3) or default_names()
    raise UnknownSplitterError(
        f"no splitter is named {quote(name)}; did you mean {', '.join(near)}?"
    )
