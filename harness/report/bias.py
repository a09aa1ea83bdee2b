"""Where the comparison favours whom: ``BIAS.md``, which is part of this package."""

import re
from importlib import resources


def read_bias() -> str:
    """Markdown without its title, whose headings begin at the third level."""
    text = resources.files(__package__).joinpath("BIAS.md").read_text("utf-8").strip()
    without = re.sub(r"\A# .*\n+", "", text)
    return re.sub(r"^#", "##", without, flags=re.MULTILINE)
