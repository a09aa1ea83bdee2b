"""What a run measures. Lengths and offsets are code points, durations are seconds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields

from segmenter.loss import Loss

SET_ASIDE = "set aside"  # the status of a failure for one document, not for its workload
BASELINE = "langchain"  # the splitter that speed is measured against, unless another is named

#: Where a boundary can lie, from the best to the worst; ``lost`` is where other characters than
#: whitespace are missing.
PLACES = (
    *("paragraph", "line", "sentence", "clause", "word"),
    *("inside-word", "inside-grapheme", "lost"),
)

# Seconds that a clock can tell, and that anyone waits.
_SHORTEST = 1e-12
_LONGEST = 1e9


@dataclass(frozen=True, slots=True, order=True)
class Workload:
    """One corpus through one splitter at one limit."""

    corpus: str
    splitter: str
    max_chunk_length: int

    def __str__(self) -> str:
        return f"{self.corpus}/{self.splitter}/{self.max_chunk_length}"


@dataclass(frozen=True, slots=True)
class Count:
    """What a splitter made of a corpus.

    ``shortest``, ``median`` and ``longest`` are segment lengths, 0 if there is no segment.
    Lost is what the joined segments do not hold of the texts, added what the texts do not hold of
    them (``segmenter.loss``), of each the whitespace and the rest; if segments may overlap, what
    none covers, and those that are not in the text. ``inexact`` is the number of documents that
    have lost and added at least what is counted of them. None in a run of an older version.
    """

    workload: Workload
    documents: int
    code_points: int
    segments: int
    shortest: int
    median: float
    longest: int
    digest: str
    lost_whitespace: int | None = None
    lost_content: int | None = None
    added_whitespace: int | None = None
    added_content: int | None = None
    inexact: int = 0


@dataclass(frozen=True, slots=True)
class BoundaryCount:
    """Where a workload's segments meet; of segments that do not join, where two touch.

    ``at_whitespace`` are the boundaries with whitespace on at least one side;
    ``whitespace_segments`` are segments of whitespace alone. ``excess`` are the boundaries inside
    units of the whitespace rule, beyond those that no splitter could avoid there; None in a run of
    an older version.
    """

    workload: Workload
    boundaries: int
    at_whitespace: int
    whitespace_segments: int
    excess: int | None = None


@dataclass(frozen=True, slots=True)
class CutCount:
    """Where a workload's boundaries lie, or what they cut.

    Either ``count`` boundaries lie at a ``place`` (`harness.measure.cuts`), or ``cut`` of so many
    of a ``structure`` are cut; what belongs to the other kind is empty or None.
    """

    workload: Workload
    place: str = ""
    count: int | None = None
    structure: str = ""
    of: int | None = None
    cut: int | None = None


@dataclass(frozen=True, slots=True)
class LineEnds:
    """How the lines of a corpus end: ``cr_lf`` of its ``line_ends`` are CR LF.

    ``separators`` names the list that fits most of its text, guessed by names and letters.
    """

    corpus: str
    code_points: int
    line_ends: int
    cr_lf: int
    separators: str


@dataclass(frozen=True, slots=True)
class Unavoidable:
    """How many boundaries inside units of a corpus no splitter can do without at a limit."""

    corpus: str
    max_chunk_length: int
    boundaries: int


@dataclass(frozen=True, slots=True)
class Texts:
    """What a corpus held.

    That is the digest of its documents, where they came from in words, and what a reader must know
    of them, one line each. Runs with the same digest have measured the same texts.
    """

    corpus: str
    digest: str
    origin: str
    notes: str = ""


@dataclass(frozen=True, slots=True)
class Exemption:
    """A rule that cannot be asked of a splitter, and why."""

    splitter: str
    rule: str
    reason: str


@dataclass(frozen=True, slots=True)
class Trial:
    """How a splitter meets one question: a text that others choke on, or where segments lie.

    ``answer`` is a word or two, such as ``kept``, ``raised`` or ``timed out``; ``detail`` says
    more, in one line.
    """

    splitter: str
    question: str
    answer: str
    detail: str


@dataclass(frozen=True, slots=True)
class Violation:
    """One breach of a rule: where in which document, and whether no splitter could avoid it."""

    rule: str
    document: str
    start: int
    unavoidable: bool
    detail: str


@dataclass(frozen=True, slots=True)
class ViolationCount:
    """How often a workload broke a rule; ``count`` includes the ``unavoidable`` ones."""

    workload: Workload
    rule: str
    count: int
    unavoidable: int


@dataclass(frozen=True, slots=True)
class Example:
    """One violation with the text on both sides of its start."""

    workload: Workload
    violation: Violation
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Failure:
    """A workload without a result, and why.

    ``status`` is ``unavailable`` (the splitter cannot be loaded), ``raised`` (it raised an
    exception), ``invalid`` (what it gave is not a list of strings), ``changed`` (it did not give
    again what was checked), ``timed out``, ``failed`` (its process died), ``untimed`` (its baseline
    failed) or ``set aside`` (checking one document ended the process that did: the count is that of
    the others); ``detail`` is one line. ``frames`` are the last lines of the splitter's traceback,
    if it raised something.
    """

    workload: Workload
    status: str
    detail: str
    frames: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Round:
    """A splitter and its baseline in turns over some documents of a corpus, in one round.

    ``stratum`` names the documents, which have ``code_points`` together; rounds count from 0.
    Durations are seconds of one pass over the documents: ``cpu`` those in which the process worked,
    ``wall`` those that went by. Of each portion of the documents ``first`` has the quickest turn,
    ``second`` the second quickest. In a run of an older version they are the only two turns.
    """

    workload: Workload
    baseline: str
    stratum: str
    round: int
    code_points: int
    cpu_first: float
    cpu_second: float
    wall_first: float
    wall_second: float
    baseline_cpu_first: float
    baseline_cpu_second: float
    baseline_wall_first: float
    baseline_wall_second: float

    def __post_init__(self) -> None:
        if self.code_points < 1:
            raise ValueError(f"{self.workload} was timed on documents without text")
        for each in fields(self):
            value = getattr(self, each.name)
            timed = each.name.endswith(("_first", "_second"))
            if timed and not _SHORTEST <= value <= _LONGEST:
                raise ValueError(f"{each.name} of {self.workload} is {value} seconds")

    @property
    def cpu(self) -> float:
        """CPU seconds of the splitter in both."""
        return self.cpu_first + self.cpu_second

    @property
    def wall(self) -> float:
        """Seconds that went by for the splitter in both."""
        return self.wall_first + self.wall_second

    @property
    def baseline_cpu(self) -> float:
        """CPU seconds of the baseline in both."""
        return self.baseline_cpu_first + self.baseline_cpu_second

    @property
    def baseline_wall(self) -> float:
        """Seconds that went by for the baseline in both."""
        return self.baseline_wall_first + self.baseline_wall_second


@dataclass(frozen=True, slots=True, order=True)
class Growth:
    """How long one text took, by its shape and length: the quickest of some calls.

    ``seconds_again`` is the quickest of more calls, 0 if there were none, and ``instructions`` are
    0 if they were not counted.
    """

    shape: str
    max_chunk_length: int
    splitter: str
    code_points: int
    seconds: float
    seconds_again: float = 0.0
    instructions: int = 0


@dataclass(frozen=True, slots=True)
class Import:
    """What loading a splitter costs, and what it brings; None if that is not known.

    ``milliseconds`` has one value per fresh process; ``third_party`` are those of the modules that
    belong neither to Python nor to what is imported; ``bytes`` is the size of what is installed.
    """

    name: str
    milliseconds: Sequence[float]
    modules: int
    third_party: int | None = None
    packages: int | None = None
    bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement about the segmenter, and what was measured."""

    claim: str
    says: str
    measured: str
    status: str


@dataclass(frozen=True, slots=True)
class Span:
    """Where a segment lies in its document; ``end`` is the offset after it."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class View:
    """What a splitter made of an excerpt at one limit, as part of its whole document.

    ``spans`` are the segments of which some character is in the excerpt, in order; ``first`` is
    the number of the first, from 0, of the document's ``segments``. ``added`` are segments, cut to
    a bounded length, that the document does not hold there, with the offset where they would be.
    ``loss`` is what the whole document loses, None if that is not known. ``places`` has the place
    of the boundary before each of the spans, empty if there is none; it is empty if none is known.
    """

    splitter: str
    max_chunk_length: int
    segments: int
    first: int
    spans: Sequence[Span]
    violations: Sequence[Violation] = ()
    added: Sequence[tuple[int, str]] = ()
    loss: Loss | None = None
    places: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A stretch of a document, for people to look at; ``start`` is its offset there.

    ``length`` is that of the document, ``licence`` that of its corpus, empty if none is known.
    """

    corpus: str
    licence: str
    document: str
    length: int
    start: int
    text: str
    views: Sequence[View]

    @property
    def end(self) -> int:
        """The offset in the document after the excerpt."""
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What is found again of a corpus, by one retriever within one budget of code points.

    ``segments`` are those in the index, ``unplaced`` those of them that do not stand in their
    documents. ``recall``, ``content_recall``, ``precision`` and ``iou`` are means over the
    questions, each a share of 1. ``difference`` is the recall less that of ``segmenter``, paired by
    question, with its 95 % bootstrap interval; ``content_difference`` the same of content recall,
    which counts only what is not whitespace.
    """

    workload: Workload
    retriever: str
    budget: int
    questions: int
    segments: int
    unplaced: int
    recall: float
    content_recall: float
    precision: float
    iou: float
    difference: float
    difference_low: float
    difference_high: float
    content_difference: float
    content_difference_low: float
    content_difference_high: float

    @property
    def beyond_chance(self) -> bool:
        """Whether more or less is found than with ``segmenter``.

        That is whether the interval of the content's difference leaves out 0. A splitter that
        strips cannot find the whitespace that it has dropped, so its recall alone would tell of
        that as well.
        """
        return not self.content_difference_low <= 0 <= self.content_difference_high


@dataclass(frozen=True, slots=True)
class Stripping:
    """What it changes to drop the whitespace at a segment's ends.

    The workload's splitter drops it, and ``keeping`` is the same splitter if it does not.
    ``content_difference`` is the content recall of the former less that of the latter.
    """

    workload: Workload
    keeping: str
    retriever: str
    budget: int
    questions: int
    content_difference: float
    content_difference_low: float
    content_difference_high: float

    @property
    def beyond_chance(self) -> bool:
        """Whether the interval of the difference leaves out 0."""
        return not self.content_difference_low <= 0 <= self.content_difference_high


@dataclass(frozen=True, slots=True)
class Retrieved:
    """A segment that was retrieved: where it lies, -1 for nowhere, and what of it is an answer."""

    document: str
    start: int
    text: str
    found: Sequence[Span]


@dataclass(frozen=True, slots=True)
class ContrastSide:
    """What one splitter's segments came to for a question, best first, within the budget."""

    splitter: str
    recall: float
    segments: Sequence[Retrieved]


@dataclass(frozen=True, slots=True)
class Contrast:
    """A question on which two splitters differ, and what each retrieved for it."""

    corpus: str
    max_chunk_length: int
    retriever: str
    budget: int
    question: str
    answers: Sequence[str]
    sides: Sequence[ContrastSide]


@dataclass(frozen=True, slots=True)
class Installed:
    """What splitters were installed with: every distribution and its version.

    ``python`` is the version of their Python. ``lock`` names the lock that their virtual
    environment was made from; empty if it was made without one, or is that of the run. ``made`` is
    the day on which it was made, as ISO 8601 has it in UTC; empty for that of the run.
    """

    splitters: Sequence[str]
    python: str
    lock: str
    made: str
    versions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Environment:
    """Where, when and on what a run was made.

    ``command`` is what was typed, ``versions`` maps each distribution that was measured or
    measured with to its version, ``commit`` is empty outside a git checkout, ``dirty`` tells
    whether files differed from it; ``started`` and ``finished`` are ISO 8601 in UTC. ``baseline``
    is the splitter that speed is measured against.
    ``commit_error`` is git's reason if there is a checkout whose commit it did not tell.
    ``installed`` has one entry for each virtual environment that splitters ran in, and one for
    those that ran in that of the run.
    """

    command: str
    versions: Mapping[str, str]
    python: str
    platform: str
    cpu: str
    cpu_count: int
    commit: str
    dirty: bool
    started: str
    finished: str
    baseline: str = BASELINE
    commit_error: str = ""
    installed: Sequence[Installed] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Run:
    """All that a run folder holds.

    ``renamed`` are splitters that had other names when it was written: the old names and the new.
    """

    environment: Environment
    counts: Sequence[Count] = ()
    violations: Sequence[ViolationCount] = ()
    examples: Sequence[Example] = ()
    failures: Sequence[Failure] = ()
    rounds: Sequence[Round] = ()
    excerpts: Sequence[Excerpt] = ()
    boundaries: Sequence[BoundaryCount] = ()
    unavoidable: Sequence[Unavoidable] = ()
    cuts: Sequence[CutCount] = ()
    line_ends: Sequence[LineEnds] = ()
    exemptions: Sequence[Exemption] = ()
    trials: Sequence[Trial] = ()
    texts: Sequence[Texts] = ()
    growth: Sequence[Growth] = ()
    imports: Sequence[Import] = ()
    claims: Sequence[Claim] = ()
    retrievals: Sequence[Retrieval] = ()
    strippings: Sequence[Stripping] = ()
    contrasts: Sequence[Contrast] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)
