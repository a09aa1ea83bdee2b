"""``segbench bench``: the segmenter alone."""

import sys
from pathlib import Path
from typing import Any

import click

import corpora
from harness.cli.inputs import open_console, tell, typed_command
from harness.measure import growth, imports, memory, speed
from harness.report.bench import start, write_page
from harness.report.tables import Table
from harness.report.terminal import print_table
from harness.results.escapes import escape
from harness.results.model import Environment
from harness.results.verdict import Verdict

_SPEED_BIAS = (
    "One Python on one machine; ratios differ between Python versions.",
    "Texts are in memory and warm. Most are English: legal contracts in the six corpora, Python's "
    "own sources and help in the builtin one. Text with many newlines or few of the separators "
    "gives other ratios.",
    "All contenders share a process, so its allocator and caches, and the garbage collector is on.",
    "LangChain does something else in its time: it strips each chunk, so characters are lost, and "
    "keeps no whitespace rule; it also allows for overlap, for lengths other than code points and "
    "for regular expressions, which the segmenter does not have.",
    "The clock is CPU time: what other processes do to the caches still shows, waiting does not.",
)
_GROWTH_BIAS = (
    "The segmenter's time is CPU time, the quickest of three calls in this process; LangChain's "
    "is wall time of one call in a process of its own, and its memory is not measured.",
    f"LangChain may take {growth.TIMEOUT:g} seconds for a text; longer texts of that shape are "
    "then left out.",
    "The shapes are those that made some splitter slow; they are not typical texts.",
)


@click.group(chain=True)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("reports/bench"),
    show_default=True,
    help="Folder for the pages and the plot.",
)
@click.pass_context
def bench(context: click.Context, out: Path) -> None:
    """Measure the segmenter: several commands may be given, which run one after the other.

    Exit status: 0 all well; 1 the segmenter took more memory than it may; 2 the command was wrong;
    3 something could not be measured.
    """
    out.mkdir(parents=True, exist_ok=True)
    context.obj = out


@bench.result_callback()
def _judge(verdicts: list[Verdict], **_: object) -> Verdict:
    return Verdict.BAD if Verdict.BAD in verdicts else Verdict.WELL


@bench.command("speed")
@click.option(
    "--mirror",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder that holds the six corpora as OWNER/NAME/...; without it, the builtin one.",
)
@click.option(
    "--passes",
    type=click.IntRange(min=5),
    default=speed.PASSES,
    show_default=True,
    help="Timed passes of each contender.",
)
@click.pass_obj
def speed_command(out: Path, mirror: Path | None, passes: int) -> Verdict:
    """Against LangChain and the floor, in turns, at limits 20, 128 and 500."""
    names = ["builtin"]
    if mirror is not None:
        names = [name for name in corpora.names() if name not in ("builtin", "synthetic")]
    chosen = [corpora.load(name, mirror=mirror) for name in names]
    environment = start(typed_command())
    measured = speed.measure_speed(chosen, passes=passes, progress=_say)
    tables = [speed.tabulate_ratios(measured), speed.tabulate_seconds(measured)]
    return _publish(out / "speed.md", environment, tables, biases=_SPEED_BIAS)


@bench.command("growth")
@click.pass_obj
def growth_command(out: Path) -> Verdict:
    """Time and memory over the text's length, for every shape of text that makes splitters slow."""
    environment = start(typed_command())
    measured = growth.measure_growth(progress=_say)
    picture = "growth.svg"
    growth.write_plot(out / picture, measured)
    tables = [growth.tabulate_worst(measured), growth.tabulate_growth(measured)]
    return _publish(out / "growth.md", environment, tables, biases=_GROWTH_BIAS, picture=picture)


@bench.command("imports")
@click.pass_obj
def imports_command(out: Path) -> Verdict:
    """What the import costs, beside LangChain's, in fresh processes."""
    environment = start(typed_command())
    table = imports.tabulate_imports(imports.measure_imports())
    return _publish(out / "imports.md", environment, [table])


@bench.command("memory")
@click.pass_obj
def memory_command(out: Path) -> Verdict:
    """The peak beyond a text of 100 million code points and its segments."""
    environment = start(typed_command())
    measured = memory.measure_memory()
    _publish(out / "memory.md", environment, [memory.tabulate_memory(measured)])
    if any(each.beyond > memory.TARGET for each in measured):
        return Verdict.BAD
    return Verdict.WELL


def _say(what: str) -> None:
    if sys.stderr.isatty():
        click.echo(escape(what), err=True)


def _publish(path: Path, environment: Environment, tables: list[Table], **page: Any) -> Verdict:
    console = open_console()
    for table in tables:
        print_table(table, console)
    write_page(path, environment, tables, **page)
    tell(f"Page: {path}")
    return Verdict.WELL
