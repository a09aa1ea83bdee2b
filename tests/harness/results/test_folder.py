"""A run folder: what is written is read again, and what is not whole is refused."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pandas
import pytest

from harness.results.atomic import open_replacing
from harness.results.errors import MeasurementError, summarize_error
from harness.results.folder import RUN_FILES, open_results, read_run, start_folder, write_run
from harness.results.model import (
    BoundaryCount,
    Count,
    Example,
    Excerpt,
    Exemption,
    Failure,
    Import,
    Round,
    Run,
    Texts,
    Unavoidable,
    View,
    Violation,
    ViolationCount,
    Workload,
)
from harness.results.timings import TIMINGS, write_timings
from tests.harness.environments import ENVIRONMENT

WORKLOAD = Workload('a "b", c/é\udc80', "segmenter", 20)
OTHER = Workload("legal", "langchain", 128)


def make_round(workload: Workload, number: int, cpu: float = 0.25) -> Round:
    """A round with turns of ``cpu`` seconds, and of twice as many of the baseline."""
    own, other = (cpu, cpu + 0.25), (2 * cpu, 2 * cpu)
    return Round(workload, "a \udc80 b", "all", number, 20, *own, *own, *other, *other)


RUN = Run(
    replace(ENVIRONMENT, command="segbench run --corpus 'a b'", versions={"segbench": "0.1.0"}),
    counts=[
        Count(WORKLOAD, 1, 20, 3, 1, 2.5, 10, "00ff", 4, 3, 5, 2, 1),
        Count(OTHER, 2, 10**12, 0, 0, 0.0, 0, "12", 0, 0, 0, 0),
    ],
    violations=[ViolationCount(WORKLOAD, "fits", 3, 0), ViolationCount(OTHER, "join", 0, 0)],
    examples=[
        Example(
            WORKLOAD,
            Violation("edges", "d\ud800\n", 3, True, "x"),
            "\ufeff\ud800\x00",
            "\r\n\u2028",
        )
    ],
    failures=[Failure(OTHER, "raised", "ValueError: é")],
    boundaries=[BoundaryCount(WORKLOAD, 4, 3, 1, 2)],
    unavoidable=[Unavoidable(WORKLOAD.corpus, 20, 7)],
    rounds=[make_round(OTHER, 0), make_round(OTHER, 1, 0.5), make_round(WORKLOAD, 0, 1e-6)],
    texts=[Texts("legal", "12ab", "a folder, with \ud800", "one\ntwo")],
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "reports" / "run"
    write_run(path, RUN)
    return path


def test_what_is_written_is_read(folder: Path) -> None:
    assert read_run(folder) == RUN
    assert sorted(path.name for path in folder.iterdir()) == [
        *("boundaries.csv", "counts.csv", "environment.json", "examples.jsonl"),
        *("failures.jsonl", "rounds.csv", "texts.csv", "unavoidable.csv", "violations.csv"),
    ]


def test_a_check_alone_has_no_rounds(tmp_path: Path) -> None:
    checked = replace(RUN, rounds=())
    write_run(tmp_path, RUN)
    write_timings(tmp_path / TIMINGS, RUN.rounds)
    write_run(tmp_path, checked)
    assert not (tmp_path / "rounds.csv").exists()
    assert not (tmp_path / TIMINGS).exists()
    assert read_run(tmp_path) == checked


def test_other_tools_read_the_files(folder: Path) -> None:
    counts = pandas.read_csv(folder / "counts.csv")
    assert counts["code_points"].tolist() == [20, 10**12]
    assert counts["median"].tolist() == [2.5, 0]
    violations = pandas.read_csv(folder / "violations.csv")
    assert list(violations) == [
        *("corpus", "splitter", "max_chunk_length", "rule", "count", "unavoidable")
    ]
    (example,) = map(json.loads, (folder / "examples.jsonl").read_text("ascii").splitlines())
    assert (example["rule"], example["start"], example["unavoidable"]) == ("edges", 3, True)
    rounds = pandas.read_csv(folder / "rounds.csv")
    assert rounds["cpu_first"].tolist() == [0.25, 0.5, 1e-6]
    assert rounds["baseline_wall_second"].tolist() == [0.5, 1.0, 2e-6]


def test_pyperf_reads_the_export(tmp_path: Path) -> None:
    path = tmp_path / TIMINGS
    write_timings(path, RUN.rounds, RUN.counts)
    command = [sys.executable, "-m", "pyperf", "stats", path, "--quiet"]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8:backslashreplace"}
    stats = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert "legal/langchain/128" in stats.stdout
    assert "Mean:    500 ms" in stats.stdout  # of 0.25 and 0.5, 0.5 and 0.75
    assert "Total number of values: 2" in stats.stdout


def test_pyperf_compares_exports(tmp_path: Path) -> None:
    paths = [tmp_path / "before.json", tmp_path / "after.json"]
    for path, factor in zip(paths, (1.0, 2.0), strict=True):
        rounds = [
            replace(each, cpu_first=factor * (1 + n / 100), cpu_second=factor)
            for n, each in enumerate(make_round(OTHER, number) for number in range(8))
        ]
        write_timings(path, rounds, RUN.counts)
    command = [sys.executable, "-m", "pyperf", "compare_to", *paths]
    compared = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "legal/langchain/128: Mean +- std dev: [before] 1.02 sec" in compared.stdout
    assert "2.00x slower" in compared.stdout


def test_the_export_carries_workloads_and_what_was_verified(tmp_path: Path) -> None:
    write_timings(tmp_path / TIMINGS, RUN.rounds, RUN.counts)
    suite = json.loads((tmp_path / TIMINGS).read_text())
    benchmarks = {
        metadata["name"]: {**suite["metadata"], **metadata}
        for benchmark in suite["benchmarks"]
        for metadata in [benchmark.get("metadata") or benchmark["runs"][0]["metadata"]]
    }
    metadata = benchmarks["legal/langchain/128"]
    assert (metadata["code_points"], metadata["digest"]) == (20, "12")
    assert (metadata["corpus"], metadata["splitter"]) == ("legal", "langchain")
    assert metadata["max_chunk_length"] == 128
    assert len(benchmarks) == 4  # two workloads, each with the baseline beside it


def test_without_rounds_there_is_no_export(tmp_path: Path) -> None:
    with pytest.raises(MeasurementError, match="nothing was timed"):
        write_timings(tmp_path / TIMINGS, [])
    assert not (tmp_path / TIMINGS).exists()


def test_rounds_without_a_count_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MeasurementError, match="legal/langchain/128 was timed but not checked"):
        write_run(tmp_path / "run", replace(RUN, counts=RUN.counts[:1]))
    assert not (tmp_path / "run").exists()


def test_nothing_measured_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MeasurementError, match="nothing was measured"):
        write_run(tmp_path / "run", Run(RUN.environment))
    assert not (tmp_path / "run").exists()
    failed = Run(RUN.environment, failures=RUN.failures)
    write_run(tmp_path / "run", failed)
    assert read_run(tmp_path / "run").failures == failed.failures


def test_an_aborted_run_is_refused(folder: Path) -> None:
    start_folder(folder, RUN_FILES)
    (folder / "report.md").write_text("of the run before")
    with pytest.raises(MeasurementError, match="holds no finished run"):
        read_run(folder)


def test_a_run_that_does_not_say_when_it_finished_is_refused(tmp_path: Path) -> None:
    write_run(tmp_path, replace(RUN, environment=replace(RUN.environment, finished="")))
    with pytest.raises(MeasurementError, match="does not say when the run finished"):
        read_run(tmp_path)


def test_a_run_of_an_older_version_is_read_without_what_it_counted_otherwise(
    folder: Path, tmp_path: Path
) -> None:
    for name, changes in {
        "counts.csv": {"lost_whitespace": "characters_lost", "added_content": "characters_added"},
        "violations.csv": {"unavoidable": "forced"},
        "boundaries.csv": {"excess": "misplaced"},
        "examples.jsonl": {"unavoidable": "forced"},
    }.items():
        path = folder / name
        content = path.read_text("utf-8", "surrogateescape")
        for new, old in changes.items():
            content = content.replace(new, old)
        for column in ("lost_content", "added_whitespace", "inexact"):
            content = content.replace(column, f"more_{column}")
        path.write_text(content, "utf-8", "surrogateescape")
    run = read_run(folder)
    assert run.violations == RUN.violations
    assert run.examples == RUN.examples
    assert [count.digest for count in run.counts] == ["00ff", "12"]
    assert {count.lost_whitespace for count in run.counts} == {None}
    assert {count.added_content for count in run.counts} == {None}
    assert [each.excess for each in run.boundaries] == [None]
    write_run(tmp_path / "again", run)
    assert read_run(tmp_path / "again") == run


def test_a_folder_that_is_absent_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MeasurementError, match="is not a run folder"):
        read_run(tmp_path / "absent")


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("counts.csv", lambda text: text.replace("digest", "sum")),
        ("counts.csv", lambda text: text.replace(",20,1,", ",20,,")),
        ("counts.csv", lambda text: text[:99]),
        ("counts.csv", lambda text: text[:-9]),
        ("counts.csv", lambda text: ""),
        ("violations.csv", lambda text: text.replace("fits,3", "fits,x")),
        ("examples.jsonl", lambda text: text[:-9]),
        ("examples.jsonl", lambda text: text.replace('"before"', '"ahead"')),
        ("failures.jsonl", lambda text: "[]\n"),
        ("rounds.csv", lambda text: ""),
        ("rounds.csv", lambda text: text[:-9]),
        ("rounds.csv", lambda text: text.replace(",0.25,", ",0,")),
        ("rounds.csv", lambda text: text.replace(",0.25,", ",inf,")),
        ("rounds.csv", lambda text: text.replace(",0.25,", ",nan,")),
        ("rounds.csv", lambda text: text.replace("legal", "books")),
        ("environment.json", lambda text: text.replace('"cpu"', '"gpu"')),
        ("environment.json", lambda text: "[1]"),
        ("texts.csv", lambda text: text.replace("origin", "place")),
    ],
)
def test_a_spoilt_file_is_named_in_one_line(
    folder: Path, name: str, spoil: Callable[[str], str]
) -> None:
    path = folder / name
    before = path.read_text("utf-8", errors="surrogatepass")
    assert spoil(before) != before
    path.write_text(spoil(before), "utf-8", errors="surrogatepass")
    with pytest.raises(MeasurementError) as raised:
        read_run(folder)
    assert str(raised.value).startswith(f"{path} cannot be read: ")
    assert "\n" not in str(raised.value)
    path.unlink()
    if name not in ("rounds.csv", "environment.json", "texts.csv"):
        with pytest.raises(MeasurementError, match="cannot be read: no such file"):
            read_run(folder)


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("before")

    def write_and_fail() -> None:
        with open_replacing(path) as file:
            file.write("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_and_fail()
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]
    with open_replacing(path) as file:
        file.write("whole\n")
    assert path.read_bytes() == b"whole\n"
    assert list(tmp_path.iterdir()) == [path]
    plain = tmp_path / "plain"
    plain.touch()
    assert path.stat().st_mode == plain.stat().st_mode


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "run"):
        with pytest.raises(MeasurementError, match=rf"cannot write {path}.*--out"):
            write_run(path, RUN)
    (tmp_path / "run" / "environment.json").mkdir(parents=True)
    with pytest.raises(MeasurementError, match=r"cannot write .*--out"):
        start_folder(tmp_path / "run", RUN_FILES)


@pytest.mark.parametrize("there", [True, False])
def test_a_folder_is_as_it_was_if_what_is_measured_fails(there: bool, tmp_path: Path) -> None:
    folder = tmp_path / "new"
    if there:
        folder.mkdir()
    with suppress(KeyboardInterrupt), open_results(folder, ["result.csv"]):
        assert list(folder.iterdir()) == []
        raise KeyboardInterrupt
    assert folder.exists() == there


def test_of_a_folder_only_the_results_of_that_kind_are_removed(tmp_path: Path) -> None:
    for name in ("result.csv", "mine.csv"):
        (tmp_path / name).touch()
    with open_results(tmp_path, ["result.csv", "page.md"]):
        assert [path.name for path in tmp_path.iterdir()] == ["mine.csv"]


def test_an_error_is_told_in_one_line() -> None:
    assert summarize_error(ValueError("a\nb")) == "ValueError: a"
    assert summarize_error(ValueError()) == summarize_error(ValueError("\n")) == "ValueError"
    assert len(summarize_error(ValueError("x" * 1000))) == 200


def test_a_run_from_before_splitters_were_renamed_is_read_with_their_present_names(
    tmp_path: Path,
) -> None:
    """What was called ``langchain`` is not what is called so now."""
    old, kept = Workload("laws", "langchain", 20), Workload("laws", "langchain-keep", 20)
    run = replace(
        RUN,
        environment=replace(RUN.environment, versions={"langchain-1.1.1": "there"}),
        counts=[replace(RUN.counts[0], workload=each) for each in (old, kept)],
        violations=[],
        examples=[],
        failures=[Failure(Workload("laws", "langchain-default", 20), "raised", "x")],
        rounds=[replace(make_round(old, 0), baseline="langchain-keep")],
        excerpts=[Excerpt("laws", "", "d", 1, 0, "x", [View("langchain-keep", 20, 1, 0, [])])],
        imports=[Import("langchain", [1.0], 2)],
        exemptions=[Exemption("langchain-moved", "join", "why")],
    )
    write_run(tmp_path, run)
    assert read_run(tmp_path).renamed == {}
    environment = json.loads((tmp_path / "environment.json").read_text())
    assert environment.pop("baseline") == "langchain"
    (tmp_path / "environment.json").write_text(json.dumps(environment))
    read = read_run(tmp_path)
    assert read.environment.baseline == "langchain-memmachine"
    assert read.environment.versions == {"langchain-memmachine-1.1.1": "there"}
    assert [each.workload.splitter for each in [*read.counts, *read.failures, *read.rounds]] == [
        "langchain-memmachine",
        "langchain-memmachine-keep",
        "langchain",
        "langchain-memmachine",
    ]
    assert read.rounds[0].baseline == "langchain-memmachine-keep"
    assert read.excerpts[0].views[0].splitter == "langchain-memmachine-keep"
    assert read.imports[0].name == "langchain-memmachine"
    assert read.exemptions[0].splitter == "langchain-memmachine-moved"
    assert read.renamed == {
        "langchain": "langchain-memmachine",
        "langchain-keep": "langchain-memmachine-keep",
        "langchain-default": "langchain",
    }
