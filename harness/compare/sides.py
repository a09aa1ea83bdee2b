"""The processes of a comparison: each loads the segmenter of one checkout, and no other."""

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from harness.compare.checkouts import Checkout
from harness.results.errors import MeasurementError
from harness.runner.process import Loadable, Pass, SplitterError, SplitterProcess
from harness.splitters.registry import Splitter


class Side:
    """A process with the segmenter of a checkout: a SplitterProcess whose failures name it.

    Every method raises MeasurementError if the process fails.
    """

    def __init__(self, checkout: Checkout, process: SplitterProcess) -> None:
        self._checkout = checkout
        self._process = process

    def load(self, max_chunk_length: int) -> None:
        """As SplitterProcess does."""
        with naming_side(self._checkout):
            self._process.load(max_chunk_length)

    def run_pass(self, spool: Path, progress: Callable[[int], None] | None = None) -> Pass:
        """As SplitterProcess does."""
        with naming_side(self._checkout):
            return self._process.run_pass(spool, progress)

    def split(self, spool: Path, into: Path) -> Iterator[list[str]]:
        """As SplitterProcess does, all documents."""
        with naming_side(self._checkout):
            return self._process.split(spool, into)


@contextlib.contextmanager
def start_side(checkout: Checkout) -> Iterator[Side]:
    """A process with the checkout's segmenter, until the block ends."""
    with (
        naming_side(checkout),
        open_clean_process(as_splitter(checkout, checkout.name), seed=0) as process,
    ):
        yield Side(checkout, process)


def as_splitter(checkout: Checkout, name: str) -> Splitter:
    """The checkout's segmenter as a splitter of that name."""
    factory = "harness.splitters.adapters.checkout:checkout_segmenter"
    return Splitter(name, factory, checkout.options)


@contextlib.contextmanager
def open_clean_process(side: Loadable, *, seed: int) -> Iterator[SplitterProcess]:
    """A process of a side that sees nothing to which a PYTHON variable points.

    It ends with the block. ``seed`` is that of its hashes.
    """
    process = SplitterProcess(side, variables=clean_variables(seed))
    try:
        yield process
    finally:
        process.close()


@contextlib.contextmanager
def naming_side(checkout: Checkout) -> Iterator[None]:
    """Raise MeasurementError, which names the checkout, for a SplitterError in the block."""
    try:
        yield
    except SplitterError as error:
        raise describe_failure(checkout, error) from error


def describe_failure(checkout: Checkout, error: SplitterError) -> MeasurementError:
    """What happened to a checkout's segmenter, for who compares it."""
    how = _HOW.get(error.status, error.status)
    return MeasurementError(f"{checkout.name}: its segmenter {how}: {error.detail}")


_HOW = {
    "changed": "does not give the same segments every time",
    "invalid": "is not a text splitter",
    "unavailable": "cannot be imported",
}


def clean_variables(seed: int) -> dict[str, str]:
    """The environment variables without those of Python and git, but for the seed of hashes.

    Nothing is written beside the sources, and a version that asks git asks no hook's.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.upper().startswith(("PYTHON", "GIT_"))
    }
    own = {"PYTHONHASHSEED": str(seed), "PYTHONNOUSERSITE": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    return kept | own
