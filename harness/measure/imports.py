"""What importing the segmenter costs beside LangChain's splitters, each in fresh processes."""

import os
import sys
import tempfile
from dataclasses import dataclass

import pandas

from harness.report.tables import Column, Spread, Table, show_count
from harness.splitters.probes import weigh_once

MODULES = ("segmenter", "langchain_text_splitters")
ROUNDS = 9
_NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"


@dataclass(frozen=True, slots=True)
class Import:
    """Milliseconds of every round, and how many modules come, those of third parties apart."""

    module: str
    milliseconds: list[float]
    modules: int
    third_party: int


def measure_imports(rounds: int = ROUNDS) -> list[Import]:
    """Import each module in a fresh process, in turns, after one import that fills the caches.

    Raises MeasurementError where a module cannot be imported.
    """
    milliseconds: dict[str, list[float]] = {module: [] for module in MODULES}
    kept = {name: value for name, value in os.environ.items() if name != _NO_BYTECODE}
    with tempfile.TemporaryDirectory() as caches:
        variables = {**kept, "PYTHONPYCACHEPREFIX": caches}
        loaded = {module: weigh_once(None, module, variables)[1] for module in MODULES}
        for number in range(rounds):
            for module in MODULES if number % 2 == 0 else reversed(MODULES):
                milliseconds[module].append(weigh_once(None, module, variables)[0])
    return [
        Import(
            module,
            milliseconds[module],
            len(loaded[module]),
            sum(
                name.split(".")[0] not in {*sys.stdlib_module_names, module}
                for name in loaded[module]
            ),
        )
        for module in MODULES
    ]


def tabulate_imports(imports: list[Import]) -> Table:
    """A row a module."""
    return Table(
        "Import",
        [
            Column("import", numeric=False),
            Column("milliseconds"),
            Column("modules", show_count),
            Column("of third parties", show_count),
        ],
        [
            (
                each.module,
                Spread.of(pandas.Series(each.milliseconds)),
                each.modules,
                each.third_party,
            )
            for each in imports
        ],
        [
            f"Medians of {len(imports[0].milliseconds)} fresh processes in turns, and in brackets "
            "the lowest and the highest; wall time, with compiled bytecode in the file cache. "
            "Modules that Python itself loads at its start are not counted; what is installed "
            "beside LangChain may load more.",
        ],
    )
