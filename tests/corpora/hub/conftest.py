"""A mirror that the project has of its own."""

from pathlib import Path

import pytest

from tests.corpora.hub.small_mirror import write_mirror


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    root = tmp_path / "mirror"
    write_mirror(root)
    return root
