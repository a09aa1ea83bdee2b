"""What ``python -m segmenter.testing --splitter mypackage:make`` runs."""

import pytest

from segmenter.testing.suite import SplitterTests
from segmenter.testing.trial import Factory, load_factory


@pytest.fixture(scope="module")  # one object, so that all tests ask the same process
def splitter(pytestconfig: pytest.Config) -> Factory:
    """The factory that the command line names."""
    return load_factory(pytestconfig.getoption("segbench_splitter"))


class TestSplitter(SplitterTests):
    """Its tests."""
