"""Questions to the Python of an environment, each answered by a short program in it."""

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.results.errors import MeasurementError
from harness.runner.programs import ProgramError, last_line, run_program

_TIMEOUT = 180.0  # seconds

DISTRIBUTIONS = """
import importlib.metadata, json
found = {}
for each in importlib.metadata.distributions():
    size = 0
    for file in each.files or ():
        try:
            if file.suffix != ".pyc":
                size += file.locate().stat().st_size
        except OSError:
            pass
    found[each.name] = [each.version, size, each.requires or []]
print(json.dumps(found))
"""
"""Every distribution's version, size in bytes, and what it requires."""


_WEIGH = """
import json, sys, time
before = set(sys.modules)
began = time.perf_counter()
import {module}
seconds = time.perf_counter() - began
print(json.dumps([seconds * 1e3, sorted(set(sys.modules) - before)]))
"""


def weigh_once(
    interpreter: str | None, module: str, variables: Mapping[str, str] | None = None
) -> tuple[float, list[str]]:
    """The milliseconds of an import in a fresh process, and the modules that come with it.

    Raises as `ask` does.
    """
    milliseconds, modules = run_probe(interpreter, _WEIGH.format(module=module), variables)
    return milliseconds, modules


def run_probe(
    interpreter: str | None, program: str, variables: Mapping[str, str] | None = None
) -> Any:
    """What a program prints last, as JSON; ``interpreter`` is None for this environment.

    ``variables`` are all its environment variables, those of this process if none are given.

    Raises MeasurementError if it fails, or prints something else.
    """
    environment = dict(os.environ if variables is None else variables)
    environment.pop("PYTHONPATH", None)
    if interpreter is None:
        environment["PYTHONPATH"] = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
    command = [interpreter or sys.executable, "-P", "-c", program]
    try:
        done = run_program(command, timeout=_TIMEOUT, variables=environment)
    except ProgramError as error:
        raise MeasurementError(f"the virtual environment gave no answer: {error}") from error
    if done.status:
        said = last_line(done.errors.splitlines()) or done.reason
        raise MeasurementError(f"the virtual environment gave no answer: {said}")
    try:
        return json.loads(done.output.splitlines()[-1])
    except (IndexError, ValueError) as error:
        raise MeasurementError("the virtual environment gave no answer: it printed none") from error
