"""Locks: every version that is installed for a splitter, with the digests of its files.

A lock is a requirements file in the folder ``locks``, one for each set of requirements, and is
named after them. It holds for every platform, and for every version of Python that the splitter
runs on: a distribution that only some of them need has a marker. The digests of all files are in
``digests.txt``, once each. `make locks` makes them all again.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

LOCKS = Path(__file__).with_name("locks")
DIGESTS = "digests.txt"


@dataclass(frozen=True, slots=True)
class Lock:
    """What is installed for a set of requirements; each line pins one distribution.

    ``name`` is that of its file, without the suffix.
    """

    name: str
    lines: Sequence[str]

    @property
    def requirements(self) -> list[Requirement]:
        """What it pins, on this platform or another."""
        return [Requirement(line) for line in self.lines]

    @property
    def text(self) -> str:
        """A requirements file that takes only files with the digests that are known."""
        known = _read_digests()
        pinned = zip(self.lines, self.requirements, strict=True)
        return "".join(
            " ".join([line, *(f"--hash={digest}" for digest in known[pin(each)])]) + "\n"
            for line, each in pinned
        )


def find_lock(requirements: Sequence[str]) -> Lock | None:
    """The lock of a splitter's requirements; None if there is none."""
    name = name_lock(requirements)
    place = LOCKS / f"{name}.txt"
    if not requirements or not place.is_file():
        return None
    return Lock(name, _read_lines(place.read_text(encoding="utf-8")))


def name_lock(requirements: Iterable[str]) -> str:
    """The name of the lock of these requirements: agno-3.1.10 is that of agno==3.1.10."""
    return "+".join(requirements).replace("==", "-")


def pin(requirement: Requirement) -> str:
    """A pinned requirement without its marker."""
    return f"{canonicalize_name(requirement.name)}{requirement.specifier}"


def _read_digests() -> dict[str, list[str]]:
    text = (LOCKS / DIGESTS).read_text(encoding="utf-8")
    return {name: digests for name, *digests in map(str.split, _read_lines(text))}


def _read_lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line and not line.startswith("#")]
