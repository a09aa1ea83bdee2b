"""The program whose instructions are counted: passes of a checkout's segmenter over some spools.

``workload.py OPTIONS LIMIT SPOOL ...``: OPTIONS are those of a Checkout, as JSON; for each pair of
a limit and a spool there are a pass to warm up and PASSES more, with a call of a C function that
nothing else calls before and after these. Standard library only, and none of it that is not needed.
"""

import gc
import importlib.machinery
import importlib.util
import json
import os
import sys
from pathlib import Path

PASSES = 3  # the first one is a little luckier, or less so, with where memory is found


def main(options: str, *tasks: str) -> None:
    """Run the passes over each limit and spool."""
    # As in the worker: this harness, and nothing that is installed beside it.
    spec = importlib.machinery.ModuleSpec("harness", None, is_package=True)
    spec.submodule_search_locations = [str(Path(__file__).parents[1])]
    sys.modules["harness"] = importlib.util.module_from_spec(spec)
    from harness.runner.spool import read_spool
    from harness.splitters.adapters.checkout import checkout_segmenter

    mark = (
        os.getpgid
    )  # before a version is loaded; the C function of that name is called by it alone
    for limit, spool in zip(tasks[::2], tasks[1::2], strict=True):
        split = checkout_segmenter(int(limit), **json.loads(options))
        texts = [text for _, text in read_spool(Path(spool))]
        for text in texts:
            split(text)
        gc.collect()
        mark(0)
        for _ in range(PASSES):
            for text in texts:
                split(text)
        mark(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
