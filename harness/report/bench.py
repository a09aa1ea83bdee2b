"""What a benchmark writes for people: tables, where they are biased, and where they were made."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from harness.measure.machine import describe_environment, now
from harness.report import tables
from harness.report.markdown import render_table
from harness.report.tables import Table
from harness.results.atomic import open_replacing
from harness.results.model import Environment, Run
from harness.splitters.registry import load_splitter


def start(command: str) -> Environment:
    """The environment of a benchmark that starts now; raises as ``describe_environment``."""
    return describe_environment(command, [load_splitter("segmenter"), load_splitter("langchain")])


def write_page(
    path: Path,
    environment: Environment,
    shown: Sequence[Table],
    *,
    biases: Sequence[str] = (),
    picture: str | None = None,
) -> None:
    """Write a Markdown page; ``picture`` is the name of a file beside it.

    Raises MeasurementError where it cannot be written.
    """
    run = Run(replace(environment, finished=now()))
    sections = [f"## {table.title}\n\n{render_table(table).strip()}" for table in shown]
    if picture:
        sections.append(f"![{picture}]({picture})")
    if biases:
        sections.append("## Where it is biased\n\n" + "\n".join(f"- {bias}" for bias in biases))
    sections.append(f"## Environment\n\n{render_table(tables.environment(run)).strip()}")
    with open_replacing(path) as file:
        file.write("\n\n".join([f"# {path.stem.capitalize()}", *sections]) + "\n")
