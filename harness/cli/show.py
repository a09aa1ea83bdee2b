"""``segbench show``: one text, as splitters cut it."""

import os
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console

from harness.cli.ending import say
from harness.cli.inputs import choose_splitter, once, print_line
from harness.cli.options import (
    add_separators,
    complete_splitters,
    limits_option,
    separators_option,
)
from harness.cli.progress import Bars
from harness.measure.excerpts import view_text
from harness.report import show
from harness.results.model import BASELINE
from harness.results.verdict import IN_HOUSE, Verdict
from harness.runner.pool import SplitterPool
from harness.splitters.contenders import gather


@click.command("show")
@click.argument(
    "file", type=click.Path(exists=True, dir_okay=False, allow_dash=True), metavar="FILE|-"
)
@click.option(
    "--splitter",
    "splitter_names",
    multiple=True,
    metavar="NAME",
    shell_complete=complete_splitters,
    help="Splitter to show; may be repeated. Without it, segmenter and langchain.",
)
@separators_option
@limits_option(500)
@click.option(
    "--html",
    "page",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a page instead, in which splitters and limits can be chosen.",
)
@click.option("--overwrite", is_flag=True, help="Replace the file that --html names.")
def show_command(
    file: str,
    splitter_names: Sequence[str],
    separators: Sequence[str],
    limits: Sequence[int],
    page: Path | None,
    overwrite: bool,
) -> Verdict:
    """Show how splitters cut a text, side by side.

    Whitespace is made visible. FILE is UTF-8; - is standard input.
    """
    if overwrite and page is None:
        raise click.UsageError("--overwrite is for the file that --html names; leave it out")
    if page and os.path.lexists(page) and not overwrite:
        raise click.UsageError(f"{page} exists; give another file, or --overwrite")
    names = add_separators(splitter_names or (IN_HOUSE, BASELINE), separators)
    replaced = page and page.exists() and not page.is_symlink()  # of a link, the link alone
    if page and replaced and file != "-" and page.samefile(file):
        raise click.UsageError(f"{page} is the text itself; give another file with --html")
    declared = map(choose_splitter, once(names))
    with Bars() as bars:
        contenders = gather(declared, bars.begin)
    with click.open_file(file, "rb") as content:
        name = "standard input" if file == "-" else file
        with SplitterPool() as pool:
            text = content.read()
            excerpt, failures = view_text(name, text, contenders.splitters, once(limits), pool)
    if page:
        show.write_excerpt_page(page, excerpt)
        print_line(f"Page: {page}")
    else:
        show.print_shown(excerpt, Console())
    for failure in failures:
        say(f"{failure.workload.splitter} {failure.status}: {failure.detail}")
    for splitter, reason in contenders.unavailable.items():
        say(f"{splitter} is unavailable: {reason}")
    return Verdict.NOT_MEASURED if failures or contenders.unavailable else Verdict.WELL
