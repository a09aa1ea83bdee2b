"""Times workloads through pyperf's own runner, for those who want its process model.

pyperf starts process after process for one benchmark, and only then goes on to the next: values
of two splitters were not taken in turns, and drift of the machine is not taken out of their ratio.
"""

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import pyperf

from corpora import Corpus
from harness.report.tables import Column, Table, show_count, show_digits
from harness.results.atomic import open_replacing
from harness.results.errors import MeasurementError
from harness.results.model import Count, Failure
from harness.runner.programs import ProgramError, describe_end, last_line, run_program
from harness.runner.spool import write_spool
from harness.splitters.registry import Splitter

FILE = "pyperf.json"

# What a process needs to import and load the same as this one. Nothing else is inherited, the
# seed of hashes least of all: pyperf's processes are many so that each has its own.
_INHERITED = (
    "PYTHONPATH",
    "PYTHONSAFEPATH",
    "PYTHONNOUSERSITE",
    "PYTHONUSERBASE",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "HF_HOME",
    "HF_HUB_OFFLINE",
)
_PROGRAM = Path(__file__).with_name("pyperf_program.py")


@dataclass(frozen=True, slots=True)
class PyperfResult:
    """The benchmarks, one a workload that was timed, and the workloads that could not be."""

    benchmarks: list[pyperf.Benchmark] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)


def time_with_pyperf(
    corpora: Iterable[Corpus],
    splitters: Sequence[Splitter],
    counts: Sequence[Count],
    *,
    processes: int,
    begin: Callable[[str], None] = lambda _: None,
) -> PyperfResult:
    """Time every workload that has a count, each in ``processes`` processes of pyperf.

    ``begin`` is told each workload. Raises CorpusError where a corpus cannot be read.
    """
    result = PyperfResult()
    declared = {splitter.name: splitter for splitter in splitters}
    with tempfile.TemporaryDirectory(prefix="segbench-") as place:
        for corpus in corpora:
            spool = Path(place, "spool")
            write_spool(spool, ((document.id, document.text) for document in corpus))
            for count in counts:
                if count.workload.corpus != corpus.name:
                    continue
                begin(str(count.workload))
                output = Path(place, "output")
                splitter = declared[count.workload.splitter]
                detail = _run_benchmark(splitter, count, spool, output, processes)
                if detail:
                    result.failures.append(Failure(count.workload, "failed", detail))
                else:
                    suite = pyperf.BenchmarkSuite.load(str(output))
                    result.benchmarks.extend(suite.get_benchmarks())
                    output.unlink()
    return result


def _run_benchmark(
    splitter: Splitter, count: Count, spool: Path, output: Path, processes: int
) -> str:
    """Let pyperf write one benchmark; returns why it could not, in one line."""
    if splitter.interpreter:
        return "pyperf times splitters of this environment only"
    command = [
        sys.executable,
        str(_PROGRAM),
        *("--name", str(count.workload)),
        *("--factory", splitter.factory),
        *("--options", json.dumps(dict(splitter.options))),
        *("--max-chunk-length", str(count.workload.max_chunk_length)),
        *("--spool", str(spool)),
        *("--digest", count.digest),
        *("--metadata-of-workload", json.dumps(_describe(count))),
        *("--inherit-environ", ",".join(_INHERITED)),
        *("--processes", str(processes)),
        *("--output", str(output)),
        "--quiet",
    ]
    try:
        done = run_program(command, timeout=None, variables=_list_variables())
    except ProgramError as error:
        return str(error)
    if done.status == 0 and output.exists():
        return ""
    # The last line is of the process that started the others; before it, what one of these said.
    said = [line for line in done.errors.splitlines() if line.strip()]
    return last_line(said[-2:][:1]) or f"pyperf {describe_end(done.status)}"


def _list_variables() -> Mapping[str, str]:
    path = os.pathsep.join(each or str(Path.cwd()) for each in sys.path)
    # The program's own folder is no place to import from.
    return {**os.environ, "PYTHONPATH": path, "PYTHONSAFEPATH": "1"}


def _describe(count: Count) -> dict[str, object]:
    return {
        **asdict(count.workload),
        "code_points": count.code_points,
        "digest": count.digest,
    }


def write_benchmarks(path: Path, result: PyperfResult) -> None:
    """Write a pyperf file. Raises MeasurementError where nothing was timed."""
    if not result.benchmarks:
        raise MeasurementError(
            "pyperf timed nothing: "
            + "; ".join(f"{f.workload}: {f.detail}" for f in result.failures)
        )
    with open_replacing(path) as file:
        pyperf.BenchmarkSuite(result.benchmarks).dump(file)


def tabulate(result: PyperfResult) -> Table:
    """A row a workload that pyperf timed."""
    return Table(
        "Timings of pyperf's runner",
        [
            Column("workload", numeric=False),
            Column("values", show_count),
            Column("mean, ms", show_digits),
            Column("standard deviation, ms", show_digits),
        ],
        [
            (
                benchmark.get_name(),
                benchmark.get_nvalue(),
                1000 * benchmark.mean(),
                1000 * benchmark.stdev() if benchmark.get_nvalue() > 1 else None,
            )
            for benchmark in result.benchmarks
        ],
        ["A value is the time within the splitter's calls of one pass over the corpus."],
    )
