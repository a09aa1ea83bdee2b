"""``segbench retrieve``: what is found again."""

from collections.abc import Sequence
from pathlib import Path

import click
import platformdirs

import corpora
from harness.cli.ending import say
from harness.cli.inputs import (
    choose_splitter,
    name_folder,
    once,
    open_console,
    print_line,
    typed_command,
)
from harness.cli.options import (
    SplitterOptions,
    limits_option,
    mirror_option,
    out_option,
    splitter_options,
    timeout_option,
)
from harness.cli.progress import Bars, show_fetching
from harness.report.pages import write_report
from harness.report.terminal import print_run
from harness.results.folder import REPORT_PAGE
from harness.results.verdict import IN_HOUSE, Verdict, judge
from harness.retrieval.measure import RetrievalPlan, retrieve
from harness.retrieval.questions import QuestionError, QuestionSet
from harness.retrieval.retrievers import BM25, LSA, Retriever, load_retriever
from harness.retrieval.sources import (
    BUILTIN,
    LEGALBENCH_PARTS,
    MIRRORED,
    NAMES,
    Access,
    load_questions,
    load_whatever_is_there,
)


@click.command("retrieve")
@click.option(
    "--corpus",
    "corpus_names",
    multiple=True,
    metavar="NAME",
    help=f"Documents and questions; may be repeated. {', '.join(NAMES)}, or legalbench_rag/PART "
    f"of {', '.join(LEGALBENCH_PARTS)}; with --questions, whatever `segbench run` takes.",
)
@click.option(
    "--questions",
    "file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Your own questions about one corpus, one JSON object per line: question, document, and "
    "spans or the answer's text.",
)
@mirror_option
@click.option(
    "--encoding", metavar="NAME", help="Encoding of the files of --corpus; UTF-8 by default."
)
@click.option(
    "--text-column",
    metavar="COLUMN",
    help="Column with the text, in files of --corpus that have columns.",
)
@timeout_option
@splitter_options
@limits_option(128, 500)
@click.option(
    "--budget",
    "budgets",
    type=click.IntRange(min=1),
    multiple=True,
    default=(1_000, 2_500, 5_000),
    show_default=True,
    help="Code points that are retrieved for each question; may be repeated.",
)
@click.option(
    "--retriever",
    "retriever_names",
    multiple=True,
    default=(BM25,),
    show_default=True,
    metavar="NAME",
    help=f"{BM25}, {LSA}, or module:factory of an embedding function of yours; may be repeated.",
)
@click.option(
    "--vectors",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder in which vectors of embedding functions are kept; without it, the user's cache.",
)
@out_option
def retrieve_command(
    corpus_names: Sequence[str],
    file: Path | None,
    mirror: Path | None,
    encoding: str | None,
    text_column: str | None,
    timeout: float,
    splitter: SplitterOptions,
    limits: Sequence[int],
    budgets: Sequence[int],
    retriever_names: Sequence[str],
    vectors: Path | None,
    out: Path | None,
) -> Verdict:
    """Measure whether questions still find their answers.

    All segments of a corpus are put in one index. For each question the best ones are retrieved
    until a budget of code points is used up, and scored by how much of the answer is among them.
    Differences are those to this project's segmenter, which is always measured.

    By default on Python's help topics with questions that come with this program; with --mirror, on
    the corpora there that have questions.
    """
    if file is not None and len(corpus_names) != 1:
        raise click.UsageError("--questions needs one --corpus that they are about")
    if mirror and corpus_names and not {n.partition("/")[0] for n in corpus_names} & {*MIRRORED}:
        raise click.UsageError(
            f"--mirror applies to no corpus here; it is for {', '.join(MIRRORED)}"
        )
    if vectors and {*retriever_names} <= {BM25, LSA}:
        raise click.UsageError(
            f"--vectors is for embedding functions of yours; {BM25} and {LSA} keep none"
        )
    names = once([IN_HOUSE, *splitter.choose()])
    contenders = [choose_splitter(name) for name in names]
    with show_fetching("fetching") as fetched:
        source = Access(mirror, timeout, encoding, text_column, fetched)
        if corpus_names or mirror is None:
            sets = [load_questions(name, source, file) for name in once(corpus_names or (BUILTIN,))]
        else:
            sets = _load_mirrored(source, mirror)
    for each in sets:
        for note in each.notes:
            say(note)
    folder = vectors or platformdirs.user_cache_path("segbench") / "vectors"
    plan = RetrievalPlan(
        sets,
        contenders,
        once(limits),
        [_load_retriever(name, folder) for name in once(retriever_names)],
        sorted(once(budgets)),
        typed_command(),
        timeout,
    )
    out = out or name_folder("retrieve-")
    with Bars() as bars:
        run = retrieve(plan, out, bars)
    write_report(out)
    print_run(run, open_console())
    print_line(f"Report: {out / REPORT_PAGE}")
    return judge(run)


def _load_retriever(name: str, vectors: Path) -> Retriever:
    try:
        return load_retriever(name, vectors)
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def _load_mirrored(source: Access, mirror: Path) -> list[QuestionSet]:
    """The corpora of a mirror that have questions there; says which have none.

    Raises QuestionError if none has.
    """
    held = [name for name in MIRRORED if corpora.find(name, mirror=mirror).place]
    sets, reasons = load_whatever_is_there(held, source)
    for reason in reasons:
        say(f"left out: {reason}")
    if not sets:
        raise QuestionError(f"{mirror} holds no questions; fetch some: segbench prepare covid_qa")
    return sets
