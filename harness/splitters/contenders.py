"""The splitters of a measurement, each with its virtual environment."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from harness.results.model import Exemption
from harness.splitters.registry import Splitter
from harness.splitters.venvs import Installation, UnavailableError, install


@dataclass(frozen=True, slots=True)
class Contenders:
    """Splitters that can be measured, where each is installed, and why others cannot be installed.

    ``installations`` has one for each of ``splitters``, ``unavailable`` maps names to reasons.
    """

    splitters: Sequence[Splitter]
    installations: Mapping[str, Installation]
    unavailable: Mapping[str, str]


def gather(
    splitters: Iterable[Splitter], progress: Callable[[str], None] | None = None
) -> Contenders:
    """Find or make each splitter's environment; ``progress`` is called with a line for each made.

    A splitter that is given by its factory, without a requirement, belongs to this environment.
    """
    ready: list[Splitter] = []
    installations: dict[str, Installation] = {}
    unavailable: dict[str, str] = {}
    known: dict[tuple[str | None, str | None, bool], Installation | UnavailableError] = {}
    for splitter in splitters:
        wanted = (splitter.requirement, splitter.python, splitter.newest)
        if wanted not in known:
            try:
                known[wanted] = install(splitter, progress=progress)
            except UnavailableError as error:
                known[wanted] = error
        found = known[wanted]
        if isinstance(found, UnavailableError):
            unavailable[splitter.name] = str(found)
        else:
            installations[splitter.name] = found
            ready.append(replace(splitter, interpreter=found.interpreter))
    return Contenders(ready, installations, unavailable)


def list_exemptions(splitters: Iterable[Splitter]) -> list[Exemption]:
    """The rules that cannot be asked of splitters, and why."""
    return [
        Exemption(splitter.name, rule, reason)
        for splitter in splitters
        for rule, reason in splitter.not_applicable.items()
    ]
