"""Tries the gate: versions whose speed is known are compared again and again.

``python -m tests.harness.compare.trials`` runs ``segbench compare`` at its default settings on
copies of this checkout's segmenter: the same on both sides, slowed down by needless work, on all
documents or on some, sped up by taking such work away. It tells what was answered how often, in
which strata, and the longest time that it took. ``tests.harness.compare.simulate`` does as much
with made-up rounds.
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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console

import segmenter
from harness.compare.decision import Speed
from harness.report.tables import Column, Table, show_count, show_digits, words
from harness.report.terminal import print_table
from harness.results.folder import COMPARISON
from harness.runner.executor import count_cores

_ROOT = Path(__file__).parents[3]
_NEEDLESS = """

_split_of_before = TextSegmenter.split
_due = 0.0


def _split_needlessly(self, text):
    global _due
    _due += {share} * len(text)
    if _due >= min(len(text), 8 * self.max_chunk_length):
        needless = text[: int(_due)]
        _due -= len(needless)
        _split_of_before(self, needless)
    return _split_of_before(self, text)


TextSegmenter.split = _split_needlessly
"""

_AGAIN = """

_split_of_before = TextSegmenter.split


def _split_again(self, text):
    if {condition}:
        _split_of_before(self, {part})
    return _split_of_before(self, text)


TextSegmenter.split = _split_again
"""
_SHORT = _AGAIN.format(condition="len(text) < 3_800", part="text")
_BEYOND = _AGAIN.format(condition="len(text) > 1_000", part="text[1_000:]")


@dataclass(frozen=True, slots=True)
class Variation:
    """What is added to the segmenter of each side, and the options of the command."""

    base: str = ""
    head: str = ""
    options: tuple[str, ...] = ()


CASES = {
    "same": Variation(),
    "+15%": Variation(head=_NEEDLESS.format(share=0.15)),
    "+8%": Variation(head=_NEEDLESS.format(share=0.08)),
    "-15%": Variation(base=_NEEDLESS.format(share=0.18)),
    "twice below 3,800": Variation(head=_SHORT),
    "twice beyond 1,000": Variation(head=_BEYOND, options=("--instructions",)),
}


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
@click.option("--strict", is_flag=True, help="Exit with 1 if the same code is called slower.")
def main(cases: Sequence[str], trials: int, busy: bool, strict: bool) -> None:
    """Compare versions whose speed is known, and tell what the gate answered."""
    rows = []
    alarms = 0
    with tempfile.TemporaryDirectory(prefix="segbench-trials-") as place, _keep_busy(busy):
        for number, case in enumerate(cases):
            folder = Path(place, str(number))
            sides = [
                _copy(folder / "base", CASES[case].base),
                _copy(folder / "head", CASES[case].head),
            ]
            answers: Counter[str] = Counter()
            strata: Counter[str] = Counter()
            ratios = []
            longest = 0.0
            for trial in range(trials):
                began = time.monotonic()
                learnt = _compare(sides, Path(place, "out"), CASES[case].options)
                longest = max(longest, time.monotonic() - began)
                answers[learnt["answer"]] += 1
                strata.update(_list_slower(learnt))
                ratios += [each["ratio"]["ratio"] for each in learnt["measured"] if each["ratio"]]
                click.echo(f"{case} {trial + 1}: {learnt['answer']}", err=True)
            alarms += answers[Speed.SLOWER] * (case == "same")
            said = ", ".join(f"{number} {answer}" for answer, number in answers.most_common())
            named = ", ".join(f"{number} {stratum}" for stratum, number in strata.most_common(4))
            rows.append(
                {
                    "head": case,
                    "trials": trials,
                    "answers": said,
                    "strata": named or None,
                    "lowest": min(ratios),
                    "highest": max(ratios),
                    "longest": longest,
                }
            )
    print_table(
        Table(
            "Trials of the gate" + (", every core busy" if busy else ""),
            [
                words("head"),
                Column("trials", "trials", show_count),
                words("answers"),
                words("slower strata", "strata"),
                Column("lowest ratio", "lowest", "{:.3f}".format),
                Column("highest ratio", "highest", "{:.3f}".format),
                Column("longest, s", "longest", show_digits),
            ],
            rows,
        ),
        Console(width=None if sys.stdout.isatty() else 1000),
    )
    if strict and alarms:
        sys.exit(1)


def _list_slower(learnt: dict[str, Any]) -> set[str]:
    """The strata that a comparison found slower, by time or by instructions."""
    slower = {f"{e['corpus']} {name}" for e in learnt["measured"] for name in e["slower"]}
    counted = {
        f"{each['corpus']} {each['stratum']} by instructions"
        for each in learnt["instructions"]
        if each["answer"] == Speed.SLOWER and each["stratum"]
    }
    return slower | counted


def _copy(folder: Path, added: str) -> Path:
    """A checkout of the segmenter as it is here, with something added to its module."""
    ignored = shutil.ignore_patterns("__pycache__", "*.so")
    package = Path(segmenter.__file__).parent
    shutil.copytree(package, folder / "segmenter", ignore=ignored)
    with (folder / "segmenter" / "text_segmenter.py").open("a", encoding="utf-8") as file:
        file.write(added)
    return folder


def _compare(sides: Sequence[Path], out: Path, options: Sequence[str]) -> dict[str, Any]:
    base, head = map(str, sides)
    (out / COMPARISON).unlink(missing_ok=True)
    command = [
        "compare",
        "--base",
        base,
        "--head",
        head,
        "--out",
        str(out),
        "--overwrite",
        *options,
    ]
    done = subprocess.run(
        [sys.executable, "-m", "harness", *command],
        cwd=_ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    if not (out / COMPARISON).exists():
        raise click.ClickException(done.stderr.strip())
    learnt: dict[str, Any] = json.loads((out / COMPARISON).read_text(encoding="utf-8"))
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
