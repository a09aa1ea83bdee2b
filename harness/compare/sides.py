"""The processes of a comparison: each loads the segmenter of one checkout, and no other."""

import contextlib
import os
from collections.abc import Iterator

from harness.compare.checkouts import Checkout
from harness.process import SplitterError, SplitterProcess
from harness.results import MeasurementError
from harness.splitters import Splitter


@contextlib.contextmanager
def start_side(
    checkout: Checkout, *, seed: int = 0, core: int | None = None
) -> Iterator[SplitterProcess]:
    """A process with the checkout's segmenter, until the block ends.

    It sees nothing that a PYTHON variable points to; ``seed`` is that of its hashes, ``core``
    where it runs, None where it may run anywhere. Raises MeasurementError where it fails
    meanwhile.
    """
    splitter = Splitter(
        checkout.name,
        "harness.adapters.checkout:text_segmenter",
        {"folder": str(checkout.folder), "segmenter": checkout.segmenter},
    )
    process = SplitterProcess(splitter, variables=clean_variables(seed))
    try:
        if core is not None:
            process.keep_on_core(core)
        yield process
    except SplitterError as error:
        raise MeasurementError(
            f"{checkout.name}: its segmenter {_HOW.get(error.status, error.status)}: {error.detail}"
        ) from error
    finally:
        process.close()


_HOW = {"unavailable": "cannot be imported", "invalid": "is no text splitter"}


def clean_variables(seed: int) -> dict[str, str]:
    """The environment variables, with those of Python replaced by the seed of its hashes."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**kept, "PYTHONHASHSEED": str(seed), "PYTHONNOUSERSITE": "1"}
