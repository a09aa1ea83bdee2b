"""``segbench list``: what can be measured."""

from collections.abc import Callable
from pathlib import Path

import click

import corpora
from corpora import Presence
from harness.cli.inputs import open_console
from harness.cli.options import mirror_option
from harness.report.columns import Table, figures, words
from harness.report.terminal import print_table
from harness.results.verdict import Verdict
from harness.splitters import registry as splitters
from segmenter import Separator
from segmenter.separators import LISTS
from segmenter.testing.cases import read_glosses
from segmenter.testing.checks import CHECKS, RULE_SETS
from segmenter.testing.notation import show_notation

_MOST_WANTED = 5


@click.command("list")
@click.argument(
    "kind", type=click.Choice(["corpora", "splitters", "separators", "rules"]), required=False
)
@mirror_option
@click.option("--measure", is_flag=True, help="Read the corpora that are here, to tell their size.")
def list_command(kind: str | None, mirror: Path | None, measure: bool) -> Verdict:
    """List what can be measured: corpora, splitters, lists of separators, and the rules."""
    if kind not in (None, "corpora") and (mirror or measure):
        raise click.UsageError("--mirror and --measure are for corpora; leave them out")
    console = open_console()
    if kind in (None, "corpora"):
        print_table(_tabulate_corpora(mirror, measure), console)
    if kind in (None, "splitters"):
        print_table(_tabulate_splitters(), console)
    if kind in (None, "separators"):
        print_table(_tabulate_separators(), console)
    if kind in (None, "rules"):
        print_table(_tabulate_rules(), console)
    return Verdict.WELL


def _tabulate_corpora(mirror: Path | None, measure: bool) -> Table:
    found = [corpora.find(name, mirror=mirror, measure=measure) for name in corpora.names()]
    sizes = {
        "documents here": "documents",
        "code points": "code_points",
        "longest whitespace run": "longest_whitespace_run",
    }
    return Table(
        "Corpora",
        [
            words("corpus", "entry.name"),
            words("what", "entry.description"),
            figures("documents", "entry.documents"),
            words("here", lambda presence: presence.place or "no"),
            *(figures(title, _read_summary(name)) for title, name in sizes.items()),
            words("licence", "entry.licence"),
            words("comes from", "source"),
        ],
        found,
        [
            "Documents: of the whole data set. The sizes are of what is here, if "
            "`segbench prepare` or --measure has read it.",
            *(note for presence in found for note in presence.notes),
        ],
    )


def _tabulate_rules() -> Table:
    glosses = read_glosses()
    return Table(
        "Rules",
        [
            words("rule", str),
            words("what it asks for", glosses.__getitem__),
            words(
                "sets",
                lambda rule: ", ".join(name for name, held in RULE_SETS.items() if rule in held),
            ),
        ],
        list(CHECKS),
        [
            "All of them in full: segmenter/SPEC.md. `segbench check --require` takes rules and sets."
        ],
    )


def _tabulate_separators() -> Table:
    return Table(
        "Separators",
        [
            words("separators"),
            words("splitter"),
            figures("number"),
            words("the most wanted"),
        ],
        [
            {
                "separators": name,
                "splitter": splitters.name_with_separators(name),
                "number": len(separators),
                "the most wanted": "  ".join(map(_show_separator, separators[:_MOST_WANTED])),
            }
            for name, separators in LISTS.items()
        ],
        [
            "A text is cut after a separator, or at │ in it. All of them in full: "
            "segmenter/separators.py. `--separators NAME` measures the segmenter with a list."
        ],
    )


def _show_separator(separator: Separator) -> str:
    before, after = (separator, "") if isinstance(separator, str) else separator
    return f"{show_notation(before)}│{show_notation(after)}" if after else show_notation(before)


def _read_summary(name: str) -> Callable[[Presence], int | None]:
    return lambda presence: getattr(presence.summary, name, None)


def _tabulate_splitters() -> Table:
    return Table(
        "Splitters",
        [
            words("splitter", "name"),
            words("what", "description"),
            words("requires", "requirement"),
        ],
        [splitters.load_splitter(name) for name in splitters.list_splitters()],
    )
