"""Tests for anyone's text splitter.

On the command line, for a function that takes a limit and gives a splitter::

    python -m segmenter.testing --splitter mypackage:make --rules lossless

or in a project's own tests, by a class and a fixture::

    import pytest
    from segmenter.testing import SplitterTests

    class TestMine(SplitterTests):
        @pytest.fixture
        def splitter(self):
            return mypackage.make

A splitter is a function of a text, or has a method ``split``. It gives strings, or documents with
a ``text`` or a ``page_content``. It may say where they start: by a method ``spans``, or by a
``start_index`` of each document. Where its limit counts something else than code points, it has a
method ``length``.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from segmenter.testing.cases import Case, load_cases
    from segmenter.testing.checks import RULE_SETS, NotApplicableError
    from segmenter.testing.judge import RuleBrokenError, check, tell
    from segmenter.testing.strategies import Input, inputs
    from segmenter.testing.suite import SplitterTests
    from segmenter.testing.trial import RefusedTextError, split

__all__ = [
    "RULE_SETS",
    "Case",
    "Input",
    "NotApplicableError",
    "RefusedTextError",
    "RuleBrokenError",
    "SplitterTests",
    "check",
    "inputs",
    "load_cases",
    "split",
    "tell",
]

_homes = {
    "cases": ("Case", "load_cases"),
    "judge": ("RuleBrokenError", "check", "tell"),
    "checks": ("NotApplicableError", "RULE_SETS"),
    "strategies": ("Input", "inputs"),
    "suite": ("SplitterTests",),
    "trial": ("RefusedTextError", "split"),
}


def __getattr__(name: str) -> object:
    # Vectors are written without pytest, cases are read without hypothesis.
    for home, names in _homes.items():
        if name in names:
            from importlib import import_module

            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
