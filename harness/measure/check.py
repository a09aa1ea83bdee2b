"""Check: documents through splitters, and every rule applied to what comes out.

Documents are spooled, cut into shards and handed to an executor; what comes back is merged in the
corpus's order, so that results depend neither on the shards nor on who works when. Each splitter
runs in a process of its own, beside the executor's: whatever it does there, the check goes on.
"""

import sys
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Container, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from dataclasses import dataclass, field
from itertools import accumulate

from corpora.document import Document
from harness.measure.cuts import (
    Structure,
    count_damage,
    count_line_ends,
    find_places,
    find_structure,
    guess_separators,
    list_cuts,
)
from harness.measure.spooling import SHARD_SIZE, Shard, SpooledCorpus
from harness.results.errors import MeasurementError
from harness.results.escapes import quote
from harness.results.model import (
    PLACES,
    BoundaryCount,
    Count,
    CutCount,
    Example,
    Failure,
    LineEnds,
    Unavoidable,
    Violation,
    ViolationCount,
    Workload,
)
from harness.runner.details import name_document
from harness.runner.digest import SegmentsDigest, digest_document
from harness.runner.pool import KEPT, SplitterPool, open_folder
from harness.runner.process import TIMED_OUT, SplitterError
from harness.splitters.registry import Splitter
from segmenter.loss import Loss, lose_all
from segmenter.rules import RULES, Splitting, count_unavoidable

EXAMPLE_CODE_POINTS = 500  # of the examples that a workload keeps for each rule
CONTEXT = 40  # code points before an example's place, and after it
SHARDS_IN_FLIGHT = 16
SPLITTERS_AT_ONCE = KEPT  # whose processes are kept alive, in each process of the executor


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What a check learned, in the order of its corpora, splitters and limits.

    Each corpus has its line ends, each corpus and limit its unavoidable boundaries; a workload has
    a count, a boundary count and where its boundaries lie unless its segments overlap, and for each
    rule that is applicable to its splitter a violation count; or else it has a failure.
    """

    counts: list[Count] = field(default_factory=list)
    boundaries: list[BoundaryCount] = field(default_factory=list)
    cuts: list[CutCount] = field(default_factory=list)
    unavoidable: list[Unavoidable] = field(default_factory=list)
    line_ends: list[LineEnds] = field(default_factory=list)
    violations: list[ViolationCount] = field(default_factory=list)
    examples: list[Example] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)


@dataclass(slots=True)
class Tally:
    """What a workload came to, over some of its documents."""

    documents: int = 0
    code_points: int = 0
    loss: Loss = field(default_factory=Loss)
    inexact: int = 0
    boundaries: int = 0
    whitespace_boundaries: int = 0
    excess: int = 0
    places: Counter[str] = field(default_factory=Counter)
    #: Of each structure how many there are, and how many were cut.
    structures: Counter[str] = field(default_factory=Counter)
    cut_structures: Counter[str] = field(default_factory=Counter)
    whitespace_segments: int = 0
    lengths: Counter[int] = field(default_factory=Counter)
    violations: Counter[str] = field(default_factory=Counter)
    unavoidable: Counter[str] = field(default_factory=Counter)
    #: By rule and whether unavoidable, so that many of one kind do not crowd out the other.
    examples: dict[tuple[str, bool], list[Example]] = field(
        default_factory=lambda: defaultdict(list)
    )
    kept: Counter[tuple[str, bool]] = field(default_factory=Counter)  # code points of examples
    digests: list[bytes] = field(default_factory=list)

    def add(
        self,
        workload: Workload,
        document: Document,
        segments: Sequence[str],
        not_applicable: Container[str] = (),
        structure: Structure | None = None,
    ) -> None:
        """Apply every rule that is applicable to a document's segments, and tell where they meet.

        ``structure`` is that of the document, found here unless it is given.
        """
        text = document.text
        # Where the limit counts no code points, no unit is too long for it.
        limit = max(1, len(text)) if "fits" in not_applicable else workload.max_chunk_length
        splitting = Splitting(text, segments, limit)
        self.documents += 1
        self.code_points += len(text)
        if "join" in not_applicable:
            loss = find_uncovered(text, segments)
        else:
            loss = splitting.loss
            self._count_boundaries(splitting, structure or find_structure(document))
        self.loss = self.loss.plus(loss)
        self.inexact += not loss.exact
        self.whitespace_segments += sum(map(str.isspace, segments))
        self.lengths.update(map(len, segments))
        self.digests.append(digest_document(document.id, segments))
        for name, rule in RULES.items():
            if name in not_applicable:
                continue
            for breach in rule(splitting):
                self.violations[name] += 1
                self.unavoidable[name] += breach.unavoidable
                kind = name, breach.unavoidable
                if self.kept[kind] < EXAMPLE_CODE_POINTS:
                    start = breach.start
                    example = Example(
                        workload,
                        Violation(name, document.id, *breach),
                        document.text[max(0, start - CONTEXT) : start],
                        document.text[start : start + CONTEXT],
                    )
                    self.examples[kind].append(example)
                    self.kept[kind] += measure_example(example)

    def _count_boundaries(self, splitting: Splitting, structure: Structure) -> None:
        text = splitting.text
        boundaries = splitting.boundaries
        self.boundaries += len(boundaries)
        self.whitespace_boundaries += sum(
            [text[at].isspace() or text[at - 1].isspace() for at in boundaries]
        )
        self.excess += splitting.excess
        cuts = list_cuts(splitting)
        self.places.update(find_places(text, cuts))
        damage = count_damage(text, structure, cuts, splitting.max_chunk_length)
        for name, (number, cut) in damage.items():
            self.structures[name] += number
            self.cut_structures[name] += cut

    def merge(self, later: "Tally") -> None:
        """Add what the documents after these came to, their digests apart."""
        self.documents += later.documents
        self.code_points += later.code_points
        self.loss = self.loss.plus(later.loss)
        self.inexact += later.inexact
        self.boundaries += later.boundaries
        self.whitespace_boundaries += later.whitespace_boundaries
        self.excess += later.excess
        self.places.update(later.places)
        self.structures.update(later.structures)
        self.cut_structures.update(later.cut_structures)
        self.whitespace_segments += later.whitespace_segments
        self.lengths.update(later.lengths)
        self.violations.update(later.violations)
        self.unavoidable.update(later.unavoidable)
        for kind, examples in later.examples.items():
            self.examples[kind] = keep_first([*self.examples[kind], *examples])


def measure_example(example: Example) -> int:
    """The code points of an example's texts."""
    violation = example.violation
    return sum(map(len, (violation.document, violation.detail, example.before, example.after)))


def keep_first(examples: Sequence[Example]) -> list[Example]:
    """The examples up to the one that reaches EXAMPLE_CODE_POINTS, so one at least."""
    sizes = accumulate(map(measure_example, examples), initial=0)
    return [
        example
        for example, before in zip(examples, sizes, strict=False)
        if before < EXAMPLE_CODE_POINTS
    ]


def check_corpora(
    corpora: Sequence[SpooledCorpus],
    splitters: Sequence[Splitter],
    limits: Sequence[int],
    *,
    pool: SplitterPool,
    executor: Executor,
    progress: Callable[[int], None] | None = None,
    shard_size: int = SHARD_SIZE,
) -> CheckResult:
    """Send every document through every splitter at every limit and apply every rule.

    A splitter that cannot be loaded, raises, hangs, dies, gives anything but a list of strings, or
    other segments at a second call, has a failure for that workload, which tells the first such
    document. One that exceeds the time limit of ``pool`` is given up there: it has a failure for
    every workload that is not finished. One document of each shard is split twice. Of each workload
    and rule the first examples are kept, until their texts reach EXAMPLE_CODE_POINTS; unavoidable
    ones are kept if the others leave room. ``progress`` is called with how many documents were done
    since the last call; each is done once for every few splitters. Memory is bounded by a few
    shards, each of ``shard_size`` code points or one document that is longer.

    Raises CorpusError where a corpus cannot be read, MeasurementError where there is nothing to
    check, a corpus has no text, or a process of the executor dies, StorageError where the machine
    has no room for temporary files.
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
    for corpus in corpora:
        uncounted = limits  # at which unavoidable boundaries are still to be counted
        for group in groups:
            workloads = {
                Workload(corpus.name, splitter.name, limit): splitter
                for splitter in group
                for limit in limits
            }
            _check_corpus(
                corpus, shard_size, workloads, uncounted, pool, executor, progress, result
            )
            uncounted = []
    return result


def _check_corpus(
    corpus: SpooledCorpus,
    shard_size: int,
    workloads: Mapping[Workload, Splitter],
    uncounted: Sequence[int],
    pool: SplitterPool,
    executor: Executor,
    progress: Callable[[int], None] | None,
    result: CheckResult,
) -> None:
    """Check workloads of one corpus and add to ``result``."""
    remaining = dict(workloads)
    tallies = {workload: Tally() for workload in workloads}
    digests = {workload: SegmentsDigest() for workload in workloads}
    failures: dict[Workload, Failure] = {}
    pending: deque[tuple[Shard, Future[ShardResult]]] = deque()
    unavoidable: Counter[int] = Counter(dict.fromkeys(uncounted, 0))
    line_ends: Counter[str] = Counter()
    fitting: Counter[str] = Counter()
    code_points = 0

    def merge_first() -> None:
        shard, future = pending[0]
        checked = future.result()
        pending.popleft()
        unavoidable.update(checked.unavoidable)
        line_ends.update(checked.line_ends)
        fitting.update(checked.fitting)
        for workload, answer in checked.answers.items():
            if workload in failures:
                continue  # it was submitted before the failure was known
            if isinstance(answer, Failure):
                failures[workload] = answer
                del remaining[workload]
                if answer.status == TIMED_OUT:
                    error = SplitterError(answer.status, answer.detail, answer.frames)
                    pool.give_up(workloads[workload], error)
                continue
            tallies[workload].merge(answer)
            for digest in answer.digests:
                digests[workload].add_digest(digest)
        if progress is not None:
            progress(shard.documents)

    try:
        for shard in corpus.shards(shard_size):
            code_points += shard.code_points
            future = executor.submit(check_shard, shard, dict(remaining), pool, uncounted)
            pending.append((shard, future))
            if len(pending) == SHARDS_IN_FLIGHT:
                merge_first()
        while pending:
            merge_first()
    except BrokenExecutor as error:
        near = f" at or after document {name_document(pending[0][0].first)}" if pending else ""
        raise MeasurementError(
            f"a process of the check died in corpus {corpus.name}{near}: memory may have run out; "
            "check fewer splitters at a time"
        ) from error
    finally:
        for _, future in pending:
            future.cancel()
    if not code_points:
        raise MeasurementError(f"corpus {corpus.name} has no text, so nothing was checked")
    result.unavoidable.extend(Unavoidable(corpus.name, *each) for each in unavoidable.items())
    if uncounted:
        ends, cr_lf = line_ends["all"], line_ends["cr_lf"]
        (fits, _), *_ = fitting.most_common(1)
        result.line_ends.append(LineEnds(corpus.name, code_points, ends, cr_lf, fits))
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
    digest: SegmentsDigest,
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
        result.violations.append(
            ViolationCount(workload, name, tally.violations[name], tally.unavoidable[name])
        )
        examples = [*tally.examples[name, False], *tally.examples[name, True]]
        result.examples.extend(keep_first(examples))


def find_median(occurrences: Mapping[int, int]) -> float:
    """The median of numbers of which each is given with how often it occurs; 0 if there is none."""
    total = sum(occurrences.values())
    middle = []
    seen = 0
    for number in sorted(occurrences):
        before, seen = seen, seen + occurrences[number]
        middle += [number for place in ((total - 1) // 2, total // 2) if before <= place < seen]
    return sum(middle) / 2


def find_uncovered(text: str, segments: Sequence[str]) -> Loss:
    """What of a text no segment covers, as lost, and the segments that are not in it, as added.

    Segments come in the order of their starts, and may overlap. Where a text repeats itself they
    may lie in several places: of their first places and of those that leave the least overlap,
    what counts is where more is found.
    """
    placed = (_place_in_order(text, segments, nearest=nearest) for nearest in (False, True))
    return min(placed, key=lambda loss: (loss.lost, loss.added))


def _place_in_order(text: str, segments: Sequence[str], *, nearest: bool) -> Loss:
    uncovered: list[str] = []
    missing: list[str] = []
    end = 0
    start = -1
    for segment in segments:
        found = text.rfind(segment, start + 1, end + len(segment)) if nearest else -1
        if found < 0:
            found = text.find(segment, start + 1)
        if found < 0:
            missing.append(segment)
            continue
        start = found
        uncovered.append(text[end:start])
        end = max(end, start + len(segment))
    uncovered.append(text[end:])
    lost, added = lose_all("".join(uncovered)), lose_all("".join(missing))
    return lost._replace(added_whitespace=added.lost_whitespace, added_content=added.lost_content)


@dataclass(frozen=True, slots=True)
class ShardResult:
    """What came of some documents.

    Counted once per corpus are the boundaries that are unavoidable, by limit, the line ends, and
    the code points by the separators that fit.
    """

    answers: Mapping[Workload, Tally | Failure]
    unavoidable: Mapping[int, int]
    line_ends: Mapping[str, int]
    fitting: Mapping[str, int]


def check_shard(
    shard: Shard,
    workloads: Mapping[Workload, Splitter],
    pool: SplitterPool,
    limits: Sequence[int] = (),
) -> ShardResult:
    """Check some documents of a corpus, in a process of the executor.

    Unavoidable boundaries are counted at ``limits``; without any, neither they nor line ends are.
    """
    documents = shard.read()
    structures = list(map(find_structure, documents))
    line_ends: Counter[str] = Counter()
    fitting: Counter[str] = Counter()
    for document in documents if limits else ():
        line_ends.update(count_line_ends(document.text))
        fitting[guess_separators(document)] += len(document.text)
    return ShardResult(
        {
            workload: _check_documents(shard, documents, structures, workload, splitter, pool)
            for workload, splitter in workloads.items()
        },
        {
            limit: sum(count_unavoidable(document.text, limit) for document in documents)
            for limit in limits
        },
        line_ends,
        fitting,
    )


def _check_documents(
    shard: Shard,
    documents: Sequence[Document],
    structures: Sequence[Structure],
    workload: Workload,
    splitter: Splitter,
    pool: SplitterPool,
) -> Tally | Failure:
    tally = Tally()
    try:
        with open_folder() as folder, pool.borrow(splitter) as process:
            process.load(workload.max_chunk_length)
            segments = process.split(
                shard.spool,
                folder / "segments",
                again=_choose(documents),
                start=shard.start,
                documents=shard.documents,
            )
            for document, structure, given in zip(documents, structures, segments, strict=True):
                tally.add(workload, document, given, splitter.not_applicable, structure)
    except SplitterError as error:
        if error.status == TIMED_OUT:
            pool.give_up(splitter, error)
        return Failure(workload, error.status, error.detail, error.frames)
    return tally


def _choose(documents: Sequence[Document]) -> int:
    """The number of the document to split twice: the shortest one that has text."""
    numbered = enumerate(documents)
    return min((len(document.text) or sys.maxsize, number) for number, document in numbered)[1]
