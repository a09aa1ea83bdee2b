"""A check on a Dask cluster: a real scheduler, and workers in processes of their own."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import fsspec
import psutil
import pytest

import corpora
from harness.measure.cluster import open_cluster
from harness.results.errors import MeasurementError
from harness.runner.pool import SplitterPool
from harness.splitters.contenders import gather
from harness.splitters.registry import load_splitter

pytest.importorskip("distributed", reason="pip install 'segbench[dask]'")

ROOT = Path(__file__).parents[3]
MIRROR = ROOT.parent / "shared" / "hub" / "awinml" / "legalbench-rag" / "corpus" / "privacy_qa"
SECONDS = 180.0  # until a test is given up; only a fault takes so long
COMPARED = ("counts.csv", "violations.csv", "examples.jsonl", "boundaries.csv", "cuts.csv")
LIMIT = ("--max-chunk-length", "20")
# It breaks rules, so that there are violations, and tells how many documents it has split.
SPLITTER = """
import time

def make(max_chunk_length):
    def split(text):
        with open({seen!r}, "a") as file:
            file.write("x")
        time.sleep({seconds})
        return [text[at : at + max_chunk_length] for at in range(0, len(text), max_chunk_length)]
    return split
"""


class Cluster:
    """A scheduler, and the programs that are its workers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._programs: list[subprocess.Popen[bytes]] = []
        found = folder / "scheduler.json"
        self.start(
            "scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(found)
        )
        wait_until(found.is_file)
        self.address = json.loads(found.read_text())["address"]

    def start(self, command: str, *options: str, **variables: str) -> "subprocess.Popen[bytes]":
        """Start a program of Dask."""
        log = (self.folder / f"{command}-{len(self._programs)}.log").open("wb")
        program = subprocess.Popen(
            [sys.executable, "-m", "dask", command, *options, "--no-dashboard"],
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONPATH": str(ROOT), **variables},
            cwd=self.folder,
        )
        self._programs.append(program)
        return program

    def add_worker(self, **variables: str) -> "subprocess.Popen[bytes]":
        """One worker in a process, which nobody starts again."""
        place = self.folder / f"scratch-{len(self._programs)}"
        options = ["--no-nanny", "--nthreads", "1", "--local-directory", str(place)]
        options += ["--host", "127.0.0.1", "--memory-limit", "0"]
        return self.start("worker", self.address, *options, **variables)

    def end(self, *, scheduler: bool = True) -> None:
        """End all programs, or all but the scheduler."""
        while len(self._programs) > (not scheduler):
            program = self._programs.pop()
            program.kill()
            program.wait()


def wait_until(is_true: Callable[[], bool]) -> None:
    until = time.monotonic() + SECONDS
    while not is_true():
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.fixture(scope="module")
def empty_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    yield made
    made.end()


@pytest.fixture
def cluster(empty_cluster: Cluster) -> Iterator[Cluster]:
    yield empty_cluster
    empty_cluster.end(scheduler=False)


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """Three files, of which one is cut, with lines that every splitter at a limit breaks."""
    folder = tmp_path / "texts"
    folder.mkdir()
    lines = (f"Document {number}.  " + "word  \n" * (number * 10) for number in range(120))
    written = "".join(json.dumps({"text": line}) + "\n" for line in lines)
    (folder / "a.jsonl").write_text(written, encoding="utf-8")
    (folder / "b.txt").write_text("one two  three", encoding="utf-8")
    (folder / "c.csv").write_text('text\n"four\n\nfive"\nsix\n', encoding="utf-8")
    return folder


@pytest.fixture
def splitter(tmp_path: Path) -> Callable[..., str]:
    def write(seconds: float = 0.0) -> str:
        path = tmp_path / "mine.py"
        path.write_text(SPLITTER.format(seconds=seconds, seen=str(tmp_path / "seen")))
        return f"{path}:make"

    return write


def start_check(out: Path, *options: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "harness", "check", "--out", str(out), *options]
    return subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "10s"},
    )


def check(out: Path, *options: str) -> tuple[int, str]:
    program = start_check(out, *options)
    _, said = program.communicate(timeout=SECONDS)
    return program.returncode, said


def read_results(out: Path) -> dict[str, bytes]:
    return {name: (out / name).read_bytes() for name in COMPARED}


def test_a_cluster_that_loses_a_worker_gives_what_one_process_gives(
    cluster: Cluster, texts: Path, splitter: Callable[..., str], tmp_path: Path
) -> None:
    chosen = ["--corpus", str(texts), "--text-column", "text", "--splitter", splitter(), *LIMIT]
    expected = check(tmp_path / "here", *chosen)
    assert expected == (0, "")
    seen = tmp_path / "seen"
    seen.unlink()
    doomed, _ = cluster.add_worker(), cluster.add_worker()
    splitter(seconds=0.02)
    program = start_check(tmp_path / "there", *chosen, "--cluster", cluster.address)
    wait_until(lambda: seen.exists() and seen.stat().st_size > 60)
    doomed.send_signal(signal.SIGKILL)
    _, said = program.communicate(timeout=SECONDS)
    assert program.returncode == 0, said
    assert read_results(tmp_path / "there") == read_results(tmp_path / "here")
    assert len((tmp_path / "there" / "examples.jsonl").read_text().splitlines()) > 3


@pytest.mark.skipif(not MIRROR.is_dir(), reason=f"{MIRROR} is not there")
def test_real_documents_give_the_same_on_a_cluster(cluster: Cluster, tmp_path: Path) -> None:
    chosen = ["--corpus", str(MIRROR), "--splitter", "segmenter", *LIMIT]
    assert check(tmp_path / "here", *chosen)[0] == 0
    cluster.add_worker()
    cluster.add_worker()
    status, said = check(tmp_path / "there", *chosen, "--cluster", cluster.address)
    assert status == 0, said
    assert read_results(tmp_path / "there") == read_results(tmp_path / "here")


def test_an_interrupted_check_leaves_nothing_on_the_workers(
    cluster: Cluster, texts: Path, splitter: Callable[..., str], tmp_path: Path
) -> None:
    worker = cluster.add_worker()
    chosen = [
        "--corpus",
        str(texts),
        "--text-column",
        "text",
        "--splitter",
        splitter(seconds=1),
        *LIMIT,
    ]
    program = start_check(tmp_path / "out", *chosen, "--cluster", cluster.address)
    wait_until((tmp_path / "seen").exists)
    assert psutil.Process(worker.pid).children()
    program.send_signal(signal.SIGINT)
    _, said = program.communicate(timeout=SECONDS)
    assert program.returncode == 130, said
    wait_until(lambda: not psutil.Process(worker.pid).children())
    wait_until(lambda: not list(cluster.folder.rglob("segbench-*")))
    assert worker.poll() is None


def test_a_worker_with_other_code_is_refused(cluster: Cluster, texts: Path, tmp_path: Path) -> None:
    for package in ("segmenter", "corpora", "harness"):
        shutil.copytree(ROOT / package, tmp_path / "other" / package)
    with (tmp_path / "other" / "segmenter" / "rules.py").open("a") as file:
        file.write("# another version\n")
    cluster.add_worker(PYTHONPATH=str(tmp_path / "other"))
    status, said = check(
        tmp_path / "out", "--corpus", str(texts / "b.txt"), "--cluster", cluster.address
    )
    assert status == 3
    assert re.search(
        r"the worker tcp://127\.0\.0\.1:\d+ has segbench of source \w+, and this machine has \w+; "
        "install the same there",
        said,
    )


@pytest.mark.parametrize(
    ("address", "status", "message"),
    [
        ("tcp://127.0.0.1", 2, "--cluster: tcp://127.0.0.1 is not an address: missing port number"),
        ("nothing://127.0.0.1:1", 2, "is not an address: unknown address scheme 'nothing'"),
        ("tcp://127.0.0.1:9", 3, "the cluster at tcp://127.0.0.1:9 does not answer: "),
    ],
)
def test_an_address_that_leads_nowhere(
    address: str, status: int, message: str, texts: Path, tmp_path: Path
) -> None:
    found, said = check(tmp_path / "out", "--corpus", str(texts / "b.txt"), "--cluster", address)
    assert found == status, said
    assert message in said
    assert len(said.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_workers_must_see_the_texts(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.add_worker()
    monkeypatch.chdir(tmp_path)
    here = Path("/proc/self/cwd")  # another folder for each process
    contenders = gather([load_splitter("segmenter")])
    fsspec.filesystem("memory").pipe("/of-this-process/a.txt", b"a text")
    file = corpora.load("memory://of-this-process/a.txt")
    told: list[str] = []
    for corpus, message in (
        (file, r"cannot read corpus 'memory://of-this-process/a\.txt': .*does not exist"),
        (
            corpora.load("builtin"),
            "does not see the folder /proc/self/cwd, .*; give --out a folder",
        ),
    ):
        with (
            SplitterPool() as pool,
            pytest.raises(MeasurementError, match=rf"the worker tcp://[\d.:]+ {message}"),
            open_cluster(cluster.address, [corpus], contenders, here, pool=pool, tell=told.append),
        ):
            pass
    assert not list(tmp_path.iterdir())
