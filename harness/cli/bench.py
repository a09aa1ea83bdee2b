"""``segbench bench``: the segmenter alone."""

from collections.abc import Sequence
from pathlib import Path

import click

from harness.cli.inputs import (
    load_corpora,
    name_folder,
    once,
    open_console,
    print_line,
    typed_command,
)
from harness.cli.options import (
    CorpusOptions,
    corpus_options,
    limits_option,
    list_typed,
    out_option,
    rounds_option,
)
from harness.cli.progress import Bars
from harness.measure.bench import PARTS, measure_bench
from harness.measure.kinds import load_folders, load_kinds
from harness.report.bench import tabulate_bench, write_bench_page
from harness.report.terminal import print_table
from harness.results.bench import judge_bench, write_bench
from harness.results.folder import BENCH_FILES, open_results
from harness.results.verdict import Verdict

_OF_ALL_PARTS = {"parts", "out", "overwrite"}


@click.command("bench")
@click.argument("parts", nargs=-1, type=click.Choice(PARTS), metavar="[PART]...")
@corpus_options
@click.option(
    "--kinds",
    is_flag=True,
    help="Also time code, and made texts of kinds that are hard on splitters.",
)
@click.option(
    "--kinds-in",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIRECTORY",
    help="Also time each folder in DIRECTORY as a kind of text; its files are read as they are.",
)
@limits_option(20, 128, 500)
@rounds_option
@out_option
@click.pass_context
def bench_command(
    context: click.Context,
    parts: Sequence[str],
    corpus: CorpusOptions,
    kinds: bool,
    kinds_in: Path | None,
    limits: Sequence[int],
    rounds: int,
    out: Path | None,
) -> Verdict:
    """Measure the segmenter's speed, growth, memory and import.

    Each PART is one of speed, growth, memory and imports; without any, all are measured. Speed is
    CPU time in turns with LangChain's splitter, with its own separators and with MemMachine's, on
    the builtin corpus unless --corpus or --mirror names others. Growth is how time and memory grow
    with a text's length, for every shape of text that makes splitters slow; memory is the peak
    beyond a text of 100 million code points and its segments. Exit status: 0 all well; 1 the
    segmenter took more memory than it may; 2 the command was wrong; 3 something could not be
    measured.
    """
    chosen = once(parts or PARTS)
    if "speed" not in chosen:
        for option in list_typed(context, besides=_OF_ALL_PARTS):
            raise click.UsageError(f"only speed takes {option}; leave it out")
    folder = out or name_folder("bench-")
    corpora = list(load_corpora(corpus, ("builtin",)).values()) if "speed" in chosen else []
    if kinds:
        corpora += load_kinds()
    if kinds_in:
        corpora += load_folders(kinds_in)
    with open_results(folder, BENCH_FILES), Bars() as bars:
        bench = measure_bench(
            chosen, corpora, once(limits), typed_command(), rounds=rounds, progress=bars
        )
        write_bench(folder, bench)
    page = write_bench_page(folder, bench)
    console = open_console()
    for table in tabulate_bench(bench):
        print_table(table, console)
    print_line(f"Page: {page}")
    return judge_bench(bench)
