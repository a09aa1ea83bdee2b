"""The two forms of the segmenter: pure Python, and compiled from the same source."""

import hashlib
import sys
from pathlib import Path

import segmenter
from harness.results.errors import MeasurementError
from harness.splitters.adapters.segmenter import SOURCE
from harness.splitters.registry import Splitter

PURE = "pure Python"
_ADAPTERS = "harness.splitters.adapters.segmenter"


def describe_form() -> str:
    """Which form ``import segmenter`` gives here: ``compiled`` or ``pure Python``.

    Raises MeasurementError if the compiled form was built from another source than the one
    beside it: figures of such a build would be told of code that is not the one measured.
    """
    if not segmenter.COMPILED:
        return PURE
    digest = hashlib.sha256(SOURCE.read_bytes()).hexdigest().encode()
    for name, module in list(sys.modules.items()):
        if not name.startswith("segmenter.text_segmenter"):
            continue
        built = Path(str(module.__file__))
        if digest not in built.read_bytes():  # setup.py puts it there
            raise MeasurementError(
                f"{built} was not built from {SOURCE.name} as it is now; "
                "run make compile, or delete it"
            )
    return "compiled"


def list_forms() -> list[Splitter]:
    """The forms that are here, as splitters."""
    forms = [Splitter(PURE, f"{_ADAPTERS}:pure_text_segmenter")]
    if segmenter.COMPILED:
        forms.append(Splitter("compiled", f"{_ADAPTERS}:text_segmenter"))
    return forms
