"""Takes the README's picture of the reference report: ``python -m harness.report.picture``.

Needs the ``development`` extra and a Chromium.
"""

import shutil
import sys
from pathlib import Path

from harness.results.errors import MeasurementError
from harness.results.folder import REPORT_PAGE

PICTURE = "report.png"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Root has no sandbox, and a page of one file needs none.
BROWSER_OPTIONS = ("--no-sandbox", "--disable-quic", "--disable-gpu")

_ROOT = Path(__file__).parents[2]


def find_browser() -> str:
    """The path of a Chromium; raises MeasurementError if there is none."""
    for name in BROWSERS:
        if path := shutil.which(name):
            return path
    raise MeasurementError("no Chromium was found; install it: apt-get install chromium")


def take_picture(page: Path, picture: Path) -> None:
    """A PNG of how a report begins, down to the end of the viewer, on a wide screen.

    Raises MeasurementError without such a report, or without a browser.
    """
    from playwright.sync_api import sync_playwright  # a development extra

    if not page.exists():
        raise MeasurementError(f"{page} does not exist; make a run first")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_browser(), args=list(BROWSER_OPTIONS)
        )
        tab = browser.new_page(viewport={"width": 1280, "height": 1200}, color_scheme="light")
        tab.goto(page.resolve().as_uri())
        height = tab.evaluate("document.querySelector('#text').getBoundingClientRect().bottom")
        tab.screenshot(
            path=picture,
            full_page=True,
            clip={"x": 0, "y": 0, "width": 1280, "height": height},
        )
        browser.close()


if __name__ == "__main__":
    folder = _ROOT / "reports" / "reference"
    try:
        take_picture(folder / REPORT_PAGE, folder / PICTURE)
    except MeasurementError as error:
        sys.exit(f"segbench: {error}")
