"""A check on a Dask cluster: a real scheduler, and workers in processes of their own."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="pip install 'segbench[dask]'")

MIRROR = Path(__file__).parents[4] / "shared" / "hub" / "awinml" / "legalbench-rag" / "corpus"
SECONDS = 180.0  # until a test is given up; only a fault takes so long
COMPARED = ("counts.csv", "violations.csv", "examples.jsonl", "boundaries.csv", "cuts.csv")
# It breaks rules, so that there are violations, and tells which process asked for a document.
SPLITTER = """
import os, time

def make(max_chunk_length):
    def split(text):
        with open({seen!r}, "a") as file:
            file.write("x")
        time.sleep({seconds})
        if {deadly!r} in text:
            kill_worker()
        return [text[at : at + max_chunk_length] for at in range(0, len(text), max_chunk_length)]
    return split

def kill_worker():
    import psutil, signal
    for each in psutil.Process().parents():
        if "dask" in " ".join(each.cmdline()) or "spawn_main" in " ".join(each.cmdline()):
            each.send_signal(signal.SIGKILL)
            return
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
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3]), **variables},
        )
        self._programs.append(program)
        return program

    def add_worker(self, **variables: str) -> "subprocess.Popen[bytes]":
        """One worker in a process, which nobody starts again."""
        place = self.folder / f"scratch-{len(self._programs)}"
        options = ["--no-nanny", "--nthreads", "1", "--local-directory", str(place)]
        options += ["--host", "127.0.0.1", "--memory-limit", "0"]
        return self.start("worker", self.address, *options, **variables)

    def end(self) -> None:
        """End all programs."""
        for program in reversed(self._programs):
            program.kill()
            program.wait()


def wait_until(is_true: Callable[[], bool]) -> None:
    until = time.monotonic() + SECONDS
    while not is_true():
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    made = Cluster(tmp_path)
    yield made
    made.end()


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
    def write(seconds: float = 0.0, deadly: str = "\0") -> str:
        path = tmp_path / "mine.py"
        seen = str(tmp_path / "seen")
        path.write_text(SPLITTER.format(seconds=seconds, deadly=deadly, seen=seen))
        return f"{path}:make"

    return write


def start_check(out: Path, *options: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "harness", "check", "--out", str(out), *options]
    return subprocess.Popen(
        [*command, "--max-chunk-length", "20"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
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
    chosen = ["--corpus", str(texts), "--text-column", "text", "--splitter", splitter()]
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
