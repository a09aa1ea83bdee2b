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

FUNCTIONS = """
import ast, inspect, json, textwrap
from langchain_text_splitters import base, character
recursive, parent = character.RecursiveCharacterTextSplitter, base.TextSplitter
functions = {
    "RecursiveCharacterTextSplitter.__init__": recursive.__init__,
    "TextSplitter.__init__": parent.__init__,
    "split_text": recursive.split_text,
    "_split_text": recursive._split_text,
    "_split_text_with_regex": character._split_text_with_regex,
    "_merge_splits": parent._merge_splits,
    "_join_docs": parent._join_docs,
}
found = {}
for name, function in functions.items():
    node = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    decorators = [ast.unparse(each) for each in node.decorator_list]
    node.decorator_list = []
    found[name] = [ast.unparse(node), decorators]
default = inspect.signature(parent.__init__).parameters["strip_whitespace"].default
print(json.dumps([found, default]))
"""
"""The source of what splits, without comments, formatting and decorators; the latter beside it.
Then the default of ``strip_whitespace``."""

OLD_STRIPPING = """
import inspect, json
from langchain.text_splitter import TextSplitter
join = TextSplitter._join_docs
optional = "strip_whitespace" in inspect.signature(TextSplitter.__init__).parameters
print(json.dumps([".strip()" in inspect.getsource(join), optional]))
"""
"""Whether ``_join_docs`` of the package ``langchain`` strips, and whether that is optional."""

LOADED = """
import json, sys
import langchain_text_splitters
print(json.dumps([name in sys.modules for name in ("tiktoken", "transformers")]))
"""
"""Whether importing the splitters imports tiktoken and transformers."""

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

    ``variables`` are all its environment variables, those of this process where none are given.

    Raises MeasurementError where it fails, or prints something else.
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
