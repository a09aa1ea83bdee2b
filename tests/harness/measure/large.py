"""Checks a large corpus, and tells how fast that was and how much memory it took; on demand.

``python -m tests.harness.measure.large MEGABYTES FOLDER`` repeats the documents of a corpus as
lines of JSON in the folder, and checks them with the segmenter at 500.
"""

import argparse
import json
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path

import psutil

import corpora
from corpora import Document
from harness.results.folder import read_run
from harness.runner.executor import count_cores

_SECONDS_BETWEEN_SAMPLES = 0.1


def write_corpus(path: Path, documents: Sequence[Document], size: int) -> int:
    """Repeat documents, each time with new ids, up to so many bytes; returns the code points."""
    code_points = 0
    with path.open("w", encoding="utf-8") as file:
        for document in cycle(documents):
            if file.tell() >= size:
                break
            file.write(json.dumps({"text": document.text}, ensure_ascii=False) + "\n")
            code_points += len(document.text)
    return code_points


class Sampler(threading.Thread):
    """Samples the memory of a process and all below it; what they share counts in each."""

    def __init__(self, process: int) -> None:
        super().__init__(daemon=True)
        self.most = 0
        self._process = psutil.Process(process)

    def run(self) -> None:
        while self._process.is_running():
            try:
                tree = [self._process, *self._process.children(recursive=True)]
            except psutil.NoSuchProcess:
                return
            self.most = max(self.most, sum(map(weigh, tree)))
            time.sleep(_SECONDS_BETWEEN_SAMPLES)


def weigh(process: psutil.Process) -> int:
    """Bytes of memory, with what it shares with others."""
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0


def await_first(journal: Path, process: subprocess.Popen[bytes]) -> float:
    """Seconds until the first shard is in the journal."""
    began = time.perf_counter()
    while process.poll() is None:
        if journal.exists() and journal.read_bytes()[: 1 << 20].count(b"\n") > 1:
            break
        time.sleep(0.05)
    return time.perf_counter() - began


def main() -> None:
    """Make, check, tell."""
    parser = argparse.ArgumentParser()
    parser.add_argument("megabytes", type=int)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--corpus", default="builtin")
    parser.add_argument("--mirror", type=Path)
    parser.add_argument("--workers", type=int, default=count_cores())
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    texts, out = given.folder / "texts.jsonl", given.folder / "run"
    documents = list(corpora.load(given.corpus, mirror=given.mirror))
    code_points = write_corpus(texts, documents, given.megabytes * 10**6)
    command = [
        *(sys.executable, "-m", "harness", "check", "--corpus", str(texts)),
        *("--text-column", "text", "--splitter", "segmenter", "--max-chunk-length", "500"),
        *("--out", str(out), "--overwrite", "--workers", str(given.workers)),
    ]
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    sampler = Sampler(process.pid)
    sampler.start()
    first = await_first(out / "journal.jsonl", process)
    status = process.wait()
    seconds = time.perf_counter() - began
    sampler.join()
    if status:
        sys.exit(status)
    (found,) = read_run(out).counts
    if found.code_points != code_points:
        sys.exit(f"{found.code_points:,} of {code_points:,} code points were checked")
    rate = code_points / (seconds - first) / given.workers
    print(  # noqa: T201
        f"{texts.stat().st_size:,} bytes, {code_points:,} code points, {found.documents:,} documents\n"
        f"{seconds:.1f} s with {given.workers} workers, {first:.1f} s until the first shard was done\n"
        f"{rate:,.0f} code points a second per worker from then on\n"
        f"{sampler.most / 1e6:,.0f} MB in all processes together at most",
        flush=True,
    )
    texts.unlink()


if __name__ == "__main__":
    main()
