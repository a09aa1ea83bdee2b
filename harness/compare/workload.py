"""The program whose instructions are counted: so many passes of a checkout's segmenter.

``workload.py OPTIONS SPOOL LIMIT...``: a pass over the spool for each limit, in their order;
OPTIONS are those of a Checkout, as JSON. Standard library only, and none of it that is not needed.
"""

import importlib.machinery
import importlib.util
import json
import sys
from pathlib import Path


def main(options: str, spool: str, *limits: str) -> None:
    # As in the worker: this harness, and nothing that is installed beside it.
    spec = importlib.machinery.ModuleSpec("harness", None, is_package=True)
    spec.submodule_search_locations = [str(Path(__file__).parents[1])]
    sys.modules["harness"] = importlib.util.module_from_spec(spec)
    from harness.runner.spool import read_spool
    from harness.splitters.adapters.checkout import text_segmenter

    texts = [text for _, text in read_spool(Path(spool))]
    for limit in limits:
        split = text_segmenter(int(limit), **json.loads(options))
        for text in texts:
            split(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
