"""Check: documents through splitters, and every rule applied to what comes out.

Documents are streamed, cut into shards and handed to an executor; what comes back is merged in the
corpus's order, so that results depend neither on the shards nor on who works when.
"""

import multiprocessing
import os
import signal
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field

from corpora.document import Corpus, Document
from harness.digest import CorpusDigest, digest_document
from harness.results import (
    Count,
    Example,
    Failure,
    MeasurementError,
    Violation,
    ViolationCount,
    Workload,
    one_line,
)
from harness.rules import RULES, Splitting
from harness.splitters import Splitter

EXAMPLES_A_RULE = 20
CONTEXT = 40  # code points before an example's place, and after it
SHARD_SIZE = 250_000  # code points
SHARDS_IN_FLIGHT = 16


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What a check learned, in the order of its corpora, splitters and limits.

    A workload has a count and for each rule a violation count, or else a failure.
    """

    counts: list[Count] = field(default_factory=list)
    violations: list[ViolationCount] = field(default_factory=list)
    examples: list[Example] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)


@dataclass(slots=True)
class Tally:
    """What a workload came to, over some of its documents."""

    documents: int = 0
    code_points: int = 0
    characters_lost: int = 0
    characters_added: int = 0
    lengths: Counter[int] = field(default_factory=Counter)
    violations: Counter[str] = field(default_factory=Counter)
    forced: Counter[str] = field(default_factory=Counter)
    #: By rule and whether forced, so that many of one kind do not crowd out the other.
    examples: dict[tuple[str, bool], list[Example]] = field(
        default_factory=lambda: defaultdict(list)
    )
    digests: list[bytes] = field(default_factory=list)

    def add(self, workload: Workload, document: Document, segments: Sequence[str]) -> None:
        """Apply every rule to a document's segments."""
        splitting = Splitting(document.text, segments, workload.max_chunk_length)
        self.documents += 1
        self.code_points += len(document.text)
        self.characters_lost += splitting.characters_lost
        self.characters_added += splitting.characters_added
        self.lengths.update(map(len, segments))
        self.digests.append(digest_document(document.id, segments))
        for name, rule in RULES.items():
            for breach in rule(splitting):
                self.violations[name] += 1
                self.forced[name] += breach.forced
                examples = self.examples[name, breach.forced]
                if len(examples) < EXAMPLES_A_RULE:
                    start = breach.start
                    examples.append(
                        Example(
                            workload,
                            Violation(name, document.id, *breach),
                            document.text[max(0, start - CONTEXT) : start],
                            document.text[start : start + CONTEXT],
                        )
                    )

    def merge(self, later: "Tally") -> None:
        """Add what the documents after these came to, their digests apart."""
        self.documents += later.documents
        self.code_points += later.code_points
        self.characters_lost += later.characters_lost
        self.characters_added += later.characters_added
        self.lengths.update(later.lengths)
        self.violations.update(later.violations)
        self.forced.update(later.forced)
        for kind, examples in later.examples.items():
            self.examples[kind] = [*self.examples[kind], *examples][:EXAMPLES_A_RULE]


def check(
    corpora: Sequence[Corpus],
    splitters: Sequence[Splitter],
    limits: Sequence[int],
    *,
    executor: Executor,
    progress: Callable[[int], None] | None = None,
    shard_size: int = SHARD_SIZE,
) -> CheckResult:
    """Send every document through every splitter at every limit and apply every rule.

    A splitter that cannot be loaded, raises, or gives anything but a list of strings has a failure
    for that workload, which tells the first such document. Up to 20 examples a workload and rule
    are kept, forced ones where the others leave room. ``progress`` is called with how many
    documents were done since the last call. Memory is bounded by a few shards, each of
    ``shard_size`` code points or one document that is longer.

    Raises CorpusError where a corpus cannot be read, MeasurementError where there is nothing to
    check, a corpus has no text, or a process of the executor dies.
    """
    if not (corpora and splitters and limits):
        raise MeasurementError("nothing to check; give a corpus, a splitter and a limit")
    if len({corpus.name for corpus in corpora}) < len(corpora):
        raise MeasurementError("two corpora have the same name; give each once")
    for corpus in corpora:
        if corpus.name.strip().splitlines() != [corpus.name]:
            raise MeasurementError(f"{corpus.name!r} is no name for a corpus; give it a plain line")
    result = CheckResult()
    for corpus in corpora:
        workloads = {
            Workload(corpus.name, splitter.name, limit): splitter
            for splitter in splitters
            for limit in limits
        }
        _check_corpus(corpus, workloads, executor, progress, shard_size, result)
    return result


def _check_corpus(
    corpus: Corpus,
    workloads: Mapping[Workload, Splitter],
    executor: Executor,
    progress: Callable[[int], None] | None,
    shard_size: int,
    result: CheckResult,
) -> None:
    """Check the workloads of one corpus and add to ``result``."""
    remaining = dict(workloads)
    tallies = {workload: Tally() for workload in workloads}
    digests = {workload: CorpusDigest() for workload in workloads}
    failures: dict[Workload, Failure] = {}
    pending: deque[tuple[list[Document], Future[dict[Workload, Tally | Failure]]]] = deque()
    code_points = 0

    def merge_first() -> None:
        shard, future = pending[0]
        answers = future.result()
        pending.popleft()
        for workload, answer in answers.items():
            if workload in failures:
                continue  # it was submitted before the failure was known
            if isinstance(answer, Failure):
                failures[workload] = answer
                del remaining[workload]
                continue
            tallies[workload].merge(answer)
            for digest in answer.digests:
                digests[workload].add_digest(digest)
        if progress is not None:
            progress(len(shard))

    try:
        for shard in cut_shards(corpus, shard_size):
            code_points += sum(len(document.text) for document in shard)
            pending.append((shard, executor.submit(check_shard, shard, dict(remaining))))
            if len(pending) == SHARDS_IN_FLIGHT:
                merge_first()
        while pending:
            merge_first()
    except BrokenExecutor as error:
        near = f" at or after document {pending[0][0][0].id!r}" if pending else ""
        raise MeasurementError(
            f"a process died in corpus {corpus.name}{near}: a splitter crashed it or memory ran "
            "out; check splitters one at a time to find which"
        ) from error
    finally:
        for _, future in pending:
            future.cancel()
    if not code_points:
        raise MeasurementError(f"corpus {corpus.name} has no text, so nothing was checked")
    for workload in workloads:
        if workload in failures:
            result.failures.append(failures[workload])
        else:
            _conclude(workload, tallies[workload], digests[workload], result)


def _conclude(workload: Workload, tally: Tally, digest: CorpusDigest, result: CheckResult) -> None:
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
            characters_lost=tally.characters_lost,
            characters_added=tally.characters_added,
            digest=digest.hexdigest(),
        )
    )
    for name in RULES:
        result.violations.append(
            ViolationCount(workload, name, tally.violations[name], tally.forced[name])
        )
        examples = [*tally.examples[name, False], *tally.examples[name, True]]
        result.examples.extend(examples[:EXAMPLES_A_RULE])


def find_median(occurrences: Mapping[int, int]) -> float:
    """The median of numbers of which each is given with how often it occurs; 0 if there is none."""
    total = sum(occurrences.values())
    middle = []
    seen = 0
    for number in sorted(occurrences):
        before, seen = seen, seen + occurrences[number]
        middle += [number for place in ((total - 1) // 2, total // 2) if before <= place < seen]
    return sum(middle) / 2


def cut_shards(documents: Iterable[Document], shard_size: int) -> Iterator[list[Document]]:
    """Neighbouring documents together, up to ``shard_size`` code points or one longer document.

    A document counts one more than it has, so that empty ones do not pile up.
    """
    shard: list[Document] = []
    size = 0
    for document in documents:
        length = len(document.text) + 1
        if shard and size + length > shard_size:
            yield shard
            shard, size = [], 0
        shard.append(document)
        size += length
    if shard:
        yield shard


def check_shard(
    documents: Sequence[Document], workloads: Mapping[Workload, Splitter]
) -> dict[Workload, Tally | Failure]:
    """Check some documents of a corpus, in a process of the executor."""
    return {
        workload: _check_documents(documents, workload, splitter)
        for workload, splitter in workloads.items()
    }


def _check_documents(
    documents: Sequence[Document], workload: Workload, splitter: Splitter
) -> Tally | Failure:
    try:
        split = splitter.make(workload.max_chunk_length)
    except MeasurementError as error:
        return Failure(workload, "unavailable", str(error))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  it may raise anything, SystemExit too
        return Failure(workload, "raised", f"{one_line(error)}, when it was loaded")
    tally = Tally()
    for document in documents:
        try:
            segments = split(document.text)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001
            return Failure(workload, "raised", f"{one_line(error)}, in {document.id!r}")
        if stranger := find_stranger(segments):
            detail = f"not a list of strings but {stranger}, in {document.id!r}"
            return Failure(workload, "invalid", detail)
        tally.add(workload, document, segments)
    return tally


def find_stranger(segments: object) -> str | None:
    """What keeps ``segments`` from being a list of strings, None where it is one."""
    if not isinstance(segments, list):
        return f"a {type(segments).__name__}"
    for kind in set(map(type, segments)):
        if not issubclass(kind, str):
            return f"a list with {kind.__name__}"
    return None


@contextmanager
def open_process_pool(processes: int | None = None) -> Iterator[Executor]:
    """An executor of processes on this machine, as many as it has cores to give.

    When the block ends by an exception, Ctrl-C among them, the processes are ended at once: a
    splitter that never returns must not keep them alive.
    """
    processes = processes or count_cores()
    before = set(multiprocessing.active_children())
    # Forking copies locks that other threads hold.
    pool = ProcessPoolExecutor(
        processes,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_ignore_interrupt,
    )
    try:
        with _hold_interrupts():
            for _ in range(processes):
                pool.submit(_ignore_interrupt)  # each starts one process
        yield pool
    except BaseException:
        for process in set(multiprocessing.active_children()) - before:
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def count_cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _ignore_interrupt() -> None:
    """Leave Ctrl-C, which a terminal sends to every process, to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _hold_interrupts() -> Iterator[None]:
    """Let what starts meanwhile never see Ctrl-C, and this process only afterwards."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    earlier = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, earlier)
