"""The pytest plugin that tries text splitters; see `harness.conformance`.

A module of its own name: the plugins of an installation are imported before every test run, and
must not put a package named ``harness`` before another project's. So nothing is imported, and no
option exists, until a command line names ``harness.conformance`` or a ``--splitter``.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

_SIGNS_OF_USE = ("harness.conformance", "--splitter=")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(parser: pytest.Parser, args: list[str]) -> None:
    """Add the options where the command line uses them."""
    if not any(arg == "--splitter" or arg.startswith(_SIGNS_OF_USE) for arg in args):
        return
    group = parser.getgroup("segbench", "conformance of text splitters")
    group.addoption(
        "--splitter",
        metavar="MODULE:FACTORY",
        help="What to test: a function that takes a limit and gives a splitter.",
    )
    group.addoption(
        "--rules",
        metavar="NAMES",
        help="Rules or sets of rules, with commas between: lossless (the default), overlap, "
        "whitespace, reference, join, fits, ...",
    )
    group.addoption(
        "--known-violations",
        metavar="FILE",
        help="TOML file of violations with reasons; an error where one is no violation any more.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse what cannot be tested, before any test runs."""
    if config.getoption("splitter", None) is None:
        if any(arg.startswith("harness.conformance") for arg in config.args):
            raise pytest.UsageError("say what to test: --splitter MODULE:FACTORY")
        return
    if importlib.util.find_spec("hypothesis") is None:
        raise pytest.UsageError(
            "hypothesis is not installed; python -m pip install 'segbench[conformance]'"
        )
    from harness.conformance.cases import load_cases
    from harness.conformance.known import KnownViolationsError, read_known_violations
    from harness.conformance.rules import CHECKS, UnknownRuleError, select_rules
    from harness.conformance.trial import UnusableSplitterError, load_factory

    try:
        select_rules(config.getoption("rules") or "lossless")
        load_factory(config.getoption("splitter"))
        if known := config.getoption("known_violations"):
            read_known_violations(Path(known), CHECKS, load_cases())
    except (KnownViolationsError, UnknownRuleError, UnusableSplitterError) as error:
        raise pytest.UsageError(str(error)) from error


def pytest_report_header(config: pytest.Config) -> str | None:
    """Name the splitter, its version and the rules."""
    path = config.getoption("splitter", None)
    if path is None:
        return None
    from harness.conformance.trial import find_versions, load_factory

    versions = ", ".join(find_versions(load_factory(path))) or "no installed distribution"
    return f"splitter: {path} ({versions}), rules: {config.getoption('rules') or 'lossless'}"


@pytest.fixture
def splitter(pytestconfig: pytest.Config) -> Callable[[int], Any]:
    """The factory of the splitter to test: override it, or name one by ``--splitter``."""
    path = pytestconfig.getoption("splitter", None)
    if path is None:
        raise pytest.UsageError("define a fixture `splitter`, or name one by --splitter")
    from harness.conformance.trial import load_factory

    return load_factory(path)
