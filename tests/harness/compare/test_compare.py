"""``segbench compare`` on two versions, as a user and a CI system meet it."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pandas
import psutil
import pytest
from click.testing import Result

from harness.compare import decision
from tests.harness.compare.versions import (
    NEEDLESS,
    SHIFTED,
    SPLITTER,
    TEXT,
    Compare,
    Repository,
)

ROOT = Path(__file__).parents[3]


def learnt(tmp_path: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((tmp_path / "out" / "compare.json").read_text())
    return found


def error_line(result: Result) -> str:
    (line,) = result.stderr.splitlines()
    assert line.startswith("segbench: ")
    return line


def test_the_same_code_is_not_slower(
    repository: Repository, compare: Compare, tmp_path: Path
) -> None:
    result = compare("--base", "plain")
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    assert "Less than 150 % slower: the working tree (" in result.stdout
    assert f"Report: {tmp_path}/out/compare.md" in result.stdout
    assert repository.worktrees() == 1
    record = learnt(tmp_path)
    assert (record["answer"], record["verdict"]) == ("less than 150 % slower", "well")
    assert record["base"] == {
        "name": "plain",
        "commit": repository.git("rev-parse", "plain").strip(),
    }
    measured, shapes = record["measured"]  # type: ignore[misc]
    assert (measured["corpus"], measured["max_chunk_length"]) == ("builtin", 20)
    # All of them that have text.
    assert (measured["documents"], measured["code_points"]) == (4, 3 * len(TEXT) + 1)
    assert list(measured["strata"]) == ["1 code points", f"{len(TEXT):,} code points"]
    assert shapes["corpus"] == "shapes"
    rounds = pandas.read_csv(tmp_path / "out" / "rounds.csv")
    assert set(rounds["round"]) == set(range(measured["rounds"])) == set(range(8))
    assert set(rounds["baseline"]) == {"plain"}
    assert len(rounds) == 8 * (len(measured["strata"]) + len(shapes["strata"]))


def test_the_stratum_that_is_slower_is_named_in_the_answer(
    repository: Repository, compare: Compare, tmp_path: Path
) -> None:
    """Many times the work for the one document that is short."""
    repository.write(NEEDLESS.replace("range(5)", "range(30 * (len(text) == 1))"))
    result = compare("--base", "plain", "--tolerance", "3")
    assert result.exit_code == 1, result.stdout
    assert "Slower: the working tree (" in result.stdout
    assert " times the CPU time on 1 code points of builtin at 20." in result.stdout
    measured = learnt(tmp_path)["measured"][0]  # type: ignore[index]
    assert measured["slower"] == ["1 code points"]


def test_the_base_that_decides_is_told_first(
    repository: Repository, compare: Compare, tmp_path: Path
) -> None:
    repository.write(NEEDLESS)
    repository.commit(NEEDLESS, "needless")
    result = compare("--base", "needless", "--base", "plain", "--head", "needless")
    assert result.exit_code == 1, result.stderr
    record = learnt(tmp_path)
    assert (record["answer"], record["base"]["name"]) == ("slower", "plain")  # type: ignore[index]
    assert [each["base"]["name"] for each in record["others"]] == ["needless"]  # type: ignore[union-attr]
    rounds = pandas.read_csv(tmp_path / "out" / "rounds.csv")
    assert set(rounds["baseline"]) == {"plain", "needless"}


@pytest.mark.parametrize(("arguments", "status"), [((), 3), (("--allow-unknown",), 0)])
def test_what_cannot_be_told_fails_unless_it_may(
    arguments: Sequence[str],
    status: int,
    repository: Repository,
    compare: Compare,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A tolerance of next to nothing: the same code is neither below it nor above."""
    monkeypatch.setattr(decision, "STRATUM_ALARM", 1e9)
    result = compare("--base", "plain", "--tolerance", "1.0000001", *arguments)
    assert result.exit_code == status, result.stdout
    assert "Cannot tell" in result.stdout


def test_a_slower_head_is_a_bad_answer(
    repository: Repository, compare: Compare, tmp_path: Path
) -> None:
    repository.write(NEEDLESS)
    result = compare("--base", "plain")
    assert result.exit_code == 1, result.stderr
    assert "Slower: the working tree (" in result.stdout
    assert "-dirty) is slower than plain (" in result.stdout
    page = (tmp_path / "out" / "compare.md").read_text()
    assert page.index("Slower: ") < page.index("| builtin | 20 | – | slower | ")


def test_names_of_versions_are_shown_as_they_are(
    repository: Repository, compare: Compare, tmp_path: Path
) -> None:
    name = "{0}<img/src=x>`_a_`{"
    repository.git("tag", name, "plain")
    result = compare("--base", name)
    assert result.exit_code == 0, result.stderr
    assert f" slower than {name} (" in result.stdout
    page = (tmp_path / "out" / "compare.md").read_text()
    assert r" slower than {0}\<img/src=x>\`\_a\_\`{ (" in page


def test_a_faster_head_is_told(repository: Repository, compare: Compare, tmp_path: Path) -> None:
    repository.commit(NEEDLESS, "needless")
    result = compare("--base", "needless", "--head", "plain")
    assert result.exit_code == 0, result.stderr
    # Of tiny documents, most of the time is not the splitter's: it may be less than twice as fast.
    assert "Slower: plain" not in result.stdout
    assert learnt(tmp_path)["measured"][0]["ratio"]["ratio"] < 0.7  # type: ignore[index]
    assert repository.worktrees() == 1


def test_pyperf_reads_both_sides(repository: Repository, compare: Compare, tmp_path: Path) -> None:
    repository.write(NEEDLESS)
    compare("--base", "plain", "--pyperf")
    files = [str(tmp_path / "out" / f"{side}.json") for side in ("base", "head")]
    said = subprocess.run(
        [sys.executable, "-m", "pyperf", "compare_to", *files],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert "slower" in said


def test_other_segments_are_told_first_and_nothing_is_timed(
    repository: Repository, compare: Compare, tmp_path: Path
) -> None:
    repository.write(SHIFTED)
    result = compare("--base", "plain")
    assert result.exit_code == 1, result.stderr
    assert "The segments differ, in up to " in result.stdout
    assert "Speed was not measured" in result.stdout
    record = learnt(tmp_path)
    assert record["measured"] == []
    assert (
        record["differences"][:1]
        == [  # type: ignore[index]
            {
                "corpus": "builtin",
                "max_chunk_length": 20,
                "documents": 5,
                "differing": 3,
                "document": "long/0",
                "start": 0,
                "base": TEXT[:20],
                "head": TEXT[:19],
            }
        ]
    )
    assert not (tmp_path / "out" / "head.json").exists()


def test_other_segments_may_be_allowed(
    repository: Repository, compare: Compare, tmp_path: Path
) -> None:
    repository.write(SHIFTED)
    result = compare("--base", "plain", "--allow-different-segments")
    assert result.exit_code == 0, result.stderr
    assert " documents at a limit. Less than 150 % slower: " in result.stdout
    assert learnt(tmp_path)["answer"] == "less than 150 % slower"


def test_line_ends_of_an_example_are_shown(repository: Repository, compare: Compare) -> None:
    repository.write(SPLITTER.replace("return [", "return text.splitlines(True) or ["))
    result = compare("--base", "plain")
    assert "`One·sentence.·Another·one!↵`" in result.stdout


def test_the_page_goes_to_the_step_summary(
    repository: Repository, compare: Compare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    compare("--base", "plain")
    page = (tmp_path / "out" / "compare.md").read_text()
    assert summary.read_text() == f"before\n{page}"


@pytest.mark.parametrize("summary", ["missing/summary.md", "."])
def test_a_summary_that_cannot_be_written_costs_one_line(
    summary: str,
    repository: Repository,
    compare: Compare,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / summary))
    repository.write(NEEDLESS)
    result = compare("--base", "plain")
    assert result.exit_code == 1
    assert "Slower: the working tree (" in result.stdout
    assert "$GITHUB_STEP_SUMMARY" in error_line(result)
    assert learnt(tmp_path)["answer"] == "slower"


@pytest.mark.parametrize(("source", "status"), [(SPLITTER, 3), (NEEDLESS, 1)])
def test_a_report_that_cannot_be_written_costs_no_answer(
    source: str, status: int, repository: Repository, compare: Compare, tmp_path: Path
) -> None:
    """Its folder goes while the versions are measured."""
    gone = f"import shutil\nshutil.rmtree({str(tmp_path / 'out')!r}, ignore_errors=True)\n"
    repository.write(gone + source)
    result = compare("--base", "plain")
    assert result.exit_code == status
    assert "the working tree (" in result.stdout
    assert "Report: " not in result.stdout
    assert f"cannot write {tmp_path}/out/" in error_line(result)


def test_a_version_that_asks_git_does_not_ask_that_of_a_hook(
    repository: Repository, compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
        monkeypatch.setenv(name, str(repository.folder / ".git"))
    asks = "import os\nassert not [name for name in os.environ if name.startswith('GIT_')]\n"
    repository.write(asks + SPLITTER)
    result = compare("--base", "plain")
    assert result.exit_code == 0, result.stderr


def test_a_folder_may_be_a_side(repository: Repository, compare: Compare, tmp_path: Path) -> None:
    other = Repository(tmp_path)
    other.write(NEEDLESS)
    result = compare("--base", "plain", "--head", "..")
    assert result.exit_code == 1, result.stderr
    assert (
        "Slower: .. (commit unknown: Needed a single revision) is slower than plain ("
        in result.stdout
    )


def test_a_vendored_file_is_found_by_its_path(repository: Repository, compare: Compare) -> None:
    """Beside a module that nothing else should take for the standard library's."""
    repository.write("raise RuntimeError", "src/ours/queue.py")
    repository.write(f"import queue\n{SPLITTER}", "src/ours/text_segmenter.py")
    repository.git("add", ".")
    repository.git("commit", "--quiet", "--message", "vendored")
    result = compare("--base", "HEAD", "--segmenter", "src/ours/text_segmenter.py")
    assert result.exit_code == 0, result.stderr
    assert "Less than 150 % slower: " in result.stdout


def test_where_git_is_not_folders_compare(
    repository: Repository, compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    result = compare("--base", ".", "--head", ".")
    assert result.exit_code == 0, result.stderr


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("import a_package_that_nobody_has", "No module named 'a_package_that_nobody_has'"),
        ("def f(:", "SyntaxError: invalid syntax"),
        ("", "has no attribute 'TextSegmenter'"),
        (
            SPLITTER.replace("return [", "raise LookupError('so'); ["),
            "LookupError: so (__init__.py:8), in 'long/0'",
        ),
        (SPLITTER.replace("return [", "return None; ["), "no list of strings but NoneType"),
        (
            SPLITTER.replace("limit = self.limit\n", "import os; os.kill(os.getpid(), 9)\n"),
            "ended by signal 9",
        ),
        (
            SPLITTER.replace("limit = self.limit\n", "limit = self.limit - hash('a') % 7\n"),
            "does not give the same segments every time",  # but by the seed of the round
        ),
    ],
)
def test_a_head_that_fails_is_one_line(
    source: str, message: str, repository: Repository, compare: Compare, tmp_path: Path
) -> None:
    repository.write(source)
    result = compare("--base", "plain", "--allow-different-segments")
    assert result.exit_code == 3
    assert message in error_line(result)
    assert "the working tree" in error_line(result)
    assert result.stdout == ""
    assert not (tmp_path / "out").exists()
    assert repository.worktrees() == 1


def test_a_base_that_fails_is_not_taken_for_the_head(
    repository: Repository, compare: Compare
) -> None:
    repository.commit(SPLITTER.replace("return [", "raise LookupError('so'); ["), "failing")
    result = compare("--base", "failing", "--head", "plain")
    assert result.exit_code == 3
    assert error_line(result).startswith("segbench: failing: its segmenter raised: LookupError: so")


def test_a_head_that_dies_between_the_rounds_is_named(
    repository: Repository, compare: Compare, tmp_path: Path
) -> None:
    """It dies in its tenth process at the latest, when all segments are compared already."""
    count = tmp_path / "count"
    count.touch()
    dying = f"""
import os
with open({str(count)!r}, "a") as file:
    file.write("x")
if os.path.getsize({str(count)!r}) > 2:
    os.kill(os.getpid(), 9)
"""
    repository.write(dying + SPLITTER)
    result = compare("--base", "plain")
    assert result.exit_code == 3
    assert error_line(result).startswith("segbench: the working tree: its segmenter failed: ")
    assert "ended by signal 9" in error_line(result)


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--base", "nowhere"], 3, "'nowhere' is neither a folder nor a revision"),
        (["--base", ""], 2, "an empty name is neither a folder nor a revision"),
        (["--base", "plain", "--head", ""], 2, "an empty name is neither a folder nor a revision"),
        (["--base", "--all"], 2, "'--all' is an option, not a revision"),
        (["--base", "plain..main"], 2, "'plain..main' is a range of revisions"),
        (["--base", "plain...main"], 2, "'plain...main' is a range of revisions"),
        (["--base", "plain", "--head", "^plain"], 2, "'^plain' is a range of revisions"),
        (["--base", "plain^@"], 2, "'plain^@' is a range of revisions"),
        (["--base", "plain^{tree}"], 2, "'plain^{tree}' is a tree, not a commit"),
        (["--base", "plain:segmenter/__init__.py"], 2, "is a blob, not a commit"),
        (["--base", "../nowhere"], 3, "'../nowhere' is neither a folder nor a revision"),
        (["--base", "plain", "--head", "nowhere"], 3, "'nowhere' is neither"),
        (["--base", "plain", "--segmenter", "src"], 3, "the working tree has no src; say where"),
        (["--base", "plain", "--segmenter", str(ROOT / "segmenter")], 2, "is not a path below"),
        (["--base", "plain", "--segmenter", "../repository/segmenter"], 2, "is not a path below"),
        (["--base", "plain", "--segmenter", ""], 2, "is not a path below the top"),
        (["--base", "plain", "--segmenter", "."], 2, "name the package or the file in it"),
        (["--base", "plain", "--segmenter", "a:b:c:d"], 2, "is not PATH, PATH:ATTRIBUTE or"),
        (["--base", "plain", "--segmenter", "a:not-a-name"], 2, "is not PATH, PATH:ATTRIBUTE or"),
        (["--base", "plain", "--base-segmenter", "/a"], 2, "'/a' is not a path below the top"),
        (["folder", "folder", "--base-segmenter", "x"], 2, "are compared without --base-segmenter"),
        (["--base", "plain", "--corpus", "empty"], 3, "empty holds no document"),
        (["--base", "plain", "--corpus", "hollow"], 3, "hollow has no text"),
        (["--base", "plain", "--corpus", "bultin"], 2, "did you mean builtin?"),
        (["--base", "plain", "--tolerance", "1"], 2, "1.0 is not in the range 1<x<=10"),
        (["--base", "plain", "--tolerance", "nan"], 2, "nan is not in the range"),
        (["--base", "plain", "--tolerance", "inf"], 2, "inf is not in the range"),
        (["--base", "plain", "folder", "folder"], 2, "two run folders, or --base"),
        (["folder"], 2, "two run folders"),
        ([], 2, "say with --base what to compare with"),
        (["folder", "folder", "--head", "plain"], 2, "two runs are compared without --head"),
        (["folder", "folder", "--corpus", "x"], 2, "two runs are compared without --corpus"),
        (["folder", "folder", "--instructions"], 2, "are compared without --instructions"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str],
    status: int,
    message: str,
    repository: Repository,
    compare: Compare,
    tmp_path: Path,
) -> None:
    result = compare(*arguments)
    assert result.exit_code == status
    assert message in error_line(result)
    assert result.stdout == ""
    assert not (tmp_path / "out").exists()
    assert repository.worktrees() == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_leaves_nothing(
    number: signal.Signals, repository: Repository, tmp_path: Path
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    running = subprocess.Popen(
        [sys.executable, "-P", "-m", "harness", "compare", "--base", "plain"],
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    children = await_worker(running)
    assert list(temporary.iterdir())
    os.killpg(running.pid, number)
    out, err = running.communicate(timeout=60)
    assert (running.returncode, out) == (130, "")
    assert err == "segbench: interrupted; no report was written\n"
    assert repository.worktrees() == 1
    assert list(temporary.iterdir()) == []
    assert not list(repository.folder.glob("reports/*"))
    assert psutil.wait_procs(children, timeout=10)[1] == []


def await_worker(running: "subprocess.Popen[str]") -> list[psutil.Process]:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert running.poll() is None, running.communicate()
        children = psutil.Process(running.pid).children(recursive=True)
        if any(map(is_worker, children)):
            return children
        time.sleep(0.05)
    raise AssertionError("no worker within a minute")


def is_worker(process: psutil.Process) -> bool:
    try:
        return "worker.py" in " ".join(process.cmdline())
    except psutil.NoSuchProcess:  # git's are gone soon
        return False


@pytest.mark.parametrize("clock", ["process_time", "perf_counter"])
def test_a_head_that_changes_the_clock_is_timed_all_the_same(
    clock: str, repository: Repository, compare: Compare
) -> None:
    """By its clock, a hundredth of the time goes by."""
    slow = f"import time\n_{clock} = time.{clock}\ntime.{clock} = lambda: _{clock}() / 100\n"
    repository.write(slow + NEEDLESS)
    result = compare("--base", "plain")
    assert result.exit_code == 1, result.stderr
    assert "Slower: the working tree (" in result.stdout


@pytest.mark.parametrize("factor", ["1000", "-1", "float('nan')", "float('inf')"])
@pytest.mark.parametrize("clock", ["process_time", "perf_counter"])
def test_a_time_that_cannot_be_is_refused(
    clock: str, factor: str, repository: Repository, compare: Compare
) -> None:
    """A head that knows where its harness keeps the clock."""
    own = f"import __main__\n_{clock} = __main__.{clock}\n"
    repository.write(f"{own}__main__.{clock} = lambda: _{clock}() * {factor}\n{SPLITTER}")
    result = compare("--base", "plain")
    assert result.exit_code == 3
    assert "the working tree: its segmenter failed: a pass of " in error_line(result)
    assert "its clock was changed" in error_line(result)
