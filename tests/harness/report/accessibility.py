"""What keeps people out of a page."""

from typing import Any

import pytest


def expect_accessible(page: Any, width: int) -> None:
    """Axe finds no fault that matters, and nothing lies beyond the window's edge."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page.locator("details").evaluate_all("all => all.forEach(one => one.open = true)")
    faults = [
        (fault["id"], [node["html"] for node in fault["nodes"]][:3])
        for fault in axe.Axe().run(page).response["violations"]
        if fault["impact"] in ("moderate", "serious", "critical")
    ]
    assert not faults
    assert page.evaluate("document.documentElement.scrollWidth") <= width
