"""A browser for the tests of pages, git for those of repositories, signals as a terminal gives."""

import os
import signal
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from harness.report.picture import BROWSER_OPTIONS, find_browser
from harness.results.errors import MeasurementError
from harness.runner.counting import find_valgrind

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def pytest_configure() -> None:
    """Ignored signals are inherited: ``nohup`` and a shell's ``&`` would reach what is tested."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(scope="session")
def browser() -> "Iterator[Browser]":
    """A Chromium without a network. Where there is none the tests are skipped, but not in CI."""
    try:
        path = find_browser()
    except MeasurementError as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))
    playwright = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=list(BROWSER_OPTIONS))
        yield browser
        browser.close()


@pytest.fixture
def plain_git(monkeypatch: pytest.MonkeyPatch) -> None:
    """Git as it is without the user's configuration, and outside of any hook."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture
def valgrind() -> str:
    """Where valgrind is installed; else the test is skipped."""
    found = find_valgrind()
    if found is None:
        pytest.skip("valgrind is not installed")
    return found
