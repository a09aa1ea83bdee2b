"""Compares two versions of the segmenter: their segments, then their work, then their speed."""

import math
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from corpora import Corpus
from harness.compare import decision
from harness.compare.checkouts import Checkout
from harness.compare.decision import TOLERANCE, Decision, Speed, decide
from harness.compare.instructions import Instructions, count_instructions
from harness.compare.segments import Difference, compare_segments
from harness.compare.sides import as_splitter, describe_failure, open_clean_process, start_side
from harness.measure.machine import describe_environment, now
from harness.measure.rounds import Group, SideError, Task
from harness.measure.run import Progress
from harness.measure.spooling import SpooledCorpus, spool_corpora
from harness.measure.strata import SHAPES_CORPUS, cut_shapes, cut_strata, make_shapes
from harness.results.errors import MeasurementError
from harness.results.model import Environment, Round
from harness.results.verdict import Verdict
from harness.runner.counting import find_valgrind
from harness.runner.pool import open_folder

COMPARISON_TIMEOUT = 165.0  # seconds for all of it: three minutes with what starts and ends it
_FOR_INSTRUCTIONS = 0.7  # of the time that is left; the rest is for the rounds
HEAD, BASE = "head", "base"


@dataclass(frozen=True, slots=True)
class Question:
    """What to compare, and how strictly.

    ``instructions`` asks for them to be counted as well. ``different_segments`` says that the
    segments may differ: then they are reported, and speed is measured all the same. ``unknown``
    says that speed need not be told. ``bases`` is with how many versions head is compared, which
    share the error. ``timeout`` is in seconds.
    """

    base: Checkout
    head: Checkout
    limits: Sequence[int]
    tolerance: float = TOLERANCE
    instructions: bool = False
    different_segments: bool = False
    unknown: bool = False
    bases: int = 1
    timeout: float = COMPARISON_TIMEOUT


@dataclass(frozen=True, slots=True)
class Measured:
    """The rounds of one corpus at one limit, and what they mean; None before they do."""

    task: Task
    rounds: list[Round] = field(default_factory=list)
    decision: Decision | None = None

    @property
    def speed(self) -> Speed:
        """What the decision says; undecided if there is none."""
        return self.decision.speed if self.decision else Speed.UNDECIDED

    @property
    def slower_strata(self) -> list[str]:
        """The names of the strata that are slower beyond doubt."""
        return [self.task.strata[n].name for n in self.decision.slower] if self.decision else []

    def judge(self, workloads: int, tolerance: float) -> "Measured":
        """With what the rounds mean, of one of so many workloads."""
        names = [stratum.name for stratum in self.task.strata]
        table: dict[int, dict[str, Round]] = {}
        for each in self.rounds:
            table.setdefault(each.round, {})[each.stratum] = each
        logs, drifts = [], []
        for number in sorted(table):
            here = [table[number][name] for name in names]
            logs.append([math.log(each.cpu / each.baseline_cpu) for each in here])
            drift = [math.log(e.baseline_cpu_second / e.baseline_cpu_first) for e in here]
            drifts.append(math.fsum(drift) / len(drift))
        return replace(self, decision=decide(logs, drifts, workloads, tolerance))


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a comparison found.

    ``measured`` is empty if the segments differ and may not. ``uncounted`` says why
    instructions were asked for and not counted, empty if they were, or were not asked for.
    """

    question: Question
    environment: Environment
    differences: Sequence[Difference] = ()
    instructions: Sequence[Instructions] = ()
    uncounted: str = ""
    measured: Sequence[Measured] = field(default_factory=list)

    @property
    def rounds(self) -> list[Round]:
        """All rounds, with the base by its name."""
        base = self.question.base.name
        return [replace(each, baseline=base) for one in self.measured for each in one.rounds]

    @property
    def speed(self) -> Speed | None:
        """The one answer: slower anywhere is slower, and what is not known anywhere is not known.

        None if speed was not measured.
        """
        speeds = {each.speed for each in self.measured}
        speeds |= {each.speed for each in self.instructions}
        if Speed.FASTER in speeds and Speed.FINE in speeds:
            speeds.discard(Speed.FASTER)  # it is not so everywhere
        worst_first = (Speed.SLOWER, Speed.NOISY, Speed.UNDECIDED, Speed.FINE, Speed.FASTER)
        return next((speed for speed in worst_first if speed in speeds), None)

    @property
    def verdict(self) -> Verdict:
        """Bad if it is slower, or the segments differ and may not.

        Not measured if that cannot be told and has to be.
        """
        if self.differences and not self.question.different_segments:
            return Verdict.BAD
        if self.speed is Speed.SLOWER:
            return Verdict.BAD
        if self.speed is None:
            return Verdict.NOT_MEASURED
        unknown = not self.speed.decided or self.uncounted
        return Verdict.NOT_MEASURED if unknown and not self.question.unknown else Verdict.WELL


def compare(
    question: Question, corpora: Sequence[Corpus], command: str, progress: Progress
) -> Comparison:
    """Compare two versions of the segmenter on some corpora, and on texts of odd shapes.

    Raises CorpusError if a corpus cannot be read, and MeasurementError if it has no text or
    a version fails.
    """
    until = time.monotonic() + question.timeout
    base, head, limits = question.base, question.head, question.limits
    if not (corpora and limits):
        raise MeasurementError("nothing to compare; give a corpus and a limit")
    comparison = Comparison(question, describe_environment(command, []))
    shapes = [] if SHAPES_CORPUS in {each.name for each in corpora} else [make_shapes()]
    with open_folder() as folder, spool_corpora([*corpora, *shapes]) as spooled:
        progress.begin("comparing segments", None)
        verified = compare_segments(base, head, spooled, limits, folder, progress.advance)
        comparison = replace(comparison, differences=verified.differences)
        if verified.differences and not question.different_segments:
            return _finish(comparison)
        tasks = [
            _cut(each, limit, verified.seconds[each.name, limit], folder / f"strata-{n}-{limit}")
            for n, each in enumerate(spooled)
            for limit in limits
        ]
        if question.instructions:
            progress.begin("counting instructions", None)
            comparison = _count(comparison, tasks, folder, until)
        measured = _measure(question, tasks, until, progress)
    return _finish(replace(comparison, measured=measured))


def _count(comparison: Comparison, tasks: Sequence[Task], folder: Path, until: float) -> Comparison:
    """With the instructions of each version, or why they were not counted."""
    question = comparison.question
    valgrind = find_valgrind()
    if valgrind is None:
        missing = "instructions were not counted: valgrind is not installed here"
        return replace(comparison, uncounted=missing)
    timeout = _FOR_INSTRUCTIONS * max(0.0, until - time.monotonic())
    try:
        counted = count_instructions(valgrind, question.base, question.head, tasks, folder, timeout)
    except TimeoutError:
        missing = (
            f"instructions were not counted within {timeout:.0f} s; give fewer limits or corpora"
        )
        return replace(comparison, uncounted=missing)
    return replace(comparison, instructions=counted)


def _cut(corpus: SpooledCorpus, limit: int, seconds: float, folder: Path) -> Task:
    if corpus.name == SHAPES_CORPUS:
        return Task(corpus.name, limit, cut_shapes(corpus.spool, folder))
    strata = cut_strata(corpus.spool, seconds, folder)
    if not strata:
        raise MeasurementError(f"corpus {corpus.name} has no text, so there is nothing to time")
    return Task(corpus.name, limit, strata)


def _measure(
    question: Question, tasks: Sequence[Task], until: float, progress: Progress
) -> list[Measured]:
    """Measure each task until it is decided, up to the last look or until that time.

    As soon as one is slower, nothing more is measured. Raises MeasurementError if a version
    fails.
    """
    measured = [Measured(task) for task in tasks]
    workloads = len(tasks) * question.bases
    group = Group(
        [as_splitter(question.head, HEAD)],
        as_splitter(question.base, BASE),
        open_clean_process,
        cycles=decision.GATE_CYCLES,
    )
    done, seconds = 0, 0.0  # of a round of one task
    for look in decision.LOOKS:
        pending = [each for each in measured if not each.speed.decided]
        steps = (look - done) * len(pending)
        started = time.monotonic()
        if started + steps * seconds > until:
            break  # decisions are made at the looks only: their errors add up
        progress.begin(f"rounds {done + 1} to {look}", steps)
        for number in range(done, look):
            _make_round(question, group, number, pending)
            progress.advance(len(pending))
        seconds = (time.monotonic() - started) / steps
        done = look
        measured = [
            each if each.speed.decided else each.judge(workloads, question.tolerance)
            for each in measured
        ]
        speeds = {each.speed for each in measured}
        if Speed.SLOWER in speeds or all(speed.decided for speed in speeds):
            break
    return measured


def _make_round(question: Question, group: Group, number: int, pending: Sequence[Measured]) -> None:
    rounds = {(each.task.corpus, each.task.max_chunk_length): each.rounds for each in pending}
    for each in group.make_round(number, {HEAD: [each.task for each in pending]}):
        if isinstance(each, SideError):
            side = question.head if each.side == HEAD else question.base
            raise describe_failure(side, each.error) from each.error
        rounds[each.workload.corpus, each.workload.max_chunk_length].append(each)


@dataclass(frozen=True, slots=True)
class Addition:
    """A segmenter that ``base`` does not have, and how many documents it split."""

    base: str
    head: Checkout
    environment: Environment
    documents: int

    @property
    def verdict(self) -> Verdict:
        """Well: there is nothing that it could be worse than."""
        return Verdict.WELL

    def record(self) -> dict[str, Any]:
        """The addition as JSON has it."""
        return {
            "environment": asdict(self.environment),
            "base": {"name": self.base},
            "head": {"name": self.head.name, "commit": self.head.commit},
            "answer": "new",
            "verdict": self.verdict,
        }


def try_alone(
    head: Checkout,
    base: str,
    corpora: Sequence[Corpus],
    limits: Sequence[int],
    command: str,
    progress: Progress,
) -> Addition:
    """Let a segmenter that ``base`` does not have split all documents at every limit.

    Raises CorpusError and MeasurementError as ``compare`` does.
    """
    environment = describe_environment(command, [])
    with spool_corpora(corpora) as spooled, start_side(head) as side:
        progress.begin("splitting", None)
        for each in spooled:
            for limit in limits:
                side.load(limit)
                side.run_pass(each.spool, progress.advance)
        documents = sum(each.documents for each in spooled)
    return Addition(base, head, replace(environment, finished=now()), documents)


def _finish(comparison: Comparison) -> Comparison:
    return replace(comparison, environment=replace(comparison.environment, finished=now()))
