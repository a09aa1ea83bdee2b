"""What ``pytest --pyargs harness.conformance --splitter mypackage:make`` runs."""

from harness.conformance.suite import SplitterTests


class TestSplitter(SplitterTests):
    """The splitter that the command line names."""
