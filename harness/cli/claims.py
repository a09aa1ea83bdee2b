"""``segbench claims``: what the pull request claims."""

from pathlib import Path

import click

import corpora
from harness.claims.claims import answer_claims
from harness.cli.ending import say
from harness.cli.inputs import load_corpora, name_folder, open_console, print_line, typed_command
from harness.cli.options import CorpusOptions, corpus_options, out_option
from harness.cli.progress import Bars
from harness.report import tables
from harness.report.terminal import print_table
from harness.results.folder import CLAIMS_PAGE
from harness.results.verdict import Verdict
from harness.retrieval.sources import Access, load_whatever_is_there


@click.command("claims")
@corpus_options
@out_option
def claims_command(corpus: CorpusOptions, out: Path | None) -> Verdict:
    """Check each claim of MemMachine pull request #1855 with a measurement.

    Measures on the corpora that --corpus names, otherwise on those of the mirror, otherwise on
    the builtin one. Takes a quarter of an hour, and longer if virtual environments must be made
    first. Exit status: 0 no claim is refuted; 1 one is; 2 the command was wrong; 3 a claim could
    not be measured.
    """
    real = load_corpora(corpus, ("builtin",))
    source = Access(corpus.mirror, corpus.timeout)
    sets, reasons = load_whatever_is_there([each.name for each in real.values()], source)
    for reason in reasons:
        say(f"not asked: {reason}")
    folder = out or name_folder()
    with Bars() as bars:
        answered = answer_claims(
            list(real.values()),
            corpora.load("synthetic"),
            folder,
            typed_command(),
            progress=bars.begin,
            sets=sets,
        )
    print_table(tables.claims(answered.claims), open_console())
    print_line(f"Answers: {folder / CLAIMS_PAGE}")
    return answered.verdict
