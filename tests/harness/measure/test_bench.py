import hashlib
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import segmenter
from corpora import Corpus, CorpusError, Document
from harness.cli.commands import segbench
from harness.measure import bench, growth, imports, memory, speed
from harness.measure.forms import describe_form
from harness.measure.shapes import SHAPES
from harness.report.bench import (
    tabulate_growth,
    tabulate_kinds,
    tabulate_speed,
    tabulate_worst,
    write_bench_page,
    write_plot,
)
from harness.results.bench import MEMORY_ALLOWED, Bench, Memory, Peak, read_bench, write_bench
from harness.results.errors import MeasurementError
from harness.results.exponent import CANNOT_TELL, find_time_exponent
from harness.results.model import Count, Growth, Import, Round, Trial, Workload
from harness.splitters.adapters.segmenter import SOURCE, load_pure
from harness.splitters.contenders import gather
from harness.splitters.registry import Splitter, load_splitter
from segmenter import TextSegmenter
from tests.harness.environments import ENVIRONMENT

TEXT = "One sentence. Another one!\n\n    Indented, and then\n    some more.\n" * 4

CORPUS = Corpus("tiny", lambda: iter([Document("first", TEXT), Document("second", "end")]))


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[1])


def measure(limits: list[int], corpora: list[Corpus]) -> list[Round]:
    return speed.measure_speed(corpora, limits, rounds=2)


def test_speed_times_every_form_against_both_baselines():
    rounds = measure([20], [CORPUS])
    forms = ["pure Python", *(["compiled"] if segmenter.COMPILED else [])]
    assert {(each.workload.splitter, each.baseline, each.round) for each in rounds} == {
        (form, baseline, number)
        for form in forms
        for baseline in ("langchain", "langchain-memmachine")
        for number in (0, 1)
    }
    assert {each.stratum for each in rounds} == {"3 code points", f"{len(TEXT)} code points"}


def make_rounds(corpus: str, baseline: str, ratio: float) -> list[Round]:
    """Eight rounds in which the pure form is so many times as fast."""
    workload = Workload(corpus, "pure Python", 20)
    times = [0.5] * 4 + [0.5 * ratio] * 4
    return [Round(workload, baseline, "all", number, 10, *times) for number in range(8)]


def test_ratios_are_geometric_means_over_corpora_with_their_range():
    rounds = [
        *(*make_rounds("one", "langchain", 1.0), *make_rounds("two", "langchain", 4.0)),
        *(*make_rounds("one", "other", 3.0), *make_rounds("two", "other", 3.0)),
    ]
    assert tabulate_speed(Bench(ENVIRONMENT, rounds)).cells == [
        [
            *("20", "all", "pure Python"),
            *("2.00 (2.00–2.00)", "1.00–4.00", "3.00 (3.00–3.00)", "3.00–3.00"),
        ],
        [
            *("20", "one", "pure Python"),
            *("1.00 (1.00–1.00)", "1.00–1.00", "3.00 (3.00–3.00)", "3.00–3.00"),
        ],
        [
            *("20", "two", "pure Python"),
            *("4.00 (4.00–4.00)", "4.00–4.00", "3.00 (3.00–3.00)", "3.00–3.00"),
        ],
    ]


def test_data_sets_are_estimated_together_and_other_corpora_are_kinds_of_text():
    rounds = [
        each
        for corpus, ratio in {
            "qasper": 2.0,
            "covid_qa[sample 2 seed 0]": 8.0,
            "logs": 3.0,
            "html": 1.5,
        }.items()
        for each in make_rounds(corpus, "langchain", ratio)
    ]
    longer = [
        replace(each, workload=replace(each.workload, max_chunk_length=500))
        for each in make_rounds("html", "langchain", 5.0)
    ]
    bench = Bench(ENVIRONMENT, [*rounds, *longer])
    assert [row[:4] for row in tabulate_speed(bench).cells][:2] == [
        ["20", "data sets", "pure Python", "4.00 (4.00–4.00)"],
        ["20", "qasper", "pure Python", "2.00 (2.00–2.00)"],
    ]
    kinds = tabulate_kinds(bench)
    assert [row[2:] for row in kinds.cells] == [
        ["20", "2.25", "1.50 (1.50–1.50)", "html"],
        ["500", "5.00", "5.00 (5.00–5.00)", "html"],
        ["all", "3.00", "1.50 (1.50–1.50)", "html at 20"],
    ]
    assert "2 kinds of text" in kinds.notes[0]


def test_one_corpus_has_no_table_of_kinds():
    assert not tabulate_kinds(Bench(ENVIRONMENT, make_rounds("one", "langchain", 2.0))).records


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("losing", "the segmenter broke the rule join on tiny/pure Python/20"),
        ("overlong", "the segmenter broke the rule fits on tiny/pure Python/20"),
        ("raising", "the segmenter failed: LookupError: no such thing"),
    ],
)
def test_a_segmenter_that_is_wrong_is_not_timed(wrong, message, monkeypatch):
    form = Splitter("pure Python", f"failing_splitters:{wrong}")
    monkeypatch.setattr(speed, "list_forms", lambda: [form])
    with pytest.raises(MeasurementError, match=message):
        measure([20], [CORPUS])


def test_forms_have_to_agree():
    count = Count(Workload("tiny", "pure Python", 20), 1, 1, 1, 1, 1, 1, 0, 0, "a")
    other = replace(count, workload=Workload("tiny", "compiled", 20))
    speed._require_same([count, other])
    with pytest.raises(MeasurementError, match="the compiled form differs on tiny at 20"):
        speed._require_same([count, replace(other, digest="b")])


@pytest.mark.parametrize(("limits", "corpora"), [([], [CORPUS]), ([20], [])])
def test_no_speed_is_an_error(limits, corpora):
    with pytest.raises(MeasurementError, match="nothing to check; give a corpus"):
        measure(limits, corpora)


def test_speed_on_an_empty_corpus_or_text_is_an_error():
    with pytest.raises(CorpusError, match="no document"):
        measure([20], [Corpus("none", lambda: iter([]))])
    with pytest.raises(MeasurementError, match="corpus blank has no text"):
        measure([20], [Corpus("blank", lambda: iter([Document("it", "")]))])


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_are_as_long_as_asked_for(shape):
    assert [len(SHAPES[shape](length)) for length in (100, 2_003)] == [100, 2_003]


def test_whitespace_runs_come_in_every_length_and_in_turns():
    text = SHAPES["whitespace runs of every length"](1_000)
    runs = re.findall(r"\s+", text)
    assert [len(run) for run in runs[:-1]] == list(range(1, len(runs)))
    assert [run[0] for run in runs[:3]] == ["\n", " ", "\n"]


def grow(seconds: dict[int, float], peaks: dict[int, int]) -> Bench:
    return Bench(
        ENVIRONMENT,
        growth=[Growth("words", 20, "pure Python", size, value) for size, value in seconds.items()],
        peaks=[Peak("words", 20, "pure Python", size, value) for size, value in peaks.items()],
    )


def test_exponents_are_those_of_the_growth():
    lengths = (1_000, 2_000, 4_000, 8_000)
    square = grow(
        {length: 0.03 * (length / 1_000) ** 2 for length in lengths},
        {length: 2**20 + length for length in lengths},
    )
    assert tabulate_worst(square).cells == [["pure Python", "2.00", "1.00", "0"]]
    assert tabulate_growth(square).cells == [["20", "words", "2.00", "1.92", "1.00", "1.01"]]
    short = grow(dict.fromkeys(lengths, 1e-5), dict.fromkeys(lengths, 10))
    assert tabulate_worst(short).cells == [["pure Python", "–", "–", "0"]]
    assert tabulate_growth(short).cells[0][2::2] == ["too quick to tell", "too quick to tell"]
    assert tabulate_worst(grow({1_000: 1.0}, {})).cells == [["pure Python", "–", "–", "0"]]


def test_growth_is_measured_for_every_shape_and_limit(tmp_path):
    shapes = {name: SHAPES[name] for name in ("words", "spaces")}
    measured, trials, peaks = growth.measure_growth_of_forms(
        shapes, [5, 500], [1_000, 2_000], timeout=60
    )
    assert trials == []
    ours = ["pure Python", *(["compiled"] if segmenter.COMPILED else [])]
    assert [(e.max_chunk_length, e.shape, e.splitter, e.code_points) for e in measured] == [
        (limit, shape, form, length)
        for forms in (ours, ["langchain"])
        for limit in (5, 500)
        for shape in shapes
        for form in forms
        for length in (1_000, 2_000)
    ]
    assert [(e.max_chunk_length, e.shape, e.splitter, e.code_points) for e in peaks] == [
        (limit, shape, form, length)
        for limit in (5, 500)
        for shape in shapes
        for form in ours
        for length in (1_000, 2_000)
    ]
    # Segments of 5 code points take more than their text.
    assert all(e.bytes > 20_000 for e in peaks if (e.max_chunk_length, e.code_points) == (5, 2_000))
    found = Bench(ENVIRONMENT, growth=measured, peaks=peaks)
    write_plot(tmp_path / "growth.svg", found)
    assert "limit 500" in re.sub("<!--|-->", "", (tmp_path / "growth.svg").read_text())
    assert len(tabulate_growth(found).cells) == 4


class Scripted:
    """In place of a pool: work that grows with the square, and takes twice as long when alone."""

    def __init__(self):
        self.asked = []

    def time(self, splitter, texts, max_chunk_length, *, calls=1):
        lengths = [len(text) for text in texts]
        self.asked.append((lengths, calls))
        return [(2 if len(texts) == 1 else 1) * 1.1e-9 * length**2 for length in lengths]


def test_the_lengths_that_tell_the_exponent_are_timed_again_in_turns():
    pool = Scripted()
    lengths = [500 << doublings for doublings in range(7)]
    grown, trials = growth.measure_growth(
        [load_splitter("fixed")],
        pool,
        shapes={"words": SHAPES["words"]},
        limits=[5],
        lengths=lengths,
    )
    assert trials == []
    # Those four of 1.1 ms and more; both series together take no more than two seconds.
    assert pool.asked[-2:] == [([1_000, 2_000, 4_000, 8_000], 5)] * 2
    seconds = {each.code_points: each.seconds for each in grown}
    assert seconds == {
        500: pytest.approx(2 * 1.1e-9 * 500**2),
        **{length: pytest.approx(1.1e-9 * length**2) for length in lengths[1:5]},
    }
    again = {each.code_points: each.seconds_again for each in grown if each.seconds_again}
    assert again == {length: pytest.approx(1.1e-9 * length**2) for length in lengths[1:5]}
    assert find_time_exponent(seconds, again) == pytest.approx(2)


@pytest.mark.parametrize(
    ("first", "second", "power"),
    [
        ([1, 2, 4, 8], [], 1.0),  # log2 of (8 - 4) / (4 - 2)
        ([1, 2, 4, 8], [1, 2, 4, 8], 1.0),
        ([1, 2, 4, 8], [1, 2, 4, 8.4], 1.0),  # alone, 1.14; of the quickest of both, 1
        ([1, 2, 4, 9], [1, 2, 4, 8], CANNOT_TELL),  # alone, 1.32 and 1
        ([1, 2, 4, 3], [1, 2, 4, 8], CANNOT_TELL),  # a longer text took less time
        ([1, 4, 16, 64], [1, 4, 16, 64], 2.0),
        ([0.2, 0.4, 0.8, 0.9], [], "too quick to tell"),
    ],
)
def test_a_power_is_told_if_two_series_agree(first, second, power):
    first, second = (
        {1_000 << n: each / 1_000 for n, each in enumerate(series)} for series in (first, second)
    )
    found = find_time_exponent(first, second)
    assert found == (power if isinstance(power, str) else pytest.approx(power))


def test_a_baseline_that_takes_too_long_has_no_seconds(monkeypatch):
    hanging = Splitter("langchain", "failing_splitters:hanging")
    monkeypatch.setattr(growth, "load_splitter", lambda name: hanging)
    shapes = {"words": SHAPES["words"]}
    measured, trials, _ = growth.measure_growth_of_forms(shapes, [5], [1_000, 2_000], timeout=1)
    assert [(e.splitter, e.code_points) for e in measured[:2]] == [
        ("pure Python", 1_000),
        ("pure Python", 2_000),
    ]
    assert [(each.splitter, each.answer) for each in trials] == [("langchain", "timed out")]
    cells = tabulate_worst(Bench(ENVIRONMENT, growth=measured, trials=trials)).cells
    assert [cells[0][-1], *cells[-1]] == ["0", "langchain", "–", "–", "2"]


def test_a_form_that_fails_is_no_measurement(monkeypatch):
    form = Splitter("pure Python", "failing_splitters:raising")
    monkeypatch.setattr(growth, "list_forms", lambda: [form])
    with pytest.raises(
        MeasurementError, match="the segmenter raised on 1,000 code points of words"
    ):
        growth.measure_growth_of_forms({"words": SHAPES["words"]}, [5], [1_000], timeout=60)


@pytest.mark.parametrize(("shapes", "lengths"), [({}, [1_000]), (SHAPES, [])])
def test_no_growth_is_an_error(shapes, lengths):
    with pytest.raises(MeasurementError, match="no growth was measured"):
        growth.measure_growth_of_forms(shapes, [1_000], lengths)


def test_imports_are_counted_in_fresh_processes():
    asked = [(None, "segmenter"), (None, "click"), (None, "not_there")]
    ours, other, absent = imports.weigh_imports(asked, rounds=2)
    assert len(ours.milliseconds) == len(other.milliseconds) == 2
    assert {"segmenter", "segmenter.text_segmenter"} <= set(ours.modules)
    assert "click.core" in other.modules
    assert (absent.milliseconds, absent.modules) == ([], [])


def test_modules_of_third_parties_are_told_apart(monkeypatch):
    weights = [
        imports.Weight([2.0], ["json", "segmenter", "segmenter.events"]),
        imports.Weight([9.0], ["json", "langchain_text_splitters.base", "pydantic", "pydantic.v1"]),
    ]
    monkeypatch.setattr(imports, "weigh_imports", lambda asked, rounds: weights)
    contenders = gather(map(load_splitter, ("segmenter", "langchain")))
    ours, other = imports.measure_imports(contenders)
    assert (ours.modules, ours.third_party) == (3, 0)
    assert (other.modules, other.third_party) == (4, 2)


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


def run_bench(arguments: list[str]) -> int:
    with pytest.raises(SystemExit) as ended:
        segbench.main(["bench", *arguments])
    return int(ended.value.code)


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["sped"], 2, "'sped' is not one of 'speed', 'growth', 'memory', 'imports'"),
        (["speed", "--rounds", "7"], 2, "7 is not in the range"),
        (["speed", "--mirror", "EMPTY"], 3, "qasper"),
        (["imports", "--corpus", "builtin"], 2, "only speed takes --corpus; leave it out"),
    ],
)
def test_what_goes_wrong_is_one_line(arguments, status, said, tmp_path, capsys):
    mirror = tmp_path / "empty"
    mirror.mkdir()
    arguments = [str(mirror) if each == "EMPTY" else each for each in arguments]
    assert run_bench(["--out", str(tmp_path), *arguments]) == status
    printed = capsys.readouterr()
    assert printed.err.count("\n") == 1
    assert said in printed.err
    assert printed.err.startswith("segbench: ")
    assert printed.out == ""


def test_too_much_memory_is_a_bad_answer(tmp_path, monkeypatch, capsys):
    too_much = Memory("pure Python", 500, 1, 1, 1, 1, MEMORY_ALLOWED + 1)
    monkeypatch.setattr(bench, "measure_memory", lambda: [too_much])
    assert run_bench(["--out", str(tmp_path / "new"), "memory"]) == 1
    page = (tmp_path / "new/bench.md").read_text()
    assert page.startswith("# Bench\n\n## Memory for one text\n\n| form |")
    assert f"| segmenter | {describe_form()} |" in page
    assert "64.0" in capsys.readouterr().out
    kept = read_bench(tmp_path / "new")
    assert kept.memory == [too_much]
    assert kept.environment.finished


WHOLE = Bench(
    ENVIRONMENT,
    make_rounds("one", "langchain", 2.0),
    [Growth("words", 20, "pure Python", 10, 0.25), Growth("words", 20, "pure Python", 20, 0.5)],
    [Trial("langchain", "10 code points of words at 20", "timed out", "so")],
    [Peak("words", 20, "pure Python", 10, 9_999)],
    [Memory("pure Python", 500, 1, 1, 1, 1, 1)],
    [Import("segmenter", [1.5], 9, third_party=0, packages=3)],
)


def test_a_bench_is_read_as_it_was_written(tmp_path):
    write_bench(tmp_path, WHOLE)
    assert read_bench(tmp_path) == WHOLE


def test_a_folder_that_cannot_be_written_is_told_before_anything_is_measured(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(bench, "measure_memory", lambda: pytest.fail("it was measured"))
    (tmp_path / "file").touch()
    assert run_bench(["--out", str(tmp_path / "file" / "new"), "memory"]) == 3
    assert re.search("cannot write .*/file/new: .*--out", capsys.readouterr().err)


def test_nothing_of_an_earlier_bench_stays(tmp_path, monkeypatch):
    write_bench(tmp_path, WHOLE)
    write_bench_page(tmp_path, WHOLE)
    monkeypatch.setattr(bench, "measure_memory", lambda: WHOLE.memory)
    assert run_bench(["--out", str(tmp_path), "--overwrite", "memory"]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {"bench.json", "bench.md"}


def test_the_page_of_a_bench_is_made_from_its_records(tmp_path, capsys):
    """And a bench that measured it all has all the tables."""
    write_bench(tmp_path, WHOLE)
    write_bench_page(tmp_path, WHOLE)
    page = (tmp_path / "bench.md").read_text()
    assert re.findall("^## (.*)", page, re.MULTILINE) == [
        "Times as fast as LangChain",
        "Highest exponents",
        "Growth with the text",
        "Memory for one text",
        "Import weight",
        "Where it is biased",
        "Environment",
    ]
    (tmp_path / "bench.md").unlink()
    with pytest.raises(SystemExit) as ended:
        segbench.main(["report", str(tmp_path)])
    assert ended.value.code == 0
    assert (tmp_path / "bench.md").read_text() == page
    assert "Highest exponents" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "said"),
    [("{}", "missing required field `environment`"), ("[", "JSONDecodeError")],
)
def test_a_bench_that_is_damaged_is_one_line(content, said, tmp_path):
    (tmp_path / "bench.json").write_text(content)
    with pytest.raises(MeasurementError, match=f"bench.json cannot be read: .*{said}"):
        read_bench(tmp_path)


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
