"""The commands as a user meets them: what is printed, what is written, the exit status."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest
from click.testing import CliRunner, Result

import corpora
from corpora import Corpus, CorpusError, Document
from harness.cli.commands import segbench
from harness.results.folder import read_run
from harness.splitters import registry as splitters
from harness.splitters.registry import Splitter

ROOT = Path(__file__).parents[3]
HERE = Path(__file__).parents[1]
FILES = {
    "texts.csv",
    "unavoidable.csv",
    "boundaries.csv",
    "cuts.csv",
    "line_ends.csv",
    "counts.csv",
    "violations.csv",
    "examples.jsonl",
    "failures.jsonl",
    "environment.json",
    "report.md",
    "report.html",
    "viewer.json",
}

TEXT = "One sentence. Another one!\n\n    Indented, and then\n    some more.\n"


def read_tiny() -> Iterator[Document]:
    yield Document("first", TEXT)
    yield Document("second", "tail  ")


def read_broken() -> Iterator[Document]:
    yield from read_tiny()
    raise CorpusError("broken: the file ends early; fetch it again")


TINY = {
    "builtin": Corpus("builtin", read_tiny, "a test"),
    "synthetic": Corpus("synthetic", lambda: iter([Document("x", "  \n")]), "a test"),
    "broken": Corpus("broken", read_broken, "a test"),
    "empty": Corpus("empty", lambda: iter(()), "a test"),
}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Tiny corpora, failing splitters beside the real ones, and a folder to work in."""
    load_corpora, load_splitter = corpora.load_all, splitters.load_splitter

    def load_tiny(names: list[str], **options: Any) -> list[Corpus]:
        return [TINY.get(name) or load_corpora([name], **options)[0] for name in names]

    def load_failing(name: str) -> Splitter:
        if name.startswith("failing:"):
            reasons = {"fits": "a reason"} if name == "failing:exempt" else {}
            factory = name.removeprefix("failing:").replace("exempt", "slices")
            return Splitter(name, f"failing_splitters:{factory}", not_applicable=reasons)
        return load_splitter(name)

    monkeypatch.setattr(corpora, "load_all", load_tiny)
    monkeypatch.setattr(splitters, "load_splitter", load_failing)
    monkeypatch.syspath_prepend(HERE)
    monkeypatch.chdir(tmp_path)


def segbench_(*arguments: str) -> Result:
    result = CliRunner().invoke(segbench, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def error_line(result: Result) -> str:
    (line,) = result.stderr.splitlines()
    assert line.startswith("segbench: ")
    return line


def flags(name: str, *values: object) -> list[str]:
    return [part for value in values for part in (name, str(value))]


def test_run_checks_times_and_reports(tmp_path: Path) -> None:
    result = segbench_("run", *flags("--max-chunk-length", 20), "--out", "here/there")
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    assert result.stdout.endswith("\nReport: here/there/report.html\n")
    assert "`segmenter` kept every character of 3 documents (75 code points)" in result.stdout
    folder = tmp_path / "here" / "there"
    assert {path.name for path in folder.iterdir()} == FILES | {"rounds.csv"}
    run = read_run(folder)
    assert len(run.counts) == 2 * 7  # corpora, splitters
    assert [each.corpus for each in run.texts] == ["builtin", "synthetic"]
    assert f"| builtin | {run.texts[0].digest} |" in (folder / "report.md").read_text()
    splitters = {each.workload.splitter for each in run.rounds}
    assert len(splitters) == 6  # beside the baseline
    strata = {each.stratum for each in run.rounds}
    assert len(run.rounds) == 8 * 6 * len(strata)  # on builtin alone
    assert "times as fast as `langchain` at limit 20 on `builtin`." in result.stdout
    assert run.environment.started <= run.environment.finished
    assert "langchain-text-splitters" in run.environment.versions


def test_speed_is_measured_against_the_baseline_that_is_named() -> None:
    both = flags("--splitter", "segmenter", "fixed")
    result = segbench_(
        "time", *both, *flags("--max-chunk-length", 20), "--baseline", "fixed", "--out", "run"
    )
    assert result.exit_code == 0, result.stderr
    assert "times as fast as `fixed` at limit 20" in result.stdout
    assert read_run(Path("run")).environment.baseline == "fixed"
    assert {(r.workload.splitter, r.baseline) for r in read_run(Path("run")).rounds} == {
        ("segmenter", "fixed")
    }
    wrong = segbench_("run", *both, "--baseline", "nowhere")
    assert wrong.exit_code == 2
    assert "nowhere" in error_line(wrong)


def test_run_times_every_corpus_that_is_named() -> None:
    result = segbench_(
        "run",
        *flags("--corpus", "builtin", "synthetic"),
        *flags("--splitter", "segmenter"),
        *flags("--max-chunk-length", 20),
        *flags("--out", "run"),
    )
    assert result.exit_code == 0, result.stderr
    rounds = read_run(Path("run")).rounds
    assert {each.workload.corpus for each in rounds} == {"builtin", "synthetic"}
    assert {(each.workload.splitter, each.baseline) for each in rounds} == {
        ("segmenter", "langchain")
    }


def test_check_times_nothing(tmp_path: Path) -> None:
    result = segbench_("check", *flags("--splitter", "segmenter"))
    assert result.exit_code == 0, result.stderr
    (folder,) = (tmp_path / "reports").iterdir()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-\d+", folder.name)
    assert {path.name for path in folder.iterdir()} == FILES
    assert "Nothing was timed." in result.stdout
    assert [count.workload.max_chunk_length for count in read_run(folder).counts] == [
        20,
        128,
        500,
    ] * 2


def test_time_verifies_what_it_times(tmp_path: Path) -> None:
    """A splitter that changes between calls passes the check, and is caught when it is timed."""
    result = segbench_(
        "time",
        *flags("--splitter", "segmenter", "failing:changing"),
        *flags("--max-chunk-length", 500),
        *flags("--out", "run"),
    )
    assert result.exit_code == 3
    assert "failing:changing │ changed" in re.sub(r" +", " ", result.stdout)
    run = read_run(tmp_path / "run")
    assert {each.workload.splitter for each in run.rounds} == {"segmenter"}
    assert {count.workload.corpus for count in run.counts} == {"builtin"}


def test_what_is_asked_for_twice_is_measured_once() -> None:
    result = segbench_(
        "check",
        *flags("--corpus", "builtin", "builtin"),
        *flags("--splitter", "segmenter", "segmenter"),
        *flags("--max-chunk-length", 9, 9),
        *flags("--out", "run"),
    )
    assert result.exit_code == 0, result.stderr
    assert len(read_run(Path("run")).counts) == 1


def test_a_segmenter_that_breaks_a_rule_is_a_bad_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = Splitter("segmenter", "failing_splitters:slices")
    monkeypatch.setattr(splitters, "load_splitter", lambda name: broken)
    monkeypatch.setattr(splitters, "list_splitters", lambda: ["segmenter"])
    limit = TEXT.index("\n") + 1  # a slice ends between two newlines
    result = segbench_("check", *flags("--max-chunk-length", limit), *flags("--out", "run"))
    assert result.exit_code == 1
    assert "`segmenter` broke rules on" in result.stdout
    assert "`segmenter` broke rules on" in Path("run/report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("splitter", "required", "status", "lines"),
    [
        ("segmenter", "whitespace", 0, []),
        ("failing:dropping", None, 0, []),
        ("failing:dropping", "fits,empty", 0, []),
        # Three texts, and of each the first segment is dropped.
        ("failing:dropping", "lossless", 1, ["dropping broke the required rule join 3 times"]),
        ("failing:doubling", "empty,fits", 1, ["doubling broke the required rule fits 3 times"]),
        (
            "failing:changing",
            "deterministic",
            1,
            ["broke the required rule deterministic 2 times", "changed", "changed"],
        ),
        ("failing:changing", "join", 3, ["failing:changing could not be judged: changed, "] * 2),
        ("failing:raising", "join", 3, ["failing:raising could not be judged: raised, Look"] * 2),
        ("failing:unloadable", "fits", 3, ["failing:unloadable could not be judged: unavailable"]),
        ("failing:exempt", "fits", 3, ["could not be judged by the required rule fits: a reason"]),
    ],
)
def test_required_rules_decide_for_every_splitter(
    splitter: str, required: str | None, status: int, lines: list[str]
) -> None:
    require = [] if required is None else ["--require", required]
    result = segbench_("check", "--splitter", splitter, "--max-chunk-length", "80", *require)
    assert result.exit_code == status, result.stderr
    told = result.stderr.splitlines()
    assert len(told) == len(lines)
    for line, part in zip(told, lines, strict=True):
        assert part in line


def test_one_splitter_that_breaks_a_required_rule_outweighs_another_that_fails() -> None:
    named = flags("--splitter", "failing:raising", "segmenter", "failing:dropping")
    result = segbench_("check", *named, "--max-chunk-length", "80", "--require", "join")
    assert result.exit_code == 1


def test_a_required_rule_is_not_kept_where_nothing_is_measured() -> None:
    result = segbench_(
        *("check", "--corpus", "empty", "--splitter", "segmenter", "--require", "lossless")
    )
    assert result.exit_code == 3
    assert result.stderr


@pytest.mark.parametrize(
    ("required", "message"),
    [
        ("", "no rule is named"),
        ("joins", "no rule is named 'joins'; did you mean join"),
        ("reference", "a run does not measure reference; `python -m segmenter.testing --rules`"),
        ("overlap", "a run does not measure covers, order; "),
        ("join,offsets", "a run does not measure offsets; "),
    ],
)
def test_a_rule_that_cannot_be_required_is_a_wrong_command(required: str, message: str) -> None:
    result = segbench_("check", "--splitter", "segmenter", "--require", required)
    assert result.exit_code == 2
    assert message in error_line(result)
    assert not Path("reports").exists()


def test_a_splitter_that_raises_is_reported_and_the_run_goes_on() -> None:
    result = segbench_(
        "run",
        *flags(
            "--splitter",
            "failing:raising",
            "failing:unloadable",
            "failing:of_one_string",
            "segmenter",
        ),
        *flags("--max-chunk-length", 20),
        *flags("--out", "run"),
    )
    assert result.exit_code == 3
    report = Path("run/report.md").read_text(encoding="utf-8")
    report = re.sub(r"failing_splitters\.py:\d+", "failing_splitters.py:1", report)
    for row in (
        "| builtin | 20 | failing:raising | raised | LookupError: no such thing "
        "(failing_splitters.py:1), in 'first' |",
        "| builtin | 20 | failing:unloadable | unavailable |",
        "| builtin | 20 | failing:of_one_string | invalid |",
    ):
        assert row in report
    assert "`segmenter` kept every character" in report


def test_a_finished_run_is_reported_again() -> None:
    segbench_("check", *flags("--splitter", "segmenter"), *flags("--out", "run"))
    before = Path("run/report.md").read_text(encoding="utf-8")
    Path("run/report.md").unlink()
    result = segbench_("report", "run")
    assert result.exit_code == 0
    assert result.stdout.endswith("\nReport: run/report.html\n")
    assert Path("run/report.md").read_text(encoding="utf-8") == before


def test_an_aborted_run_is_not_reported() -> None:
    segbench_("check", *flags("--splitter", "segmenter"), *flags("--out", "run"))
    Path("run/environment.json").unlink()
    Path("run/report.md").unlink()
    result = segbench_("report", "run")
    assert result.exit_code == 3
    assert "environment.json" in error_line(result)
    assert not Path("run/report.md").exists()


def test_a_new_run_into_the_folder_of_another_leaves_nothing_of_it() -> None:
    segbench_("time", *flags("--splitter", "segmenter"), *flags("--out", "run"))
    assert Path("run/rounds.csv").exists()
    result = segbench_("check", *flags("--corpus", "broken"), "--out", "run", "--overwrite")
    assert result.exit_code == 3
    assert list(Path("run").iterdir()) == []


@pytest.mark.parametrize("name", ["environment.json", "bench.json", "claims.json", "compare.json"])
@pytest.mark.parametrize("command", ["run", "check", "time", "bench", "claims", "compare"])
def test_results_are_not_replaced_unasked(command: str, name: str, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    for kept in (name, "timings.json"):
        (folder / kept).write_text("{}")
    result = segbench_(command, "--out", "kept")
    assert result.exit_code == 2
    assert error_line(result) == (
        f"segbench: kept holds the results of an earlier command ({name}); "
        "give another folder, or --overwrite"
    )
    assert sorted(path.name for path in folder.iterdir()) == sorted([name, "timings.json"])


@pytest.mark.parametrize(
    "name",
    [
        "report.md",
        "report.html",
        "texts.csv",
        "growth.csv",
        "imports.json",
        "timings.json",
        "rounds.csv",
        "viewer.json",
        "base.json",
        "compare.md",
        "bench.md",
        "growth.svg",
        "claims.md",
    ],
)
@pytest.mark.parametrize("command", ["check", "bench", "claims", "compare", "retrieve"])
def test_files_of_somebody_else_are_not_replaced_unasked(command: str, name: str) -> None:
    Path("mine").mkdir()
    Path("mine", name).write_text("mine")
    result = segbench_(command, "--out", "mine")
    assert result.exit_code == 2
    assert error_line(result) == (
        f"segbench: mine holds {name}, which the results may replace; "
        "give another folder, or --overwrite"
    )
    assert [(file.name, file.read_text()) for file in Path("mine").iterdir()] == [(name, "mine")]


def test_results_are_replaced_when_asked() -> None:
    for arguments in ([], ["--overwrite"]):
        result = segbench_("check", *flags("--splitter", "segmenter"), "--out", "run", *arguments)
        assert result.exit_code == 0, result.stderr


def test_list_names_corpora_and_splitters() -> None:
    both = segbench_("list")
    assert both.exit_code == 0
    for name in (*corpora.names(), *splitters.list_splitters()):
        assert name in both.stdout
    assert "langchain-moved" not in segbench_("list", "corpora").stdout
    assert "qasper" not in segbench_("list", "splitters").stdout


def no_mirror(tmp_path: Path) -> list[str]:
    (tmp_path / "hub").mkdir()
    return ["check", "--corpus", "qasper", "--mirror", "hub"]


def file_in_the_way(tmp_path: Path) -> list[str]:
    (tmp_path / "file").touch()
    return ["check", "--corpus", "broken", "--out", "file/run"]


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["check", "--corpus", "bultin"], 2, "did you mean builtin?"),
        (["check", "--splitter", "segmentor"], 2, "did you mean segmenter, "),
        (["check", "--max-chunk-length", "0"], 2, "0 is not in the range x>=1"),
        (["check", "--max-chunk-length", "many"], 2, "'many' is not a valid integer"),
        (["check", "--mirror", "nowhere"], 2, "'nowhere' does not exist"),
        (["time", "--rounds", "7"], 2, "7 is not in the range x>=8"),
        (["chek"], 2, "No such command 'chek'"),
        (["check", "--corpsu", "x"], 2, "No such option"),
        (["report"], 2, "Missing argument 'DIR'"),
        (["report", "nowhere"], 3, "nowhere is not a run folder"),
        (["list", "books"], 2, "'books' is not one of"),
        (["check", "--corpus", "broken"], 3, "broken: the file ends early; fetch it again"),
        (["run", "--corpus", "empty"], 3, "empty holds no document"),
        (["check", "--corpus", "qasper"], 3, "qasper"),
        (no_mirror, 3, "qasper"),
        (file_in_the_way, 3, "cannot write file/run"),
    ],
)
def test_bad_input_is_one_line(
    arguments: Sequence[str] | Callable[[Path], list[str]],
    status: int,
    message: str,
    tmp_path: Path,
) -> None:
    if callable(arguments):
        arguments = arguments(tmp_path)
    result = segbench_(*arguments)
    assert result.exit_code == status
    assert message in error_line(result)
    assert result.stdout == ""
    assert not list(tmp_path.glob("**/environment.json"))


def test_nothing_is_measured_before_the_folder_was_tried(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    tmp_path.chmod(0o500)
    result = segbench_("check", "--corpus", "broken", "--out", "run")
    assert result.exit_code == 3
    assert "cannot write run" in error_line(result)


def test_a_missing_dependency_is_named(tmp_path: Path) -> None:
    """Without site-packages nothing is installed but the standard library."""
    result = subprocess.run(
        [sys.executable, "-S", "-m", "harness", "list"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={},
    )
    assert result.returncode == 3
    (line,) = result.stderr.splitlines()
    assert line.startswith("segbench: not installed: click, ")
    assert line.endswith("; run: pip install 'segbench[harness]'")


def send_as_terminal(process: psutil.Process) -> None:
    os.killpg(process.pid, signal.SIGINT)


HANGING_CHECK = """
from harness.splitters import registry as splitters
from harness.splitters.registry import Splitter
splitters.load_splitter = lambda name: Splitter(name, "failing_splitters:hanging_at_load")
"""


@pytest.mark.parametrize(
    ("command", "before", "stage", "stop"),
    [
        ("check", HANGING_CHECK, "spawn_main", send_as_terminal),
        ("time", "", "worker.py", send_as_terminal),
        ("time", "", "worker.py", psutil.Process.terminate),
        ("time", "", "worker.py", lambda process: process.send_signal(signal.SIGHUP)),
    ],
)
def test_an_interruption_leaves_one_line_and_nothing_else(
    command: str,
    before: str,
    stage: str,
    stop: Callable[[psutil.Process], None],
    tmp_path: Path,
) -> None:
    """While it checks, with a splitter that hangs, and while it times."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    arguments = f"{command} --corpus builtin --splitter segmenter --max-chunk-length 500"
    passes = " --rounds 1000000" if command == "time" else ""
    running = subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"{before}\nfrom harness.__main__ import main\nmain()",
            *f"{arguments}{passes} --out run".split(),
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(HERE)])}
        | {"TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    children = await_child(psutil.Process(running.pid), stage)
    stop(psutil.Process(running.pid))
    try:
        out, err = running.communicate(timeout=60)
    finally:
        running.kill()
    assert (running.returncode, out) == (130, "")
    assert err == "segbench: interrupted; no report was written\n"
    assert not (tmp_path / "run").exists()
    assert list(temporary.iterdir()) == []
    gone, alive = psutil.wait_procs(children, timeout=10)
    assert (len(gone), alive) == (len(children), [])


def await_child(process: psutil.Process, stage: str) -> list[psutil.Process]:
    """The process's children, once one of them has ``stage`` in its command and has begun."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        children = process.children(recursive=True)
        for child in children:
            try:
                if stage in " ".join(child.cmdline()) and child.cpu_times().user > 0.05:
                    return children
            except psutil.NoSuchProcess:
                continue
        time.sleep(0.05)
    raise AssertionError(f"no {stage} within a minute")


def test_a_report_of_another_version_is_refused_in_one_line() -> None:
    segbench_("check", *flags("--splitter", "segmenter"), *flags("--out", "run"))
    environment = json.loads(Path("run/environment.json").read_text())
    del environment["python"]
    Path("run/environment.json").write_text(json.dumps(environment))
    result = segbench_("report", "run")
    assert result.exit_code == 3
    assert "environment.json cannot be read" in error_line(result)
