"""Tries the gate: versions whose speed is known are compared again and again.

``python -m harness.compare.trials`` runs ``segbench compare`` at its default settings on copies
of this checkout's segmenter: the same on both sides, slowed down by needless work, sped up by
taking such work away. It tells what was answered how often, and the longest time it took.
"""

import json
import multiprocessing
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console

import segmenter
from harness.compare.report import RECORD
from harness.report.tables import Column, Table, show_count, show_digits
from harness.report.terminal import print_table
from harness.runner.executor import count_cores

_ROOT = Path(__file__).parents[2]
_NEEDLESS = """

_split = TextSegmenter.split
_due = 0.0


def _split_needlessly(self, text):
    global _due
    _due += {share} * len(text)
    if _due >= min(len(text), 8 * self.max_chunk_length):
        needless = text[: int(_due)]
        _due -= len(needless)
        _split(self, needless)
    return _split(self, text)


TextSegmenter.split = _split_needlessly
"""

# How much needless work base and head do, as a share of the work that is needed.
CASES = {"same": (0.0, 0.0), "+15%": (0.0, 0.15), "+8%": (0.0, 0.08), "-15%": (0.18, 0.0)}


@click.command()
@click.option(
    "--case",
    "cases",
    type=click.Choice(list(CASES)),
    multiple=True,
    default=list(CASES),
    show_default=True,
    help="What head is to base; may be repeated.",
)
@click.option("--trials", type=click.IntRange(min=1), default=10, show_default=True)
@click.option("--busy", is_flag=True, help="Keep every core working meanwhile.")
def main(cases: Sequence[str], trials: int, busy: bool) -> None:
    """Compare versions whose speed is known, and tell what the gate answered."""
    rows = []
    with tempfile.TemporaryDirectory(prefix="segbench-trials-") as place, _keep_busy(busy):
        for case in cases:
            sides = [_copy(Path(place, case, name), share) for name, share in _sides(case)]
            answers: Counter[str] = Counter()
            ratios = []
            longest = 0.0
            for trial in range(trials):
                began = time.monotonic()
                learnt = _compare(sides, Path(place, "out"))
                longest = max(longest, time.monotonic() - began)
                answers[learnt["answer"]] += 1
                ratios += [each["ratio"]["ratio"] for each in learnt["measured"]]
                click.echo(f"{case} {trial + 1}: {learnt['answer']}", err=True)
            said = ", ".join(f"{number} {answer}" for answer, number in answers.most_common())
            rows.append((case, trials, said, min(ratios), max(ratios), longest))
    print_table(
        Table(
            "Trials of the gate" + (", every core busy" if busy else ""),
            [
                Column("head", numeric=False),
                Column("trials", show_count),
                Column("answers", numeric=False),
                Column("lowest ratio", lambda ratio: f"{ratio:.3f}"),
                Column("highest ratio", lambda ratio: f"{ratio:.3f}"),
                Column("longest, s", show_digits),
            ],
            rows,
        ),
        Console(width=None if sys.stdout.isatty() else 1000),
    )


def _sides(case: str) -> Iterator[tuple[str, float]]:
    yield from zip(("base", "head"), CASES[case], strict=True)


def _copy(folder: Path, share: float) -> Path:
    """A checkout of the segmenter as it is here, that does so much needless work."""
    ignored = shutil.ignore_patterns("__pycache__", "*.so")
    package = Path(segmenter.__file__).parent
    shutil.copytree(package, folder / "segmenter", ignore=ignored)
    if share:
        with (folder / "segmenter" / "text_segmenter.py").open("a", encoding="utf-8") as file:
            file.write(_NEEDLESS.format(share=share))
    return folder


def _compare(sides: Sequence[Path], out: Path) -> dict[str, Any]:
    base, head = map(str, sides)
    command = ["compare", "--base", base, "--head", head, "--out", str(out)]
    done = subprocess.run(
        [sys.executable, "-m", "harness", *command],
        cwd=_ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    if done.returncode not in (0, 1):
        raise click.ClickException(done.stderr.strip())
    learnt: dict[str, Any] = json.loads((out / RECORD).read_text(encoding="utf-8"))
    return learnt


@contextmanager
def _keep_busy(busy: bool) -> Iterator[None]:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_spin, daemon=True) for _ in range(count_cores() * busy)]
    for process in processes:
        process.start()
    try:
        yield
    finally:
        for process in processes:
            process.terminate()


def _spin() -> None:
    while True:
        pass


if __name__ == "__main__":
    main()
