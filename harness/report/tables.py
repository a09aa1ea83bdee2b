"""The tables of a report, made in one place for the terminal, for Markdown and for HTML.

Titles of columns name the units.
"""

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import fields, replace
from operator import itemgetter
from typing import Any

from harness.report import safe
from harness.report.columns import (
    NOTHING,
    AtLeast,
    Column,
    Spread,
    Table,
    figures,
    join_words,
    show_count,
    show_digits,
    show_exponent,
    show_loss,
    show_number,
    show_share,
    words,
)
from harness.results.errors import MeasurementError
from harness.results.estimates import Estimate, estimate
from harness.results.exponent import (
    CANNOT_TELL,
    LEAST_INSTRUCTIONS,
    LEAST_SECONDS,
    find_exponent,
    find_time_exponent,
)
from harness.results.model import (
    SET_ASIDE,
    BoundaryCount,
    Claim,
    Count,
    CutCount,
    Exemption,
    Growth,
    Round,
    Run,
    Texts,
    Workload,
)
from harness.results.verdict import IN_HOUSE, find_broken_rules
from segmenter.testing.cases import read_glosses

ALL_CORPORA = "all"

_LOSSES = ("lost_whitespace", "lost_content", "added_whitespace", "added_content")
_ESTIMATED = (
    "as the geometric mean over strata and corpora, with its 95 % interval over rounds in brackets"
)


def name_losses(change: str) -> list[Column]:
    """The columns of what is "lost" or "added", whitespace and content apart."""
    return [
        Column(f"{change} {what}", f"{change}_{what}", show_loss, faults=True)
        for what in ("whitespace", "content")
    ]


def answer_run(run: Run) -> str:
    """The run in one sentence: the in-house segmenter, or the splitters measured instead of it."""
    if not run.counts:
        return "Nothing was measured."
    own = [count for count in run.counts if count.workload.splitter == IN_HOUSE]
    sizes = {c.workload.corpus: (c.documents, c.code_points) for c in own or run.counts}
    documents, code_points = map(sum, zip(*sizes.values(), strict=True))
    limits = sorted({count.workload.max_chunk_length for count in own or run.counts})
    scope = (
        f"{show_number(documents, 'document')} ({show_number(code_points, 'code point')}) "
        f"at {_name_limits(limits)}"
    )
    if not own:
        names = join_words([*map(safe.code, find_keepers(run))] or ["No splitter"])
        return f"{names} kept every character of {scope} and had no segment over the limit."
    if find_broken_rules(run):
        rules = ", ".join(
            f"{safe.code(rule)} ({join_words(parts)})" for rule, parts in _tell_broken(run).items()
        )
        sentence = f"`{IN_HOUSE}` broke rules on {scope}: {rules}"
    else:
        sentence = (
            f"`{IN_HOUSE}` kept every character of {scope}, with no segment over the limit and "
            "no boundary against the whitespace rule that could be avoided"
        )
    ratios = estimate_speed(run)
    timed = [limit for limit in limits if (IN_HOUSE, limit) in ratios]
    if timed:
        factors = join_words([f"{ratios[IN_HOUSE, limit].ratio:.2f}" for limit in timed])
        sentence += (
            f"; it was {factors} times as fast as {_name_baseline(run)} at "
            f"{_name_limits(timed)}{_name_timed(run)}"
        )
    if any(failure.workload.splitter == IN_HOUSE for failure in run.failures):
        sentence += "; it failed on some workloads"
    return sentence + "."


def _tell_broken(run: Run) -> dict[str, list[str]]:
    """How often the in-house segmenter broke each rule at each limit."""
    told: defaultdict[str, list[str]] = defaultdict(list)
    for limit in _limits(run):
        at = [row for row in run.violations if row.workload.max_chunk_length == limit]
        for rule, number in find_broken_rules(replace(run, violations=at)).items():
            told[rule].append(f"{show_count(number)} at {limit}")
    return told


def find_keepers(run: Run) -> list[str]:
    """The splitters whose segments joined to the text and were within the limit, everywhere.

    They did so in every workload that they were asked for; so none that failed, or cannot be asked.
    """
    asked = Counter(workload.splitter for workload in _workloads(run))
    kept = Counter(
        row.workload.splitter
        for row in run.violations
        if row.rule in ("join", "fits") and not row.count
    )
    return [splitter for splitter, number in asked.items() if kept[splitter] == 2 * number]


def summary(run: Run) -> Table:
    """One row per splitter and limit: whether it keeps the text and fits, whitespace, speed."""
    ratios = estimate_speed(run)
    exempt = {(exemption.splitter, exemption.rule) for exemption in run.exemptions}
    asked = {(each.splitter, each.max_chunk_length) for each in _workloads(run)}
    records = []
    for splitter in _splitters(run):
        joinable, limited = ((splitter, rule) not in exempt for rule in ("join", "fits"))
        for limit in _limits(run):
            if (splitter, limit) not in asked:
                continue
            counts = [count for count in run.counts if _is_of(count.workload, splitter, limit)]
            broken: Counter[str] = Counter()
            for row in run.violations:
                if _is_of(row.workload, splitter, limit):
                    broken[row.rule] += row.count
            found = [row for row in run.boundaries if _is_of(row.workload, splitter, limit)]
            excess = _add_known(row.excess for row in found)
            measured = {
                "documents": sum(count.documents for count in counts),
                "unjoined": broken["join"] if joinable else None,
                **_add_losses(counts),
                "overlong": broken["fits"] if limited else None,
                "excess": excess if excess or not broken["join"] else None,
            }
            records.append(
                {
                    "splitter": splitter,
                    "limit": limit,
                    **(measured if counts else dict.fromkeys(measured)),
                    "speed": ratios.get((splitter, limit)),
                }
            )
    return Table(
        "Losses, limits and speed",
        [
            words("splitter"),
            figures("limit"),
            figures("documents"),
            figures("do not join back", "unjoined", faults=True),
            *name_losses("lost"),
            figures("segments over the limit", "overlong", faults=True),
            figures("boundaries against the whitespace rule", "excess", faults=True),
            *([Column(title_speed(run), "speed")] if ratios else []),
        ],
        records,
        _summary_notes(run, timed=bool(ratios)),
        names=2,
    )


def _add_known(numbers: Iterable[int | None]) -> int | None:
    """The sum; None without a number, or if one is not known."""
    known = list(numbers)
    return sum(number or 0 for number in known) if known and None not in known else None


def _add_losses(counts: Sequence[Count]) -> dict[str, int | None]:
    """What was lost and added over the corpora, by the name of the count."""
    totals = {name: _add_known(getattr(count, name) for count in counts) for name in _LOSSES}
    if any(count.inexact for count in counts):
        return {name: None if n is None else AtLeast(n) for name, n in totals.items()}
    return totals


def _summary_notes(run: Run, *, timed: bool) -> list[str]:
    notes = [
        "Lost: code points of the text that are missing from its longest common subsequence with "
        "the joined segments. Boundaries against the whitespace rule: those that break it and "
        f"could be avoided; {NOTHING} if the splitter drops whitespace, so that they cannot be "
        "judged.",
    ]
    if run.unavoidable:
        notes.append(_tell_unavoidable(run))
    if any(count.inexact for count in run.counts):
        notes.append(
            "At least: for some documents only a lower bound is known, because their segments "
            "differ too much from the text."
        )
    if any(count.lost_content is None for count in run.counts):
        notes.append(
            "This run was made by an older version of segbench, which counted losses and the "
            "whitespace rule differently; run again to see them."
        )
    if len(_splitters(run)) > 1:
        notes.append(_tell_keepers(run))
    if timed:
        notes.append(
            f"Speed{_name_timed(run)}: the time of {_name_baseline(run)} divided by that "
            f"of the splitter, {_ESTIMATED}."
        )
    elif run.rounds:
        notes.append("No ratio of times: too few rounds.")
    else:
        notes.append("Nothing was timed.")
    notes += tell_renamed(run)
    kinds = {failure.status == SET_ASIDE for failure in run.failures}
    if False in kinds:
        notes.append("Some workloads failed and are missing here: see Failures.")
    if True in kinds:
        notes.append("Some documents were set aside and are not counted here: see Failures.")
    if run.exemptions:
        notes.append(f"{NOTHING} also if a rule does not apply to a splitter: see Not applicable.")
    return notes


def tell_renamed(run: Run) -> list[str]:
    """A sentence if splitters had other names when the run was made."""
    if not run.renamed:
        return []
    names = [f"{safe.code(old)} is {safe.code(new)}" for old, new in run.renamed.items()]
    return [
        "This run was made by an earlier version, which had other names for some splitters. "
        f"What it calls {join_words(names)}."
    ]


def _tell_unavoidable(run: Run) -> str:
    numbers: Counter[int] = Counter()
    for each in run.unavoidable:
        numbers[each.max_chunk_length] += each.boundaries
    parts = [f"{show_count(numbers[limit])} at {limit}" for limit in sorted(numbers)]
    return (
        "Boundaries that no splitter could avoid, because a character and its whitespace are "
        f"longer than the limit: {join_words(parts)}. They are not counted above."
    )


def _tell_keepers(run: Run) -> str:
    kept = find_keepers(run)
    names = f": {join_words(map(safe.code, kept))}" if kept else ""
    return (
        f"{len(kept) or 'None'} of {len(_splitters(run))} splitters joined back on every text and "
        f"stayed within the limit{names}."
    )


def summarize_limit(run: Run, limit: int, few: Sequence[str] = ()) -> Table:
    """The summary at one limit: of ``few`` splitters for readers in a hurry, or of all.

    Splitters that were not measured are left out. Whether segments exceed the limit is said in a
    note unless one does. Raises MeasurementError if none of the splitters was measured.
    """
    splitters = few or _splitters(run)
    chosen = _select(run, splitters, limit)
    if not chosen.counts:
        raise MeasurementError(
            f"the run has none of {', '.join(splitters)} at {limit}; run again, with --splitter"
        )
    whole = summary(chosen)
    fits = not any(record["overlong"] for record in whole.records)
    left_out = {"limit", "documents", *(["overlong"] if fits else [])}
    columns = [column for column in whole.columns if column.value not in left_out]
    records = sorted(whole.records, key=lambda record: splitters.index(record["splitter"]))
    first = records[0]["splitter"]
    own = [count for count in chosen.counts if count.workload.splitter == first]
    documents, code_points = sum(c.documents for c in own), sum(c.code_points for c in own)
    there = run.environment
    release = there.versions.get("segbench")
    notes = [
        f"{show_count(documents)} documents, {show_count(code_points)} characters, at limit {limit}"
        + (", which no splitter exceeded. " if fits else ". ")
        + f"{there.python}, {there.started[:10]}{f', segbench {release}' * bool(release)}"
        + ("." if few else f"; from {safe.code(there.command)}."),
        *(
            note
            for note in whole.notes
            if not few or note.startswith(("Speed", "At least", "This run was made by an older"))
        ),
    ]
    return Table(whole.title, columns, records, notes)


def _select(run: Run, splitters: Collection[str], limit: int) -> Run:
    """Of a run, what is of these splitters at that limit."""

    def is_chosen(record: Any) -> bool:
        if isinstance(record, Exemption):
            return record.splitter in splitters
        workload = getattr(record, "workload", None)
        return workload is None or (
            workload.splitter in splitters and workload.max_chunk_length == limit
        )

    chosen: dict[str, Any] = {
        field.name: [record for record in getattr(run, field.name) if is_chosen(record)]
        for field in fields(run)
        if isinstance(getattr(run, field.name), list | tuple)
    }
    return replace(run, **chosen)


def counts(run: Run) -> Table:
    """One row per workload: what the splitter made of the corpus."""
    records = []
    for corpus in _and_all(_corpora(run)):
        for limit in _limits(run):
            for splitter in _splitters(run):
                found = [
                    count
                    for count in run.counts
                    if _is_of(count.workload, splitter, limit)
                    and corpus in (count.workload.corpus, ALL_CORPORA)
                ]
                if len(found) < (len(_corpora(run)) if corpus == ALL_CORPORA else 1):
                    continue  # it failed on a corpus: a sum would compare unlike things
                records.append(
                    {
                        "corpus": corpus,
                        "limit": limit,
                        "splitter": splitter,
                        **_sum_up(found),
                        "median": found[0].median if len(found) == 1 else None,
                        **_add_losses(found),
                    }
                )
    shown = ("documents", "code_points", "segments", "shortest", "median", "longest")
    return Table(
        "Segments",
        [
            words("corpus"),
            figures("limit"),
            words("splitter"),
            *(figures(name.replace("_", " "), name) for name in shown),
            *(Column(name.replace("_", " "), name, show_loss) for name in _LOSSES),
        ],
        records,
        ["Lengths are in code points."],
        names=3,
    )


def _sum_up(counts: Sequence[Count]) -> dict[str, int]:
    """What several counts come to, by the name of the count."""
    totals = ("documents", "code_points", "segments")
    return {
        **{name: sum(getattr(count, name) for count in counts) for name in totals},
        "shortest": min(count.shortest for count in counts),
        "longest": max(count.longest for count in counts),
    }


def lengths(run: Run) -> Table:
    """One row per limit and splitter, over all corpora: how full the segments are.

    Segments that may overlap hold some of the text twice, so their mean is not known.
    """
    overlapping = {e.splitter for e in run.exemptions if e.rule == "join"}
    records = []
    for limit, splitter, found in _whole_counts(run):
        counted = _sum_up(found)
        lost, added = (_add_both(found, change) for change in ("lost", "added"))
        held = counted["code_points"] - (lost or 0) + (added or 0)
        known = counted["segments"] and splitter not in overlapping and lost is not None
        mean = held / counted["segments"] if known else None
        records.append(
            {
                "limit": limit,
                "splitter": splitter,
                "mean": mean,
                "share": mean and mean / limit,
                **counted,
            }
        )
    return Table(
        "How full the segments are",
        [
            figures("limit"),
            words("splitter"),
            figures("segments"),
            Column("mean length", "mean", show_digits),
            Column("mean ÷ limit", "share", "{:.0%}".format),
            figures("shortest"),
            figures("longest"),
        ],
        records,
        ["Lengths are in code points. Fuller segments are fewer, so there is less to embed."],
        names=2,
    )


def losses(run: Run) -> Table:
    """One row per splitter that did not give back every text, and limit, over all corpora."""
    unjoined: Counter[tuple[str, int]] = Counter()
    for row in run.violations:
        if row.rule == "join":
            unjoined[row.workload.splitter, row.workload.max_chunk_length] += row.count
    records = []
    for limit, splitter, found in _whole_counts(run):
        losses = _add_losses(found)
        if any(losses.values()) or unjoined[splitter, limit]:
            counted = _sum_up(found)
            lost = _add_both(found, "lost")
            records.append(
                {
                    "splitter": splitter,
                    "limit": limit,
                    "unjoined": unjoined[splitter, limit],
                    "share": lost and lost / counted["code_points"],
                    **losses,
                    **counted,
                }
            )
    return Table(
        "Lost and added characters",
        [
            words("splitter"),
            figures("limit"),
            figures("documents"),
            figures("do not join back", "unjoined", faults=True),
            *name_losses("lost"),
            Column("lost of all", "share", "{:.2%}".format),
            *name_losses("added"),
        ],
        sorted(records, key=lambda record: _splitters(run).index(record["splitter"])),
        ["In code points. No row: the splitter lost and added nothing, or it failed on a corpus."],
        "No splitter lost or added a character." if run.counts else "",
        names=2,
    )


def _add_both(counts: Sequence[Count], change: str) -> int | None:
    """Whitespace and content that were lost, or added."""
    return _add_known(
        getattr(count, f"{change}_{what}") for count in counts for what in ("whitespace", "content")
    )


def _whole_counts(run: Run) -> Iterator[tuple[int, str, list[Count]]]:
    """Counts by limit and splitter, if there is one for every corpus."""
    for limit in _limits(run):
        for splitter in _splitters(run):
            found = [c for c in run.counts if _is_of(c.workload, splitter, limit)]
            if len(found) == len(_corpora(run)):
                yield limit, splitter, found


def _is_of(workload: Workload, splitter: str, limit: int) -> bool:
    return workload.splitter == splitter and workload.max_chunk_length == limit


def violations(run: Run) -> Table:
    """One row per broken rule and splitter, over all corpora; what is unavoidable is left out."""
    limits = _limits(run)
    numbers: defaultdict[tuple[str, str], Counter[int]] = defaultdict(Counter)
    for row in run.violations:
        if row.count > row.unavoidable:
            cell = numbers[row.rule, row.workload.splitter]
            cell[row.workload.max_chunk_length] += row.count - row.unavoidable
    measured = {(count.workload.splitter, count.workload.max_chunk_length) for count in run.counts}
    broken = [
        rule
        for rule in dict.fromkeys(r.rule for r in run.violations)
        if any(rule == key[0] for key in numbers)
    ]
    glosses = read_glosses()
    return Table(
        "Violations by rule",
        [
            words("rule"),
            words("splitter"),
            *(figures(f"at {limit}", (limit,), faults=True) for limit in limits),
        ],
        [
            {
                "rule": rule,
                "splitter": splitter,
                **{
                    limit: numbers[rule, splitter][limit]
                    for limit in limits
                    if (splitter, limit) in measured
                },
            }
            for rule in broken
            for splitter in _splitters(run)
            if (rule, splitter) in numbers
        ],
        [
            "No row: the splitter never broke the rule if that could be avoided"
            + (", or the rule does not apply to it" if run.exemptions else "")
            + ". The whitespace rule is counted by whitespace run here, and each run under one rule: "
            "a run that is cut twice counts once.",
            "; ".join(f"{safe.code(rule)}: {glosses[rule]}" for rule in broken if rule in glosses),
        ],
        "No rule was broken." if run.counts else "",
        names=2,
    )


def unavoidable(run: Run) -> Table:
    """One row per corpus: the boundaries inside units that no splitter can do without."""
    limits = sorted({each.max_chunk_length for each in run.unavoidable})
    numbers = {(each.corpus, each.max_chunk_length): each.boundaries for each in run.unavoidable}
    corpora = list(dict.fromkeys(each.corpus for each in run.unavoidable))
    records = [
        {"corpus": corpus, **{limit: numbers.get((corpus, limit)) for limit in limits}}
        for corpus in corpora
    ]
    if len(corpora) > 1:
        sums = {limit: _add_known(record[limit] for record in records) for limit in limits}
        records.insert(0, {"corpus": ALL_CORPORA, **sums})
    return Table(
        "Unavoidable boundaries",
        [
            words("corpus"),
            *(figures(f"at {limit}", (limit,)) for limit in limits),
        ],
        records,
        [
            "A unit of the whitespace rule that is longer than the limit has to be cut, whatever "
            "the splitter: (length - 1) div limit times. No splitter's figures include these."
        ],
    )


def timings(run: Run, *, detailed: bool = True) -> Table:
    """One row per workload that was timed; without ``detailed`` only those of all corpora.

    Of several corpora there is a mean ratio, and no time: sums would be those of the largest one.
    """
    records: list[dict[str, Any]] = []
    corpora = _and_all(_timed_corpora(run))
    for corpus in corpora if detailed else corpora[:1]:
        for limit in _limits(run):
            here = [
                each
                for each in run.rounds
                if each.workload.max_chunk_length == limit
                and corpus in (each.workload.corpus, ALL_CORPORA)
            ]
            whole = {(each.workload.corpus) for each in here}
            for splitter in _splitters(run):
                own = [each for each in here if each.workload.splitter == splitter]
                beside = [each for each in here if each.baseline == splitter]
                if (not own and not beside) or {
                    each.workload.corpus for each in own or beside
                } != whole:
                    continue  # it failed on a corpus: a mean would compare unlike things
                records.append(
                    {
                        "corpus": corpus,
                        "limit": limit,
                        "splitter": splitter,
                        "rounds": len({each.round for each in own or beside}),
                        "rate": None if corpus == ALL_CORPORA else _find_rate(own, beside),
                        "speed": estimate(own),
                    }
                )
    return Table(
        "Speed",
        [
            words("corpus"),
            figures("limit"),
            words("splitter"),
            figures("rounds"),
            Column("million code points/s", "rate", show_digits),
            Column(title_speed(run), "speed"),
            Column(
                "slowest–fastest corpus" if len(corpora) > 1 else "slowest–fastest stratum",
                lambda record: (found := record["speed"]) and (found.lowest, found.highest),
                _show_factors,
            ),
        ],
        records,
        [
            f"CPU time. A ratio is the time of {_name_baseline(run)} divided by that of the "
            f"splitter, which took turns with it, {_ESTIMATED}. A stratum is a quarter of the "
            "documents, by length; each counts the same, and so does each corpus."
        ],
        names=3,
    )


def _find_rate(own: Sequence[Round], beside: Sequence[Round]) -> float:
    """Million code points a second, by the geometric mean over rounds and strata."""
    logs = [math.log(2 * each.code_points / each.cpu / 1e6) for each in own]
    logs += [math.log(2 * each.code_points / each.baseline_cpu / 1e6) for each in beside if not own]
    return math.exp(statistics.fmean(logs))


def failures(run: Run) -> Table:
    """One row per workload that was asked for and could not be measured."""
    return Table(
        "Failures",
        [
            words("corpus", "workload.corpus"),
            figures("limit", "workload.max_chunk_length"),
            words("splitter", "workload.splitter"),
            words("what", "status"),
            words("why", "detail"),
        ],
        run.failures,
        names=3,
    )


def environment(run: Run) -> Table:
    """What was typed, where, and on what."""
    there = run.environment
    commit = f"{there.commit}{' with changes' if there.dirty else ''}" if there.commit else None
    if there.commit_error:
        commit = f"unknown, git said: {there.commit_error}"
    return Table(
        "Environment",
        [words("what", itemgetter(0)), words("value", itemgetter(1))],
        [
            ("command", there.command),
            ("commit", commit),
            ("Python", there.python),
            ("platform", there.platform),
            ("processor", f"{there.cpu}, {there.cpu_count} logical"),
            ("started", there.started),
            ("finished", there.finished),
            *there.versions.items(),
        ],
    )


def texts(read: Sequence[Texts]) -> Table:
    """One row per corpus: what was measured on, so that others can tell if they have the same."""
    return Table(
        "Texts",
        [
            words("corpus"),
            words("digest"),
            words("from", "origin"),
            words("to know", lambda each: each.notes.replace("\n", "; ") or None),
        ],
        read,
        ["Equal digests mean equal texts."],
    )


def boundaries(run: Run) -> Table:
    """One row per splitter: how many boundaries at whitespace are wrong, over all corpora."""
    limits = _limits(run)
    found: defaultdict[tuple[str, int], list[BoundaryCount]] = defaultdict(list)
    for row in run.boundaries:
        found[row.workload.splitter, row.workload.max_chunk_length].append(row)
    records = []
    for splitter in _splitters(run):
        shares: dict[int, float] = {}
        alone: dict[int, int] = {}
        for limit in limits:
            counted = found[splitter, limit]
            if len(counted) < len(_corpora(run)):
                continue
            at_whitespace = sum(row.at_whitespace for row in counted)
            excess = _add_known(row.excess for row in counted)
            if at_whitespace and excess is not None:
                shares[limit] = excess / at_whitespace
            alone[limit] = sum(row.whitespace_segments for row in counted)
        if alone:
            records.append({"splitter": splitter, "wrong": shares, "alone": alone})

    return Table(
        "Boundaries at whitespace",
        [
            words("splitter"),
            *(
                Column(f"wrong at {limit}", ("wrong", limit), "{:.1%}".format, faults=True)
                for limit in limits
            ),
            *(figures(f"whitespace alone at {limit}", ("alone", limit)) for limit in limits),
        ],
        records,
        [
            "Of the boundaries with whitespace on at least one side, the share that lies inside "
            f"units of the whitespace rule and could be avoided; {NOTHING} if there is no such "
            "boundary, since whitespace is stripped. Then the segments that are whitespace alone."
        ],
    )


def cuts(run: Run, *, detailed: bool = False) -> Table:
    """One row per limit and splitter: which share of its boundaries lies where.

    With ``detailed`` also one row per corpus.
    """
    places = list(dict.fromkeys(row.place for row in run.cuts if row.place))
    return Table(
        "Where boundaries lie",
        [
            *([words("corpus")] if detailed else []),
            figures("limit"),
            words("splitter"),
            figures("boundaries", "number"),
            Column("at line ends", "at line ends", show_share),
            *(Column(place, place, show_share) for place in places),
        ],
        _list_shares(run, detailed=detailed),
        [
            "Shares of the boundaries, each at the first of these places that applies: at line ends "
            "are paragraph (two line ends or more) and line; lost is where other characters than "
            "whitespace are missing. docs/cuts.md defines the places.",
            *advise_separators(run),
        ],
        names=3 if detailed else 2,
    )


_LINE_ENDS = ("paragraph", "line")


def _list_shares(run: Run, *, detailed: bool = True) -> list[dict[str, Any]]:
    """The share of each place by corpus, limit and splitter, if there are boundaries."""
    records = []
    for corpus, limit, splitter, found in _group_cuts(run, detailed=detailed):
        counted: Counter[str] = Counter()
        for row in found:
            if row.place:
                counted[row.place] += row.count or 0
        if total := counted.total():
            shares = {place: number / total for place, number in counted.items()}
            ends = sum(shares[place] for place in _LINE_ENDS)
            named = {"corpus": corpus, "limit": limit, "splitter": splitter, "number": total}
            records.append({**named, "at line ends": ends, **shares})
    return records


def structures(run: Run) -> Table:
    """One row per corpus, limit and splitter: what of the texts' structure was cut."""
    records = [
        {"corpus": corpus, "limit": limit, "splitter": splitter, "row": row}
        for corpus, limit, splitter, found in _group_cuts(run, detailed=True)
        for row in found
        if row.structure and corpus != ALL_CORPORA
    ]
    return Table(
        "What was cut that would fit",
        [
            words("corpus"),
            words("structure", "row.structure"),
            figures("limit"),
            words("splitter"),
            figures("of", "row.of"),
            figures("cut", "row.cut"),
            Column("share", lambda record: record["row"].cut / record["row"].of, show_share),
        ],
        sorted(records, key=lambda record: (record["corpus"], record["row"].structure)),
        [
            "Only what fits the limit is counted. A heading is orphaned if a segment ends with it. A "
            "closing mark is a quote, a bracket or a full stop of Chinese or Japanese that begins a "
            "segment, of all boundaries."
        ],
        names=4,
    )


def _group_cuts(run: Run, *, detailed: bool) -> Iterator[tuple[str, int, str, list[CutCount]]]:
    """What is known of boundaries by corpus, limit and splitter, first over all corpora."""
    corpora = list(dict.fromkeys(row.workload.corpus for row in run.cuts))
    grouped: defaultdict[tuple[str, int, str], list[CutCount]] = defaultdict(list)
    for row in run.cuts:
        workload = row.workload
        grouped[workload.corpus, workload.max_chunk_length, workload.splitter].append(row)
    for corpus in _and_all(corpora) if detailed else [ALL_CORPORA]:
        for limit in _limits(run):
            for splitter in _splitters(run):
                named = corpora if corpus == ALL_CORPORA else [corpus]
                found = [grouped[each, limit, splitter] for each in named]
                if all(found):  # else it failed on a corpus: a sum would compare unlike things
                    yield corpus, limit, splitter, [row for rows in found for row in rows]


_FEW = 0.5  # of boundaries at line ends


def advise_separators(run: Run) -> list[str]:
    """A sentence for each corpus that other separators than the default may cut better.

    So it is if its lines are shorter than the limit, or most of them end in CR LF, and few
    boundaries lie at their ends. Prose with LF is left out: its boundaries belong at sentences.
    What is said is of the largest such limit.
    """
    shares = {
        (record["corpus"], record["limit"], record["splitter"]): record["at line ends"]
        for record in _list_shares(run)
    }
    advice = []
    for each in run.line_ends:
        length = each.code_points / each.line_ends if each.line_ends else math.inf
        most_cr_lf = 0 < each.line_ends < each.cr_lf * 2 > each.line_ends
        if each.separators == "prose" and not most_cr_lf:
            continue
        other = f"{IN_HOUSE}-{each.separators}"
        for limit in reversed(_limits(run)):
            share = shares.get((each.corpus, limit, IN_HOUSE))
            if share is None or share >= _FEW or not (most_cr_lf or length <= limit):
                continue
            measured = shares.get((each.corpus, limit, other))
            if measured is not None and measured <= share:
                continue
            lines = f"lines have {length:.0f} code points on average"
            if most_cr_lf:
                lines += f" and {each.cr_lf / each.line_ends:.0%} of them end in CR LF"
            known = (
                f"Try `--separators {each.separators}`."
                if measured is None
                else f"`{other}` has {measured:.1%}."
            )
            advice.append(
                f"{safe.code(each.corpus)}: only {share:.1%} of the boundaries of `{IN_HOUSE}` at "
                f"{limit} are at line ends, though {lines}. {known}"
            )
            break
    return advice


def trials(run: Run) -> Table:
    """One row per splitter: how it meets hostile texts, and whether its offsets are right."""
    answers: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for trial in run.trials:
        answers[trial.splitter][trial.question] = trial.answer
    return Table(
        "Hostile texts, and offsets",
        [
            words("splitter"),
            *(
                words(question, ("answers", question))
                for question in dict.fromkeys(trial.question for trial in run.trials)
            ),
        ],
        [{"splitter": splitter, "answers": given} for splitter, given in answers.items()],
        [
            "`kept`: the segments join to the text; `whitespace lost`: all but whitespace is there. "
            "Offsets are right if the text has each segment in the place that is told. What "
            "failed in full stands in trials.csv."
        ],
    )


def exemptions(run: Run) -> Table:
    """One row per splitter and reason: the rules that cannot be asked of it."""
    rules: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for exemption in run.exemptions:
        rules[exemption.splitter, exemption.reason].append(exemption.rule)
    return Table(
        "Not applicable",
        [words("splitter"), words("rules"), words("why")],
        [
            {"splitter": splitter, "rules": ", ".join(names), "why": reason}
            for (splitter, reason), names in rules.items()
        ],
    )


def growth(run: Run) -> Table:
    """One row per shape, limit and splitter: the power of the length that its work grows by."""
    texts: defaultdict[tuple[str, int, str], list[Growth]] = defaultdict(list)
    for one in sorted(run.growth):
        texts[one.shape, one.max_chunk_length, one.splitter].append(one)
    return Table(
        "Growth of work",
        [
            words("shape of text", "shape"),
            figures("limit"),
            words("splitter"),
            figures("longest text, code points", "longest"),
            Column("its time, s", "seconds", show_digits),
            Column("time grows as length to the power", "exponent", show_exponent),
            *(
                [Column("instructions grow as length to the power", "counted", show_exponent)]
                if any(one.instructions for one in run.growth)
                else []
            ),
        ],
        [
            {
                "shape": shape,
                "limit": limit,
                "splitter": splitter,
                "longest": grown[-1].code_points,
                "seconds": grown[-1].seconds,
                "exponent": find_time_exponent(
                    {one.code_points: one.seconds for one in grown},
                    {one.code_points: one.seconds_again for one in grown if one.seconds_again},
                ),
                "counted": find_exponent(
                    {one.code_points: one.instructions for one in grown if one.instructions},
                    LEAST_INSTRUCTIONS,
                ),
            }
            for (shape, limit, splitter), grown in texts.items()
        ],
        [
            "1 is in proportion to the length, 2 with its square: twice the text, four times the "
            "time. It is found from four lengths, each twice the one before, of which the shortest "
            f"takes at least {LEAST_SECONDS * 1e3:g} ms of CPU time; {NOTHING} if they took too long, "
            f'and "{CANNOT_TELL}" if two series of calls gave different powers, since the machine was '
            "disturbed. "
            "With --profile --instructions it is also found from the instructions that valgrind "
            f"counts, {LEAST_INSTRUCTIONS:,} of them at least: they do not depend on the "
            "machine's speed, but leave out what the system does, and waiting for memory."
        ],
        names=3,
    )


def imports(run: Run) -> Table:
    """One row per thing that can be imported."""
    return Table(
        "Import weight",
        [
            words("import", "name"),
            Column(
                "milliseconds",
                lambda one: Spread.of(one.milliseconds) if one.milliseconds else None,
                _show_spread,
            ),
            figures("modules"),
            figures("of third parties", "third_party"),
            figures("packages installed", "packages"),
            Column("MB installed", "bytes", lambda size: show_digits(size / 1e6)),
        ],
        run.imports,
        [
            "Each in fresh processes, in turns, with compiled bytecode in the file cache: the "
            "median, and in brackets the lowest and the highest. Modules that Python loads when "
            "it starts are not counted."
        ],
    )


def _show_spread(spread: Spread) -> str:
    return f"{show_digits(spread.median)} ({show_digits(spread.low)}–{show_digits(spread.high)})"


def claims(answered: Sequence[Claim]) -> Table:
    """One row per claim of the pull request."""
    return Table(
        "Claims of the pull request",
        [
            words("claim"),
            words("what it says", "says"),
            words("what was measured here", "measured"),
            words("answer", "status"),
        ],
        answered,
    )


def comparisons(run: Run) -> list[Table]:
    """The tables, as far as they have rows, that no section of the page is about."""
    found = (unavoidable(run), boundaries(run), trials(run), exemptions(run))
    return [table for table in found if table.records]


def details(run: Run) -> list[Table]:
    """Everything below the summary, in the order in which it is read."""
    return [
        violations(run),
        *comparisons(run),
        *(table for table in (cuts(run), structures(run)) if table.records),
        timings(run),
        lengths(run),
        losses(run),
        counts(run),
        failures(run),
        growth(run),
        imports(run),
        claims(run.claims),
    ]


def _show_factors(value: tuple[float, float]) -> str:
    return "–".join(f"{factor:.2f}" for factor in value)


def _name_limits(limits: Sequence[int]) -> str:
    return f"{'limit' if len(limits) == 1 else 'limits'} {join_words(map(str, limits))}"


def _workloads(run: Run) -> list[Workload]:
    counted = [count.workload for count in run.counts]
    return counted + [failure.workload for failure in run.failures]


def _corpora(run: Run) -> list[str]:
    return list(dict.fromkeys(workload.corpus for workload in _workloads(run)))


def _timed_corpora(run: Run) -> list[str]:
    return list(dict.fromkeys(each.workload.corpus for each in run.rounds))


def _and_all(corpora: Sequence[str]) -> list[str]:
    """The corpora, and before them all of them together if there are several."""
    return [ALL_CORPORA, *corpora] if len(corpora) > 1 else list(corpora)


def _name_timed(run: Run) -> str:
    """Where times were taken, if not on every corpus."""
    timed = _timed_corpora(run)
    return f" on {join_words(map(safe.code, timed))}" if len(timed) < len(_corpora(run)) else ""


def title_speed(run: Run) -> str:
    """The title of a column of speeds."""
    return f"times as fast as {run.environment.baseline}"


def _name_baseline(run: Run) -> str:
    return safe.code(run.environment.baseline)


def _limits(run: Run) -> list[int]:
    return sorted({workload.max_chunk_length for workload in _workloads(run)})


def _splitters(run: Run) -> list[str]:
    return list(dict.fromkeys(workload.splitter for workload in _workloads(run)))


def estimate_speed(run: Run) -> dict[tuple[str, int], Estimate]:
    """How many times as fast as the baseline, over the timed corpora, by splitter and limit.

    A splitter that was not timed on all of them has none.
    """
    grouped: defaultdict[tuple[str, int], list[Round]] = defaultdict(list)
    for each in run.rounds:
        grouped[each.workload.splitter, each.workload.max_chunk_length].append(each)
    corpora = set(_timed_corpora(run))
    return {
        key: found
        for key, rounds in grouped.items()
        if {each.workload.corpus for each in rounds} == corpora and (found := estimate(rounds))
    }
