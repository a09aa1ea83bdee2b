"""A check that is killed or interrupted, and goes on: the files are those of one that was not."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.measure.shards import SHARD_SIZE
from harness.results.journal import JOURNAL

ROOT = Path(__file__).parents[3]
#: How often a check is killed: KILLS=10 python -m pytest tests/harness/cli/test_resume.py
KILLS = int(os.environ.get("KILLS", "3"))
SHARDS = 6
SPLITTER = """
import time

def make(limit):
    def split(text):
        time.sleep(0.01)
        return [text[i : i + limit] for i in range(0, len(text), limit)]

    return split
"""
OPTIONS = ["--splitter", "segmenter", "--splitter", "slow.py:make", "--max-chunk-length", "100"]
CORPORA = ["--corpus", "texts.jsonl", "--text-column", "text", "--corpus", "builtin"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With some shards of rows, and a splitter that takes its time."""
    (tmp_path / "slow.py").write_text(SPLITTER)
    sentence = "  A sentence with words\u3000and blanks.\n\n\n   Then  another one.  "
    with (tmp_path / "texts.jsonl").open("w") as file:
        for number in range(SHARDS * 20):
            text = f"{number}{sentence * (SHARD_SIZE // 20 // len(sentence))}"
            file.write(json.dumps({"text": text}) + "\n")
    return tmp_path


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "harness", "check", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, err = process.communicate(timeout=600)
    return process.returncode, err


def count_lines(run: Path) -> int:
    journal = run / JOURNAL
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def await_shards(process: subprocess.Popen[str], run: Path, more: int) -> None:
    """Until so many more lines are in the journal, or the check is finished."""
    wanted = count_lines(run) + more
    deadline = time.monotonic() + 300
    while process.poll() is None and count_lines(run) < wanted:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_check_that_is_killed_again_and_again_gives_the_same_files(folder: Path) -> None:
    assert finish(start(folder, *CORPORA, *OPTIONS, "--out", "whole"))[0] == 0
    moments = random.Random(17)
    process = start(folder, *CORPORA, *OPTIONS, "--out", "killed", "--workers", "2")
    for _ in range(KILLS):
        await_shards(process, folder / "killed", moments.randrange(1, 4))
        time.sleep(moments.random() / 5)
        process.kill()
        process.communicate(timeout=60)
        if not (folder / "killed" / JOURNAL).exists():
            break  # it was finished before
        # Nothing but the folder need be named, from wherever.
        workers = ["--workers", str(moments.randrange(1, 4))]
        process = start(ROOT, "--resume", str(folder / "killed"), *workers)
    status, said = finish(process)
    assert (status, said) == (0, "")
    whole = {path.name: path for path in (folder / "whole").iterdir()}
    names = {path.name for path in (folder / "killed").iterdir()}
    assert names == set(whole)  # the journal is gone
    for name in names - {"environment.json", "report.md", "report.html"}:  # these tell the time
        assert (folder / "killed" / name).read_bytes() == whole[name].read_bytes(), name
    environment = json.loads((folder / "killed" / "environment.json").read_text())
    assert environment["command"].endswith("--out killed --workers 2")


def test_an_interrupted_check_says_how_to_go_on_and_refuses_what_differs(folder: Path) -> None:
    process = start(folder, *CORPORA, *OPTIONS, "--out", "run")
    await_shards(process, folder / "run", 3)
    process.send_signal(signal.SIGINT)
    status, said = finish(process)
    assert (status, said) == (
        130,
        "segbench: interrupted; to go on: segbench check --resume run\n",
    )
    kept = (folder / "run" / JOURNAL).read_bytes()

    status, said = finish(start(folder, *CORPORA, *OPTIONS, "--out", "run"))
    assert status == 2
    assert said == (
        "segbench: run holds an interrupted check; give another folder, or --overwrite; "
        "to go on: segbench check --resume run\n"
    )
    status, said = finish(start(folder, "--resume", "run", "--max-chunk-length", "20"))
    assert status == 2
    assert "leave out --max-chunk-length" in said

    texts = folder / "texts.jsonl"
    texts.write_text(texts.read_text().replace("A sentence", "a sentence", 1))
    status, said = finish(start(folder, "--resume", "run"))
    assert status == 3
    assert said == (
        "segbench: the texts of texts.jsonl are not those of before the interruption; "
        "check them again with --overwrite\n"
    )

    header, _, rest = kept.partition(b"\n")
    changed = json.loads(header)
    changed["environment"]["versions"]["segbench"] = "0.0.1"
    (folder / "run" / JOURNAL).write_bytes(json.dumps(changed).encode() + b"\n" + rest)
    status, said = finish(start(folder, "--resume", "run"))
    assert status == 3
    assert "segbench is not the same as before the interruption: 0.0.1 then, " in said
    assert said.count("\n") == 1


def test_only_an_interrupted_check_can_be_resumed(folder: Path) -> None:
    (folder / "empty").mkdir()
    status, said = finish(start(folder, "--resume", "empty"))
    assert (status, said) == (
        3,
        "segbench: empty holds no interrupted check; give the folder of one\n",
    )
