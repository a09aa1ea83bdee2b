"""Shards in whatever order, cut anywhere, and processes that die: the result is the same."""

import os
import random
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import psutil
import pytest

from corpora.document import Corpus, CorpusError, Document
from harness.measure.check import CheckResult, check_corpora
from harness.measure.dispatch import Dispatcher
from harness.measure.shards import ShardTask
from harness.measure.spooling import PartedCorpus, spool_corpora
from harness.results.errors import MeasurementError
from harness.results.model import Workload
from harness.runner.executor import open_process_pool
from harness.runner.pool import SplitterPool
from harness.splitters.registry import Splitter, load_splitter
from tests.harness.inline import InlineExecutor
from tests.harness.parts import DeadlyReasons, ListedPart, make_parted

HERE = Path(__file__).parents[1]
TEXTS = [f"{' ' * (i % 7)}Sentence {i}. {'word ' * i}\n\n   end{' ' * 30}." for i in range(40)]
DOCUMENTS = [Document(f"document {i}", text) for i, text in enumerate(TEXTS)]
LIMITS = [10, 30]


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(HERE)


def local(name: str, **options: object) -> Splitter:
    return Splitter(name, f"failing_splitters:{name}", options)


SPLITTERS = [load_splitter("segmenter"), *map(local, ["slices", "stripping", "raising"])]


def check_parts(
    parts: Sequence[ListedPart],
    executor: Executor,
    splitters: Sequence[Splitter] = SPLITTERS,
    **options: Any,
) -> CheckResult:
    corpus = PartedCorpus(make_parted("corpus", parts))
    with SplitterPool() as pool:
        return check_corpora([corpus], splitters, LIMITS, pool=pool, executor=executor, **options)


def cut(*lengths: int) -> list[ListedPart]:
    """The documents in parts of so many documents, the rest in another one."""
    parts = []
    start = 0
    for length in (*lengths, len(DOCUMENTS)):
        parts.append(ListedPart(tuple(DOCUMENTS[start : start + length])))
        start += length
    return parts


@pytest.fixture(scope="module")
def expected() -> CheckResult:
    """What one process gives that reads the documents one after the other, in one shard."""
    with pytest.MonkeyPatch.context() as patch, SplitterPool() as pool:
        patch.syspath_prepend(HERE)
        with spool_corpora([Corpus("corpus", lambda: iter(DOCUMENTS))]) as corpora:
            result = check_corpora(corpora, SPLITTERS, LIMITS, pool=pool, executor=InlineExecutor())
    assert [count.documents for count in result.counts] == [len(DOCUMENTS)] * 6
    assert [failure.workload.splitter for failure in result.failures] == ["raising"] * 2
    assert result.examples
    return result


class ShufflingExecutor(Executor):
    """Does what waits in another order than it was asked to."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._waiting: list[tuple[Future[Any], Callable[[], Any]]] = []
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self.order: list[int] = []
        self._submitted = 0
        self._thread.start()

    def submit(self, task: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        number = self._submitted
        self._submitted += 1

        def work() -> Any:
            self.order.append(number)
            return task(*args, **kwargs)

        self._waiting.append((future, work))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._done.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._done.is_set():
            time.sleep(0.01)  # several are submitted meanwhile
            if self._waiting:
                future, work = self._waiting.pop(self._random.randrange(len(self._waiting)))
                try:
                    future.set_result(work())
                except Exception as error:  # noqa: BLE001 - the future has it
                    future.set_exception(error)


@pytest.mark.parametrize(("seed", "shard_size"), [(1, 1), (2, 300), (3, 2_000), (4, 10**6)])
def test_the_order_of_work_and_the_size_of_shards_change_nothing(
    seed: int, shard_size: int, expected: CheckResult
) -> None:
    corpus = Corpus("corpus", lambda: iter(DOCUMENTS))
    with (
        spool_corpora([corpus]) as corpora,
        SplitterPool() as pool,
        ShufflingExecutor(seed) as executor,
    ):
        found = check_corpora(
            corpora, SPLITTERS, LIMITS, pool=pool, executor=executor, shard_size=shard_size
        )
    assert found == expected
    if shard_size < 2_000:
        assert executor.order != sorted(executor.order)


@pytest.mark.parametrize("lengths", [(), (1, 1, 1), (0, 13, 0, 13), tuple([1] * 40)])
def test_where_a_corpus_is_cut_changes_nothing(
    lengths: tuple[int, ...], expected: CheckResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does how much of a part is held at once."""
    monkeypatch.setattr("harness.measure.shards.SHARD_SIZE", 500)
    assert check_parts(cut(*lengths), InlineExecutor(), shard_size=400) == expected


def test_parts_without_a_document_are_an_empty_corpus() -> None:
    with pytest.raises(CorpusError, match="corpus holds no document"):
        check_parts([ListedPart(()), ListedPart(())], InlineExecutor())


def test_a_process_that_dies_costs_nothing(tmp_path: Path, expected: CheckResult) -> None:
    """The one that reads the third part dies once; so does the one that tries it again."""
    first, second, third, *others = cut(10, 10, 10)
    for deaths in (1, 2):
        marks = tmp_path / str(deaths)
        marks.mkdir()
        deadly = ListedPart(third.documents, marks, deaths)
        with open_process_pool(2) as executor:
            found = check_parts([first, second, deadly, *others], executor, shard_size=1)
        assert found == expected
        assert len(list(marks.iterdir())) == deaths


def test_a_process_that_is_killed_costs_nothing() -> None:
    splitters = [local("slow"), local("slices")]
    parts = cut(*[4] * 9)
    killed = []

    def kill(*_: object) -> None:
        """When the first shard is done, so others are being checked."""
        if not killed:
            processes = [
                child
                for child in psutil.Process().children()
                if "spawn_main" in " ".join(child.cmdline())
            ]
            processes[0].kill()
            killed.append(processes[0])

    with open_process_pool(2) as executor:
        found = check_parts(parts, executor, splitters, progress=kill, shard_size=1)
    assert killed
    assert found == check_parts(parts, InlineExecutor(), splitters)
    assert found.failures == []


def test_a_document_that_kills_is_set_aside_and_named_and_the_rest_is_checked() -> None:
    deadly = DOCUMENTS[13].id
    parts = [ListedPart(tuple(DOCUMENTS[:20]), deadly=frozenset({deadly})), *cut(20)[1:]]
    rest = [ListedPart(tuple(each for each in DOCUMENTS if each.id != deadly))]
    splitters = [load_splitter("segmenter"), local("slices")]
    with open_process_pool(2) as executor:
        found = check_parts(parts, executor, splitters, shard_size=10**6)
    workloads = [Workload("corpus", each.name, limit) for each in splitters for limit in LIMITS]
    assert [(failure.workload, failure.status) for failure in found.failures] == [
        (workload, "set aside") for workload in workloads
    ]
    assert {failure.detail for failure in found.failures} == {
        "document 'document 13': the process that checked it died 2 times; memory may have run out"
    }
    expected = check_parts(rest, InlineExecutor(), splitters)
    assert found.counts == expected.counts
    assert found.violations == expected.violations
    assert found.examples == expected.examples
    assert found.unavoidable == expected.unavoidable


def test_only_the_splitter_that_kills_is_set_aside() -> None:
    parts = [ListedPart(tuple(DOCUMENTS[:2]))]
    deadly = Splitter("deadly", "failing_splitters:slices", not_applicable=DeadlyReasons(a="b"))
    with open_process_pool(1) as executor, SplitterPool() as pool:
        corpus = PartedCorpus(make_parted("corpus", parts))
        found = list(
            Dispatcher(executor, pool, in_flight=1).check(
                "corpus",
                (0,),
                [
                    ShardTask(
                        next(corpus.shards()),
                        {
                            Workload("corpus", each.name, 10): each
                            for each in (deadly, local("slices"))
                        },
                        [10],
                    )
                ],
            )
        )
    ((_, result),) = found
    assert [(tally.workload.splitter, tally.documents) for tally in result.tallies] == [
        ("slices", 2)
    ]
    assert [(each.workload.splitter, each.detail[:21]) for each in result.set_aside] == [
        ("deadly", f"document {each.id!r}"[:21]) for each in DOCUMENTS[:2]
    ]
    assert (result.documents, result.failures) == (2, [])


def test_a_part_that_nobody_can_read_is_set_aside_by_its_place(tmp_path: Path) -> None:
    first, second = cut(20)
    deadly = ListedPart(second.documents, tmp_path, deaths=100, url="memory://deadly")
    with open_process_pool(1) as executor:
        found = check_parts([first, deadly], executor, [local("slices")], shard_size=1)
    assert [failure.detail.partition(":")[0] for failure in found.failures] == [
        "the documents of memory"
    ] * 2
    assert [count.documents for count in found.counts] == [20, 20]
    with (
        open_process_pool(1) as executor,
        pytest.raises(MeasurementError, match="nothing of corpus corpus was checked; the doc"),
    ):
        check_parts([deadly], executor, [local("slices")])


def test_processes_that_cannot_start_are_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_process_pool(1) as executor:
        executor.submit(int).result()
        monkeypatch.setattr("harness.runner.executor._prepare_process", die)
        with pytest.raises(OSError, match="ends as soon as it starts"):
            check_parts([ListedPart((), tmp_path, 10**6)], executor, [local("slices")])


def die(_: str) -> None:
    os._exit(9)
