"""Check: documents through splitters, and every rule applied to what comes out.

Corpora are cut into shards, which are handed to an executor; what comes back is merged in the
corpus's order, so that results depend neither on the shards nor on who works when. Each splitter
runs in a process of its own, beside the executor's: whatever it does there, the check goes on.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, field
from hashlib import sha256

from corpora.document import CorpusError
from harness.measure.dispatch import Dispatcher
from harness.measure.shards import ShardTask
from harness.measure.spooling import SHARD_SIZE, Shard, ShardedCorpus
from harness.measure.tally import ShardResult, Tally, find_median
from harness.results.errors import MeasurementError
from harness.results.escapes import quote
from harness.results.journal import Journal
from harness.results.model import (
    PLACES,
    BoundaryCount,
    Count,
    CutCount,
    Example,
    Failure,
    LineEnds,
    Unavoidable,
    ViolationCount,
    Workload,
)
from harness.runner.digest import SegmentsDigest
from harness.runner.pool import KEPT, SplitterPool
from harness.runner.process import TIMED_OUT, SplitterError
from harness.splitters.registry import Splitter
from segmenter.rules import RULES

SHARDS_IN_FLIGHT = 16
SPLITTERS_AT_ONCE = KEPT  # whose processes are kept alive, in each process of the executor


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What a check learned, in the order of its corpora, splitters and limits.

    Each corpus has its line ends, each corpus and limit its unavoidable boundaries; a workload has
    a count, a boundary count and where its boundaries lie unless its segments overlap, and for each
    rule that is applicable to its splitter a violation count; or else it has a failure. One that
    has both was not checked on the documents that its failures name. ``texts`` has of each corpus
    the digest of its documents' digests, ``shards`` where the documents of its examples are.
    """

    counts: list[Count] = field(default_factory=list)
    boundaries: list[BoundaryCount] = field(default_factory=list)
    cuts: list[CutCount] = field(default_factory=list)
    unavoidable: list[Unavoidable] = field(default_factory=list)
    line_ends: list[LineEnds] = field(default_factory=list)
    violations: list[ViolationCount] = field(default_factory=list)
    examples: list[Example] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    shards: dict[str, dict[str, Shard]] = field(default_factory=dict, compare=False)


def check_corpora(
    corpora: Sequence[ShardedCorpus],
    splitters: Sequence[Splitter],
    limits: Sequence[int],
    *,
    pool: SplitterPool,
    executor: Executor,
    progress: Callable[[str, int], None] | None = None,
    shard_size: int = SHARD_SIZE,
    in_flight: int = SHARDS_IN_FLIGHT,
    journal: Journal[ShardResult] | None = None,
) -> CheckResult:
    """Send every document through every splitter at every limit and apply every rule.

    A splitter that cannot be loaded, raises, hangs, dies, gives anything but a list of strings, or
    other segments at a second call, has a failure for that workload, which tells the first such
    document. One that exceeds the time limit of ``pool`` is given up there: it has a failure for
    every workload that is not finished. The first document of each corpus is split twice, and those
    of some ids. Of each workload and rule the first examples are kept, until their texts reach
    EXAMPLE_CODE_POINTS; unavoidable ones are kept if the others leave room.

    ``progress`` is called with a splitter and how many code points it has done since the last call.
    Memory is bounded by ``in_flight`` shards, each of about ``shard_size`` code points or one
    document that is longer. What ``journal`` holds is not checked again; it keeps the rest. A
    document that ends the process of the executor that checks it is set aside: it has a failure,
    and the rest is checked.

    Raises CorpusError where a corpus cannot be read, MeasurementError where there is nothing to
    check or a corpus has no text, ResumeError if the journal is one of other texts, StorageError
    where the machine has no room for temporary files.
    """
    if not (corpora and splitters and limits):
        raise MeasurementError("nothing to check; give a corpus, a splitter and a limit")
    if len({corpus.name for corpus in corpora}) < len(corpora):
        raise MeasurementError("two corpora have the same name; give each once")
    for corpus in corpora:
        if corpus.name.strip().splitlines() != [corpus.name]:
            raise MeasurementError(
                f"{quote(corpus.name)} is not a name for a corpus; give it a plain line"
            )
    groups = [
        splitters[at : at + SPLITTERS_AT_ONCE] for at in range(0, len(splitters), SPLITTERS_AT_ONCE)
    ]
    result = CheckResult()
    dispatcher = Dispatcher(executor, pool, in_flight, journal)
    given_up: dict[str, SplitterError] = {}
    for place, corpus in enumerate(corpora):
        for number, group in enumerate(groups):
            checked = _Group(
                corpus,
                {
                    Workload(corpus.name, splitter.name, limit): splitter
                    for splitter in group
                    for limit in limits
                },
                [] if number else limits,  # what is counted once per corpus is counted first
                given_up,
            )
            checked.check(dispatcher, (place, number), shard_size, progress)
            checked.conclude(result)
    return result


class _Group:
    """Workloads of one corpus, checked together.

    ``uncounted`` are the limits at which the corpus itself is still to be counted. ``given_up`` are
    the splitters that have timed out, in the order of the corpora: not when a process noticed it.
    """

    def __init__(
        self,
        corpus: ShardedCorpus,
        workloads: Mapping[Workload, Splitter],
        uncounted: Sequence[int],
        given_up: dict[str, SplitterError],
    ) -> None:
        self._corpus = corpus
        self._workloads = workloads
        self._uncounted = uncounted
        self._given_up = given_up
        self._total = ShardResult()
        self._digests = {workload: SegmentsDigest() for workload in workloads}
        self._texts = sha256()
        self._shards: dict[str, Shard] = {}
        self._give_up()

    def check(
        self,
        dispatcher: Dispatcher,
        stage: tuple[int, int],
        shard_size: int,
        progress: Callable[[str, int], None] | None,
    ) -> None:
        """Check all shards, or as many as it takes until every workload has failed."""
        tasks = self._list_tasks(shard_size)
        with closing(dispatcher.check(self._corpus.name, stage, tasks)) as results:
            for task, result in results:
                self._merge(task.shard, result, dispatcher.pool)
                if progress is not None:
                    for splitter in dict.fromkeys(s.name for s in self._workloads.values()):
                        progress(splitter, task.shard.size)

    def _merge(self, shard: Shard, result: ShardResult, pool: SplitterPool) -> None:
        failed = self._total.failed
        for tally in result.tallies:
            if tally.workload not in failed:
                self._digests[tally.workload].add_digest(tally.digests)
            tally.digests.clear()
        self._texts.update(result.texts)
        result.texts.clear()
        self._total.merge(result)
        for failure in self._total.failures:
            splitter = self._workloads[failure.workload]
            if failure.status == TIMED_OUT and splitter.name not in self._given_up:
                error = SplitterError(failure.status, failure.detail, failure.frames)
                self._given_up[splitter.name] = pool.give_up(splitter, error)
        self._give_up()
        for tally in self._total.tallies:
            for example in tally.list_examples():
                self._shards.setdefault(example.violation.document, shard)

    def _list_tasks(self, shard_size: int) -> Iterator[ShardTask]:
        for number, shard in enumerate(self._corpus.shards(shard_size)):
            failed = self._total.failed
            remaining = {w: self._workloads[w] for w in self._workloads if w not in failed}
            if not remaining and not self._uncounted:
                return
            yield ShardTask(shard, remaining, self._uncounted, first=not number)

    def _give_up(self) -> None:
        """Let all workloads of splitters fail that were given up."""
        failed = self._total.failed
        again = {
            workload: self._given_up[splitter.name]
            for workload, splitter in self._workloads.items()
            if workload not in failed and splitter.name in self._given_up
        }
        failures = [Failure(w, e.status, e.detail, e.frames) for w, e in again.items()]
        self._total.merge(ShardResult(failures=failures))

    def conclude(self, result: CheckResult) -> None:
        """Add what was learned; raises CorpusError and MeasurementError where there was no text."""
        name = self._corpus.name
        total = self._total
        if self._uncounted:
            if not total.documents and total.set_aside:
                raise MeasurementError(
                    f"nothing of corpus {name} was checked; {total.set_aside[0].detail}"
                )
            if not total.documents:
                raise CorpusError(self._corpus.describe_empty())
            if not total.code_points:
                raise MeasurementError(f"corpus {name} has no text, so nothing was checked")
            result.unavoidable.extend(
                Unavoidable(name, limit, total.unavoidable[limit]) for limit in self._uncounted
            )
            ends, cr_lf = total.line_ends["all"], total.line_ends["cr_lf"]
            (fits, _), *_ = total.fitting.most_common(1)
            result.line_ends.append(LineEnds(name, total.code_points, ends, cr_lf, fits))
            result.texts[name] = self._texts.hexdigest()
        result.shards.setdefault(name, {}).update(self._shards)
        failures = {failure.workload: failure for failure in total.failures}
        tallies = {tally.workload: tally for tally in total.tallies}
        for workload, splitter in self._workloads.items():
            if workload in failures:
                result.failures.append(failures[workload])
            else:
                tally = tallies.get(workload) or Tally(workload)
                _conclude(tally, splitter, self._digests[workload], result)
                result.failures.extend(f for f in total.set_aside if f.workload == workload)


def _conclude(
    tally: Tally, splitter: Splitter, digest: SegmentsDigest, result: CheckResult
) -> None:
    workload = tally.workload
    lengths = tally.lengths
    result.counts.append(
        Count(
            workload=workload,
            documents=tally.documents,
            code_points=tally.code_points,
            segments=lengths.total(),
            shortest=min(lengths, default=0),
            median=find_median(lengths),
            longest=max(lengths, default=0),
            digest=digest.hexdigest(),
            lost_whitespace=tally.loss.lost_whitespace,
            lost_content=tally.loss.lost_content,
            added_whitespace=tally.loss.added_whitespace,
            added_content=tally.loss.added_content,
            inexact=tally.inexact,
        )
    )
    if "join" not in splitter.not_applicable:
        result.boundaries.append(
            BoundaryCount(
                workload,
                tally.boundaries,
                tally.whitespace_boundaries,
                tally.whitespace_segments,
                tally.excess,
            )
        )
        result.cuts.extend(CutCount(workload, place, tally.places[place]) for place in PLACES)
        result.cuts.extend(
            CutCount(workload, structure=name, of=number, cut=tally.cut_structures[name])
            for name, number in tally.structures.items()
            if number
        )
    for name in RULES:
        if name in splitter.not_applicable:
            continue
        breaches = tally.count_breaches(name)
        unavoidable = tally.unavoidable[name].count
        result.violations.append(ViolationCount(workload, name, breaches.count, unavoidable))
        result.examples.extend(breaches.examples)
