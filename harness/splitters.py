"""The splitters that can be measured, as ``splitters.toml`` declares them."""

import difflib
import importlib
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from harness.results import MeasurementError

Split = Callable[[str], list[str]]


class UnknownSplitterError(Exception):
    """A name that no splitter has; the message is one line and suggests near names."""


@dataclass(frozen=True, slots=True)
class Splitter:
    """A declared splitter.

    ``factory`` is ``module:function``; called with a limit and ``options`` it gives a function
    that splits a text. ``requirement`` is what must be installed for it, None where nothing is.
    """

    name: str
    factory: str
    options: Mapping[str, object] = field(default_factory=dict)
    requirement: str | None = None
    description: str = ""

    @property
    def distribution(self) -> str | None:
        """The name of the distribution that ``requirement`` asks for."""
        if self.requirement is None:
            return None
        return re.split(r"[^A-Za-z0-9._-]", self.requirement, maxsplit=1)[0]

    def make(self, max_chunk_length: int) -> Split:
        """Load the splitter for a limit in code points.

        Raises MeasurementError where its package is not installed.
        """
        module, _, function = self.factory.partition(":")
        try:
            factory = getattr(importlib.import_module(module), function)
            split: Split = factory(max_chunk_length, **self.options)
        except ImportError as error:
            remedy = f"python -m pip install '{self.requirement}'" if self.requirement else ""
            message = f"splitter {self.name} cannot be loaded: {error}"
            raise MeasurementError(f"{message}; {remedy}" if remedy else message) from error
        return split


@cache
def _declared() -> Mapping[str, Splitter]:
    text = Path(__file__).with_name("splitters.toml").read_text(encoding="utf-8")
    return {name: Splitter(name, **table) for name, table in tomllib.loads(text).items()}


def names() -> list[str]:
    """The names of all splitters, in the order in which they are declared and run."""
    return list(_declared())


def load_splitter(name: str) -> Splitter:
    """The splitter of that name; raises UnknownSplitterError, which suggests near names."""
    try:
        return _declared()[name]
    except KeyError:
        near = difflib.get_close_matches(name, names(), n=3) or names()
        raise UnknownSplitterError(
            f"no splitter is named {name!r}; did you mean {', '.join(near)}?"
        ) from None
