"""``segbench list``: what can be measured."""

from pathlib import Path

import click

import corpora
from corpora import Presence
from harness.cli.inputs import open_console
from harness.cli.options import mirror_option
from harness.report.tables import Column, Table, show_count
from harness.report.terminal import print_table
from harness.results.verdict import Verdict
from harness.splitters import registry as splitters
from segmenter.testing.cases import read_glosses
from segmenter.testing.checks import CHECKS, RULE_SETS


@click.command("list")
@click.argument("kind", type=click.Choice(["corpora", "splitters", "rules"]), required=False)
@mirror_option
@click.option("--measure", is_flag=True, help="Read the corpora that are here, to tell their size.")
def list_command(kind: str | None, mirror: Path | None, measure: bool) -> Verdict:
    """List the corpora and splitters that can be measured, and the rules."""
    if kind not in (None, "corpora") and (mirror or measure):
        raise click.UsageError("--mirror and --measure are for corpora; leave them out")
    console = open_console()
    if kind in (None, "corpora"):
        print_table(_tabulate_corpora(mirror, measure), console)
    if kind in (None, "splitters"):
        print_table(_tabulate_splitters(), console)
    if kind in (None, "rules"):
        print_table(_tabulate_rules(), console)
    return Verdict.WELL


def _tabulate_corpora(mirror: Path | None, measure: bool) -> Table:
    found = [corpora.find(name, mirror=mirror, measure=measure) for name in corpora.names()]
    return Table(
        "Corpora",
        [
            Column("corpus", numeric=False),
            Column("what", numeric=False),
            Column("documents", show_count),
            Column("here", numeric=False),
            Column("documents here", show_count),
            Column("code points", show_count),
            Column("longest whitespace run", show_count),
            Column("licence", numeric=False),
            Column("comes from", numeric=False),
        ],
        [_describe_corpus(presence) for presence in found],
        [
            "Documents: of the whole data set. The sizes are of what is here, where "
            "`segbench prepare` or --measure has read it.",
            *(note for presence in found for note in presence.notes),
        ],
    )


def _tabulate_rules() -> Table:
    glosses = read_glosses()
    return Table(
        "Rules",
        [Column(title, numeric=False) for title in ("rule", "what it asks for", "sets")],
        [
            (
                rule,
                glosses[rule],
                ", ".join(name for name, held in RULE_SETS.items() if rule in held),
            )
            for rule in CHECKS
        ],
        [
            "All of them in full: segmenter/SPEC.md. `segbench check --require` takes rules and sets."
        ],
    )


def _describe_corpus(presence: Presence) -> tuple[object, ...]:
    entry, summary = presence.entry, presence.summary
    return (
        entry.name,
        entry.description,
        entry.documents,
        presence.place or "no",
        summary and summary.documents,
        summary and summary.code_points,
        summary and summary.longest_whitespace_run,
        entry.licence,
        presence.source,
    )


def _tabulate_splitters() -> Table:
    return Table(
        "Splitters",
        [
            Column("splitter", numeric=False),
            Column("what", numeric=False),
            Column("requires", numeric=False),
        ],
        [
            (splitter.name, splitter.description, splitter.requirement)
            for splitter in map(splitters.load_splitter, splitters.list_splitters())
        ],
    )
