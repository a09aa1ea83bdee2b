"""What workloads come to over some documents: numbers, examples and digests that merge.

Merging is associative. The parts come in the corpus's order, so that the outcome depends neither on
where a corpus was cut nor on what was done when.
"""

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from corpora.document import Document
from harness.measure.cuts import Structure, count_damage, find_places, find_structure, list_cuts
from harness.results.model import Example, Failure, Violation, Workload
from harness.runner.digest import digest_document
from segmenter.loss import Loss, lose_all
from segmenter.rules import RULES, Splitting

EXAMPLE_CODE_POINTS = 500  # of the examples that a workload keeps for each rule
_CONTEXT = 40  # code points before an example's place, and after it


@dataclass(slots=True)
class Breaches:
    """How often a rule was broken, and the first examples.

    Examples are kept up to the one that reaches EXAMPLE_CODE_POINTS, so one at least.
    """

    count: int = 0
    examples: list[Example] = field(default_factory=list)
    shown: int = 0  # code points of the examples

    @property
    def full(self) -> bool:
        """Whether no more examples are kept."""
        return self.shown >= EXAMPLE_CODE_POINTS

    def show(self, example: Example) -> None:
        """Keep an example, if there is room."""
        if not self.full:
            violation = example.violation
            texts = (violation.document, violation.detail, example.before, example.after)
            self.examples.append(example)
            self.shown += sum(map(len, texts))

    def merge(self, later: "Breaches") -> None:
        """Add those of the documents after these."""
        self.count += later.count
        for example in later.examples:
            self.show(example)


def _make_breaches() -> dict[str, Breaches]:
    return {name: Breaches() for name in RULES}


@dataclass(slots=True)
class Tally:
    """What a workload came to, over some of its documents."""

    workload: Workload
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
    #: By rule; apart from each other, so that many of one kind do not crowd out the other.
    avoidable: dict[str, Breaches] = field(default_factory=_make_breaches)
    unavoidable: dict[str, Breaches] = field(default_factory=_make_breaches)
    #: Those of the documents' segments, one after the other.
    digests: bytearray = field(default_factory=bytearray)

    def add(
        self,
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
        limit = max(1, len(text)) if "fits" in not_applicable else self.workload.max_chunk_length
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
        self.digests += digest_document(document.id, segments)
        for name, rule in RULES.items():
            if name in not_applicable:
                continue
            for breach in rule(splitting):
                breaches = (self.unavoidable if breach.unavoidable else self.avoidable)[name]
                breaches.count += 1
                if not breaches.full:
                    start = breach.start
                    breaches.show(
                        Example(
                            self.workload,
                            Violation(name, document.id, *breach),
                            text[max(0, start - _CONTEXT) : start],
                            text[start : start + _CONTEXT],
                        )
                    )

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
        """Add what the documents after these came to."""
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
        for name in RULES:
            self.avoidable[name].merge(later.avoidable[name])
            self.unavoidable[name].merge(later.unavoidable[name])
        self.digests += later.digests

    def list_examples(self) -> Iterator[Example]:
        """Those of all rules."""
        for breaches in chain(self.avoidable.values(), self.unavoidable.values()):
            yield from breaches.examples

    def count_breaches(self, rule: str) -> Breaches:
        """All breaches of a rule; unavoidable ones are shown if the others leave room."""
        together = Breaches()
        together.merge(self.avoidable[rule])
        together.merge(self.unavoidable[rule])
        return together


@dataclass(slots=True)
class ShardResult:
    """What came of some documents: a tally for each workload, or a failure.

    ``set_aside`` tells the documents that are in no tally of the workload named with them. Counted
    once per corpus are the documents, their code points and digests, the boundaries that are
    unavoidable, by limit, the line ends, and the code points by the separators that fit.
    """

    tallies: list[Tally] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    set_aside: list[Failure] = field(default_factory=list)
    documents: int = 0
    code_points: int = 0
    texts: bytearray = field(default_factory=bytearray)
    unavoidable: Counter[int] = field(default_factory=Counter)
    line_ends: Counter[str] = field(default_factory=Counter)
    fitting: Counter[str] = field(default_factory=Counter)

    @property
    def failed(self) -> set[Workload]:
        """The workloads that have a failure."""
        return {failure.workload for failure in self.failures}

    def merge(self, later: "ShardResult") -> None:
        """Add what came of the documents after these: a workload's first failure stands."""
        held = {tally.workload: tally for tally in self.tallies}
        failed = self.failed
        self.failures += [each for each in later.failures if each.workload not in failed]
        for tally in later.tallies:
            if tally.workload in held:
                held[tally.workload].merge(tally)
            else:
                self.tallies.append(tally)
        failed = self.failed
        self.tallies = [tally for tally in self.tallies if tally.workload not in failed]
        self.set_aside += [each for each in later.set_aside if each not in self.set_aside]
        self.documents += later.documents
        self.code_points += later.code_points
        self.texts += later.texts
        self.unavoidable.update(later.unavoidable)
        self.line_ends.update(later.line_ends)
        self.fitting.update(later.fitting)


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
