"""The pytest plugin that tries text splitters; see `segmenter.testing`.

No installation loads it by itself: what pytest loads everywhere is imported before the modules of
every project, and one with a package of the same name could not be tested any more. It is loaded by
``python -m segmenter.testing`` or ``-p segmenter.testing.plugin``. Its options exist only if a
command line names ``segmenter.testing``, or a ``--splitter`` that is no option of the project.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

_SUITE = "segmenter.testing"


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(parser: pytest.Parser, args: list[str]) -> Iterator[None]:
    """Add the options where the command line uses them."""
    result = yield
    # Now the project has its own options: a --splitter that is none of them is ours.
    known, unknown = parser.parse_known_and_unknown_args(args)
    if _names_suite(known.file_or_dir) or _has_splitter(unknown):
        try:
            _add_options(parser)
        except argparse.ArgumentError as error:
            raise pytest.UsageError(
                f"{error.argument_name} is an option of this project already; "
                f"run {_SUITE} from another folder"
            ) from error
    return result


def _names_suite(places: Sequence[str]) -> bool:
    return any(re.match(rf"{re.escape(_SUITE)}(\W|$)", place) for place in places)


def _has_splitter(args: Sequence[str]) -> bool:
    return any(arg.partition("=")[0] == "--splitter" for arg in args)


def _add_options(parser: pytest.Parser) -> None:
    # Destinations of their own: what a project names alike is not read in place of them.
    group = parser.getgroup("segbench", "conformance of text splitters")
    group.addoption(
        "--splitter",
        dest="segbench_splitter",
        metavar="MODULE:FACTORY",
        help="What to test: a function that takes a limit and gives a splitter.",
    )
    group.addoption(
        "--rules",
        dest="segbench_rules",
        default="lossless",
        metavar="NAMES",
        help="Rules or sets of rules, with commas between: lossless (the default), overlap, "
        "whitespace, reference, join, fits, ...",
    )
    group.addoption(
        "--known-violations",
        dest="segbench_known_violations",
        metavar="FILE",
        help="TOML file of violations with reasons; an error where one is no violation any more.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse what cannot be tested, before any test runs."""
    path = config.getoption("segbench_splitter", None)
    if path is None:
        if _names_suite(config.args):
            raise pytest.UsageError("say what to test: --splitter MODULE:FACTORY")
        return
    if importlib.util.find_spec("hypothesis") is None:
        raise pytest.UsageError(
            "hypothesis is not installed; python -m pip install 'segbench[conformance]'"
        )
    from segmenter.testing.known import KnownViolationsError, read_known_violations
    from segmenter.testing.rules import UnknownRuleError, select_rules
    from segmenter.testing.trial import UnusableSplitterError, load_factory, try_factory

    try:
        select_rules(config.getoption("segbench_rules"))
        try_factory(load_factory(path))
        if known := config.getoption("segbench_known_violations"):
            read_known_violations(Path(known))
    except (KnownViolationsError, UnknownRuleError, UnusableSplitterError) as error:
        raise pytest.UsageError(str(error)) from error


def pytest_report_header(config: pytest.Config) -> str | None:
    """Name the splitter, its version and the rules."""
    path = config.getoption("segbench_splitter", None)
    if path is None:
        return None
    from segmenter.testing.trial import find_versions, load_factory

    versions = ", ".join(find_versions(load_factory(path))) or "no installed distribution"
    rules = config.getoption("segbench_rules")
    return f"splitter: {path} ({versions}), rules: {rules}"


@pytest.fixture
def splitter(pytestconfig: pytest.Config) -> Callable[[int], Any]:
    """The factory of the splitter to test: override it, or name one by ``--splitter``."""
    path = pytestconfig.getoption("segbench_splitter", None)
    if path is None:
        raise pytest.UsageError("define a fixture `splitter`, or name one by --splitter")
    from segmenter.testing.trial import load_factory

    return load_factory(path)
