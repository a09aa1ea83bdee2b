"""Check: documents through splitters, and every rule applied to what comes out.

Documents are streamed, cut into shards and handed to an executor; what comes back is merged in the
corpus's order, so that results depend neither on the shards nor on who works when. Each splitter
runs in a process of its own, beside the executor's: whatever it does there, the check goes on.
"""

import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from corpora.document import Corpus, Document
from harness.results.errors import MeasurementError
from harness.results.model import (
    BoundaryCount,
    Count,
    Example,
    Failure,
    Violation,
    ViolationCount,
    Workload,
)
from harness.runner.digest import CorpusDigest, digest_document
from harness.runner.process import PATIENCE, SplitterError, SplitterProcess
from harness.runner.spool import read_spool, write_spool
from harness.splitters.registry import Splitter
from segmenter.rules import RULES, Splitting

EXAMPLES_A_RULE = 20
CONTEXT = 40  # code points before an example's place, and after it
SHARD_SIZE = 250_000  # code points
SHARDS_IN_FLIGHT = 16
SPLITTERS_AT_ONCE = 6  # whose processes are kept alive, in each process of the executor


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What a check learned, in the order of its corpora, splitters and limits.

    A workload has a count, a boundary count unless its segments overlap, and for each rule that is
    applicable to its splitter a violation count; or else it has a failure.
    """

    counts: list[Count] = field(default_factory=list)
    boundaries: list[BoundaryCount] = field(default_factory=list)
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
    boundaries: int = 0
    whitespace_boundaries: int = 0
    misplaced: int = 0
    whitespace_segments: int = 0
    lengths: Counter[int] = field(default_factory=Counter)
    violations: Counter[str] = field(default_factory=Counter)
    forced: Counter[str] = field(default_factory=Counter)
    #: By rule and whether forced, so that many of one kind do not crowd out the other.
    examples: dict[tuple[str, bool], list[Example]] = field(
        default_factory=lambda: defaultdict(list)
    )
    digests: list[bytes] = field(default_factory=list)

    def add(
        self,
        workload: Workload,
        document: Document,
        segments: Sequence[str],
        not_applicable: Container[str] = (),
    ) -> None:
        """Apply every rule that is applicable to a document's segments."""
        text = document.text
        # Where the limit counts no code points, no unit is too long for it.
        limit = max(1, len(text)) if "fits" in not_applicable else workload.max_chunk_length
        splitting = Splitting(text, segments, limit)
        self.documents += 1
        self.code_points += len(text)
        if "join" in not_applicable:
            lost, added = find_uncovered(text, segments)
        else:
            lost, added = splitting.characters_lost, splitting.characters_added
            self._count_boundaries(splitting)
        self.characters_lost += lost
        self.characters_added += added
        self.whitespace_segments += sum(map(str.isspace, segments))
        self.lengths.update(map(len, segments))
        self.digests.append(digest_document(document.id, segments))
        for name, rule in RULES.items():
            if name in not_applicable:
                continue
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

    def _count_boundaries(self, splitting: Splitting) -> None:
        text = splitting.text
        boundaries = splitting.boundaries
        self.boundaries += len(boundaries)
        self.whitespace_boundaries += sum(
            [text[at].isspace() or text[at - 1].isspace() for at in boundaries]
        )
        self.misplaced += sum(len(cut.misplaced) for cut in splitting.cut_runs if not cut.forced)

    def merge(self, later: "Tally") -> None:
        """Add what the documents after these came to, their digests apart."""
        self.documents += later.documents
        self.code_points += later.code_points
        self.characters_lost += later.characters_lost
        self.characters_added += later.characters_added
        self.boundaries += later.boundaries
        self.whitespace_boundaries += later.whitespace_boundaries
        self.misplaced += later.misplaced
        self.whitespace_segments += later.whitespace_segments
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
    patience: float = PATIENCE,
) -> CheckResult:
    """Send every document through every splitter at every limit and apply every rule.

    A splitter that cannot be loaded, raises, hangs, dies, gives anything but a list of strings, or
    other segments at a second call, has a failure for that workload, which tells the first such
    document. One document of each shard is split twice. ``patience`` is how many seconds a
    splitter may take to load, and for a document. Up to 20 examples a workload and rule are kept,
    forced ones where the others leave room. ``progress`` is called with how many documents were
    done since the last call; each is done once for every few splitters. Memory is bounded by a few
    shards, each of ``shard_size`` code points or one document that is longer.

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
    groups = [
        splitters[at : at + SPLITTERS_AT_ONCE] for at in range(0, len(splitters), SPLITTERS_AT_ONCE)
    ]
    result = CheckResult()
    try:
        for corpus in corpora:
            with _open_documents(corpus, again=len(groups) > 1) as documents:
                for group in groups:
                    workloads = {
                        Workload(corpus.name, splitter.name, limit): splitter
                        for splitter in group
                        for limit in limits
                    }
                    shards = cut_shards(documents(), shard_size)
                    _check_corpus(
                        corpus.name, shards, workloads, executor, progress, patience, result
                    )
    finally:
        _processes.close()  # those of this process, if the executor works in it
    return result


@contextmanager
def _open_documents(corpus: Corpus, *, again: bool) -> Iterator[Callable[[], Iterable[Document]]]:
    """The documents of a corpus, which is read but once, also where they are wanted ``again``."""
    if not again:
        yield lambda: corpus
        return
    with tempfile.TemporaryDirectory(prefix="segbench-") as folder:
        spool = Path(folder, "spool")
        write_spool(spool, ((document.id, document.text) for document in corpus))
        yield lambda: (Document(*pair) for pair in read_spool(spool))


def _check_corpus(
    corpus: str,
    shards: Iterable[list[Document]],
    workloads: Mapping[Workload, Splitter],
    executor: Executor,
    progress: Callable[[int], None] | None,
    patience: float,
    result: CheckResult,
) -> None:
    """Check workloads of one corpus and add to ``result``."""
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
        for shard in shards:
            code_points += sum(len(document.text) for document in shard)
            future = executor.submit(check_shard, shard, dict(remaining), patience)
            pending.append((shard, future))
            if len(pending) == SHARDS_IN_FLIGHT:
                merge_first()
        while pending:
            merge_first()
    except BrokenExecutor as error:
        near = f" at or after document {pending[0][0][0].id!r}" if pending else ""
        raise MeasurementError(
            f"a process of the check died in corpus {corpus}{near}: memory may have run out; "
            "check fewer splitters at a time"
        ) from error
    finally:
        for _, future in pending:
            future.cancel()
    if not code_points:
        raise MeasurementError(f"corpus {corpus} has no text, so nothing was checked")
    for workload in workloads:
        if workload in failures:
            result.failures.append(failures[workload])
        else:
            splitter = workloads[workload]
            _conclude(workload, splitter, tallies[workload], digests[workload], result)


def _conclude(
    workload: Workload,
    splitter: Splitter,
    tally: Tally,
    digest: CorpusDigest,
    result: CheckResult,
) -> None:
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
    if "join" not in splitter.not_applicable:
        result.boundaries.append(
            BoundaryCount(
                workload,
                tally.boundaries,
                tally.whitespace_boundaries,
                tally.misplaced,
                tally.whitespace_segments,
            )
        )
    for name in RULES:
        if name in splitter.not_applicable:
            continue
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


def find_uncovered(text: str, segments: Sequence[str]) -> tuple[int, int]:
    """How many code points of a text no segment covers, and how many of segments are not in it.

    Segments come in the order of their starts, and may overlap. Where a text repeats itself they
    may lie in several places: of their first places and of those that leave the least overlap,
    what counts is where more is found.
    """
    return min(_place_in_order(text, segments, nearest=nearest) for nearest in (False, True))


def _place_in_order(text: str, segments: Sequence[str], *, nearest: bool) -> tuple[int, int]:
    covered = added = end = 0
    start = -1
    for segment in segments:
        found = text.rfind(segment, start + 1, end + len(segment)) if nearest else -1
        if found < 0:
            found = text.find(segment, start + 1)
        if found < 0:
            added += len(segment)
            continue
        start = found
        covered += max(0, start + len(segment) - max(start, end))
        end = max(end, start + len(segment))
    return len(text) - covered, added


def check_shard(
    documents: Sequence[Document],
    workloads: Mapping[Workload, Splitter],
    patience: float = PATIENCE,
) -> dict[Workload, Tally | Failure]:
    """Check some documents of a corpus, in a process of the executor."""
    with _open_folder() as folder:
        spool = folder / "spool"
        write_spool(spool, ((document.id, document.text) for document in documents))
        return {
            workload: _check_documents(documents, spool, workload, splitter, patience)
            for workload, splitter in workloads.items()
        }


def _check_documents(
    documents: Sequence[Document],
    spool: Path,
    workload: Workload,
    splitter: Splitter,
    patience: float,
) -> Tally | Failure:
    if failure := _processes.timed_out.get(workload):
        return failure
    tally = Tally()
    try:
        with _processes.borrow(splitter, patience) as process:
            process.load(workload.max_chunk_length)
            segments = process.split(spool, spool.with_name("segments"), again=_choose(documents))
            for document, given in zip(documents, segments, strict=True):
                tally.add(workload, document, given, splitter.not_applicable)
    except SplitterError as error:
        failure = Failure(workload, error.status, error.detail)
        if error.status == "timed out":
            _processes.timed_out[workload] = failure
        return failure
    return tally


def split_document(
    document: Document, splitter: Splitter, max_chunk_length: int, patience: float = PATIENCE
) -> list[str]:
    """The segments of one document, from the splitter's process; raises SplitterError."""
    (segments,) = split_documents([document], splitter, max_chunk_length, patience)
    return segments


def split_documents(
    documents: Sequence[Document],
    splitter: Splitter,
    max_chunk_length: int,
    patience: float = PATIENCE,
) -> list[list[str]]:
    """The segments of documents, from the splitter's process; raises SplitterError."""
    with (
        _open_folder() as folder,
        _processes.borrow(splitter, patience) as process,
    ):
        spool = folder / "spool"
        write_spool(spool, ((document.id, document.text) for document in documents))
        process.load(max_chunk_length)
        return list(process.split(spool, folder / "segments", again=-1))


def _choose(documents: Sequence[Document]) -> int:
    """The number of the document to split twice: the shortest one that has text."""
    numbered = enumerate(documents)
    return min((len(document.text) or sys.maxsize, number) for number, document in numbered)[1]


def end_processes() -> None:
    """End the splitters' processes that `split_documents` keeps beside this one."""
    _processes.close()


class _Processes:
    """The splitters' processes beside this one, kept from shard to shard.

    What timed out once is not waited for again: ``timed_out`` are the workloads that did.
    """

    def __init__(self) -> None:
        self.timed_out: dict[Workload, Failure] = {}
        self._lock = threading.RLock()
        self._running: list[SplitterProcess] = []
        self._idle: list[tuple[Splitter, SplitterProcess]] = []

    @contextmanager
    def borrow(self, splitter: Splitter, patience: float) -> Iterator[SplitterProcess]:
        """A process of the splitter for oneself, kept afterwards unless it is closed."""
        process = self._take(splitter)
        if process is None:
            process = SplitterProcess(splitter, patience=patience)
            self._running.append(process)
        try:
            yield process
        except BaseException:
            process.close()
            raise
        finally:
            with self._lock:
                if process.closed:
                    self._running.remove(process)
                else:
                    self._idle.append((splitter, process))
                    if len(self._idle) > SPLITTERS_AT_ONCE:
                        _, oldest = self._idle.pop(0)
                        oldest.close()
                        self._running.remove(oldest)

    def _take(self, splitter: Splitter) -> SplitterProcess | None:
        with self._lock:
            for number, (kept, process) in enumerate(self._idle):
                if kept == splitter:
                    del self._idle[number]
                    return process
        return None

    def close(self) -> None:
        """End them all."""
        with self._lock:
            for process in self._running:
                process.close()
            self._running.clear()
            self._idle.clear()
            self.timed_out.clear()


_processes = _Processes()
_folders: set[Path] = set()


@contextmanager
def _open_folder() -> Iterator[Path]:
    """A temporary folder, which is removed also where this process is told to end."""
    folder = Path(tempfile.mkdtemp(prefix="segbench-"))
    _folders.add(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        _folders.discard(folder)


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
        initializer=_prepare_process,
    )
    try:
        with _hold_interrupts():
            for _ in range(processes):
                pool.submit(count_cores)  # each starts one process
        yield pool
    except BaseException:
        for process in set(multiprocessing.active_children()) - before:
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def count_cores() -> int:
    """How many cores this process may use."""
    return len(list_cores())


def list_cores() -> list[int]:
    """The numbers of the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def _prepare_process() -> None:
    """Leave Ctrl-C, which a terminal sends to every process, to the parent; end with what runs."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end_process)


def _end_process(*_: object) -> NoReturn:
    _processes.close()
    for folder in _folders:
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(128 + signal.SIGTERM)


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
