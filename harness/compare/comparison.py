"""Compares two versions of the segmenter: their segments, then their work, then their speed."""

import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from corpora import Corpus
from harness.compare.checkouts import Checkout
from harness.compare.documents import cut_blocks, spool_corpora
from harness.compare.instructions import Instructions, count_instructions, find_valgrind
from harness.compare.rounds import PATIENCE, Measured, measure
from harness.compare.segments import Difference, compare_segments
from harness.compare.sides import start_side
from harness.compare.statistics import TOLERANCE, Speed
from harness.measure.machine import describe_environment, now
from harness.measure.run import Progress
from harness.results.errors import MeasurementError
from harness.results.model import Environment
from harness.results.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Question:
    """What to compare, and how strictly.

    ``instructions`` asks for them to be counted as well. ``different_segments`` says that the
    segments may differ: then they are reported, and speed is measured all the same. ``strict``
    says that an answer is needed. ``patience`` is in seconds.
    """

    base: Checkout
    head: Checkout
    limits: Sequence[int]
    tolerance: float = TOLERANCE
    instructions: bool = False
    different_segments: bool = False
    strict: bool = False
    patience: float = PATIENCE


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a comparison learnt.

    ``measured`` is empty where the segments differ and may not. ``uncounted`` says why
    instructions were asked for and not counted, empty where they were, or were not asked for.
    """

    question: Question
    environment: Environment
    differences: Sequence[Difference] = ()
    instructions: Sequence[Instructions] = ()
    uncounted: str = ""
    measured: Sequence[Measured] = field(default_factory=list)

    @property
    def speed(self) -> Speed | None:
        """The one answer: slower anywhere is slower, and what is not known anywhere is not known.

        None where speed was not measured.
        """
        speeds = {each.speed for each in self.measured}
        speeds |= {each.speed for each in self.instructions}
        worst_first = (Speed.SLOWER, Speed.NOISY, Speed.UNDECIDED, Speed.FASTER, Speed.FINE)
        return next((speed for speed in worst_first if speed in speeds), None)

    @property
    def verdict(self) -> Verdict:
        """Bad if the segments differ and may not, or if it is slower."""
        if self.differences and not self.question.different_segments:
            return Verdict.BAD
        if self.speed is Speed.SLOWER:
            return Verdict.BAD
        if self.speed is None:
            return Verdict.NOT_MEASURED
        unknown = not self.speed.decided or self.uncounted
        return Verdict.NOT_MEASURED if self.question.strict and unknown else Verdict.WELL


def compare(
    question: Question, corpora: Sequence[Corpus], command: str, progress: Progress
) -> Comparison:
    """Compare two versions of the segmenter on some corpora.

    Raises CorpusError where a corpus cannot be read, and MeasurementError where it has no text or
    a version fails.
    """
    base, head, limits = question.base, question.head, question.limits
    if not (corpora and limits):
        raise MeasurementError("nothing to compare; give a corpus and a limit")
    comparison = Comparison(question, describe_environment(command, []))
    with tempfile.TemporaryDirectory(prefix="segbench-") as place:
        folder = Path(place)
        progress.begin("comparing segments", None)
        spooled = spool_corpora(corpora, folder)
        verified = compare_segments(base, head, spooled, limits, folder, progress.advance)
        comparison = replace(comparison, differences=verified.differences)
        if verified.differences and not question.different_segments:
            return _finish(comparison)
        if question.instructions:
            valgrind = find_valgrind()
            if valgrind is None:
                missing = "instructions were not counted: valgrind is not installed here"
                comparison = replace(comparison, uncounted=missing)
            else:
                progress.begin("counting instructions", None)
                counted = count_instructions(valgrind, base, head, spooled, limits, folder)
                comparison = replace(comparison, instructions=counted)
        workloads = [
            Measured(
                each.corpus,
                limit,
                cut_blocks(each, verified.seconds[each.corpus, limit], folder / f"{n}-{limit}"),
            )
            for n, each in enumerate(spooled)
            for limit in limits
        ]
        measured = measure(
            base,
            head,
            workloads,
            tolerance=question.tolerance,
            patience=question.patience,
            begin=lambda stage: progress.begin(stage, None),
            advance=progress.advance,
        )
    return _finish(replace(comparison, measured=measured))


@dataclass(frozen=True, slots=True)
class Addition:
    """A segmenter that ``base`` does not have, and how many documents it split."""

    base: str
    head: Checkout
    environment: Environment
    documents: int

    def record(self) -> dict[str, Any]:
        """The addition as JSON has it."""
        return {
            "environment": asdict(self.environment),
            "base": {"name": self.base},
            "head": {"name": self.head.name, "commit": self.head.commit},
            "answer": "new",
            "verdict": Verdict.WELL,
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
    with (
        tempfile.TemporaryDirectory(prefix="segbench-") as place,
        start_side(head) as side,
    ):
        progress.begin("splitting", None)
        spooled = spool_corpora(corpora, Path(place))
        for each in spooled:
            for limit in limits:
                side.load(limit)
                side.run_pass(each.spool, progress.advance)
    documents = sum(len(each.lengths) for each in spooled)
    return Addition(base, head, replace(environment, finished=now()), documents)


def _finish(comparison: Comparison) -> Comparison:
    return replace(comparison, environment=replace(comparison.environment, finished=now()))
