"""The pytest plugin that tries text splitters; see `segmenter.testing`.

No installation loads it by itself: what pytest loads everywhere is imported before the modules of
every project, and one with a package of the same name could then not be tested. It is loaded by
``python -m segmenter.testing`` or ``-p segmenter.testing.plugin``. Its options exist only if a
command line names ``segmenter.testing``, or a ``--splitter`` that is not an option of the project.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

_SUITE = "segmenter.testing"

_versions = pytest.StashKey[list[str]]()


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(parser: pytest.Parser, args: list[str]) -> Iterator[None]:
    """Add the options if the command line uses them."""
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
        help="TOML file of violations with reasons; one that does not occur is an error.",
    )
    group.addoption(
        "--time-limit",
        dest="segbench_time_limit",
        type=float,
        default=60.0,
        metavar="SECONDS",
        help="How long a splitter may take for a text (default: 60). With 0 it runs without a "
        "limit in the process of pytest, for debuggers.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse what cannot be tested, before any test runs."""
    path = config.getoption("segbench_splitter", None)
    if path is None and _names_suite(config.args):
        raise pytest.UsageError("say what to test: --splitter MODULE:FACTORY")
    from segmenter.testing import summary

    summary.register(config)
    if path is None or hasattr(config, "workerinput"):  # pytest-xdist asks once for all
        return
    if importlib.util.find_spec("hypothesis") is None:
        raise pytest.UsageError(
            "hypothesis is not installed; run: pip install 'segbench[conformance]'"
        )
    from segmenter.testing.checks import UnknownRuleError, select_rules
    from segmenter.testing.forked import ForkedSplitter
    from segmenter.testing.known import KnownViolationsError, read_known_violations
    from segmenter.testing.trial import UnusableSplitterError, find_versions, load_factory

    time_limit = config.getoption("segbench_time_limit")
    if not 0 <= time_limit < threading.TIMEOUT_MAX:
        raise pytest.UsageError(f"--time-limit is a number of seconds, not {time_limit:g}")
    try:
        select_rules(config.getoption("segbench_rules"))
        if known := config.getoption("segbench_known_violations"):
            read_known_violations(Path(known))
        splitter = ForkedSplitter(load_factory(path), time_limit)
        try:
            config.stash[_versions] = find_versions(splitter.find_modules())
        finally:
            splitter.close()
    except (KnownViolationsError, UnknownRuleError, UnusableSplitterError) as error:
        raise pytest.UsageError(str(error)) from error


def pytest_report_header(config: pytest.Config) -> str | None:
    """Name the splitter, its version and the rules."""
    if _versions not in config.stash:
        return None
    path, rules = config.getoption("segbench_splitter"), config.getoption("segbench_rules")
    versions: list[str] = config.stash[_versions]
    found = ", ".join(versions) or "no installed distribution"
    return f"splitter: {path} ({found}), rules: {rules}"
