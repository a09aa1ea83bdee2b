"""What a comparison tells: tables for people, files for programs."""

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.text import Text

from harness.compare import decision, instructions
from harness.compare.comparison import BASE, HEAD, Addition, Comparison, Measured
from harness.compare.decision import ERROR, STRATUM_TOLERANCE, TOLERANCE, Speed
from harness.report import safe, tables
from harness.report.columns import NOTHING, Column, Table, figures, show_digits, show_number, words
from harness.report.markdown import render_table
from harness.report.terminal import print_table
from harness.results.atomic import open_replacing, write_json
from harness.results.escapes import quote
from harness.results.folder import (
    BASE_TIMINGS,
    COMPARISON,
    COMPARISON_PAGE,
    HEAD_TIMINGS,
)
from harness.results.model import Environment, Run
from harness.results.timings import write_side
from segmenter.testing.notation import show_notation

SUMMARY = "GITHUB_STEP_SUMMARY"
_TIMINGS = {BASE: BASE_TIMINGS, HEAD: HEAD_TIMINGS}


@dataclass(frozen=True, slots=True)
class Page:
    """An answer in a sentence or two, and the tables that it was read from."""

    title: str
    answer: str
    tables: Sequence[Table]
    environment: Environment


def join_pages(pages: Sequence[Page]) -> Page:
    """The pages of one head and several bases as one, in their order."""
    first = pages[0]
    if len(pages) == 1:
        return first
    answer = "\n\n".join(page.answer for page in pages)
    shown = [
        replace(table, title=f"{table.title}, comparison {number}")
        for number, page in enumerate(pages, 1)
        for table in page.tables
    ]
    return Page(first.title, answer, shown, first.environment)


def describe_answer(answered: Comparison | Addition) -> Page:
    """The page of a comparison, the segments before the speed."""
    if isinstance(answered, Addition):
        return describe_addition(answered)
    comparison = answered
    shown = [
        _tabulate_differences(comparison),
        _tabulate_instructions(comparison),
        _tabulate_speed(comparison),
    ]
    return Page(
        "Two versions of the segmenter",
        _answer(comparison),
        [table for table in shown if table.records],
        comparison.environment,
    )


def describe_addition(addition: Addition) -> Page:
    """The page of a segmenter that base does not have."""
    head = addition.head
    answer = (
        f"New: {head} has {head.segmenter.given}, {addition.base} has nothing there and nothing of "
        f"that name elsewhere. It split {show_number(addition.documents, 'document')} without an "
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
    return "\n\n".join([f"### {page.title}", safe.paragraph(page.answer), *shown, rest]) + "\n"


def write_comparison(folder: Path, page: Page, record: dict[str, Any]) -> Path:
    """Write the page and the record into the folder; returns the path of the page.

    Raises MeasurementError if a file cannot be written.
    """
    write_json(folder / COMPARISON, record, indent=1)
    with open_replacing(folder / COMPARISON_PAGE) as file:
        file.write(render_page(page))
    return folder / COMPARISON_PAGE


def add_to_summary(page: Page) -> str:
    """Add the page to the step summary of GitHub if there is one; returns why that failed."""
    if summary := os.environ.get(SUMMARY):
        try:
            with Path(summary).open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(render_page(page))
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            return f"the page was not added to ${SUMMARY}, {quote(summary)}: {reason}"
    return ""


def write_comparison_timings(folder: Path, comparison: Comparison) -> None:
    """Write a pyperf file for each version, with the same benchmarks.

    There is one value per round, the CPU seconds of a pass over all strata.
    """
    if rounds := comparison.rounds:
        for side in (BASE, HEAD):
            write_side(folder / _TIMINGS[side], rounds, baseline=side == BASE)


def record(answered: Comparison | Addition) -> dict[str, Any]:
    """All that a comparison found but its rounds, as JSON has it."""
    if isinstance(answered, Addition):
        return answered.record()
    comparison = answered
    question = comparison.question
    return {
        "environment": asdict(comparison.environment),
        BASE: {"name": question.base.name, "commit": question.base.commit},
        HEAD: {"name": question.head.name, "commit": question.head.commit},
        "tolerance": question.tolerance,
        "error": ERROR,
        "answer": comparison.speed and comparison.speed.describe(question.tolerance),
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
    found = measured.decision
    return {
        "corpus": measured.task.corpus,
        "max_chunk_length": measured.task.max_chunk_length,
        "documents": sum(each.documents for each in measured.task.strata),
        "code_points": sum(each.code_points for each in measured.task.strata),
        "answer": measured.speed,
        "ratio": found and asdict(found.mean),
        "noise": found and found.noise,
        "rounds": len({each.round for each in measured.rounds}),
        "slower": measured.slower_strata,
        "strata": {
            stratum.name: asdict(ratio)
            for stratum, ratio in zip(
                measured.task.strata, found.strata if found else (), strict=bool(found)
            )
        },
    }


def _answer(comparison: Comparison) -> str:
    question = comparison.question
    sentences = []
    if comparison.differences:
        differing = max(each.differing for each in comparison.differences)
        sentences.append(
            f"The segments differ, in up to {show_number(differing, 'document')} at a limit."
        )

    def tell(how: str) -> str:
        return f"{question.head} is {how} than {question.base}"

    by = _name_extreme(comparison)
    match comparison.speed:
        case None:
            sentences.append(
                "Speed was not measured; --allow-different-segments measures it all the same."
            )
        case Speed.SLOWER:
            sentences.append(f"Slower: {tell('slower')}: {by}.")
        case Speed.FASTER:
            sentences.append(f"Faster: {tell('faster')}: {by}.")
        case Speed.FINE:
            less = Speed.FINE.describe(question.tolerance)
            sentences.append(f"{less.capitalize()}: {tell(less)}: {by}.")
        case Speed.NOISY:
            sentences.append(
                "Cannot tell: noisy machine. Within a round, the base may differ from itself by more "
                f"than the tolerance of {question.tolerance:g}; {by}."
            )
        case Speed.UNDECIDED:
            sentences.append(
                f"Cannot tell whether {tell('slower')}: {by}, which is not certain "
                f"enough for the tolerance of {question.tolerance:g}."
            )
    if comparison.uncounted:
        sentences.append(f"Note: {comparison.uncounted}.")
    return " ".join(sentences)


def _name_extreme(comparison: Comparison) -> str:
    """Where the answer shows most: by what factor, of which measure, on what."""
    found = []
    for each in comparison.measured:
        if each.decision and each.speed is comparison.speed:
            place = f"{each.task.corpus} at {each.task.max_chunk_length}"
            shown = f"{each.decision.mean} times the CPU time on {place}"
            ratio = each.decision.mean.ratio
            if each.decision.slower:
                strata = each.decision.strata
                worst = max(each.decision.slower, key=[one.ratio for one in strata].__getitem__)
                stratum = strata[worst]
                ratio = max(ratio, stratum.ratio)
                shown = f"{stratum} times the CPU time on {each.task.strata[worst].name} of {place}"
            found.append((ratio, shown))
    for counted in comparison.instructions:
        if counted.speed is comparison.speed:
            place = " in all"
            if counted.stratum:
                place = f" on {counted.stratum} of {counted.corpus} at {counted.max_chunk_length}"
            found.append((counted.ratio, f"{counted.ratio:.4f} times the instructions{place}"))
    choose = min if comparison.speed is Speed.FASTER else max
    return choose(found)[1] if found else ""


def _tabulate_differences(comparison: Comparison) -> Table:
    return Table(
        "Segments that differ",
        [
            words("corpus"),
            figures("limit", "max_chunk_length"),
            figures("documents"),
            figures("differ", "differing"),
            words("first", "document"),
            figures("from offset", "start"),
            Column("base", "base", _quote, numeric=False),
            Column("head", "head", _quote, numeric=False),
        ],
        comparison.differences,
        [
            "The first document that differs, from where its segments do: the first 80 code points "
            f"of the segment there; {NOTHING} if none is left."
        ],
        names=2,
    )


def _quote(text: str) -> str:
    """As code, so that whitespace shows."""
    return safe.code(show_notation(text))


def _tabulate_instructions(comparison: Comparison) -> Table:
    return Table(
        "Work",
        [
            words("corpus", lambda each: each.corpus or tables.ALL_CORPORA),
            figures("limit", lambda each: each.max_chunk_length or None),
            words("documents of", lambda each: each.stratum or None),
            words("answer", lambda each: "fine" if each.speed is Speed.FINE else each.speed),
            Column("head ÷ base", "ratio", "{:.4f}".format),
            Column("base, million instructions", "base", lambda number: show_digits(number / 1e6)),
            Column("head, million instructions", "head", lambda number: show_digits(number / 1e6)),
        ],
        comparison.instructions,
        [
            "Instructions of three passes over whole documents, start-up and warm-up left out; slower "
            f"above {instructions.INSTRUCTIONS_TOLERANCE:g} in all, where every stratum counts the same, and "
            f"above {instructions.INSTRUCTIONS_STRATUM_TOLERANCE:g} in a stratum."
        ],
        names=3,
    )


def _tabulate_speed(comparison: Comparison) -> Table:
    tolerance = comparison.question.tolerance
    records: list[dict[str, Any]] = []
    for each in comparison.measured:
        if not each.decision:
            continue
        place = {"corpus": each.task.corpus, "limit": each.task.max_chunk_length}
        strata: list[dict[str, Any]] = [
            {
                **place,
                "stratum": stratum.name,
                "answer": str(Speed.SLOWER) if at in each.decision.slower else None,
                "ratio": each.decision.strata[at],
                "code points": stratum.code_points,
                **_sum_up(each, stratum.name),
            }
            for at, stratum in enumerate(each.task.strata)
        ]
        whole = {
            "answer": each.speed.describe(tolerance),
            "ratio": each.decision.mean,
            "noise": f"{each.decision.noise:.3f}",
            "rounds": len({one.round for one in each.rounds}),
            **{n: sum(one[n] for one in strata) for n in ("code points", "base", "head")},
        }
        records += [{**place, **whole}, *strata]
    wider = tolerance / TOLERANCE
    return Table(
        "Speed",
        [
            words("corpus"),
            figures("limit"),
            words("documents of", ("stratum",)),
            words("answer"),
            Column("head ÷ base", "ratio"),
            Column("noise", ("noise",)),
            figures("rounds", ("rounds",)),
            figures("code points"),
            Column("base, ms", "base", show_digits),
            Column("head, ms", "head", show_digits),
        ],
        records,
        [
            "CPU time of a pass over documents of each stratum, pure Python: the geometric mean over "
            "rounds, and over the strata of a corpus. Intervals are Student's, over rounds, so wide "
            f"that a wrong answer has the probability {ERROR:.0%} over all looks and rows.",
            f"Slower: all of the interval of the mean is above {tolerance:g}, or of a stratum above "
            f"{decision.STRATUM_ALARM * wider:.3g}. Less than {100 * (tolerance - 1):.3g} % slower: "
            f"all is below {tolerance:g}, and of every stratum below {STRATUM_TOLERANCE * wider:.3g}. "
            f"Faster: the same, and the mean is below {1 / tolerance:.3f}. Noise is the factor by "
            "which base may differ from itself within a round: its second quickest turns against its "
            "quickest. Above the tolerance, only what is slower by more than that is called slower.",
        ],
        names=3,
    )


def _sum_up(measured: Measured, stratum: str) -> dict[str, float]:
    """Milliseconds of a pass of base and of head over a stratum, medians over the rounds."""
    here = [each for each in measured.rounds if each.stratum == stratum]
    return {
        "base": 500 * median(each.baseline_cpu for each in here),
        "head": 500 * median(each.cpu for each in here),
    }
