"""A whole measurement: what a good and a bad splitter come out as, and that it can be repeated."""

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from corpora import Document
from harness.results.errors import MeasurementError
from harness.results.folder import read_run
from harness.results.model import Retrieval, Run
from harness.results.reading import parse_json
from harness.retrieval.measure import RetrievalPlan, retrieve
from harness.retrieval.questions import Gold, QuestionSet, make_question
from harness.retrieval.retrievers import Retriever, load_retriever
from harness.splitters.registry import Splitter, load_splitter

WORDS = [
    f"{first}{second}" for first in ("ba", "ko", "mi", "tu") for second in ("ran", "lev", "sop")
]


def make_set(questions: int = 40) -> QuestionSet:
    """Documents of filler with one answer each, of words that stand nowhere else."""
    generator = random.Random(7)
    documents, asked = [], []
    for number in range(questions):
        before, after = (" ".join(generator.choices(WORDS, k=60)) + ". " for _ in range(2))
        answer = f"The colour{number} of planet{number} is shade{number} and tint{number}. "
        documents.append(Document(f"doc{number}", before + answer + after))
        gold = Gold(f"doc{number}", len(before), len(before) + len(answer))
        asked.append(
            make_question(f"colour{number} planet{number} shade{number} tint{number}?", [gold])
        )
    return QuestionSet("made", documents, asked, "digest", "here", ["a note"])


SPLITTERS = '''
import re

def whole_and_alone(limit):
    """Each answer is a segment of its own."""
    return lambda text: [part for part in re.split(r"(The colour.*?tint\\d+\\. )", text) if part]

def cut_in_two(limit):
    """Each answer is cut in its middle, and each half goes with all that is beside it."""
    def split(text):
        found = re.search(r"The colour.*?tint\\d+\\. ", text)
        middle = (found.start() + found.end()) // 2
        return [text[:middle], text[middle:]]
    return split

def failing(limit):
    def split(text):
        raise ValueError("no such text")
    return split

def inventing(limit):
    return lambda text: [text[:100], "colour1 planet1 shade1 tint1, as I made up"]

def stripping(limit):
    return lambda text: [part.strip() for part in re.split(r"(?<=\\. )", text) if part.strip()]
'''


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "splitters.py"
    path.write_text(SPLITTERS)
    return path


class Silent:
    """No progress is shown."""

    def begin(self, stage: str, total: int | None) -> None:
        pass

    def advance(self, documents: int) -> None:
        pass


def measure(
    folder: Path,
    *splitters: Splitter,
    retrievers: Sequence[str] = ("bm25",),
    budgets: Sequence[int] = (70,),
    questions: QuestionSet | None = None,
) -> Run:
    plan = RetrievalPlan(
        [questions or make_set()],
        [load_splitter("segmenter"), *splitters],
        [100],
        [load_retriever(name, folder / "vectors") for name in retrievers],
        budgets,
        "segbench retrieve",
    )
    return retrieve(plan, folder, Silent())


def find(run: Run, splitter: str, retriever: str = "bm25") -> Retrieval:
    (row,) = (
        row
        for row in run.retrievals
        if (row.workload.splitter, row.retriever) == (splitter, retriever)
    )
    return row


@pytest.mark.parametrize("retriever", ["bm25", "lsa"])
def test_a_good_and_a_bad_splitter_come_out_as_such(
    tmp_path: Path, file: Path, retriever: str
) -> None:
    good, bad = f"{file}:whole_and_alone", f"{file}:cut_in_two"
    run = measure(tmp_path / "run", load_splitter(good), load_splitter(bad), retrievers=[retriever])
    best, own, worst = (find(run, name, retriever) for name in (good, "segmenter", bad))
    # The answers have 46 or 50 code points, so within 70 they and little else fit.
    assert best.recall == 1
    assert best.precision == pytest.approx(49 / 70, abs=0.03)
    assert best.iou == best.precision
    assert worst.recall < 0.3
    assert worst.recall < own.recall <= best.recall
    assert worst.beyond_chance
    assert worst.content_difference_high < 0
    assert best.difference >= 0
    assert (own.difference, own.difference_low, own.difference_high) == (0, 0, 0)
    assert not own.beyond_chance


def test_two_runs_give_the_same_bytes(tmp_path: Path) -> None:
    contents = set()
    for name in ("one", "two"):
        measure(
            tmp_path / name,
            load_splitter("langchain"),
            load_splitter("fixed"),
            retrievers=["bm25", "lsa"],
            budgets=[50, 200],
        )
        names = ("retrieval.csv", "contrasts.jsonl")
        contents.add(tuple((tmp_path / name / each).read_bytes() for each in names))
    assert len(contents) == 1
    header, *rows = contents.pop()[0].decode().splitlines()
    assert header == (
        "corpus,splitter,max_chunk_length,retriever,budget,questions,segments,unplaced,"
        "recall,content_recall,precision,iou,difference,difference_low,difference_high,"
        "content_difference,content_difference_low,content_difference_high"
    )
    assert len(rows) == 3 * 2 * 2


def test_the_folder_reads_back_as_the_run(tmp_path: Path, file: Path) -> None:
    run = measure(tmp_path / "run", load_splitter(f"{file}:cut_in_two"))
    again = read_run(tmp_path / "run")
    assert list(again.retrievals) == list(run.retrievals)
    assert list(again.contrasts) == list(run.contrasts)
    assert again.environment == run.environment
    assert [(each.corpus, each.digest, each.notes) for each in again.texts] == [
        ("made", "digest", "a note")
    ]
    assert again.environment.versions["bm25s"]
    assert not (tmp_path / "run/counts.csv").exists()


def test_contrasts_show_what_each_side_retrieved(tmp_path: Path, file: Path) -> None:
    bad = f"{file}:cut_in_two"
    run = measure(tmp_path / "run", load_splitter(bad))
    assert len(run.contrasts) == 3
    gaps = []
    for contrast in run.contrasts:
        ours, theirs = contrast.sides
        assert (ours.splitter, theirs.splitter) == ("segmenter", bad)
        gaps.append(abs(ours.recall - theirs.recall))
        (answer,) = contrast.answers
        for side in contrast.sides:
            assert sum(len(segment.text) for segment in side.segments) == 70
            found = {
                segment.text[span.start : span.end]
                for segment in side.segments
                for span in segment.found
            }
            assert sum(map(len, found)) == pytest.approx(side.recall * len(answer), abs=0.001)
            assert all(part in answer for part in found)
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[0] > 0.5


def test_a_splitter_that_fails_is_told_and_the_others_are_measured(
    tmp_path: Path, file: Path
) -> None:
    failing, fixed = f"{file}:failing", load_splitter("fixed")
    run = measure(tmp_path / "run", load_splitter(failing), fixed)
    (failure,) = run.failures
    assert failure.workload.splitter == failing
    assert (failure.status, failure.workload.corpus) == ("raised", "made")
    assert "no such text" in failure.detail
    assert {row.workload.splitter for row in run.retrievals} == {"segmenter", "fixed"}


def test_all_is_compared_with_the_segmenter_so_that_it_must_not_fail(
    tmp_path: Path, file: Path
) -> None:
    own = Splitter("segmenter", f"{file}:failing")
    plan = RetrievalPlan([make_set()], [own], [100], [load_retriever("bm25", tmp_path)], [70], "")
    with pytest.raises(
        MeasurementError, match=r"segmenter raised: .*no such text.*, and all others"
    ):
        retrieve(plan, tmp_path / "run", Silent())
    assert not (tmp_path / "run").exists()


def test_segments_that_are_not_in_the_text_are_counted(tmp_path: Path, file: Path) -> None:
    name = f"{file}:inventing"
    run = measure(tmp_path / "run", load_splitter(name))
    row = find(run, name)
    assert (row.segments, row.unplaced) == (80, 40)


def test_a_retriever_that_fails_ends_the_run(tmp_path: Path) -> None:
    def fail(segments: Sequence[str], questions: Sequence[str]) -> object:
        raise MeasurementError("model raised ValueError: so")

    retriever = Retriever("model", fail)  # type: ignore[arg-type]
    plan = RetrievalPlan([make_set()], [load_splitter("segmenter")], [100], [retriever], [70], "")
    with pytest.raises(MeasurementError, match="model raised ValueError: so"):
        retrieve(plan, tmp_path / "run", Silent())


def test_stripping_is_compared_by_what_is_not_whitespace(tmp_path: Path, file: Path) -> None:
    # The same boundaries, once with their whitespace and once without.
    keeping = tmp_path / "keeping.py"
    keeping.write_text(
        "import re\ndef make(limit):\n    return lambda text: re.split(r'(?<=\\. )', text)\n"
    )
    run = measure(
        tmp_path / "run",
        Splitter("mine", f"{file}:stripping"),
        Splitter("mine-keep", f"{keeping}:make"),
        budgets=[20_000],
    )
    (row,) = run.strippings
    assert (row.workload.splitter, row.keeping) == ("mine", "mine-keep")
    assert row.content_difference == 0
    assert not row.beyond_chance
    # All is retrieved: what is lost of the recall is the one space after each answer.
    assert find(run, "mine-keep").recall == 1
    lost = find(run, "mine")
    assert 0.97 < lost.recall < 1
    assert lost.content_recall == 1
    assert lost.difference_high < 0
    assert not lost.beyond_chance


def test_no_segment_at_all_finds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "none.py"
    path.write_text("def make(limit):\n    return lambda text: []\n")
    run = measure(tmp_path / "run", load_splitter(f"{path}:make"), retrievers=["bm25", "lsa"])
    for retriever in ("bm25", "lsa"):
        row = find(run, f"{path}:make", retriever)
        assert (row.segments, row.recall, row.precision, row.iou) == (0, 0, 0, 0)


def test_contrasts_are_strict_json(tmp_path: Path, file: Path) -> None:
    plain = make_set(3)
    questions = replace(
        plain,
        documents=[Document(f"{each.id}\ud800", each.text) for each in plain.documents],
        questions=[
            make_question(
                each.text, [replace(gold, document=f"{gold.document}\ud800") for gold in each.gold]
            )
            for each in plain.questions
        ],
    )
    measure(tmp_path / "run", load_splitter("fixed"), questions=questions, budgets=[9])
    lines = (tmp_path / "run/contrasts.jsonl").read_text(encoding="ascii").splitlines()
    shown = [side["segments"] for line in lines for side in parse_json(line)["sides"]]
    assert {each["document"][-1] for segments in shown for each in segments} == {"\ud800"}
