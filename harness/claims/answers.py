"""The answer to each claim of the pull request: a function of the evidence and of the claim's row.

Structural claims are confirmed or refuted; of counts and seconds, whose texts and machine are not
ours, ratios are compared.
"""

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from statistics import median
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from harness.claims.derivation import derive_whole
from harness.claims.evidence import DEFAULT_LIMIT, EARLIER, LIMITS, OLD, Evidence
from harness.claims.long_runs import DEFINITIONS, UNAVOIDABLE_BOUNDARIES
from harness.claims.probes import FUNCTIONS, LOADED, OLD_STRIPPING
from harness.claims.refinding import BUDGET
from harness.measure.imports import weigh_imports
from harness.measure.timing import time_workloads
from harness.report.columns import join_words
from harness.results.errors import MeasurementError
from harness.results.estimates import estimate
from harness.splitters.probes import DISTRIBUTIONS, run_probe
from harness.splitters.registry import load_splitter
from segmenter import Event, PassthroughSegmenter, TextBlock, TextSegmenter
from segmenter.rules import find_violations
from segmenter.testing.cases import Case, load_cases

NEAR = 0.1  # two figures of different texts agree if they differ by no more

CONFIRMED = "confirmed"
REFUTED = "refuted"
DIFFERS = "differs"
UNMEASURED = "not measured"

# Releases of LangChain whose import is weighed, each without and with what it may import.
_RELEASES = ("1.1.2", "1.1.3")
_BESIDE = ("", " tiktoken==0.14.0 transformers==5.24.0")
IMPORTED = tuple(f"langchain-text-splitters=={r}{extras}" for r in _RELEASES for extras in _BESIDE)
"""What is installed for that."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Finding:
    """What was measured, and what it says of the claim."""

    measured: str
    status: str


ClaimRow = Mapping[str, Any]


def answer_f1(evidence: Evidence, row: ClaimRow) -> Finding:
    _, default = run_probe(None, FUNCTIONS)
    parts = []
    joined = 0
    for limit in LIMITS:
        documents = evidence.count(OLD, limit, "documents")
        unjoined = evidence.broken(OLD, limit)["join"]
        whitespace, content = (
            evidence.count(OLD, limit, f"lost_{what}") for what in ("whitespace", "content")
        )
        joined += documents - unjoined
        parts.append(
            f"{unjoined:,} of {documents:,} at {limit} ({whitespace:,} "
            f"whitespace characters and {content:,} others lost)"
        )
    measured = (
        f"strip_whitespace is {default} by default; texts that do not join: {join_words(parts)}"
    )
    with contextlib.suppress(MeasurementError):
        measured += f"; {_compare_old(evidence)}"
    if default is not True:
        return Finding(measured, REFUTED)
    return Finding(measured, CONFIRMED if not joined else f"{DIFFERS}: {joined:,} texts join")


def _compare_old(evidence: Evidence) -> str:
    """Whether the old segmenter gives what LangChain's splitter gives."""
    old = {c.workload.corpus: c.digest for c in evidence.checked_old.counts}
    new = evidence.digests(OLD, DEFAULT_LIMIT)
    same = sum(old.get(corpus) == new.get(corpus) for corpus in old)
    python = evidence.installation("memmachine").python
    return (
        f"memmachine-server 0.4.0 (on Python {python}) gives the same segments as {OLD} on "
        f"{same} of {len(evidence.real)} corpora at {DEFAULT_LIMIT}"
    )


def answer_f2(evidence: Evidence, row: ClaimRow) -> Finding:
    text, limit = row["text"], row["limit"]
    new = TextSegmenter(limit).split(text)
    olds = {}
    for name in (OLD, "memmachine"):
        with contextlib.suppress(MeasurementError):
            olds[name] = evidence.split(name, text, limit)
    if not olds:
        raise MeasurementError("no old segmenter is here")
    second = next(iter(olds.values()))[1]
    following = text[text.index(second) + len(second) :]
    whole = len(second) + len(following) - len(following.lstrip())
    right = (
        all("".join(old) == row["old"] for old in olds.values())
        and "".join(new) == text
        and whole == limit + 1
        and second not in [segment.strip() for segment in new]
    )
    measured = (
        f"{join_words(olds)}: as the claim says it was rendered: "
        f"{join_words([str(''.join(old) == row['old']) for old in olds.values()])}; segmenter: joins to "
        f"the text: {''.join(new) == text}; the old second chunk with its whitespace has {whole} "
        f"code points"
    )
    return Finding(measured, CONFIRMED if right else REFUTED)


def answer_f3(evidence: Evidence, row: ClaimRow) -> Finding:
    segments = TextSegmenter(row["limit"]).split(row["text"])
    old = evidence.split(OLD, row["text"], row["limit"])
    measured = f"segmenter: {segments!r}; {OLD}: {old!r}"
    return Finding(measured, CONFIRMED if segments == row["segments"] else REFUTED)


def answer_f4(evidence: Evidence, row: ClaimRow) -> Finding:
    reason = f"{UNMEASURED}: its tests are not here"
    # Its data types hold no lone surrogate.
    cases = [case for case in load_cases().values() if not _has_surrogate(case.text)]
    failing = {}
    for name in ("memmachine", "segmenter"):
        failing[name] = sum(
            _fails(evidence.split(name, case.text, case.max_chunk_length), case) for case in cases
        )
    return Finding(
        f"of our {len(cases):,} named cases the old segmenter fails {failing['memmachine']:,}, the new "
        f"one {failing['segmenter']:,}",
        reason,
    )


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def _fails(segments: list[str], case: Case) -> bool:
    if case.segments is not None:
        return segments != list(case.segments)
    broken = find_violations(case.text, segments, case.max_chunk_length)
    return any(not breach.unavoidable for breaches in broken.values() for breach in breaches)


def answer_u1(evidence: Evidence, row: ClaimRow) -> Finding:
    parts = []
    strips = True
    for name in ("langchain-0.0.100", "langchain-0.0.200"):
        stripping, optional = run_probe(evidence.find(name).interpreter, OLD_STRIPPING)
        (chunk,) = evidence.split(name, "  some text \n", 100)
        always = stripping and not optional and chunk == "some text"
        strips = strips and always
        parts.append(f"{name}: {'always strips' if always else 'does not always strip'}")
    for name in (*EARLIER, OLD):
        _, default = run_probe(evidence.find(name).interpreter, FUNCTIONS)
        strips = strips and default is True
        release = evidence.installation(name).versions["langchain-text-splitters"]
        parts.append(f"{release}: strip_whitespace={default} by default")
    return Finding("; ".join(parts), CONFIRMED if strips else REFUTED)


def answer_u2(evidence: Evidence, row: ClaimRow) -> Finding:
    newest = evidence.install("langchain-text-splitters", newest=True)
    interpreters = {
        evidence.installation(name).versions["langchain-text-splitters"]: evidence.find(
            name
        ).interpreter
        for name in (*EARLIER, OLD)
    }
    interpreters.setdefault(newest.versions["langchain-text-splitters"], newest.interpreter)
    sources = {release: run_probe(path, FUNCTIONS)[0] for release, path in interpreters.items()}
    reference = sources["1.1.1"]
    different = sorted(
        {
            name
            for source in sources.values()
            for name, (code, _) in source.items()
            if code != reference[name][0]
        }
    )
    decorators = sorted(
        {
            decorator
            for source in sources.values()
            for name, (_, there) in source.items()
            for decorator in {*there} ^ {*reference[name][1]}
        }
    )
    unlike = [
        f"{corpus} at {limit}"
        for limit in LIMITS
        for corpus, digest in evidence.digests(OLD, limit).items()
        for name in EARLIER
        if evidence.digests(name, limit).get(corpus) != digest
    ]
    corpora = len(evidence.real) + 1
    measured = (
        f"source of {len(reference)} functions in {join_words(sources)}: "
        + (f"differs in {join_words(different)}" if different else "the same")
        + (f" but for the decorators {join_words(decorators)}" if decorators else "")
        + f"; output on {corpora} corpora at {join_words(map(str, LIMITS))}: "
        + (f"differs on {join_words(unlike)}" if unlike else "byte for byte the same")
        + f"; the main branch was not looked at, the newest release on {_today()} was "
        + newest.versions["langchain-text-splitters"]
    )
    return Finding(measured, REFUTED if different or unlike else CONFIRMED)


def answer_u3(evidence: Evidence, row: ClaimRow) -> Finding:
    interpreter = evidence.find("memmachine").interpreter
    found = run_probe(interpreter, DISTRIBUTIONS)
    (own,) = (
        entry for name, entry in found.items() if canonicalize_name(name) == "memmachine-server"
    )
    (requirement,) = (
        each
        for each in map(Requirement, own[2])
        if canonicalize_name(each.name) == "langchain-text-splitters"
    )
    capped = [s for s in requirement.specifier if s.operator in ("<", "<=", "==", "~=", "===")]
    name = canonicalize_name(requirement.name)
    python = load_splitter("memmachine").python or ""
    taken = evidence.resolve(f"memmachine-server=={own[0]}", python)[name]
    newest = evidence.resolve(name)[name]
    measured = (
        f"memmachine-server {own[0]} requires {requirement}; an installation on {_today()} would "
        f"take {taken}, the newest is {newest}"
    )
    return Finding(measured, CONFIRMED if not capped and taken == newest else REFUTED)


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def answer_u4(evidence: Evidence, row: ClaimRow) -> Finding:
    parts = []
    loads = {}
    counts = {}
    for requirement in IMPORTED:
        own, *extras = requirement.split()
        release = own.partition("==")[2]
        there = evidence.install(requirement)
        loads[release, bool(extras)] = run_probe(there.interpreter, LOADED)  # if it can be imported
        (weight,) = weigh_imports([(there.interpreter, "langchain_text_splitters")])
        modules = counts[release, bool(extras)] = len(weight.modules)
        seconds = median(weight.milliseconds) / 1e3
        beside = "with both" if extras else "without"
        parts.append(f"{release} {beside}: {seconds:.2f} s, {modules:,} modules")
    eager, lazy = loads["1.1.2", True], loads["1.1.3", True]
    structure = all(eager) and not any(lazy)
    ratio = counts["1.1.2", True] / row["modules"]
    measured = (
        f"{'; '.join(parts)}; imported with it: by 1.1.2 {_name_loaded(eager)}, by 1.1.3 "
        f"{_name_loaded(lazy)}; 1.1.2 with both loads {ratio:.2f} times the modules that "
        "were counted there, where all extras were installed"
    )
    if not structure:
        return Finding(measured, REFUTED)
    if abs(ratio - 1) < NEAR:
        return Finding(measured, CONFIRMED)
    status = f"{DIFFERS} ({ratio:.2f} times the modules; what imports what is {CONFIRMED})"
    return Finding(measured, status)


def _name_loaded(loaded: Sequence[bool]) -> str:
    names = [n for n, there in zip(("tiktoken", "transformers"), loaded, strict=True) if there]
    return join_words(names) if names else "neither"


def answer_u5(evidence: Evidence, row: ClaimRow) -> Finding:
    found: dict[str, Any] = {
        canonicalize_name(name): entry
        for name, entry in run_probe(evidence.find("memmachine").interpreter, DISTRIBUTIONS).items()
    }
    python = evidence.installation("memmachine").python
    with_it = _close(found, "memmachine-server", python)
    without = _close(found, "memmachine-server", python, leaving_out="langchain-text-splitters")
    sizes = [sum(found[name][1] for name in names) / 1e6 for names in (with_it, without)]
    share = 1 - sizes[1] / sizes[0]
    keeps = "langchain-core" in without
    measured = (
        f"memmachine-server on Python {python}: {sizes[0]:.1f} MB in {len(with_it)} packages with "
        f"langchain-text-splitters, {sizes[1]:.1f} MB in {len(without)} without ({share:.2%} less); "
        f"langchain-core {'stays' if keeps else 'goes'}"
    )
    return Finding(measured, CONFIRMED if keeps and share < 0.01 else REFUTED)


def _close(
    found: Mapping[str, Any], root: str, python: str, leaving_out: str | None = None
) -> set[str]:
    """A distribution and all that it needs, of those that are installed."""
    environment = {"python_version": ".".join(python.split(".")[:2]), "extra": ""}
    environment["python_full_version"] = python
    waiting, reached = [(root, frozenset[str]())], set()
    names = set()
    while waiting:
        name, extras = waiting.pop()
        if (name, extras) in reached or name not in found or name == leaving_out:
            continue
        reached.add((name, extras))
        names.add(name)
        for needed in map(Requirement, found[name][2]):
            marker = needed.marker
            if marker is None or any(
                marker.evaluate({**environment, "extra": extra}) for extra in ("", *extras)
            ):
                waiting.append((canonicalize_name(needed.name), frozenset(needed.extras)))
    return names


def answer_a1(evidence: Evidence, row: ClaimRow) -> Finding:
    parts = []
    total = 0
    for limit in LIMITS:
        broken = evidence.broken("langchain-memmachine-moved", limit)
        long = broken.pop("fits")
        broken.pop("join")
        wrong = sum(broken.values())
        total += long + wrong
        parts.append(f"{long:,} too long and {wrong:,} runs cut on the wrong side at {limit}")
    return Finding(join_words(parts), CONFIRMED if total else REFUTED)


def answer_a2(evidence: Evidence, row: ClaimRow) -> Finding:
    moved = evidence.count("langchain-memmachine-moved", DEFAULT_LIMIT)
    own = evidence.count("segmenter", DEFAULT_LIMIT)
    ratio = own / moved
    near = abs(ratio / row["ratio"] - 1) < 0.002
    return Finding(
        f"{moved:,} against {own:,}: a ratio of {ratio:.4f}, there {row['ratio']}",
        CONFIRMED if near else f"{DIFFERS} (by a factor of {ratio / row['ratio']:.4f})",
    )


def answer_m1(evidence: Evidence, row: ClaimRow) -> Finding:
    counts = [c for c in evidence.checked.counts if c.workload.splitter == "segmenter"]
    if len(counts) < (len(evidence.real) + 1) * len(LIMITS):
        raise MeasurementError("the segmenter failed on some texts")
    broken = sum(
        violation.count
        for violation in evidence.checked.violations
        if violation.workload.splitter == "segmenter" and violation.rule in ("join", "fits")
    )
    texts = sum(count.documents for count in counts)
    measured = f"{texts:,} texts and limits, synthetic ones among them: {broken:,} violations"
    return Finding(measured, REFUTED if broken else CONFIRMED)


def answer_m2(evidence: Evidence, row: ClaimRow) -> Finding:
    limits = sorted(LIMITS, reverse=True)
    code_points = evidence.count("segmenter", DEFAULT_LIMIT, "code_points")
    expected = {
        limit: row["runs"][str(limit)] / row["code_points"] * code_points for limit in limits
    }
    parts = []
    agreeing = []
    for name in DEFINITIONS:
        numbers = {limit: evidence.long_runs[name, limit] for limit in limits}
        near = [limit for limit in limits if _is_near(numbers[limit], expected[limit])]
        agreeing += [name] if near == limits else []
        told = join_words([f"{numbers[limit]:,} at {limit}" for limit in limits])
        parts.append(f"{name}: {told} (agree at {join_words(map(str, near)) if near else 'none'})")
    scaled = join_words([f"{expected[limit]:,.1f} at {limit}" for limit in limits])
    measured = (
        f"{'; '.join(parts)}; there 0, 1 and 57,621, which for the same length of text are {scaled}"
    )
    if UNAVOIDABLE_BOUNDARIES in agreeing:
        return Finding(measured, CONFIRMED)
    meanings = join_words(agreeing) if agreeing else "no definition"
    return Finding(measured, f"{DIFFERS} (by {meanings} do all three figures agree on these texts)")


def _is_near(number: int, expected: float) -> bool:
    """Whether a count of other texts is as large as is to be expected, within 10 % or one."""
    return abs(number - expected) <= max(1, NEAR * expected)


def answer_m3(evidence: Evidence, row: ClaimRow) -> Finding:
    segments = evidence.count("segmenter", DEFAULT_LIMIT)
    mean = evidence.count("segmenter", DEFAULT_LIMIT, "code_points") / segments
    there = row["code_points"] / row["segments"]
    return Finding(
        f"{segments:,} segments, {mean:.1f} code points each; there {there:.1f}",
        CONFIRMED if abs(mean / there - 1) < NEAR else f"{DIFFERS} (ratio {mean / there:.2f})",
    )


def answer_m4(evidence: Evidence, row: ClaimRow) -> Finding:
    evidence.progress("timing the segmenter against LangChain")
    own, rival = evidence.find("segmenter"), evidence.find(OLD)
    counts = evidence.checked.counts
    timed = time_workloads(evidence.real, [own], [DEFAULT_LIMIT], counts, rival, pool=evidence.pool)
    if timed.failures:
        raise MeasurementError(timed.failures[0].detail)
    found = estimate(timed.rounds)
    if found is None:
        raise MeasurementError("no document has any text to time")
    there = row["langchain"] / row["seconds"]
    return Finding(
        f"segmenter {found} times as fast as {OLD}, the geometric mean over corpora with its "
        f"95 % interval of {found.rounds} rounds; {found.lowest:.2f} to {found.highest:.2f} by "
        f"corpus; there {there:.2f}; the segmenter here is this project's, not the pull request's",
        CONFIRMED
        if abs(found.ratio / there - 1) < NEAR
        else f"{DIFFERS} ({found.ratio / there:.2f} times that ratio)",
    )


def answer_d1(evidence: Evidence, row: ClaimRow) -> Finding:
    old = replace(evidence.find("memmachine"), options={"passthrough": True})
    texts = differing = 0
    evidence.progress("comparing the passthrough segmenters")
    for corpus in evidence.real:
        for shard in corpus.shards():
            documents = list(shard.read())
            pairs = [(document.id, document.text) for document in documents]
            before = evidence.pool.split(old, pairs, DEFAULT_LIMIT)
            for document, segments in zip(documents, before, strict=True):
                texts += 1
                after = _pass_through(document.text)
                differing += [*map(derive_whole, segments)] != [*map(derive_whole, after)]
    return Finding(
        f"whole-text derivatives of {texts:,} documents through the passthrough segmenters of "
        f"memmachine-server and of this project: {differing:,} differ",
        REFUTED if differing else CONFIRMED,
    )


def _pass_through(text: str) -> list[str]:
    event = Event(timestamp=_EPOCH, blocks=[TextBlock(text)])
    return [segment.block.text for segment in asyncio.run(PassthroughSegmenter().segment(event))]


def answer_d2(evidence: Evidence, row: ClaimRow) -> Finding:
    shard = evidence.shard
    measured = (
        f"segments with edge whitespace at {DEFAULT_LIMIT}: {shard.edged_before:,} before, "
        f"{shard.edged:,} of {shard.migration.after:,} now; new among the texts embedded: whole "
        f"{shard.whole.share:.1%} of {shard.whole.texts:,}, sentences {shard.sentences.share:.1%} of "
        f"{shard.sentences.texts:,}; the sentence deriver strips, so that whitespace at a "
        f"segment's ends changes no sentence; {_refind(evidence, lambda segment: derive_whole(segment)[0], 'quoted texts')}"
    )
    if shard.edged_before or not shard.edged:
        return Finding(measured, REFUTED)
    if shard.sentences.new:
        status = (
            f"{DIFFERS} (sentences change where cuts move, {shard.sentences.share:.1%} of them)"
        )
        return Finding(measured, status)
    return Finding(measured, CONFIRMED)


def answer_d3(evidence: Evidence, row: ClaimRow) -> Finding:
    blocks = (" ", "\n\n", " \t\n ", "\u3000")
    old = [len(evidence.split(OLD, block, DEFAULT_LIMIT)) for block in blocks]
    new = [len(TextSegmenter(DEFAULT_LIMIT).split(block)) for block in blocks]
    measured = f"segments of {len(blocks)} such blocks: {old} before, {new} now"
    return Finding(measured, CONFIRMED if not any(old) and set(new) == {1} else REFUTED)


def answer_d4(evidence: Evidence, row: ClaimRow) -> Finding:
    found = evidence.shard.migration
    return Finding(
        f"were events stored again, of {found.after:,} new segments {found.same / found.after:.1%} "
        f"would be as stored, {found.edges / found.after:.1%} differ at the edges alone and "
        f"{found.moved / found.after:.1%} lie elsewhere: {found.changed:.1%} to embed again, "
        f"{found.changed_stripped:.1%} if segments are stripped first; "
        f"{_refind(evidence, str, 'segments')}",
        f"{UNMEASURED}: it speaks of a store, which is not run here",
    )


def _refind(evidence: Evidence, embed: Callable[[str], str], what: str) -> str:
    """Whether what is found changes, or why that was not measured."""
    try:
        found = evidence.refind(embed)
    except MeasurementError as error:
        return f"whether what is found changes was not measured: {error}"
    return (
        f"found by BM25 in an index of the new {what} instead of the old, within {BUDGET:,} code "
        f"points, change of recall without whitespace (95 % interval): "
        f"{'; '.join(map(str, found))}"
    )


ANSWERS: Mapping[str, Callable[[Evidence, ClaimRow], Finding]] = {
    "F1": answer_f1,
    "F2": answer_f2,
    "F3": answer_f3,
    "F4": answer_f4,
    "U1": answer_u1,
    "U2": answer_u2,
    "U3": answer_u3,
    "U4": answer_u4,
    "U5": answer_u5,
    "A1": answer_a1,
    "A2": answer_a2,
    "M1": answer_m1,
    "M2": answer_m2,
    "M3": answer_m3,
    "M4": answer_m4,
    "D1": answer_d1,
    "D2": answer_d2,
    "D3": answer_d3,
    "D4": answer_d4,
}
"""What answers each claim. All may raise MeasurementError and SplitterError."""
