"""One splitter on one spooled corpus, as a benchmark of pyperf's own runner.

A program, started by :mod:`harness.measure.pyperf_timing`; pyperf starts it again for each of its
processes. A value is the seconds within the splitter's calls of one pass over the corpus. Every
process verifies its segments before its first value.
"""

import argparse
import json
import sys
from functools import cache
from pathlib import Path
from time import perf_counter

import pyperf

from harness.results.errors import one_line
from harness.runner.digest import CorpusDigest
from harness.runner.spool import read_spool
from segmenter.testing.factories import Split, exhaust, make_split, read_segments

_OPTIONS = ("--name", "--factory", "--options", "--max-chunk-length", "--spool", "--digest")


def main() -> None:
    runner = pyperf.Runner(add_cmdline_args=_pass_on)
    for option in _OPTIONS:
        runner.argparser.add_argument(option, required=True)
    runner.argparser.add_argument("--metadata-of-workload", dest="workload", required=True)
    arguments = runner.parse_args()
    runner.metadata.update(json.loads(arguments.workload))
    try:
        runner.bench_time_func(arguments.name, _time_passes, arguments)
    except Exception as error:  # noqa: BLE001  a splitter may raise anything
        sys.exit(one_line(error))


def _pass_on(command: list[str], arguments: argparse.Namespace) -> None:
    for option in _OPTIONS:
        command += [option, getattr(arguments, option[2:].replace("-", "_"))]
    command += ["--metadata-of-workload", arguments.workload]


def _time_passes(loops: int, arguments: argparse.Namespace) -> float:
    split = _load(
        arguments.factory,
        arguments.options,
        int(arguments.max_chunk_length),
        Path(arguments.spool),
        arguments.digest,
    )
    seconds = 0.0
    for _ in range(loops):
        for _, text in read_spool(Path(arguments.spool)):
            began = perf_counter()
            exhaust(split(text))
            seconds += perf_counter() - began
    return seconds


@cache
def _load(factory: str, options: str, max_chunk_length: int, spool: Path, expected: str) -> Split:
    """The splitter, once its segments have the digest that was checked."""
    split = make_split(factory, json.loads(options), max_chunk_length)
    digest = CorpusDigest()
    for document, text in read_spool(spool):
        digest.add(document, read_segments(exhaust(split(text))))
    if digest.hexdigest() != expected:
        sys.exit("its segments are not those that were checked")
    return split


if __name__ == "__main__":
    main()
