"""The processes of a comparison: each loads the segmenter of one checkout, and no other."""

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from harness.compare.checkouts import Checkout
from harness.results.errors import MeasurementError
from harness.runner.process import Pass, SplitterError, SplitterProcess
from harness.splitters.registry import Splitter


class Side:
    """A process with the segmenter of a checkout: a SplitterProcess whose failures name it.

    Every method raises MeasurementError where the process fails.
    """

    def __init__(self, checkout: Checkout, process: SplitterProcess) -> None:
        self._checkout = checkout
        self._process = process

    def load(self, max_chunk_length: int) -> None:
        with _naming(self._checkout):
            self._process.load(max_chunk_length)

    def run_pass(self, spool: Path, progress: Callable[[int], None] | None = None) -> Pass:
        with _naming(self._checkout):
            return self._process.run_pass(spool, progress)

    def split(self, spool: Path, into: Path) -> Iterator[list[str]]:
        with _naming(self._checkout):
            return self._process.split(spool, into)


@contextlib.contextmanager
def start_side(checkout: Checkout, *, seed: int = 0, core: int | None = None) -> Iterator[Side]:
    """A process with the checkout's segmenter, until the block ends.

    It sees nothing that a PYTHON variable points to; ``seed`` is that of its hashes, ``core``
    where it runs, None where it may run anywhere.
    """
    splitter = Splitter(
        checkout.name,
        "harness.splitters.adapters.checkout:text_segmenter",
        checkout.options,
    )
    with _naming(checkout):
        process = SplitterProcess(splitter, variables=clean_variables(seed))
    try:
        if core is not None:
            process.keep_on_core(core)
        yield Side(checkout, process)
    finally:
        process.close()


@contextlib.contextmanager
def _naming(checkout: Checkout) -> Iterator[None]:
    try:
        yield
    except SplitterError as error:
        raise MeasurementError(
            f"{checkout.name}: its segmenter {_HOW.get(error.status, error.status)}: {error.detail}"
        ) from error


_HOW = {"unavailable": "cannot be imported", "invalid": "is no text splitter"}


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
