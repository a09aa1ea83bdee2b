"""Check: what is counted, that shards change nothing, and that failure never looks like success."""

import hashlib
import os
import re
import signal
import statistics
import struct
import subprocess
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.document import Corpus, CorpusError, Document
from harness.measure.check import SPLITTERS_AT_ONCE, CheckResult, check_corpora
from harness.measure.spooling import spool_corpora
from harness.measure.tally import find_median, find_uncovered
from harness.results.errors import MeasurementError
from harness.results.model import (
    BoundaryCount,
    Count,
    Example,
    Unavoidable,
    Violation,
    ViolationCount,
    Workload,
)
from harness.runner.executor import open_process_pool
from harness.runner.pool import SplitterPool
from harness.runner.process import SPLITTER_TIMEOUT
from harness.splitters.registry import Splitter, load_splitter
from segmenter import loss
from segmenter.loss import Loss
from segmenter.rules import RULES
from tests.harness.inline import InlineExecutor

HERE = Path(__file__).parents[1]
TEXTS = ["One two. Three\n\n  four five six.", "", " \n ", "seven\u3000eight", "x" * 50]


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(HERE)


def make_corpus(texts: list[str], name: str = "corpus") -> Corpus:
    documents = [Document(f"document {i}", text) for i, text in enumerate(texts)]
    return Corpus(name, lambda: iter(documents))


def local(name: str) -> Splitter:
    return Splitter(name, f"failing_splitters:{name}")


def without_line(detail: str) -> str:
    """Where in its file a splitter raised is tested elsewhere."""
    return re.sub(r"\.py:\d+\)", ".py:LINE)", detail)


def check_with(
    executor: Executor,
    corpora: list[Corpus],
    *args: Any,
    timeout: float = SPLITTER_TIMEOUT,
    **kwargs: Any,
) -> CheckResult:
    with spool_corpora(corpora) as spooled, SplitterPool(timeout=timeout) as pool:
        return check_corpora(spooled, *args, executor=executor, pool=pool, **kwargs)


def check_inline(*args: Any, **kwargs: Any) -> CheckResult:
    return check_with(InlineExecutor(), *args, **kwargs)


def test_ids_are_bounded_in_every_record_and_still_differ() -> None:
    """A data set's column of ids may hold whole texts: each example repeated one."""
    long = "x" * 1_000_000
    documents = [Document(f"{long}{last}", "One.  Two.") for last in ("a", "b")]
    result = check_inline(
        [Corpus("corpus", lambda: iter(documents))], [local("raising"), local("slices")], [5]
    )
    named = {example.violation.document for example in result.examples}
    assert len(named) == 2
    assert max(map(len, named)) == 300
    assert all(name.startswith("x" * 100) for name in named)
    assert max(len(failure.detail) for failure in result.failures) < 1000


def test_counts_are_those_of_the_segments() -> None:
    (count,) = check_inline([make_corpus(TEXTS)], [local("slices")], [20]).counts
    assert count == Count(
        Workload("corpus", "slices", 20),
        documents=5,
        code_points=32 + 0 + 3 + 11 + 50,
        segments=7,
        shortest=3,
        median=statistics.median([20, 12, 3, 11, 20, 20, 10]),
        longest=20,
        digest=digest_independently(TEXTS, 20),
        lost_whitespace=0,
        lost_content=0,
        added_whitespace=0,
        added_content=0,
    )


def digest_independently(texts: list[str], limit: int) -> str:
    digests = b""
    for number, text in enumerate(texts):
        name = f"document {number}".encode()
        segments = [text[i : i + limit] for i in range(0, len(text), limit)]
        numbers = [len(name), len(segments), *map(len, segments)]
        packed = struct.pack(f"<{len(numbers)}Q", *numbers)
        digests += hashlib.sha256(packed + name + text.encode()).digest()
    return hashlib.sha256(digests).hexdigest()


def test_every_rule_has_a_row_and_an_example_shows_the_place() -> None:
    result = check_inline([make_corpus(TEXTS)], [local("slices")], [5])
    workload = Workload("corpus", "slices", 5)
    broken = {"cut-after-last-newline", "run-without-newline"}
    assert result.violations == [
        ViolationCount(workload, rule, int(rule in broken), 0) for rule in RULES
    ]
    violation = Violation(
        "cut-after-last-newline",
        "document 0",
        15,
        False,
        "run 14-18 cut at 15; expected: at 16, after its last newline",
    )
    example = Example(workload, violation, "One two. Three\n", "\n  four five six.")
    assert result.examples[0] == example
    assert (result.examples[1].before, result.examples[1].after) == ("seven", "\u3000eight")


def test_examples_are_few_short_and_show_faults_before_what_is_unavoidable() -> None:
    long = "a" * 61 + " " * 12 + "b" * 60  # the last "a" and the spaces do not fit
    result = check_inline([make_corpus([long] * 30)], [load_splitter("segmenter")], [10])
    assert {row.rule: (row.count, row.unavoidable) for row in result.violations if row.count} == {
        "too-long-run": (30, 30)
    }
    sizes = [
        len(each.violation.document + each.violation.detail + each.before + each.after)
        for each in result.examples
    ]
    assert sum(sizes[:-1]) < 500 <= sum(sizes)
    assert [example.violation.document for example in result.examples] == [
        f"document {i}" for i in range(len(sizes))
    ]
    assert {(len(example.before), len(example.after)) for example in result.examples} == {(40, 40)}

    # Slices of 10 cut such a unit from its start only where it starts at a multiple of 10.
    texts = [*[long] * 30, long[1:]]
    result = check_inline([make_corpus(texts)], [local("slices")], [10])
    examples = [e.violation for e in result.examples if e.violation.rule == "too-long-run"]
    assert [violation.unavoidable for violation in examples[:2]] == [False, True]
    assert len(examples) < 10


def test_a_splitter_that_strips_loses_what_it_strips() -> None:
    result = check_inline([make_corpus(["  a b \n", "c"])], [load_splitter("langchain")], [500])
    (count,) = result.counts
    assert (count.lost_whitespace, count.lost_content) == (4, 0)
    assert (count.added_whitespace, count.added_content, count.inexact) == (0, 0, 0)
    assert {row.rule: row.count for row in result.violations if row.count} == {"join": 1}


@pytest.mark.parametrize("shard_size", [1, 300, 10**6])
def test_shards_and_their_order_of_work_change_nothing(shard_size: int) -> None:
    texts = [f"{' ' * i}Sentence {i}. {'word ' * i}\n\n   end{' ' * 30}." for i in range(40)]
    arguments = (
        [make_corpus(texts), make_corpus(texts[:3], "few")],
        [load_splitter("segmenter"), *map(local, ["slices", "stripping", "raising"])],
        [10, 30],
    )
    expected = check_inline(*arguments, shard_size=777)
    assert len(expected.counts) == 12
    assert len(expected.failures) == 4
    assert any(row.unavoidable for row in expected.violations)
    with ThreadPoolExecutor(2) as executor:
        assert check_with(executor, *arguments, shard_size=shard_size) == expected


@pytest.mark.parametrize(
    ("name", "status", "detail"),
    [
        (
            "raising",
            "raised",
            "LookupError: no such thing (failing_splitters.py:LINE), in 'document 0'",
        ),
        ("exiting", "raised", "SystemExit: 0 (failing_splitters.py:LINE), in 'document 0'"),
        (
            "of_bytes",
            "invalid",
            "it gave no list of strings but a list with bytes, in 'document 0'",
        ),
        ("of_one_string", "invalid", "it gave no list of strings but str, in 'document 0'"),
        (
            "raising_at_load",
            "raised",
            "ValueError: no such limit (failing_splitters.py:LINE), when it was loaded",
        ),
        ("unloadable", "unavailable", "ModuleNotFoundError: No module named"),
        ("killed", "failed", "its process was ended by signal 9 (Killed), in 'document 0'"),
        ("vanishing", "failed", "its process ended with status 7: patience, in 'document 0'"),
        ("hanging", "timed out", "gave no segments within 3 seconds, in 'document 0'"),
        ("hanging_at_load", "timed out", "did not load within 3 seconds"),
        ("changing", "changed", "a second call did not give the same segments, in 'document 0'"),
        ("growing", "changed", "a second call did not give the same segments, in 'document 0'"),
        (
            "raising_later",
            "changed",
            "a second call raised LookupError (failing_splitters.py:LINE), in 'document 0'",
        ),
    ],
)
def test_a_splitter_that_fails_has_a_failure_and_nothing_else(
    name: str, status: str, detail: str
) -> None:
    splitters = [local(name), local("slices")]
    before = set(psutil.Process().children(recursive=True))
    result = check_inline([make_corpus(TEXTS)], splitters, [5], shard_size=1, timeout=3)
    assert set(psutil.Process().children(recursive=True)) == before
    (failure,) = result.failures
    assert (failure.workload, failure.status) == (Workload("corpus", name, 5), status)
    assert without_line(failure.detail).startswith(detail)
    assert {count.workload.splitter for count in result.counts} == {"slices"}
    assert {row.workload.splitter for row in result.violations} == {"slices"}
    assert {example.workload.splitter for example in result.examples} == {"slices"}


def test_a_splitter_that_failed_splits_no_more(tmp_path: Path) -> None:
    log = tmp_path / "log"
    choking = Splitter("choking", "failing_splitters:choking", {"path": str(log)})
    corpus = make_corpus([str(i) for i in range(50)])
    result = check_inline([corpus], [choking], [5], shard_size=1)
    assert [without_line(failure.detail) for failure in result.failures] == [
        "RecursionError (failing_splitters.py:LINE), in 'document 2'"
    ]
    assert result.counts == result.violations == result.examples == []
    assert len(log.read_text().split()) < 50  # each is split twice


def test_more_splitters_than_are_kept_alive_are_checked_in_groups() -> None:
    splitters = [
        Splitter(f"slices {n}", "failing_splitters:slices") for n in range(SPLITTERS_AT_ONCE + 1)
    ]
    done: Counter[str] = Counter()
    result = check_inline(
        [make_corpus(TEXTS), make_corpus(["a"], "few")],
        splitters,
        [5, 6],
        progress=lambda splitter, code_points: done.update({splitter: code_points}),
    )
    assert [count.workload for count in result.counts] == [
        Workload(corpus, splitter.name, limit)
        for corpus in ("corpus", "few")
        for splitter in splitters
        for limit in (5, 6)
    ]
    assert {c.documents for c in result.counts if c.workload.corpus == "corpus"} == {len(TEXTS)}
    assert done == {splitter.name: len("".join(TEXTS)) + 1 for splitter in splitters}


def test_boundaries_are_counted_where_they_touch_whitespace() -> None:
    result = check_inline([make_corpus(["ab cd  ef\n gh"])], [local("slices")], [3])
    (boundaries,) = result.boundaries  # "ab ", "cd ", " ef", "\n g", "h": at 3, 6, 9 and 12
    assert boundaries == BoundaryCount(Workload("corpus", "slices", 3), 4, 3, 0, 2)


def test_rules_that_are_not_applicable_are_not_asked() -> None:
    reasons = {"join": "its segments overlap", "fits": "it counts otherwise"}
    overlapping = Splitter("o", "failing_splitters:overlapping", not_applicable=reasons)
    result = check_inline([make_corpus(["abcdefg", "  \n"])], [overlapping], [5])
    (count,) = result.counts
    assert (count.segments, count.lost_whitespace, count.lost_content) == (4, 0, 0)
    assert result.boundaries == []
    assert [row.rule for row in result.violations] == [r for r in RULES if r not in reasons]


@pytest.mark.parametrize(
    ("text", "segments", "lost", "added"),
    [
        ("abcdef", ["abc", "bcd", "f"], 1, 0),
        ("aaaa", ["aa", "aa", "aa"], 0, 0),
        ("abcabcabcab", ["abcabca", "cabcab"], 0, 0),
        ("abc", ["x", "bc", "ab"], 1, 3),
        ("", [], 0, 0),
    ],
)
def test_what_overlapping_segments_cover(
    text: str, segments: list[str], lost: int, added: int
) -> None:
    found = find_uncovered(text, segments)
    assert (found.lost, found.added) == (lost, added)
    assert found.exact


def test_what_no_overlapping_segment_covers_is_told_by_kind() -> None:
    found = find_uncovered("a b  c d\n", ["a b", "b", "x y", "d"])
    assert found == Loss(4, 1, 1, 2)


def test_lost_and_added_are_exact_whatever_a_splitter_does_to_its_segments() -> None:
    """A blank more in most segments loses nothing; a word less, and another one, are counted."""
    sentences = [f"Sentence number {n} of some, with  words.\n" for n in range(200)]
    text = "".join(sentences)
    widening = Splitter("widening", "failing_splitters:widening")
    rewriting = Splitter("rewriting", "failing_splitters:rewriting")
    result = check_inline([make_corpus([text])], [widening, rewriting], [50])
    losses = [
        (c.lost_whitespace, c.lost_content, c.added_whitespace, c.added_content, c.inexact)
        for c in result.counts
    ]
    assert losses == [(0, 0, 200, 0, 0), (200, 5, 0, 2, 0)]


def test_what_cannot_be_compared_exactly_is_marked_as_a_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(loss, "MOST_EDITS", 0)
    monkeypatch.setattr(loss, "MOST_PAIRS", 0)
    rewriting = Splitter("rewriting", "failing_splitters:rewriting")
    texts = ["Sentence number 7 of some.\n", "Sentence.\n"]
    (count,) = check_inline([make_corpus(texts)], [rewriting], [50]).counts
    assert (count.lost_content, count.inexact) == (5, 1)


def test_unavoidable_boundaries_are_counted_once_for_each_corpus_and_limit() -> None:
    texts = ["a" + " " * 12 + "b", " " * 11, "x y"]
    splitters = [
        local("slices"),
        *(Splitter(f"s{n}", "failing_splitters:slices") for n in range(8)),
    ]
    result = check_inline([make_corpus(texts), make_corpus(["a"], "few")], splitters, [5, 20])
    assert result.unavoidable == [
        Unavoidable("corpus", 5, 2 + 2),
        Unavoidable("corpus", 20, 0),
        Unavoidable("few", 5, 0),
        Unavoidable("few", 20, 0),
    ]
    (alone,) = {
        row.whitespace_segments
        for row in check_inline([make_corpus(texts)], [load_splitter("segmenter")], [5]).boundaries
    }
    assert alone == 2 + 3  # of whitespace alone, the first segment too


def test_a_corpus_without_text_is_refused() -> None:
    with pytest.raises(MeasurementError, match="corpus corpus has no text"):
        check_inline([make_corpus(["", ""])], [local("slices")], [5])
    with pytest.raises(CorpusError):
        check_inline([make_corpus([])], [local("slices")], [5])


def test_nothing_to_check_is_refused() -> None:
    for arguments in (
        ([], [local("slices")], [5]),
        ([make_corpus(TEXTS)], [], [5]),
        ([make_corpus(TEXTS)], [local("slices")], []),
    ):
        with pytest.raises(MeasurementError, match="nothing to check"):
            check_inline(*arguments)
    with pytest.raises(MeasurementError, match="the same name"):
        check_inline([make_corpus(TEXTS), make_corpus(["a"])], [local("slices")], [5])
    for name in ("", "a\nb", "a "):
        with pytest.raises(MeasurementError, match="is not a name for a corpus"):
            check_inline([make_corpus(TEXTS, name)], [local("slices")], [5])


def test_a_corpus_that_cannot_be_read_is_an_error() -> None:
    def read() -> Iterator[Document]:
        yield Document("first", "text")
        raise CorpusError("the rest is not readable")

    with pytest.raises(CorpusError, match="the rest"):
        check_inline([Corpus("corpus", read)], [local("slices")], [5], shard_size=1)


def test_documents_are_read_no_further_than_is_worked_on() -> None:
    in_flight = most = 0

    class LateExecutor(InlineExecutor):
        """Works when all that may be handed out is."""

        def __init__(self) -> None:
            self.waiting: list[tuple[Future[Any], Callable[[], Any]]] = []

        def submit(self, task: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            nonlocal in_flight
            future: Future[Any] = Future()
            self.waiting.append((future, lambda: task(*args, **kwargs)))
            if len(self.waiting) == 16:
                for late, work in self.waiting:
                    late.set_result(work())
                in_flight -= len(self.waiting)
                self.waiting.clear()
            return future

    def read() -> Iterator[Document]:
        nonlocal in_flight, most
        for i in range(160):
            in_flight += 1
            most = max(most, in_flight)
            yield Document(str(i), "text")

    done: list[int] = []
    result = check_with(
        LateExecutor(),
        [Corpus("corpus", read)],
        [local("slices")],
        [5],
        shard_size=1,
        progress=lambda _, code_points: done.append(code_points),
    )
    assert result.counts[0].documents == len(done) == 160
    assert sum(done) == 160 * len("text")
    assert most == 17  # one more tells that a shard is full


def test_processes_give_what_this_process_gives() -> None:
    splitters = [*map(load_splitter, ["segmenter"]), *map(local, ["slices", "raising"])]
    arguments = ([make_corpus([*TEXTS, "\ud800 \udfff"])], splitters, [5])
    with open_process_pool(2) as executor:
        found = check_with(executor, *arguments, shard_size=20)
    assert found == check_inline(*arguments)
    assert len(found.counts) == 2


def test_a_process_that_dies_before_the_check_is_replaced() -> None:
    arguments = ([make_corpus(TEXTS)], [local("slices")], [5])
    with open_process_pool(1) as executor:
        executor.submit(os._exit, 9)
        assert check_with(executor, *arguments, shard_size=1) == check_inline(*arguments)


def test_an_exception_ends_the_processes_whatever_they_do() -> None:
    def work() -> None:
        with open_process_pool(1) as executor:
            executor.submit(time.sleep, 600)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="this system has no process groups")
def test_an_interrupt_is_the_parents_to_handle(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        textwrap.dedent("""
            from concurrent.futures import wait
            from corpora.document import Corpus, Document
            from harness.measure.check import check_corpora
            from harness.measure.spooling import spool_corpora
            from harness.runner.executor import open_process_pool
            from harness.runner.pool import SplitterPool
            from harness.splitters.registry import Splitter

            if __name__ == "__main__":
                corpus = Corpus("corpus", lambda: iter([Document("0", "text")]))
                try:
                    with (
                        spool_corpora([corpus]) as corpora,
                        SplitterPool() as pool,
                        open_process_pool(2) as executor,
                    ):
                        wait([executor.submit(int)])
                        print("ready", flush=True)
                        splitter = Splitter("hanging", "failing_splitters:hanging_at_load")
                        check_corpora(corpora, [splitter], [5], pool=pool, executor=executor)
                except KeyboardInterrupt:
                    print("interrupted", flush=True)
        """)
    )
    paths = os.pathsep.join([str(HERE), str(HERE.parents[1])])
    with subprocess.Popen(
        [sys.executable, program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": paths},
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline().strip() == b"ready"
        children = psutil.Process(parent.pid).children(recursive=True)
        os.killpg(parent.pid, signal.SIGINT)
        said, complaints = parent.communicate(timeout=60)
    assert (said.strip(), complaints, parent.returncode) == (b"interrupted", b"", 0)
    assert children
    _, alive = psutil.wait_procs(children, timeout=60)
    assert not alive


def test_shards_keep_the_order_and_bound_the_size() -> None:
    lengths = [3, 3, 3, 50, 0, 0, 2, 9, 1]
    documents = [Document(str(i), "x" * length) for i, length in enumerate(lengths)]
    with spool_corpora([Corpus("corpus", lambda: iter(documents))]) as (spooled,):
        shards = [list(shard.read()) for shard in spooled.shards(10)]
        assert shards == [list(shard.read()) for shard in spooled.shards(10)]
        assert [*spooled] == documents
        assert spooled.documents == len(documents)
    assert [[len(document.text) for document in shard] for shard in shards] == [
        [3, 3],
        [3],
        [50],
        [0, 0, 2],
        [9],
        [1],
    ]
    assert [document for shard in shards for document in shard] == documents


@settings(derandomize=True, deadline=None)
@given(st.dictionaries(st.integers(1, 9), st.integers(1, 5)))
def test_the_median_is_that_of_the_numbers(occurrences: dict[int, int]) -> None:
    numbers = [number for number, times in occurrences.items() for _ in range(times)]
    assert find_median(occurrences) == (statistics.median(numbers) if numbers else 0)
