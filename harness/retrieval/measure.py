"""Every splitter's segments of a corpus as an index, every question asked of it, and scored."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from harness.measure.machine import describe_environment, now
from harness.measure.run import Progress
from harness.results.errors import MeasurementError
from harness.results.folder import REPORTED_FILES, open_results, write_run
from harness.results.model import (
    Contrast,
    ContrastSide,
    Environment,
    Failure,
    Retrieval,
    Retrieved,
    Run,
    Span,
    Stripping,
    Texts,
    Workload,
)
from harness.results.verdict import IN_HOUSE
from harness.retrieval.differences import PairedDifference, estimate_differences
from harness.retrieval.index import Index, Numbers, build_index
from harness.retrieval.questions import QuestionSet
from harness.retrieval.retrievers import Retriever
from harness.retrieval.scoring import Score, Target, buy, intersect, make_targets, rank, score
from harness.runner.pool import SplitterPool
from harness.runner.process import SPLITTER_TIMEOUT, SplitterError
from harness.splitters.contenders import Contenders, gather
from harness.splitters.registry import Splitter

_CONTRAST_BUDGET = 2_500
_CONTRASTS = 3  # for each corpus, limit and splitter
KEEPING = "-keep"  # what the name of a splitter that strips gets if it does not
_DECIMALS = 6
_SHARES = Score.__slots__


@dataclass(frozen=True, slots=True)
class RetrievalPlan:
    """What to measure.

    ``command`` is what was typed, ``timeout`` how many seconds a splitter may take to load, and for
    a document. One of the splitters is the one named ``segmenter``, which all are compared with.
    """

    sets: Sequence[QuestionSet]
    splitters: Sequence[Splitter]
    limits: Sequence[int]
    retrievers: Sequence[Retriever]
    budgets: Sequence[int]
    command: str
    timeout: float = SPLITTER_TIMEOUT


@dataclass(frozen=True, slots=True)
class RetrievalOutcome:
    """What one retriever found in an index.

    That is the order of segments for each question, and the score of each question within each
    budget.
    """

    index: Index
    orders: Sequence[Numbers]
    scores: Mapping[int, Sequence[Score]]

    def list_recalls(self, budget: int) -> list[float]:
        """The recall of each question."""
        return [score.recall for score in self.scores[budget]]

    def list_content_recalls(self, budget: int) -> list[float]:
        """The content recall of each question."""
        return [score.content_recall for score in self.scores[budget]]


Asked = Mapping[tuple[str, str], RetrievalOutcome]  # by splitter and retriever


def retrieve(plan: RetrievalPlan, folder: Path, progress: Progress) -> Run:
    """Measure, and write the run folder, which is opened by ``open_results``.

    A splitter that is unavailable or fails is among the failures. Raises MeasurementError if
    ``segmenter`` or a retriever fails, or the folder cannot be written to.
    """
    started = now()
    with open_results(folder, REPORTED_FILES):
        contenders = gather(plan.splitters, lambda line: progress.begin(line, None))
        environment = describe_environment(
            plan.command, contenders.splitters, contenders.installations
        )
        versions = dict(environment.versions)
        for retriever in plan.retrievers:
            versions |= retriever.versions
        run = _measure(plan, contenders, replace(environment, versions=versions), progress)
        environment = replace(run.environment, started=started, finished=now())
        write_run(folder, replace(run, environment=environment))
    return replace(run, environment=environment)


def _measure(
    plan: RetrievalPlan, contenders: Contenders, environment: Environment, progress: Progress
) -> Run:
    retrievals: list[Retrieval] = []
    strippings: list[Stripping] = []
    contrasts: list[Contrast] = []
    failures = [
        Failure(Workload(questions.corpus, splitter, limit), "unavailable", reason)
        for questions in plan.sets
        for splitter, reason in contenders.unavailable.items()
        for limit in plan.limits
    ]
    with SplitterPool(timeout=plan.timeout) as pool:
        for questions in plan.sets:
            targets = make_targets(questions.questions, questions.documents)
            for limit in plan.limits:
                asked, failed = _ask(
                    plan, contenders.splitters, pool, questions, targets, limit, progress
                )
                failures += failed
                retrievals += _sum_up(plan, questions.corpus, limit, asked)
                strippings += _compare_stripping(plan, questions.corpus, limit, asked)
                contrasts += _choose_contrasts(plan, questions, targets, limit, asked)
    texts = [
        Texts(each.corpus, each.digest, each.origin, "\n".join(each.notes)) for each in plan.sets
    ]
    return Run(
        environment,
        failures=failures,
        texts=texts,
        retrievals=retrievals,
        strippings=strippings,
        contrasts=contrasts,
    )


def _ask(
    plan: RetrievalPlan,
    splitters: Sequence[Splitter],
    pool: SplitterPool,
    questions: QuestionSet,
    targets: Sequence[Target],
    limit: int,
    progress: Progress,
) -> tuple[Asked, list[Failure]]:
    """Ask every question of every splitter's segments, by every retriever."""
    asked: dict[tuple[str, str], RetrievalOutcome] = {}
    failures = []
    progress.begin(f"{questions.corpus} at {limit}", len(splitters) * len(questions.documents))
    texts = [(document.id, document.text) for document in questions.documents]
    for splitter in splitters:
        try:
            segments = pool.split(splitter, texts, limit)
        except SplitterError as error:
            if splitter.name == IN_HOUSE:
                raise MeasurementError(
                    f"{IN_HOUSE} {error}, and all others are compared with it"
                ) from error
            workload = Workload(questions.corpus, splitter.name, limit)
            failures.append(Failure(workload, error.status, error.detail, error.frames))
            if error.status == "timed out":
                pool.give_up(splitter, error)
            continue
        overlapping = "join" in splitter.not_applicable
        index = build_index(questions.documents, segments, overlapping=overlapping)
        for retriever in plan.retrievers:
            asked[splitter.name, retriever.name] = _answer(
                retriever, index, questions, targets, plan.budgets
            )
        progress.advance(len(questions.documents))
    return asked, failures


def _answer(
    retriever: Retriever,
    index: Index,
    questions: QuestionSet,
    targets: Sequence[Target],
    budgets: Sequence[int],
) -> RetrievalOutcome:
    texts = [question.text for question in questions.questions]
    most = max(budgets)
    orders = [rank(scores, index.lengths, most) for scores in retriever.score(index.texts, texts)]
    return RetrievalOutcome(
        index,
        orders,
        {
            budget: [
                score(target, index, order, budget)
                for target, order in zip(targets, orders, strict=True)
            ]
            for budget in budgets
        },
    )


def _sum_up(plan: RetrievalPlan, corpus: str, limit: int, asked: Asked) -> Iterator[Retrieval]:
    pairs = []
    for (_, retriever), answers in asked.items():
        own = asked[IN_HOUSE, retriever]
        for budget in plan.budgets:
            pairs.append((answers.list_recalls(budget), own.list_recalls(budget)))
            pairs.append((answers.list_content_recalls(budget), own.list_content_recalls(budget)))
    differences = iter(estimate_differences(pairs))
    for (splitter, retriever), answers in asked.items():
        for budget in plan.budgets:
            scores = answers.scores[budget]
            means = (sum(getattr(s, name) for s in scores) / len(scores) for name in _SHARES)
            yield Retrieval(
                Workload(corpus, splitter, limit),
                retriever,
                budget,
                len(scores),
                len(answers.index.texts),
                answers.index.unplaced,
                *map(_round, means),
                *_round_all(next(differences)),
                *_round_all(next(differences)),
            )


def _compare_stripping(
    plan: RetrievalPlan, corpus: str, limit: int, asked: Asked
) -> Iterator[Stripping]:
    """Each splitter that strips beside the same one that does not, if both are measured.

    Compared by their content recall: that the whitespace itself is not found again is clear.
    """
    compared = [
        (splitter, retriever, budget)
        for splitter, retriever in asked
        for budget in plan.budgets
        if (splitter + KEEPING, retriever) in asked
    ]
    differences = estimate_differences(
        [
            (
                asked[splitter, retriever].list_content_recalls(budget),
                asked[splitter + KEEPING, retriever].list_content_recalls(budget),
            )
            for splitter, retriever, budget in compared
        ]
    )
    for (splitter, retriever, budget), difference in zip(compared, differences, strict=True):
        yield Stripping(
            Workload(corpus, splitter, limit),
            splitter + KEEPING,
            retriever,
            budget,
            len(asked[splitter, retriever].orders),
            *_round_all(difference),
        )


def _choose_contrasts(
    plan: RetrievalPlan, questions: QuestionSet, targets: Sequence[Target], limit: int, asked: Asked
) -> Iterator[Contrast]:
    """For each splitter the questions on which its recall differs most from the segmenter's."""
    budgets = sorted(plan.budgets)
    budget = _CONTRAST_BUDGET if _CONTRAST_BUDGET in budgets else budgets[len(budgets) // 2]
    for splitter in dict.fromkeys(name for name, _ in asked if name != IN_HOUSE):
        gaps = []
        for place, retriever in enumerate(plan.retrievers):
            others = asked[splitter, retriever.name].list_recalls(budget)
            own = asked[IN_HOUSE, retriever.name].list_recalls(budget)
            for number, (recall, other) in enumerate(zip(own, others, strict=True)):
                if recall != other:
                    gaps.append((-abs(recall - other), place, number))
        for _, place, number in sorted(gaps)[:_CONTRASTS]:
            question = questions.questions[number]
            name = plan.retrievers[place].name
            texts = {document.id: document.text for document in questions.documents}
            yield Contrast(
                questions.corpus,
                limit,
                name,
                budget,
                question.text,
                [texts[gold.document][gold.start : gold.end] for gold in question.gold],
                [
                    _show_side(each, asked[each, name], questions, targets[number], number, budget)
                    for each in (IN_HOUSE, splitter)
                ],
            )


def _show_side(
    splitter: str,
    answers: RetrievalOutcome,
    questions: QuestionSet,
    target: Target,
    number: int,
    budget: int,
) -> ContrastSide:
    index, order = answers.index, answers.orders[number]
    segments = []
    for place, length in zip(order.tolist(), buy(index, order, budget).tolist(), strict=True):
        if not length:
            break
        document, start = int(index.documents[place]), int(index.starts[place])
        gold = target.ranges.get(document, []) if start >= 0 else []
        found = [
            Span(first - start, last - start)
            for first, last in intersect([(start, start + length)], gold)
        ]
        name = questions.documents[document].id
        segments.append(Retrieved(name, start, index.texts[place][:length], found))
    return ContrastSide(splitter, _round(answers.scores[budget][number].recall), segments)


def _round(value: float) -> float:
    return round(value, _DECIMALS) + 0.0  # never -0.0


def _round_all(difference: PairedDifference) -> Iterator[float]:
    return map(_round, (difference.mean, difference.low, difference.high))
