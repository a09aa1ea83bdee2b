from pathlib import Path

import pytest

SHARED = Path(__file__).parents[2] / ".." / "shared"


@pytest.fixture
def shared() -> Path:
    """The folder of real documents and cases that may lie beside the checkout."""
    if not SHARED.is_dir():
        pytest.skip("no ../shared beside this checkout")
    return SHARED.resolve()
