import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed: make integrations")
from tests.segmenter.integrations.examples import run_examples


def test_the_example_in_the_docs_holds():
    run_examples("Spark")
