"""What the answers to the claims rest on: measurements, each made when it is first asked for."""

from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from functools import cached_property, reduce
from operator import add

from packaging.specifiers import SpecifierSet

from harness.claims.derivation import Reembedding, compare_derived, derive_sentences, derive_whole
from harness.claims.long_runs import count_by_definition
from harness.claims.refinding import Refinding, compare_finding
from harness.measure.check import SHARDS_IN_FLIGHT, CheckResult, check_corpora
from harness.measure.spooling import Shard as Texts
from harness.measure.spooling import SpooledCorpus
from harness.report.migration import Migration, find_migration
from harness.results.errors import MeasurementError
from harness.retrieval.questions import QuestionSet
from harness.runner.pool import SplitterPool
from harness.splitters.contenders import Contenders, gather
from harness.splitters.registry import Splitter, load_splitter
from harness.splitters.venvs import Installation, find_interpreter, install, resolve

LIMITS = (20, 128, 500)
DEFAULT_LIMIT = 500
OLD = "langchain-memmachine"  # what the pull request replaces

EARLIER = ("langchain-memmachine-1.1.1", "langchain-memmachine-1.1.2")  # the same, other releases
_CHECKED = ("segmenter", OLD, "langchain-memmachine-moved", *EARLIER)
_OTHERS = ("memmachine", "langchain-0.0.100", "langchain-0.0.200")


@dataclass(frozen=True, slots=True)
class ShardMigration:
    """What documents come to when their segments change from LangChain's to the segmenter's.

    ``edged_before`` and ``edged`` are the segments with whitespace at their ends.
    """

    migration: Migration = field(default_factory=Migration)
    whole: Reembedding = field(default_factory=Reembedding)
    sentences: Reembedding = field(default_factory=Reembedding)
    edged_before: int = 0
    edged: int = 0

    def __add__(self, other: "ShardMigration") -> "ShardMigration":
        return ShardMigration(
            *(getattr(self, n) + getattr(other, n) for n in ShardMigration.__slots__)
        )


class Evidence:
    """What the answers rest on, measured when it is first asked for."""

    def __init__(
        self,
        real: Sequence[SpooledCorpus],
        synthetic: SpooledCorpus,
        pool: SplitterPool,
        executor: Executor,
        progress: Callable[[str], None],
        sets: Sequence[QuestionSet] = (),
    ) -> None:
        self.sets = sets
        self.real = real
        self.synthetic = synthetic
        self.pool = pool
        self.executor = executor
        self.progress = progress

    @cached_property
    def contenders(self) -> Contenders:
        """All splitters that the claims speak of, each where it is installed."""
        names = (*_CHECKED, *_OTHERS)
        return gather(map(load_splitter, names), self.progress)

    def find(self, name: str) -> Splitter:
        """A splitter that is here; raises MeasurementError if it is not."""
        for splitter in self.contenders.splitters:
            if splitter.name == name:
                return splitter
        raise MeasurementError(f"{name} is unavailable: {self.contenders.unavailable[name]}")

    def split(self, name: str, text: str, limit: int) -> list[str]:
        """The segments of a text; raises MeasurementError, and SplitterError if it fails."""
        (segments,) = self.pool.split(self.find(name), [("text", text)], limit)
        return segments

    def digests(self, name: str, limit: int) -> dict[str, str]:
        """The digest of a splitter's segments of each corpus.

        Raises MeasurementError if it failed on one.
        """
        found = {
            count.workload.corpus: count.digest
            for count in self.checked.counts
            if count.workload.splitter == name and count.workload.max_chunk_length == limit
        }
        if len(found) < len(self.real) + 1:
            raise MeasurementError(f"{name} failed at {limit}")
        return found

    def install(self, requirement: str, *, newest: bool = False) -> Installation:
        """An environment with nothing but what is required; raises UnavailableError.

        It has what a lock pins, or the ``newest`` release that is allowed.
        """
        splitter = Splitter(requirement, "", requirement=requirement, newest=newest)
        return install(splitter, isolated=True, progress=self.progress)

    def resolve(self, requirement: str, python: str = "") -> Mapping[str, str]:
        """The versions that an installation would take today; raises UnavailableError."""
        self.progress(f"looking up what {requirement} brings today")
        return resolve([requirement], find_interpreter(SpecifierSet(python)))

    def installation(self, name: str) -> Installation:
        """The virtual environment of a splitter that has one."""
        return self.contenders.installations[self.find(name).name]

    @cached_property
    def checked(self) -> CheckResult:
        """What the check finds on all texts."""
        self.progress("checking the splitters on all texts")
        here = [s for s in self.contenders.splitters if s.name in _CHECKED]
        corpora = [*self.real, self.synthetic]
        return check_corpora(corpora, here, LIMITS, pool=self.pool, executor=self.executor)

    @cached_property
    def checked_old(self) -> CheckResult:
        """The old segmenter itself, at its default limit, on the real texts."""
        self.progress("checking the old segmenter")
        old = [self.find("memmachine")]
        return check_corpora(
            self.real, old, [DEFAULT_LIMIT], pool=self.pool, executor=self.executor
        )

    def count(self, splitter: str, limit: int, attribute: str = "segments") -> int:
        """A figure of a splitter's segments, of all real texts together.

        Raises MeasurementError if the splitter failed on one of the corpora.
        """
        names = {corpus.name for corpus in self.real}
        found = [
            count
            for count in self.checked.counts
            if count.workload.splitter == splitter
            and count.workload.max_chunk_length == limit
            and count.workload.corpus in names
        ]
        if len(found) < len(names):
            raise MeasurementError(f"{splitter} failed at {limit}")
        return sum(getattr(count, attribute) for count in found)

    @cached_property
    def long_runs(self) -> Counter[tuple[str, int]]:
        """Runs of whitespace in the real texts that are too long, by what that means, and limit."""
        self.progress("counting long runs of whitespace")
        shards = (shard for corpus in self.real for shard in corpus.shards())
        return sum((_count_long_runs(shard) for shard in shards), Counter())

    def broken(self, splitter: str, limit: int) -> dict[str, int]:
        """How often a splitter broke each rule on the real texts, if it could be avoided."""
        self.count(splitter, limit)
        names = {corpus.name for corpus in self.real}
        broken: dict[str, int] = {}
        for row in self.checked.violations:
            workload = row.workload
            if (workload.splitter, workload.max_chunk_length) == (splitter, limit) and (
                workload.corpus in names
            ):
                number = row.count - row.unavoidable
                broken[row.rule] = broken.get(row.rule, 0) + number
        return broken

    def refind(self, embed: Callable[[str], str]) -> list[Refinding]:
        """Whether questions about the real texts find other answers with the segmenter's segments.

        At the default limit, LangChain's segments are replaced by the segmenter's, each indexed as
        ``embed`` says. Raises MeasurementError if no text has questions, or what asks them is not
        installed.
        """
        if not self.sets:
            raise MeasurementError("no corpus here has questions")
        self.progress("asking questions of old and new segments")
        both = (self.find(OLD), self.find("segmenter"))
        return compare_finding(self.sets, *both, DEFAULT_LIMIT, self.pool, embed)

    @cached_property
    def shard(self) -> ShardMigration:
        """All real texts at the default limit, from LangChain's segments to the segmenter's."""
        self.progress("comparing what is stored and embedded")
        before, after = self.find(OLD), self.find("segmenter")
        total = ShardMigration()
        pending: deque[Future[ShardMigration]] = deque()
        for corpus in self.real:
            for texts in corpus.shards():
                submit = self.executor.submit
                pending.append(
                    submit(compare_shard, texts, before, after, DEFAULT_LIMIT, self.pool)
                )
                if len(pending) == SHARDS_IN_FLIGHT:
                    total += pending.popleft().result()
        return reduce(add, (future.result() for future in pending), total)


def _count_long_runs(texts: Texts) -> Counter[tuple[str, int]]:
    return count_by_definition((document.text for document in texts.read()), LIMITS)


def compare_shard(
    texts: Texts, before: Splitter, after: Splitter, max_chunk_length: int, pool: SplitterPool
) -> ShardMigration:
    """What documents come to when one splitter replaces another, in a process of the executor.

    Raises SplitterError.
    """
    total = ShardMigration()
    documents = list(texts.read())
    pairs = [(document.id, document.text) for document in documents]
    both = (pool.split(each, pairs, max_chunk_length) for each in (before, after))
    for document, old, new in zip(documents, *both, strict=True):
        total += ShardMigration(
            find_migration(document.text, old, new, max_chunk_length),
            compare_derived(old, new, derive_whole),
            compare_derived(old, new, derive_sentences),
            sum(segment != segment.strip() for segment in old),
            sum(segment != segment.strip() for segment in new),
        )
    return total
