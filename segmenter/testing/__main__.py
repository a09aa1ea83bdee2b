"""``python -m segmenter.testing --splitter mypackage:make``, with any options of pytest."""

import sys

import pytest

if __name__ == "__main__":
    plugin = ["-p", "segmenter.testing.plugin", "--pyargs", "segmenter.testing"]
    sys.exit(pytest.main([*plugin, *sys.argv[1:]]))
