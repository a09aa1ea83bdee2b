"""What ``python -m segmenter.testing --splitter mypackage:make`` runs."""

from segmenter.testing.suite import SplitterTests


class TestSplitter(SplitterTests):
    """The splitter that the command line names."""
