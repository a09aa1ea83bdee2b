"""What a comparison tells: tables for people, files for programs."""

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import pyperf
from rich.console import Console
from rich.text import Text

from harness.compare import instructions
from harness.compare.comparison import Addition, Comparison
from harness.compare.rounds import BASE, HEAD, SIDES, Measured, Round
from harness.compare.statistics import CONFIDENCE, Speed
from harness.report import safe, tables
from harness.report.markdown import render_table
from harness.report.tables import Column, Table, show_count, show_digits
from harness.report.terminal import print_table
from harness.results.atomic import open_replacing, write_json
from harness.results.errors import MeasurementError
from harness.results.model import Environment, Run

RECORD = "compare.json"
PAGE = "compare.md"
SUMMARY = "GITHUB_STEP_SUMMARY"


@dataclass(frozen=True, slots=True)
class Page:
    """An answer in a sentence or two, and the tables that it was read from."""

    title: str
    answer: str
    tables: Sequence[Table]
    environment: Environment


def describe(comparison: Comparison) -> Page:
    """The page of a comparison, the segments before the speed."""
    shown = [
        _tabulate_differences(comparison),
        _tabulate_instructions(comparison),
        _tabulate_speed(comparison),
    ]
    return Page(
        "Two versions of the segmenter",
        _answer(comparison),
        [table for table in shown if table.rows],
        comparison.environment,
    )


def describe_addition(addition: Addition) -> Page:
    """The page of a segmenter that base does not have."""
    head = addition.head
    answer = (
        f"New: {head} has {head.segmenter.given}, {addition.base} has nothing there and nothing of "
        f"that name elsewhere. It split {show_count(addition.documents)} documents without an "
        "error; there is nothing to compare its segments and its speed with."
    )
    return Page("A new segmenter", answer, [], addition.environment)


def print_page(page: Page, console: Console) -> None:
    """Print the tables and then the answer, next to the prompt."""
    for table in page.tables:
        print_table(table, console)
    console.print(Text(safe.lines(page.answer)))


def render_page(page: Page) -> str:
    """The page as Markdown, fit for a comment on a pull request: the answer first."""
    shown = [f"**{table.title}**\n\n{render_table(table).strip()}" for table in page.tables]
    where = render_table(tables.environment(Run(page.environment))).strip()
    rest = f"<details><summary>Environment</summary>\n\n{where}\n\n</details>"
    return "\n\n".join([f"### {page.title}", safe.lines(page.answer), *shown, rest]) + "\n"


def write_page(folder: Path, page: Page, record: dict[str, Any]) -> Path:
    """Write the page and the record into the folder; returns the path of the page.

    Raises MeasurementError where a file cannot be written.
    """
    write_json(folder / RECORD, record, indent=1)
    with open_replacing(folder / PAGE) as file:
        file.write(render_page(page))
    return folder / PAGE


def add_to_summary(page: Page) -> str:
    """Add the page to the step summary of GitHub where there is one; returns why that failed."""
    if summary := os.environ.get(SUMMARY):
        try:
            with Path(summary).open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(render_page(page))
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            return f"the page was not added to ${SUMMARY}, {summary!r}: {reason}"
    return ""


def start_folder(folder: Path) -> None:
    """Make the folder, and remove what an earlier comparison left there.

    Raises MeasurementError where it cannot be made or written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in (RECORD, PAGE, *map(_name_file, (BASE, HEAD))):
            (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise MeasurementError(
            f"cannot write {folder}: {error.strerror}; give another folder with --out"
        ) from error
    with open_replacing(folder / RECORD):
        pass
    (folder / RECORD).unlink()


def write_timings(folder: Path, comparison: Comparison) -> None:
    """Write a pyperf file for each version: a run with one value a round, CPU seconds of a pass."""
    for side in (BASE, HEAD):
        benchmarks = [
            pyperf.Benchmark(
                [
                    pyperf.Run(
                        [sum(each.seconds(side))],
                        metadata={
                            "name": f"{measured.corpus}/{measured.max_chunk_length}",
                            "corpus": measured.corpus,
                            "max_chunk_length": measured.max_chunk_length,
                            "code_points": measured.blocks.code_points,
                            "version": str(getattr(comparison.question, side)),
                            "clock": "process_time",
                            "unit": "second",
                            "loops": 1,
                        },
                        collect_metadata=False,
                    )
                    for each in measured.rounds
                ]
            )
            for measured in comparison.measured
        ]
        if benchmarks:
            with open_replacing(folder / _name_file(side)) as file:
                pyperf.BenchmarkSuite(benchmarks).dump(file)


def _name_file(side: str) -> str:
    return f"{side}.json"


def record(comparison: Comparison) -> dict[str, Any]:
    """All that the comparison learnt, every turn included, as JSON has it."""
    question = comparison.question
    return {
        "environment": asdict(comparison.environment),
        BASE: {"name": question.base.name, "commit": question.base.commit},
        HEAD: {"name": question.head.name, "commit": question.head.commit},
        "tolerance": question.tolerance,
        "confidence": CONFIDENCE,
        "answer": comparison.speed,
        "verdict": comparison.verdict,
        "differences": [asdict(each) for each in comparison.differences],
        "instructions": [
            {**asdict(each), "ratio": each.ratio, "answer": each.speed}
            for each in comparison.instructions
        ],
        "uncounted": comparison.uncounted,
        "measured": [_record_measured(each) for each in comparison.measured],
    }


def _record_measured(measured: Measured) -> dict[str, Any]:
    return {
        "corpus": measured.corpus,
        "max_chunk_length": measured.max_chunk_length,
        "documents": measured.blocks.documents,
        "code_points": measured.blocks.code_points,
        "answer": measured.speed,
        "ratio": measured.ratio and asdict(measured.ratio),
        "floor": measured.floor and asdict(measured.floor),
        "rounds": [_record_round(each) for each in measured.rounds],
    }


def _record_round(each: Round) -> dict[str, Any]:
    """By side, block and repeat: CPU seconds, and those that went by."""
    return {
        side: [[[turn.cpu_seconds, turn.seconds] for turn in block] for block in each.turns[side]]
        for side in SIDES
    }


def _answer(comparison: Comparison) -> str:
    question = comparison.question
    sentences = []
    if comparison.differences:
        differing = max(each.differing for each in comparison.differences)
        sentences.append(
            f"The segments differ, in up to {show_count(differing)} documents at a limit."
        )
    versions = f"{question.head} is {{}} than {question.base}"
    by = _name_extreme(comparison)
    match comparison.speed:
        case None:
            sentences.append(
                "Speed was not measured; --allow-different-segments measures it all the same."
            )
        case Speed.SLOWER:
            sentences.append(f"Slower: {versions.format('slower')}: {by}.")
        case Speed.FASTER:
            sentences.append(f"Faster: {versions.format('faster')}: {by}.")
        case Speed.FINE:
            sentences.append(f"Fine: {versions.format('no slower')}: {by}.")
        case Speed.NOISY:
            sentences.append(
                "Cannot tell: noisy machine. The base differs from itself by more than the "
                f"tolerance of {question.tolerance:g}."
            )
        case Speed.UNDECIDED:
            sentences.append(
                f"Cannot tell whether {versions.format('slower')}: {by}, which is not certain "
                f"enough for the tolerance of {question.tolerance:g}."
            )
    if comparison.uncounted:
        sentences.append(f"Note: {comparison.uncounted}.")
    return " ".join(sentences)


def _name_extreme(comparison: Comparison) -> str:
    """Where the answer shows most: by what factor, of which measure, on what."""
    found = [
        (each.ratio.ratio, f"{each.ratio} times the CPU time on {each.corpus} at {limit}")
        for each in comparison.measured
        if each.ratio and each.speed is comparison.speed
        for limit in [each.max_chunk_length]
    ] + [
        (each.ratio, f"{each.ratio:.4f} times the instructions at {each.max_chunk_length}")
        for each in comparison.instructions
        if each.speed is comparison.speed
    ]
    choose = min if comparison.speed is Speed.FASTER else max
    return choose(found)[1] if found else ""


def _tabulate_differences(comparison: Comparison) -> Table:
    return Table(
        "Segments that differ",
        [
            Column("corpus", numeric=False),
            Column("limit", show_count),
            Column("documents", show_count),
            Column("differ", show_count),
            Column("first", numeric=False),
            Column("from offset", show_count),
            Column("base", _quote, numeric=False),
            Column("head", _quote, numeric=False),
        ],
        [
            (
                each.corpus,
                each.max_chunk_length,
                each.documents,
                each.differing,
                each.document,
                each.start,
                each.base,
                each.head,
            )
            for each in comparison.differences
        ],
        [
            "The first document that differs, from where its segments do: the first 80 code points "
            f"of the segment there; {tables.NOTHING} where there is none left."
        ],
        names=2,
    )


def _quote(text: str) -> str:
    """As code, so that whitespace shows."""
    return safe.code(repr(text))


def _tabulate_instructions(comparison: Comparison) -> Table:
    return Table(
        "Work",
        [
            Column("limit", show_count),
            Column("answer", numeric=False),
            Column("head ÷ base", lambda ratio: f"{ratio:.4f}"),
            Column("base, million instructions", lambda number: show_digits(number / 1e6)),
            Column("head, million instructions", lambda number: show_digits(number / 1e6)),
        ],
        [
            (each.max_chunk_length, each.speed, each.ratio, each.base, each.head)
            for each in comparison.instructions
        ],
        [
            f"Instructions of {instructions.PASSES} passes over the beginnings of the documents, "
            f"start-up subtracted; slower above {instructions.TOLERANCE:g}."
        ],
    )


def _tabulate_speed(comparison: Comparison) -> Table:
    return Table(
        "Speed",
        [
            Column("corpus", numeric=False),
            Column("limit", show_count),
            Column("answer", numeric=False),
            Column("head ÷ base"),
            Column("noise floor, base ÷ base"),
            Column("rounds", show_count),
            Column("documents", show_count),
            Column("code points", show_count),
            Column("base, ms", show_digits),
            Column("head, ms", show_digits),
        ],
        [
            (
                each.corpus,
                each.max_chunk_length,
                each.speed,
                each.ratio,
                each.floor,
                len(each.rounds),
                each.blocks.documents,
                each.blocks.code_points,
                *(_milliseconds(each, side) for side in (BASE, HEAD)),
            )
            for each in comparison.measured
        ],
        [
            "CPU time of a pass over the documents that a round has time for, pure Python. Ratios "
            "are of turns next to each other in time, with their bootstrap intervals over the rounds at "
            f"{CONFIDENCE:.0%}.",
            f"Slower: all of the interval is above {comparison.question.tolerance:g}; fine: all "
            f"is below; faster: all is below {1 / comparison.question.tolerance:.3f}. Where the "
            "noise floor reaches beyond the tolerance, nothing can be told.",
        ],
        names=2,
    )


def _milliseconds(measured: Measured, side: str) -> float:
    return 1000 * median(sum(each.seconds(side)) for each in measured.rounds)
