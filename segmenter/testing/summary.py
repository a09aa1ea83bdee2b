"""What pytest prints of broken rules: each rule once, with the smallest text.

The suite puts this plugin into the process that collects it. Where others run the tests, as those
of pytest-xdist, the process that prints has it by ``-p segmenter.testing.plugin``.
"""

import shutil
import sys
import textwrap
from collections.abc import Generator
from operator import itemgetter
from typing import Any

import pytest

_MARK = "segbench_broken_rule"

# Of what a splitter printed.
_LINES = 5


def register(config: pytest.Config) -> None:
    """Have what is printed summarized."""
    plugin = sys.modules[__name__]
    if not config.pluginmanager.is_registered(plugin):
        config.pluginmanager.register(plugin, __name__)


def mark(failure: BaseException, rule: str, case: str, length: int) -> BaseException:
    """The same failure, of a rule on a case whose text has that length."""
    # Of plain types: reports travel between processes.
    setattr(failure, _MARK, [rule, case, length])
    return failure


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keep the mark of the failure."""
    report = yield
    found = getattr(call.excinfo and call.excinfo.value, _MARK, None)
    if found is not None and report.failed:  # not of one that is known
        setattr(report, _MARK, found)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: Any) -> Generator[None, None, None]:
    """Print every other failure as always, then the rules that are broken."""
    failed = terminalreporter.stats.get("failed", [])
    broken = [report for report in failed if hasattr(report, _MARK)]
    if not broken:
        return (yield)
    terminalreporter.stats["failed"] = [report for report in failed if not hasattr(report, _MARK)]
    try:
        result = yield
    finally:
        terminalreporter.stats["failed"] = failed
    _write(terminalreporter, broken)
    return result


def _write(terminal: Any, broken: list[pytest.TestReport]) -> None:
    groups: dict[tuple[str, str], list[tuple[int, str, pytest.TestReport]]] = {}
    for report in broken:
        rule, case, length = getattr(report, _MARK)
        suite = report.nodeid.rpartition("::")[0]
        groups.setdefault((suite, rule), []).append((length, case, report))
    for found in groups.values():
        found.sort(key=itemgetter(0))
    terminal.write_sep("=", "BROKEN RULES, the smallest text of each", red=True, bold=True)
    for (suite, rule), found in sorted(groups.items(), key=lambda group: group[1][0][0]):
        texts = "1 text" if len(found) == 1 else f"{len(found)} texts"
        terminal.write_sep("_", f"{suite.rpartition('::')[2]}: {rule}, on {texts}", red=True)
        _, _, smallest = found[0]
        terminal.write_line(str(smallest.longrepr))
        for printed in (smallest.capstdout, smallest.capstderr):
            for line in printed.splitlines()[-_LINES:]:
                terminal.write_line(f"{'printed:':<11}{line}")
        if others := ", ".join(case for _, case, _ in found[1:]):
            width = max(60, shutil.get_terminal_size().columns)
            for line in textwrap.wrap(
                f"{'also on:':<11}{others}",
                width,
                subsequent_indent=" " * 11,
                break_on_hyphens=False,
            ):
                terminal.write_line(line)
