"""Describes where and on what a run is made: machine, versions, commit, texts."""

import importlib.metadata
import os
import platform
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType

import pyperf

from corpora import Corpus
from harness.measure.forms import describe_form
from harness.measure.git import describe_commit
from harness.results.model import Environment, Installed, Texts
from harness.results.verdict import IN_HOUSE
from harness.splitters.registry import Splitter
from harness.splitters.venvs import Installation

_ROOMS = ("harness", "segmenter", "corpora")  # what the commit is that of

# What takes part in a measurement beside the splitters: it reads the documents and the clock.
_MEASURED_WITH = ("segbench", "datasets", "pyarrow", "pyperf")


def describe_environment(
    command: str,
    splitters: Iterable[Splitter],
    installations: Mapping[str, Installation] | None = None,
) -> Environment:
    """The environment of a run that starts now; ``finished`` is still empty.

    ``command`` is what was typed; ``splitters`` those whose versions matter, ``installations``
    where they are, by their names. Raises MeasurementError if the compiled form of the segmenter
    is not that of its source.
    """
    folder = Path(__file__).parents[2]
    splitters = list(splitters)
    described = describe_commit(folder, *(folder / room for room in _ROOMS))
    return Environment(
        command=command,
        versions=_find_versions(splitters, installations or {}),
        python=f"{platform.python_implementation()} {platform.python_version()}",
        platform=platform.platform(),
        cpu=_name_cpu(),
        cpu_count=os.cpu_count() or 1,
        commit=described.commit,
        dirty=described.dirty,
        commit_error=described.error,
        started=now(),
        finished="",
        installed=_list_installed(splitters, installations or {}),
    )


def describe_texts(
    corpora: Iterable[Corpus], in_parts: Mapping[str, str] = MappingProxyType({})
) -> list[Texts]:
    """What corpora held; those that were not read to their ends are left out.

    One that was not read as a whole has the digest of its documents' digests, as ``in_parts`` has
    it. It is marked, since it is another one than that of the whole.
    """
    texts = []
    for each in corpora:
        digest = each.digest
        if digest is None and each.name in in_parts:
            digest = f"documents:{in_parts[each.name]}"
        if digest is not None:
            texts.append(Texts(each.name, digest, each.origin, "\n".join(each.notes)))
    return texts


def now() -> str:
    """The time in UTC, to the second, as ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _find_versions(
    splitters: Iterable[Splitter], installations: Mapping[str, Installation]
) -> dict[str, str]:
    named: list[str | None] = [*_MEASURED_WITH]
    elsewhere = {}
    measured = set()
    for splitter in splitters:
        measured.add(splitter.name)
        installation = installations.get(splitter.name)
        if installation is None or installation.interpreter is None:
            named.append(splitter.distribution)
        elif splitter.distribution:
            release = installation.versions.get(splitter.distribution, "?")
            other = installation.python != platform.python_version()
            on = f" on Python {installation.python}" if other else ""
            elsewhere[splitter.name] = f"{splitter.distribution} {release}{on}"
    versions = {IN_HOUSE: describe_form()} if IN_HOUSE in measured else {}
    for distribution in dict.fromkeys(name for name in named if name):
        try:
            versions[distribution] = importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            continue
    return versions | elsewhere


def _list_installed(
    splitters: Iterable[Splitter], installations: Mapping[str, Installation]
) -> list[Installed]:
    """What splitters run with, once for each virtual environment; the run's own is the first."""
    found: dict[str, Installed] = {}
    for splitter in splitters:
        there = installations.get(splitter.name)
        if there is None:
            continue
        held = found.get(there.interpreter or "")
        found[there.interpreter or ""] = Installed(
            [*(held.splitters if held else ()), splitter.name],
            there.python,
            there.lock,
            there.made,
            {**(held.versions if held else {}), **there.versions},
        )
    return [found[key] for key in sorted(found, key=bool)]


def _name_cpu() -> str:
    metadata = pyperf.Run([1.0]).get_metadata()
    return str(metadata.get("cpu_model_name") or platform.processor() or platform.machine())
