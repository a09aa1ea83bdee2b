"""What is found again: the answer in words and tables of a run that measured it."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from harness.report import safe
from harness.report.columns import Column, Table, figures, join_words, show_count, words
from harness.report.safe import Sentence
from harness.results.model import Retrieval, Retrieved, Run, Stripping
from harness.results.verdict import IN_HOUSE

_BETTER, _WORSE = "▲", "▼"
_CONFIDENCE = "95 %"
_FEW = 0.01  # of a splitter's segments


def answer_retrieval(run: Run) -> list[Sentence]:
    """What the differences say, in sentences: beyond chance or not, and what stripping does."""
    sentences = [_introduce(run)]
    others = _splitters(run, without=IN_HOUSE)
    better, worse, mixed, alike, rewritten = [], [], [], [], []
    for splitter in others:
        rows = [row for row in run.retrievals if row.workload.splitter == splitter]
        up = [row.content_difference for row in rows if row.beyond_chance]
        down = [each for each in up if each < 0]
        up = [each for each in up if each > 0]
        name, count = safe.code(splitter), len(rows)
        unplaced = max(row.unplaced / max(1, row.segments) for row in rows)
        if unplaced > _FEW:
            rewritten.append(f"{name} (up to {unplaced:.0%})")
        elif up and down:
            mixed.append(
                f"{name} (more in {len(up)}, by up to {max(up):.3f}, and less in {len(down)}, by up "
                f"to {-min(down):.3f}, of {count})"
            )
        elif up:
            better.append(f"{name} (in {len(up)} of {count}, by up to {max(up):.3f})")
        elif down:
            worse.append(f"{name} (in {len(down)} of {count}, by up to {-min(down):.3f})")
        else:
            alike.append(f"{name} ({count})")
    for names, said in (
        (better, f"More than with `{IN_HOUSE}` is found, beyond chance, with"),
        (worse, f"Less than with `{IN_HOUSE}` is found, beyond chance, with"),
        (mixed, "More in some comparisons and less in others, beyond chance, with"),
        (
            rewritten,
            "Cannot be compared, because too many of their segments are not found in the documents:",
        ),
        (alike, f"No difference to `{IN_HOUSE}` beyond chance, in any comparison, with"),
    ):
        if names:
            sentences.append(f"{said} {join_words(names)}.")
    if others:
        sentences.append(
            f"Beyond chance: the {_CONFIDENCE} interval of the paired difference in content recall "
            "does not contain 0. Even if nothing differs, that is so in about one comparison in 20."
        )
    return list(map(Sentence, [*sentences, *_tell_stripping(run)]))


def _introduce(run: Run) -> str:
    questions = {row.workload.corpus: row.questions for row in run.retrievals}
    asked = join_words(
        [f"{show_count(count)} of {safe.code(corpus)}" for corpus, count in questions.items()]
    )
    limits = _unique(row.workload.max_chunk_length for row in run.retrievals)
    budgets = _unique(row.budget for row in run.retrievals)
    return (
        f"Questions asked: {asked}; by {join_words(map(safe.code, _unique(row.retriever for row in run.retrievals)))}, "
        f"at limits of {join_words(map(show_count, limits))} and budgets of "
        f"{join_words(map(show_count, budgets))} code points."
    )


def _tell_stripping(run: Run) -> list[str]:
    """A sentence for each pair of splitters that differ only in whether they strip."""
    sentences = []
    for pair in _unique((row.workload.splitter, row.keeping) for row in run.strippings):
        rows = [row for row in run.strippings if (row.workload.splitter, row.keeping) == pair]
        up = sum(row.beyond_chance and row.content_difference > 0 for row in rows)
        down = sum(row.beyond_chance and row.content_difference < 0 for row in rows)
        most = max(rows, key=lambda row: abs(row.content_difference))
        if not (up or down):
            said = "does not change what is found, beyond chance, in any of"
        elif up and down:
            said = f"finds more in {up} and less in {down}, beyond chance, of"
        else:
            said = f"finds {'more' if up else 'less'}, beyond chance, in {up or down} of"
        sentences.append(
            f"Stripping the whitespace at the ends of segments {said} {len(rows)} comparisons of "
            f"{safe.code(pair[0])} with {safe.code(pair[1])}; the largest difference in content "
            f"recall is {_show_difference(_interval(most))}."
        )
    return sentences


def recalls(run: Run, corpus: str, limit: int) -> Table:
    """One row per splitter: the recall by retriever and budget, and what is beyond chance."""
    rows = [
        row
        for row in run.retrievals
        if (row.workload.corpus, row.workload.max_chunk_length) == (corpus, limit)
    ]
    records = []
    for splitter in _splitters(run):
        own = [row for row in rows if row.workload.splitter == splitter]
        if own:
            recalls: defaultdict[str, dict[int, tuple[float, str]]] = defaultdict(dict)
            for row in own:
                recalls[row.retriever][row.budget] = (row.content_recall, _find_mark(row))
            records.append({"splitter": splitter, "first": own[0], "recalls": recalls})
    questions = show_count(rows[0].questions) if rows else "0"
    return Table(
        f"Content recall, {corpus} at {show_count(limit)}",
        [
            words("splitter"),
            figures("segments", "first.segments"),
            figures("unplaced", "first.unplaced"),
            *(
                Column(
                    f"{retriever}, {show_count(budget)}",
                    ("recalls", retriever, budget),
                    _show_recall,
                )
                for retriever, budget in _unique((row.retriever, row.budget) for row in rows)
            ),
        ],
        records,
        [
            "The share of the answers' content (characters that are not whitespace) that is "
            f"retrieved, as the mean of {questions} questions, by retriever and budget. {_BETTER} "
            f"more, {_WORSE} less than `{IN_HOUSE}` beyond chance. Unplaced segments are not found "
            "in their documents."
        ],
    )


def scores(run: Run) -> Table:
    """One row per workload, retriever and budget."""
    return Table(
        "Scores",
        [
            words("corpus", "workload.corpus"),
            words("splitter", "workload.splitter"),
            figures("limit", "workload.max_chunk_length"),
            words("retriever"),
            *(figures(title) for title in ("budget", "questions", "segments")),
            Column("recall", "recall", _show_share),
            Column("content recall", "content_recall", _show_share),
            Column("precision", "precision", _show_share),
            Column("IoU", "iou", _show_share),
            Column(
                f"content recall less {IN_HOUSE}'s ({_CONFIDENCE})", _interval, _show_difference
            ),
        ],
        run.retrievals,
        [
            "Content recall counts only what is not whitespace. IoU is the answer's code points "
            "that are retrieved, by all that are in the answer or retrieved."
        ],
        names=2,
    )


def strippings(run: Run) -> Table:
    """One row per comparison of a splitter that strips with the same one if it does not."""
    return Table(
        "What it changes to strip",
        [
            words("corpus", "workload.corpus"),
            words("splitter", "workload.splitter"),
            words("compared with", "keeping"),
            figures("limit", "workload.max_chunk_length"),
            words("retriever"),
            figures("budget"),
            Column(f"content recall, difference ({_CONFIDENCE})", _interval, _show_difference),
        ],
        run.strippings,
        empty="No splitter was measured both with and without stripping.",
        names=3,
    )


def settings(run: Run) -> list[tuple[str, int]]:
    """The corpora and limits of which there are recalls, in order."""
    return _unique((row.workload.corpus, row.workload.max_chunk_length) for row in run.retrievals)


def cut_parts(segment: Retrieved) -> list[tuple[str, bool]]:
    """The text of a retrieved segment in parts, and whether each is of an answer."""
    parts = []
    at = 0
    for span in segment.found:
        parts.append((segment.text[at : span.start], False))
        parts.append((segment.text[span.start : span.end], True))
        at = span.end
    parts.append((segment.text[at:], False))
    return [part for part in parts if part[0]]


def _interval(row: Retrieval | Stripping) -> tuple[float, float, float]:
    return (row.content_difference, row.content_difference_low, row.content_difference_high)


def _show_share(value: float) -> str:
    return f"{value:.3f}"


def _find_mark(row: Retrieval) -> str:
    if not row.beyond_chance:
        return ""
    return _BETTER if row.content_difference > 0 else _WORSE


def _show_recall(value: tuple[float, str]) -> str:
    recall, mark = value
    return f"{recall:.3f} {mark}".rstrip()


def _show_difference(value: tuple[float, float, float]) -> str:
    mean, low, high = (f"{each:+.3f}".replace("-", "−") for each in value)
    return f"{mean} ({low} to {high})"


def _splitters(run: Run, without: str | None = None) -> list[str]:
    names = _unique(row.workload.splitter for row in run.retrievals)
    return [name for name in names if name != without]


def _unique(values: Iterable[Any]) -> list[Any]:
    return list(dict.fromkeys(values))


def list_tables(run: Run) -> Sequence[Table]:
    """All tables, the most asked for first."""
    return [*(recalls(run, *each) for each in settings(run)), strippings(run), scores(run)]
