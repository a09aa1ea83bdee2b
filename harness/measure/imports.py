"""What importing a splitter costs, and what its installation weighs."""

import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version

from harness.results.errors import MeasurementError
from harness.results.model import Import
from harness.splitters.contenders import Contenders
from harness.splitters.probes import weigh_once

_ROUNDS = 3
_NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"


@dataclass(frozen=True, slots=True)
class Weight:
    """What it costs to import a module: milliseconds, one per fresh process, and its modules."""

    milliseconds: list[float] = field(default_factory=list)
    modules: list[str] = field(default_factory=list)


def measure_imports(contenders: Contenders, rounds: int = _ROUNDS) -> list[Import]:
    """Weigh what users of each splitter import; once if several share it and its installation.

    What cannot be imported has no milliseconds and no modules.
    """
    asked = {
        (splitter.interpreter, splitter.module): splitter
        for splitter in reversed(contenders.splitters)
        if splitter.module
    }
    asked = dict(reversed(asked.items()))
    found = []
    for key, weight in zip(asked, weigh_imports(list(asked), rounds), strict=True):
        splitter = asked[key]
        _, module = key
        own = {*sys.stdlib_module_names, module.partition(".")[0]}
        installation = contenders.installations[splitter.name]
        distribution = splitter.distribution or "segbench"
        release = installation.versions.get(distribution) or version(distribution)
        found.append(
            Import(
                f"{module} ({distribution} {release})",
                weight.milliseconds,
                len(weight.modules),
                third_party=sum(each.partition(".")[0] not in own for each in weight.modules),
                packages=len(installation.versions) or None,
                bytes=installation.size or None,
            )
        )
    return found


def weigh_imports(asked: Sequence[tuple[str | None, str]], rounds: int = _ROUNDS) -> list[Weight]:
    """Import each module, given with its interpreter, in fresh processes, in turns.

    A first import, which fills the caches, does not count. What cannot be imported weighs nothing.
    """
    weights = [Weight() for _ in asked]
    variables = {name: value for name, value in os.environ.items() if name != _NO_BYTECODE}
    with tempfile.TemporaryDirectory(prefix="segbench-") as caches:
        variables["PYTHONPYCACHEPREFIX"] = caches
        turns = list(zip(asked, weights, strict=True))
        for number in range(1 + rounds):
            for (interpreter, module), weight in turns if number % 2 == 0 else reversed(turns):
                try:
                    milliseconds, modules = weigh_once(interpreter, module, variables)
                except MeasurementError:
                    continue
                if number == 0:
                    weight.modules[:] = modules
                else:
                    weight.milliseconds.append(milliseconds)
    return weights
