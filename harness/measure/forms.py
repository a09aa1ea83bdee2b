"""The two forms of the segmenter: pure Python, and compiled from the same source."""

import hashlib
import importlib.util
import sys
from pathlib import Path

import segmenter
from harness.results.errors import MeasurementError
from segmenter import TextSegmenter

SOURCE = Path(segmenter.__file__).with_name("text_segmenter.py")


def describe_form() -> str:
    """Which form ``import segmenter`` gives here: ``compiled`` or ``pure Python``.

    Raises MeasurementError where the compiled form was built from another source than the one
    beside it: figures of such a build would be told of code that is not the one measured.
    """
    if not segmenter.COMPILED:
        return "pure Python"
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


def make_pure(max_chunk_length: int) -> TextSegmenter:
    """The segmenter of the source, as a factory of splitters."""
    return load_pure()(max_chunk_length)


def load_pure() -> type[TextSegmenter]:
    """The TextSegmenter of the source, even where ``import segmenter`` gives the compiled one."""
    spec = importlib.util.spec_from_file_location("pure_text_segmenter", SOURCE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    pure: type[TextSegmenter] = module.TextSegmenter
    return pure
