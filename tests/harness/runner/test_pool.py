"""What a splitter may do to the processes that others measure with, and to the machine's room."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from corpora.document import Corpus, Document
from harness.measure.check import CheckResult, check_corpora
from harness.measure.spooling import spool_corpora
from harness.results.folder import FAILURES, read_run, write_run
from harness.results.model import Failure, Run
from harness.runner.executor import open_process_pool
from harness.runner.pool import SplitterPool
from harness.runner.process import SplitterError
from harness.runner.spool import StorageError, write_spool
from harness.splitters.registry import Splitter
from tests.harness.environments import ENVIRONMENT
from tests.harness.inline import InlineExecutor

HERE = Path(__file__).parents[1]
ROOT = HERE.parents[1]
TEXT = "One sentence. Another."


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(HERE)


@pytest.fixture
def pool() -> Iterator[SplitterPool]:
    with SplitterPool() as pool:
        yield pool


def local(name: str, **options: object) -> Splitter:
    return Splitter(name, f"failing_splitters:{name}", options)


def check_text(pool: SplitterPool, *splitters: Splitter, text: str = TEXT) -> CheckResult:
    corpus = Corpus("corpus", lambda: iter([Document("d" * 10_000, text)]))
    with spool_corpora([corpus]) as corpora:
        return check_corpora(corpora, splitters, [5, 7], pool=pool, executor=InlineExecutor())


def test_texts_are_timed_in_turns(pool: SplitterPool, tmp_path: Path) -> None:
    log = tmp_path / "log"
    options = {"path": str(log), "name": "x"}
    splitter = Splitter("logging", "failing_splitters:logging_lengths", options)
    seconds = pool.time(splitter, ["a", "bb"], 5, calls=3)
    assert log.read_text() == "x1x2" * 3
    assert len(seconds) == 2
    assert all(0 < each < 10 for each in seconds)


def test_a_splitter_that_replaces_builtins_is_counted_rightly_and_ends_no_other(
    pool: SplitterPool,
) -> None:
    result = check_text(pool, local("replacing_len"), local("slices"))
    counts = {(c.workload.splitter, c.workload.max_chunk_length): c for c in result.counts}
    one, other = (counts[name, 5] for name in ("replacing_len", "slices"))
    assert (one.segments, one.longest, one.digest) == (other.segments, 5, other.digest)
    assert ("slices", 7) in counts
    # Python itself does not work on in that process, which ends.
    assert [failure.status for failure in result.failures] == ["failed"]


def test_strings_that_lie_are_read_as_what_they_hold(pool: SplitterPool) -> None:
    (segments,) = pool.split(local("lying"), [("text", TEXT)], 5)
    assert segments == ["enten", "ce. A", "nothe", "r."]
    assert {type(segment) for segment in segments} == {str}
    result = check_text(pool, local("lying"))
    assert [c.lost_whitespace + c.lost_content for c in result.counts] == [5, 7]


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="it cannot find the file")
def test_what_a_splitter_writes_over_is_its_own_failure(pool: SplitterPool) -> None:
    corpus = Corpus("corpus", lambda: iter([Document(name, TEXT) for name in "ab"]))
    splitters = [local("garbling"), local("slices")]
    with spool_corpora([corpus]) as corpora:
        result = check_corpora(corpora, splitters, [5], pool=pool, executor=InlineExecutor())
    assert {f.workload.splitter: f.detail for f in result.failures} == {
        "garbling": "its process wrote segments that cannot be read"
    }
    assert {count.workload.splitter for count in result.counts} == {"slices"}


@pytest.mark.parametrize("name", ["verbose", "verbose_at_end"])
def test_details_are_bounded_whatever_a_splitter_says(
    name: str, pool: SplitterPool, tmp_path: Path
) -> None:
    result = check_text(pool, local(name))
    assert all(len(failure.detail) < 1_000 for failure in result.failures)
    write_run(tmp_path, Run(ENVIRONMENT, failures=result.failures))
    assert (tmp_path / FAILURES).stat().st_size < 30_000


def test_the_line_that_raised_is_in_the_message_and_the_frames_in_the_file(
    pool: SplitterPool, tmp_path: Path
) -> None:
    result = check_text(pool, local("raising"))
    lines = (HERE / "failing_splitters.py").read_text().splitlines()
    line = 1 + lines.index('        raise LookupError("no such thing\\nsecond line")')
    assert f"LookupError: no such thing (failing_splitters.py:{line}), in " in (
        result.failures[0].detail
    )
    write_run(tmp_path, Run(ENVIRONMENT, failures=result.failures))
    record = json.loads((tmp_path / FAILURES).read_text().splitlines()[0])
    assert record["frames"][-1] == (
        f'failing_splitters.py:{line} in split: raise LookupError("no such thing\\nsecond line")'
    )
    assert read_run(tmp_path).failures == result.failures


def test_one_time_out_ends_a_splitter_for_the_run() -> None:
    began = time.monotonic()
    corpora_ = [
        Corpus(name, lambda: iter([Document("1", TEXT), Document("2", TEXT)])) for name in "ab"
    ]
    splitters = [local("hanging_at_load"), local("slices")]
    with SplitterPool(timeout=2) as pool, spool_corpora(corpora_) as corpora:
        result = check_corpora(
            corpora, splitters, [5, 6, 7], pool=pool, executor=InlineExecutor(), shard_size=1
        )
    assert [failure.status for failure in result.failures] == ["timed out"] * 6
    first, *others = [failure.detail for failure in result.failures]
    assert first == "did not load within 2 seconds"
    assert set(others) == {f"not tried again: {first}"}
    assert len(result.counts) == 6
    assert pool.find_given_up(splitters[0]) is not None
    assert time.monotonic() - began < 6 * 2 + 60  # one wait, not six or more


@pytest.mark.skipif(sys.platform != "linux", reason="sessions are followed on Linux alone")
def test_what_a_splitter_started_in_a_session_of_its_own_is_ended(tmp_path: Path) -> None:
    with SplitterPool() as pool:
        pool.split(local("leaving", path=str(tmp_path / "left")), [("text", TEXT)], 5)
        left = psutil.Process(int((tmp_path / "left").read_text()))
        assert left.is_running()
    psutil.wait_procs([left], timeout=10)
    assert not psutil.pid_exists(left.pid)


def test_a_pool_that_is_sent_is_one_pool_there(pool: SplitterPool) -> None:
    with open_process_pool(1) as executor:
        (first, one), (second, other) = (
            executor.submit(describe_pool, pool, local("slices")).result() for _ in range(2)
        )
    assert first == second != id(pool)
    assert one == other


def describe_pool(pool: SplitterPool, splitter: Splitter) -> tuple[int, list[int]]:
    """In another process: the pool, and its processes once it has split something."""
    pool.split(splitter, [("text", TEXT)], 5)
    return id(pool), sorted(child.pid for child in psutil.Process().children(recursive=True))


def test_a_full_folder_is_the_machines_fault(pool: SplitterPool, tmp_path: Path) -> None:
    """``/dev/full`` takes no byte, as a full file system."""
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    full = tmp_path / "spool"
    full.symlink_to("/dev/full")
    with pytest.raises(StorageError) as raised:
        write_spool(full, [("1", TEXT)])
    said = f"the folder {tmp_path} is full (No space left on device); free some space there"
    assert str(raised.value).startswith(said)


def test_a_run_without_room_names_the_folder(tmp_path: Path) -> None:
    """With a temporary folder of 200 KiB, mounted where only the command sees it."""
    script = 'mount -t tmpfs -o size=200k tmpfs "$TMPDIR" && exec "$@"'
    enter = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh"]
    (tmp_path / "small").mkdir()
    variables = {**os.environ, "TMPDIR": str(tmp_path / "small"), "PYTHONPATH": str(ROOT)}
    try:
        subprocess.run([*enter, "true"], env=variables, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this system lets nobody mount a small folder")
    # Its spool fits, and what the splitter gives does not.
    (tmp_path / "text.txt").write_text("text. " * 25_000)
    arguments = "check --corpus text.txt --splitter segmenter --max-chunk-length 5 --out run"
    done = subprocess.run(
        [*enter, sys.executable, "-m", "harness", *arguments.split()],
        cwd=tmp_path,
        env=variables,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (3, "")
    (line,) = done.stderr.splitlines()
    assert "is full" in line
    assert "No space left on device" in line
    assert str(tmp_path / "small") in line
    assert "segmenter failed" not in line
    assert not (tmp_path / "run").exists()


def test_an_error_keeps_its_frames_between_processes() -> None:
    with open_process_pool(1) as executor:
        future = executor.submit(fail)
        with pytest.raises(SplitterError) as raised:
            future.result()
    assert raised.value.frames == ("a.py:1 in f: g()",)
    failure = Failure(None, "raised", "so", raised.value.frames)  # type: ignore[arg-type]
    assert failure.frames == ("a.py:1 in f: g()",)


def fail() -> None:
    raise SplitterError("raised", "so", ["a.py:1 in f: g()"])
