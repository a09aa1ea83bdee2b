"""``segbench prepare``: fetch corpora ahead."""

from collections.abc import Sequence
from pathlib import Path

import click

import corpora
from harness.cli.ending import say
from harness.cli.inputs import once, open_console
from harness.cli.options import complete_corpora, loading_timeout_option
from harness.cli.progress import show_fetching
from harness.report.columns import Table, figures, words
from harness.report.terminal import print_table
from harness.results.verdict import Verdict


@click.command("prepare")
@click.argument(
    "names", nargs=-1, required=True, metavar="NAME...", shell_complete=complete_corpora
)
@click.option(
    "--mirror",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder to fetch into, as OWNER/NAME/...; without it the Hugging Face cache.",
)
@click.option("--force", is_flag=True, help="Fetch again what is there already.")
@loading_timeout_option
def prepare_command(
    names: Sequence[str], mirror: Path | None, force: bool, timeout: float
) -> Verdict:
    """Download corpora, verify them and record their size.

    An interrupted download is resumed. Exit status: 0 all well; 1 a corpus is not what the
    catalogue says; 2 the command was wrong; 3 a corpus could not be fetched.
    """
    records = {}
    for name in once(names):
        with show_fetching(name) as tell:
            records[name] = corpora.prepare(
                name, mirror=mirror, force=force, timeout=timeout, progress=tell
            )
    print_table(
        Table(
            "Prepared",
            [
                words("corpus"),
                figures("documents", "summary.documents"),
                figures("code points", "summary.code_points"),
                figures("longest whitespace run", "summary.longest_whitespace_run"),
                words("digest", "summary.digest"),
            ],
            list(records.values()),
        ),
        open_console(),
    )
    differences = [
        line
        for entry in corpora.entries()
        if entry.name in records
        for line in records[entry.name].differences(entry)
    ]
    for line in differences:
        say(line)
    return Verdict.BAD if differences else Verdict.WELL
