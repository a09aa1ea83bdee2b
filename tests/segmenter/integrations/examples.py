"""The examples of docs/integrations.md, for libraries that are not installed with the others."""

import os
import re
from pathlib import Path

ROOT = Path(__file__).parents[3]


def run_examples(heading: str) -> None:
    """Run the Python under one heading, and raise what it raises."""
    page = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
    (section,) = re.findall(rf"^## {heading}\n(.*?)(?=^## |\Z)", page, re.M | re.S)
    blocks = re.findall(r"^```python\n(.*?)^```", section, re.M | re.S)
    assert blocks
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        for block in blocks:
            exec(compile(block, heading, "exec"), {"__name__": "example"})
    finally:
        os.chdir(before)
