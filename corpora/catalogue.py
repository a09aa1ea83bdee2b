"""What is known about each corpus before it is read."""

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources


@dataclass(frozen=True, slots=True)
class Entry:
    """One table of ``catalogue.toml``, which explains the fields.

    ``repository`` is empty for the corpora that need no data set; ``documents`` is None if the
    number differs from one installation to the next.
    """

    name: str
    description: str
    licence: str
    documents: int | None = None
    digest: str | None = None
    repository: str = ""
    revisions: tuple[str, ...] = ()
    config: str | None = None
    splits: tuple[str, ...] = ()
    builder: str = ""
    files: tuple[str, ...] = ()
    url: str | None = None
    streamed: bool = False
    id: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    questions: tuple[str, ...] = ()


@functools.cache
def read_catalogue() -> Mapping[str, Entry]:
    """Every corpus known by name, in the order of the file."""
    text = resources.files(__package__).joinpath("catalogue.toml").read_text(encoding="utf-8")
    return {name: _entry(name, table) for name, table in tomllib.loads(text).items()}


def _entry(name: str, table: dict[str, object]) -> Entry:
    values = {
        key: tuple(value) if isinstance(value, list) else value for key, value in table.items()
    }
    return Entry(name, **values)  # type: ignore[arg-type]
