"""Rounds and what they mean, on turns of which the right answer is known; and the blocks."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from corpora import Corpus, Document
from harness.cli.status import exit_status
from harness.compare import rounds
from harness.compare.checkouts import Checkout, Location
from harness.compare.comparison import Comparison, Question
from harness.compare.documents import TURNS, Blocks, Spooled, cut_blocks, spool_corpora
from harness.compare.instructions import Instructions
from harness.compare.rounds import AGAIN, BASE, HEAD, Measured, Round, Turn
from harness.compare.segments import Difference
from harness.compare.statistics import Speed
from harness.results.model import Environment
from harness.runner.spool import read_spool

SIDE = Checkout("a side", Path("nowhere"), Location.parse("segmenter"), "")
ENVIRONMENT = Environment("", {}, "", "", "", 1, "", False, "", "")
DIFFERENCE = Difference("c", 20, 2, 1, "d", 0, "a", "b")


def turns(seconds: Sequence[Sequence[float]]) -> list[list[Turn]]:
    """CPU seconds by block and repeat; the seconds that went by tell nothing."""
    return [[Turn(cpu, 99.0) for cpu in block] for block in seconds]


def measured(made: Sequence[Round]) -> Measured:
    return Measured("c", 20, Blocks([], 2, 1, 1), list(made))


def round_of(head: float, again: float = 1.0) -> Round:
    """Two blocks, of which the second has nine times the work, and two repeats."""
    base = [[1.0, 1.0], [9.0, 9.0]]
    return Round(
        {
            HEAD: turns([[head * s for s in block] for block in base]),
            BASE: turns(base),
            AGAIN: turns([[again * s for s in block] for block in base]),
        }
    )


@pytest.mark.parametrize(
    ("heads", "speed"),
    [
        ([1.0] * 8, Speed.FINE),
        ([1.15] * 8, Speed.SLOWER),
        ([0.8] * 8, Speed.FASTER),
        ([1.0, 1.1] * 4, Speed.UNDECIDED),
        ([1.0] * 15 + [3.0], Speed.FINE),
    ],
)
def test_ratios_of_head_to_base_decide(heads: Sequence[float], speed: Speed) -> None:
    assert measured([round_of(head) for head in heads]).judge(1.05).speed is speed


def test_a_base_unlike_itself_is_a_noisy_machine() -> None:
    unlike = [round_of(1.15, again) for again in [0.9, 1.1] * 4]
    assert measured(unlike).judge(1.05).speed is Speed.NOISY


def test_blocks_count_by_their_time() -> None:
    """Head takes twice as long on the block that is a tenth of the work."""
    uneven = Round(
        {
            HEAD: turns([[2.0, 2.0], [9.0, 9.0]]),
            BASE: turns([[1.0, 1.0], [9.0, 9.0]]),
            AGAIN: turns([[1.0, 1.0], [9.0, 9.0]]),
        }
    )
    judged = measured([uneven] * 5).judge(1.05)
    assert judged.ratio is not None
    assert judged.ratio.ratio == pytest.approx(1.1)


def test_turns_are_divided_by_those_beside_them() -> None:
    """The machine slows down to half its speed between the repeats, and all sides with it."""
    slowing = Round({side: turns([[1.0, 2.0, 2.0]]) for side in (HEAD, BASE, AGAIN)})
    assert slowing.ratios(HEAD) == [1.0]
    assert slowing.seconds(HEAD) == [2.0]


def comparison(**fields: object) -> Comparison:
    choices = ("strict", "different_segments")
    question = Question(SIDE, SIDE, [20], **{k: fields.pop(k) for k in choices if k in fields})  # type: ignore[arg-type]
    return Comparison(question, ENVIRONMENT, **fields)  # type: ignore[arg-type]


def speeds(*speeds: Speed) -> list[Measured]:
    return [Measured("c", 20, Blocks([], 2, 1, 1), speed=speed) for speed in speeds]


@pytest.mark.parametrize(
    ("learnt", "speed", "status"),
    [
        (comparison(measured=speeds(Speed.FINE, Speed.FINE)), Speed.FINE, 0),
        (comparison(measured=speeds(Speed.FINE, Speed.FASTER)), Speed.FASTER, 0),
        (comparison(measured=speeds(Speed.FINE, Speed.SLOWER, Speed.NOISY)), Speed.SLOWER, 1),
        (comparison(measured=speeds(Speed.FASTER, Speed.UNDECIDED)), Speed.UNDECIDED, 0),
        (comparison(measured=speeds(Speed.FINE, Speed.NOISY)), Speed.NOISY, 0),
        (comparison(measured=speeds(Speed.NOISY), strict=True), Speed.NOISY, 3),
        (comparison(measured=speeds(Speed.UNDECIDED), strict=True), Speed.UNDECIDED, 3),
        (comparison(measured=speeds(Speed.FINE), strict=True), Speed.FINE, 0),
        (comparison(measured=speeds(Speed.FINE), uncounted="so"), Speed.FINE, 0),
        (comparison(measured=speeds(Speed.FINE), uncounted="so", strict=True), Speed.FINE, 3),
        (comparison(differences=[DIFFERENCE]), None, 1),
        (
            comparison(
                differences=[DIFFERENCE], different_segments=True, measured=speeds(Speed.FINE)
            ),
            Speed.FINE,
            0,
        ),
        (
            comparison(measured=speeds(Speed.NOISY), instructions=[Instructions(20, 1000, 1021)]),
            Speed.SLOWER,
            1,
        ),
        (
            comparison(measured=speeds(Speed.FINE), instructions=[Instructions(20, 1000, 1019)]),
            Speed.FINE,
            0,
        ),
        (comparison(), None, 3),
    ],
)
def test_the_worst_answer_is_the_answer(
    learnt: Comparison, speed: Speed | None, status: int
) -> None:
    assert (learnt.speed, exit_status(learnt.verdict)) == (speed, status)


LENGTHS = [0, 700, 10, 300, 300, 1, 250, 440]


@pytest.fixture
def spooled(tmp_path: Path) -> Spooled:
    documents = [Document(str(n), "x" * length) for n, length in enumerate(LENGTHS)]
    (one,) = spool_corpora([Corpus("c", lambda: iter(documents), "a test")], tmp_path)
    return one


def read_blocks(blocks: Blocks) -> list[list[str]]:
    return [[document for document, _ in read_spool(spool)] for spool in blocks.spools]


def test_a_corpus_is_cut_into_blocks_of_like_size(spooled: Spooled, tmp_path: Path) -> None:
    blocks = cut_blocks(spooled, 0.045, tmp_path / "blocks")  # three turns long
    found = read_blocks(blocks)
    assert Counter(name for block in found for name in block) == Counter(map(str, range(1, 8)))
    sizes = [sum(LENGTHS[int(name)] for name in block) for block in found]
    assert sizes == [700, 440 + 250, 300 + 300 + 10 + 1]
    assert (blocks.documents, blocks.code_points) == (7, 2001)
    assert blocks.repeats == TURNS // 3


def test_a_short_pass_is_one_block(spooled: Spooled, tmp_path: Path) -> None:
    blocks = cut_blocks(spooled, 1e-6, tmp_path / "blocks")
    assert (len(blocks.spools), blocks.repeats) == (1, TURNS)


def test_of_a_long_corpus_a_part_is_taken(spooled: Spooled, tmp_path: Path) -> None:
    blocks = cut_blocks(spooled, 1.9 * TURNS * 2 * 0.015, tmp_path / "blocks")
    names = sorted(name for block in read_blocks(blocks) for name in block)
    assert names == ["1", "3", "5", "7"]
    assert (blocks.documents, blocks.code_points) == (4, 1441)


def test_a_long_document_is_not_repeated_for_ever(spooled: Spooled, tmp_path: Path) -> None:
    """In both orders all the same."""
    blocks = cut_blocks(spooled, 10.0, tmp_path / "blocks")
    assert read_blocks(blocks) == [["1"]]
    assert blocks.repeats == 2


def test_a_document_without_text_is_never_timed_alone(tmp_path: Path) -> None:
    documents = [Document(str(n), "x" * length) for n, length in enumerate([0, 9, 9])]
    (one,) = spool_corpora([Corpus("c", lambda: iter(documents), "a test")], tmp_path)
    blocks = cut_blocks(one, 3.0, tmp_path / "blocks")
    assert (blocks.documents, blocks.code_points) == (1, 9)


class MadeUpRounds:
    """In place of turns of processes: the ratio of head to base in each round, by corpus."""

    def __init__(self, **ratios: Sequence[float]) -> None:
        self.ratios = ratios
        self.made: list[tuple[int, list[str]]] = []

    def __call__(self, _: object, number: int, workloads: Sequence[Measured]) -> None:
        self.made.append((number, [workload.corpus for workload in workloads]))
        for workload in workloads:
            ratios = self.ratios[workload.corpus]
            workload.rounds.append(round_of(ratios[number % len(ratios)]))


def measure_made_up(
    monkeypatch: pytest.MonkeyPatch, patience: float = 140.0, **ratios: Sequence[float]
) -> tuple[dict[str, Measured], list[tuple[int, list[str]]]]:
    made_up = MadeUpRounds(**ratios)
    monkeypatch.setattr(rounds, "FIRST_ROUNDS", 8)
    monkeypatch.setattr(rounds, "MOST_ROUNDS", 64)
    monkeypatch.setattr(rounds._Turns, "make_round", lambda *given: made_up(*given))
    workloads = [Measured(corpus, 20, Blocks([], 2, 1, 1)) for corpus in ratios]
    found = rounds.measure(
        SIDE, SIDE, workloads, patience=patience, begin=lambda _: None, advance=lambda _: None
    )
    return {each.corpus: each for each in found}, made_up.made


def test_rounds_are_doubled_for_what_is_not_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    """`late` is decided by its ninth to sixteenth round, in which it is as fast as base."""
    late = [1.0, 1.0, 1.0, 1.1] * 2 + [1.0] * 8
    found, made = measure_made_up(monkeypatch, clear=[1.2], late=late)
    assert found["clear"].speed is Speed.SLOWER
    assert found["late"].speed is Speed.FINE
    assert len(found["clear"].rounds) == 8
    assert len(found["late"].rounds) == 16
    assert made == [
        *((number, ["clear", "late"]) for number in range(8)),
        *((number, ["late"]) for number in range(8, 16)),
    ]


def test_what_is_never_decided_ends_with_the_most_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    found, made = measure_made_up(monkeypatch, never=[1.0, 1.1])
    assert found["never"].speed is Speed.UNDECIDED
    assert [number for number, _ in made] == list(range(64))


def test_patience_ends_the_rounds_when_an_interval_can_be_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found, made = measure_made_up(monkeypatch, patience=0.0, never=[1.0, 1.1])
    assert len(made) == 5
    assert found["never"].ratio is not None
