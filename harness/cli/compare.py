"""``segbench compare``: the gate."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from harness.cli.ending import say
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
)
from harness.cli.progress import Bars
from harness.compare.checkouts import SEGMENTER, SegmenterLocation, check_revision
from harness.compare.decision import TOLERANCE
from harness.compare.gate import compare_folders, compare_versions
from harness.compare.report import print_page
from harness.results.verdict import Verdict

_OF_FOLDERS_TOO = {"folders", "out", "overwrite", "different_segments"}


class _Tolerance(click.FloatRange):
    """A range that holds no NaN, which is neither below its bounds nor above them."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if number != number:
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return number


@click.command("compare")
@click.argument(
    "folders", nargs=-1, type=click.Path(path_type=Path), metavar="[DIR DIR]", required=False
)
@click.option(
    "--base",
    "bases",
    multiple=True,
    metavar="REV_OR_PATH",
    help="Version to compare with, such as the merge base; may be repeated, as for the last release.",
)
@click.option(
    "--head", metavar="REV_OR_PATH", help="Version to judge; without it, the working tree."
)
@click.option(
    "--segmenter",
    default=SEGMENTER,
    show_default=True,
    metavar="WHERE",
    help="Where both versions have the TextSegmenter, from their top: PATH of a package, or of a "
    "file to load alone; PATH:ATTRIBUTE; or FOLDER:MODULE:ATTRIBUTE for a module that imports its "
    "package, FOLDER being what is on Python's path.",
)
@click.option(
    "--base-segmenter",
    metavar="WHERE",
    help="Where base has it, if that is elsewhere.",
)
@corpus_options
@limits_option(20, 128, 500)
@out_option
@click.option(
    "--tolerance",
    type=_Tolerance(min=1, max=10, min_open=True),
    default=TOLERANCE,
    show_default=True,
    help="Ratio of head's time to base's that is still accepted.",
)
@click.option("--instructions", is_flag=True, help="Count instructions too; needs valgrind.")
@click.option(
    "--allow-different-segments",
    "different_segments",
    is_flag=True,
    help="Measure speed even if the segments differ, and accept that they do.",
)
@click.option(
    "--allow-unknown",
    "unknown",
    is_flag=True,
    help="Exit with 0, not 3, if it cannot be told whether head is slower.",
)
@click.option(
    "--pyperf",
    "with_pyperf",
    is_flag=True,
    help="Also write the times to base.json and head.json, for `python -m pyperf compare_to`; with "
    "several bases, those of the one that decides.",
)
@click.pass_context
def compare_command(
    context: click.Context,
    folders: Sequence[Path],
    bases: Sequence[str],
    head: str | None,
    segmenter: str,
    base_segmenter: str | None,
    corpus: CorpusOptions,
    limits: Sequence[int],
    out: Path | None,
    tolerance: float,
    instructions: bool,
    different_segments: bool,
    unknown: bool,
    with_pyperf: bool,
) -> Verdict:
    """Compare two versions of the segmenter, or two runs.

    Both versions are measured in turns, on the builtin corpus unless --corpus names another, and on
    texts of odd shapes; --base and --head are git revisions or folders. Speed is CPU time. Two runs
    are given by their folders DIR; their times are shown, but decide nothing. Exit status: 0 not
    slower than the tolerance allows; 1 slower, or the segments differ; 2 the command was wrong; 3
    it cannot be told whether head is slower, or nothing was measured.
    """
    folder = out or name_folder("compare-")
    if folders:
        if bases or len(folders) != 2:
            raise click.UsageError("give two run folders, or --base and no folder")
        for option in list_typed(context, besides=_OF_FOLDERS_TOO):
            raise click.UsageError(f"two runs are compared without {option}")
        before, after = folders
        compared = compare_folders(before, after, folder, different_segments=different_segments)
    elif not bases:
        raise click.UsageError("say with --base what to compare with, or give two run folders")
    else:
        for version in (*bases, head):
            if version is not None:
                check_revision(version)
        chosen = load_corpora(corpus, ("builtin",))
        with Bars() as bars:
            compared = compare_versions(
                once(bases),
                head,
                SegmenterLocation.parse(segmenter if base_segmenter is None else base_segmenter),
                SegmenterLocation.parse(segmenter),
                list(chosen.values()),
                once(limits),
                folder,
                typed_command(),
                bars,
                pyperf=with_pyperf,
                instructions=instructions,
                tolerance=tolerance,
                different_segments=different_segments,
                unknown=unknown,
            )
    print_page(compared.page, open_console())
    for note in compared.notes:
        say(note)
    if compared.path is not None:
        print_line(f"Report: {compared.path}")
    return compared.verdict
