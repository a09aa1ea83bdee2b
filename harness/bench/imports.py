"""What importing the segmenter costs beside LangChain's splitters, each in fresh processes."""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pandas

from harness.report.tables import Column, Spread, Table, show_count
from harness.results import MeasurementError

MODULES = ("segmenter", "langchain_text_splitters")
ROUNDS = 9
_NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"
# Prints the seconds, and which modules came.
_PROGRAM = """
import json, sys, time
before = set(sys.modules)
began = time.perf_counter()
import {module}
seconds = time.perf_counter() - began
print(json.dumps([seconds, sorted(set(sys.modules) - before)]))
"""


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
    with tempfile.TemporaryDirectory() as caches:
        loaded = {module: _import(module, caches)[1] for module in MODULES}
        for number in range(rounds):
            for module in MODULES if number % 2 == 0 else reversed(MODULES):
                milliseconds[module].append(_import(module, caches)[0] * 1e3)
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


def _import(module: str, caches: str) -> tuple[float, list[str]]:
    environment = {name: value for name, value in os.environ.items() if name != _NO_BYTECODE}
    environment["PYTHONPATH"] = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
    environment["PYTHONPYCACHEPREFIX"] = caches
    run = subprocess.run(
        [sys.executable, "-P", "-c", _PROGRAM.format(module=module)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        said = run.stderr.strip().rpartition("\n")[2]
        raise MeasurementError(f"{module} cannot be imported: {said}")
    seconds, modules = json.loads(run.stdout.splitlines()[-1])
    return seconds, modules


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
