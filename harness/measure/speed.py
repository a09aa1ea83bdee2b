"""The segmenter's forms against the baselines: verified, then timed in rounds of turns."""

from collections.abc import Callable, Sequence

from corpora import Corpus
from harness.measure.check import check_corpora
from harness.measure.forms import list_forms
from harness.measure.spooling import spool_corpora
from harness.measure.timing import time_workloads
from harness.results.errors import MeasurementError
from harness.results.model import BASELINE, Count, Round
from harness.runner.executor import open_process_pool
from harness.runner.pool import SplitterPool
from harness.splitters.registry import load_splitter

# LangChain's splitter as people run it, and as the segmenter's separators make it.
BASELINES = (BASELINE, "langchain-memmachine")

Begin = Callable[[str, int | None], None]


def measure_speed(
    corpora: Sequence[Corpus],
    limits: Sequence[int],
    *,
    rounds: int,
    begin: Begin = lambda _stage, _total: None,
    advance: Callable[[int], None] = lambda _: None,
) -> list[Round]:
    """Time both forms of the segmenter, if it is compiled, against each of the baselines.

    Raises CorpusError if a corpus cannot be read, and MeasurementError if a baseline is not
    installed, a form gives wrong segments, or there is nothing to measure.
    """
    forms = list_forms()
    timed = []
    with (
        SplitterPool() as pool,
        spool_corpora(corpora) as spooled,
        open_process_pool() as executor,
    ):
        begin("checking", None)
        checked = check_corpora(spooled, forms, limits, pool=pool, executor=executor)
        if checked.failures:
            raise MeasurementError(f"the segmenter failed: {checked.failures[0].detail}")
        wrong = [row for row in checked.violations if row.count - row.unavoidable]
        if wrong:
            raise MeasurementError(
                f"the segmenter broke the rule {wrong[0].rule} on {wrong[0].workload}; run make test"
            )
        _require_same(checked.counts)
        for name in BASELINES:
            found = time_workloads(
                spooled,
                forms,
                limits,
                checked.counts,
                load_splitter(name),
                pool=pool,
                rounds=rounds,
                begin=begin,
                advance=advance,
            )
            if found.failures:
                raise MeasurementError(f"{name}: {found.failures[0].detail}")
            timed += found.rounds
    return timed


def _require_same(counts: Sequence[Count]) -> None:
    """Both forms are made from one source, and have to give the same segments."""
    digests: dict[tuple[str, int], str] = {}
    for count in counts:
        place = (count.workload.corpus, count.workload.max_chunk_length)
        if digests.setdefault(place, count.digest) != count.digest:
            raise MeasurementError(
                f"the compiled form differs on {place[0]} at {place[1]}; run make compile test"
            )
