import hashlib
import re
import sys
from pathlib import Path

import pandas
import pytest

import segmenter
from corpora import Corpus, CorpusError, Document
from harness.cli.commands import segbench
from harness.measure import growth, imports, memory, speed
from harness.measure.forms import SOURCE, describe_form, load_pure
from harness.measure.shapes import SHAPES
from harness.results.errors import MeasurementError
from harness.splitters.registry import Splitter
from segmenter import TextSegmenter

TEXT = "One sentence. Another one!\n\n    Indented, and then\n    some more.\n" * 4
CORPUS = Corpus("tiny", lambda: iter([Document("first", TEXT), Document("second", "end")]))


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[1])


def measure(limits: list[int], corpora: list[Corpus]) -> speed.Speed:
    return speed.measure_speed(corpora, limits, passes=5, shortest_pass=0.0)


def test_speed_times_every_contender_in_every_round():
    measured = measure([20, 50], [CORPUS])
    contenders = [
        "langchain",
        "pure Python",
        *(["compiled"] if segmenter.COMPILED else []),
        "floor",
    ]
    groups = measured.seconds.groupby(["limit", "contender"])["round"].apply(sorted)
    assert dict(groups) == {
        (limit, name): [0, 1, 2, 3, 4] for limit in (20, 50) for name in contenders
    }
    assert (measured.seconds["seconds"] > 0).all()
    assert measured.code_points == {"tiny": len(TEXT) + 3}


def test_ratios_compare_passes_of_the_same_round_and_add_up_the_corpora():
    seconds = {
        ("one", "langchain"): [4.0, 8.0],
        ("one", "pure Python"): [1.0, 4.0],
        ("one", "floor"): [0.5, 0.5],
        ("two", "langchain"): [6.0, 2.0],
        ("two", "pure Python"): [1.0, 1.0],
        ("two", "floor"): [0.5, 0.5],
    }
    rows = [
        (corpus, 20, contender, number, value)
        for (corpus, contender), values in seconds.items()
        for number, value in enumerate(values)
    ]
    columns = ["corpus", "limit", "contender", "round", "seconds"]
    measured = speed.Speed(pandas.DataFrame(rows, columns=columns), {"one": 10, "two": 20})
    assert [cells[:4] for cells in speed.tabulate_ratios(measured).cells] == [
        ["20", "all", "3.50 (2.00–5.00)", "3.50"],
        ["20", "one", "3.00 (2.00–4.00)", "5.00"],
        ["20", "two", "4.00 (2.00–6.00)", "2.00"],
    ]
    assert speed.tabulate_seconds(measured).cells[0] == ["20", "all", "30", "10.0", "3.50", "1.00"]


def test_the_floor_has_the_segments_of_the_segmenter():
    contenders = speed._prepare("tiny", [TEXT, ""], 20)
    assert contenders["floor"]() == len(TextSegmenter(20).split(TEXT))


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(lambda text: [text[1:]], id="loses-a-character"),
        pytest.param(lambda text: [text], id="over-the-limit"),
        pytest.param(lambda text: [], id="nothing"),
    ],
)
def test_a_segmenter_that_is_wrong_is_not_timed(wrong, monkeypatch):
    class Wrong:
        def __init__(self, limit: int) -> None:
            self.split = wrong

    monkeypatch.setattr(speed, "load_pure", lambda: Wrong)
    with pytest.raises(MeasurementError, match="the segmenter is wrong on tiny at 20"):
        measure([20], [CORPUS])


def test_a_splitter_that_changes_its_answer_is_not_timed():
    answers = iter([3, 3, 4])
    with pytest.raises(MeasurementError, match="changing gave 4 segments, 3 before"):
        speed._take_turns({"changing": lambda: next(answers)}, 5, 0.0)


@pytest.mark.parametrize(("limits", "corpora"), [([], [CORPUS]), ([20], [])])
def test_no_speed_is_an_error(limits, corpora):
    with pytest.raises(MeasurementError, match="no speed was measured"):
        measure(limits, corpora)


def test_speed_on_an_empty_corpus_or_text_is_an_error():
    with pytest.raises(CorpusError, match="no document"):
        measure([20], [Corpus("none", lambda: iter([]))])
    with pytest.raises(MeasurementError, match="gave no segment"):
        measure([20], [Corpus("blank", lambda: iter([Document("it", "")]))])


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_are_as_long_as_asked_for(shape):
    assert [len(SHAPES[shape](length)) for length in (100, 2_003)] == [100, 2_003]


def test_whitespace_runs_come_in_every_length_and_in_turns():
    text = SHAPES["whitespace runs of every length"](1_000)
    runs = re.findall(r"\s+", text)
    assert [len(run) for run in runs[:-1]] == list(range(1, len(runs)))
    assert [run[0] for run in runs[:3]] == ["\n", " ", "\n"]


def grow(seconds: dict[int, float], peaks: dict[int, int]) -> growth.Growth:
    return growth.Growth("pure Python", "words", 20, seconds, peaks)


def test_exponents_are_those_of_the_growth():
    square = grow({1_000: 0.01, 2_000: 0.04, 4_000: 0.16}, {1_000: 2**20, 4_000: 2**22})
    assert square.time_exponent == pytest.approx(2)
    assert square.memory_exponent == pytest.approx(1)
    assert grow({1_000: 1e-7, 2_000: 1e-5}, {1_000: 10, 2_000: 99}).time_exponent == 0
    assert grow({1_000: 1.0}, {}).time_exponent is None
    assert growth.tabulate_worst([square]).cells == [["pure Python", "2.00", "1.00", "0"]]


def test_growth_is_measured_for_every_shape_and_limit(tmp_path):
    shapes = {name: SHAPES[name] for name in ("words", "spaces")}
    measured = growth.measure_growth(shapes, [5, 500], [1_000, 2_000], timeout=60)
    forms = ["pure Python", *(["compiled"] if segmenter.COMPILED else []), "langchain"]
    assert [(each.limit, each.shape, each.splitter) for each in measured] == [
        (limit, shape, form) for limit in (5, 500) for shape in shapes for form in forms
    ]
    for each in measured:
        assert list(each.seconds) == [1_000, 2_000]
        # Segments of 5 code points take more than their text.
        assert each.splitter == "langchain" or each.limit == 500 or each.bytes[2_000] > 20_000
    growth.write_plot(tmp_path / "growth.svg", measured)
    assert "limit 500" in re.sub("<!--|-->", "", (tmp_path / "growth.svg").read_text())
    assert len(growth.tabulate_growth(measured).cells) == 4


def test_a_baseline_that_takes_too_long_has_no_seconds(monkeypatch):
    hanging = Splitter("langchain", "failing_splitters:hanging")
    monkeypatch.setattr(growth, "load_splitter", lambda name: hanging)
    measured = growth.measure_growth({"words": SHAPES["words"]}, [5], [1_000, 2_000], timeout=1)
    assert list(measured[0].seconds) == [1_000, 2_000]
    assert measured[-1].seconds == {}
    assert growth.tabulate_worst(measured).cells[-1][-1] == "2"


@pytest.mark.parametrize(("shapes", "sizes"), [({}, [1_000]), (SHAPES, [])])
def test_no_growth_is_an_error(shapes, sizes):
    with pytest.raises(MeasurementError, match="no growth was measured"):
        growth.measure_growth(shapes, [1_000], sizes)


def test_imports_are_counted_in_fresh_processes(monkeypatch):
    monkeypatch.setattr(imports, "MODULES", ("segmenter", "click"))
    ours, other = imports.measure_imports(rounds=2)
    assert (ours.module, ours.third_party, len(ours.milliseconds)) == ("segmenter", 0, 2)
    assert ours.modules >= 2
    assert other.modules > 10
    monkeypatch.setattr(imports, "MODULES", ("segmenter", "not_there"))
    with pytest.raises(MeasurementError, match="No module named 'not_there'"):
        imports.measure_imports(rounds=1)


def test_memory_beyond_the_segments_is_small_and_seen():
    (measured, *_) = memory.measure_memory(300_000, 500)
    assert measured.code_points == 300_000
    assert 600 < measured.segments < 3_000
    assert measured.segment_bytes > 300_000
    assert 0 <= measured.beyond < 100_000


class Hoarder(load_pure()):
    """Keeps a copy of the text while it splits."""

    def split(self, text: str) -> list[str]:
        copy = list(text)
        segments = super().split(text)
        del copy
        return segments


def test_memory_that_is_freed_before_the_end_is_seen_too(monkeypatch):
    monkeypatch.setattr(memory, "load_pure", lambda: Hoarder)
    assert memory.measure_form("pure Python", 300_000, 500).beyond > 8 * 300_000


def bench(arguments: list[str]) -> int:
    with pytest.raises(SystemExit) as ended:
        segbench.main(["bench", *arguments])
    return int(ended.value.code)


def too_much() -> list[memory.Memory]:
    return [memory.Memory("pure Python", 1, 1, 1, 1, memory.TARGET + 1)]


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["sped"], 2, "No such command 'sped'"),
        (["speed", "--passes", "4"], 2, "4 is not in the range"),
        (["speed", "--mirror", "EMPTY"], 3, "qasper"),
    ],
)
def test_what_goes_wrong_is_one_line(arguments, status, said, tmp_path, capsys):
    mirror = tmp_path / "empty"
    mirror.mkdir()
    arguments = [str(mirror) if each == "EMPTY" else each for each in arguments]
    assert bench(["--out", str(tmp_path), *arguments]) == status
    printed = capsys.readouterr()
    assert printed.err.count("\n") == 1
    assert said in printed.err
    assert printed.err.startswith("segbench: ")
    assert printed.out == ""


def test_too_much_memory_is_a_bad_answer(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(memory, "measure_memory", too_much)
    assert bench(["--out", str(tmp_path / "new"), "memory"]) == 1
    page = (tmp_path / "new/memory.md").read_text()
    assert page.startswith("# Memory\n\n## Memory for one text\n\n| form |")
    assert f"| segmenter | {describe_form()} |" in page
    assert "64.0" in capsys.readouterr().out


def test_the_pure_form_is_python_whatever_is_installed():
    pure = load_pure()
    assert pure.split.__code__.co_filename.endswith("text_segmenter.py")
    assert pure is not TextSegmenter
    assert pure(4).split("one two") == ["one ", "two"]


def test_a_form_that_was_compiled_from_another_source_is_refused(monkeypatch, tmp_path):
    built = tmp_path / "text_segmenter.so"
    monkeypatch.setattr(segmenter, "COMPILED", True)
    monkeypatch.setattr(sys.modules["segmenter.text_segmenter"], "__file__", str(built))
    digest = hashlib.sha256(SOURCE.read_bytes()).hexdigest().encode()
    built.write_bytes(b"\x7fELF" + digest + b"\x00")
    assert describe_form() == "compiled"
    built.write_bytes(b"\x7fELF" + digest[:-1] + b"\x00")
    with pytest.raises(MeasurementError, match=r"text_segmenter\.so was not built from"):
        describe_form()
