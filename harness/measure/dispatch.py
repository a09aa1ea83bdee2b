"""Hands tasks to an executor, and gives their results in order, whoever dies meanwhile.

A bounded number of tasks is out at once. A task whose process died is handed out again, one that
died of it twice is cut down, until what kills is named: one document, and one workload. That alone
is set aside.
"""

from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass, replace
from typing import TypeVar

from harness.measure.shards import ShardTask, check_shard, list_ids
from harness.measure.tally import ShardResult
from harness.results.journal import Journal, JournalPlace, ResumeError
from harness.results.model import SET_ASIDE, Failure
from harness.runner.details import name_document
from harness.runner.pool import SplitterPool

_TRIES = 2

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Dispatcher:
    """Hands out tasks, ``in_flight`` at once; ``journal``, if there is one, keeps what they gave.

    A future of the executor raises BrokenExecutor if the process that had its task died.
    """

    executor: Executor
    pool: SplitterPool
    in_flight: int
    journal: Journal[ShardResult] | None = None

    def check(
        self, corpus: str, stage: JournalPlace, tasks: Iterable[ShardTask]
    ) -> Generator[tuple[ShardTask, ShardResult], None, None]:
        """What each task on a corpus gives, in their order; they are taken when there is room.

        ``stage`` tells these tasks from others of the same journal. Raises ResumeError if the
        journal holds results of other texts.
        """
        numbered = enumerate(tasks)
        out: dict[int, ShardTask] = {}
        done: dict[int, ShardResult] = {}
        waiting: dict[Future[ShardResult], int] = {}
        first = 0
        try:
            while True:
                while len(out) < self.in_flight and (following := next(numbered, None)):
                    number, task = following
                    out[number] = task
                    kept = self._find(corpus, (*stage, number), task)
                    if kept is None:
                        future = self.executor.submit(check_shard, task, self.pool)
                        waiting[future] = number
                    else:
                        done[number] = kept
                if not out:
                    return
                if first not in done:
                    for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                        number = waiting.pop(future)
                        done[number] = self._conclude(out[number], future)
                        if self.journal is not None:
                            identity = out[number].shard.identity
                            self.journal.append((*stage, number), identity, done[number])
                while first in done:
                    yield out.pop(first), done.pop(first)
                    first += 1
        finally:
            for future in waiting:
                future.cancel()

    def _find(self, corpus: str, place: JournalPlace, task: ShardTask) -> ShardResult | None:
        kept = self.journal.find(place) if self.journal is not None else None
        if kept is None:
            return None
        identity, result = kept
        if identity != task.shard.identity:
            raise ResumeError(
                f"the texts of {corpus} are not those of before the interruption; "
                "check them again with --overwrite"
            )
        return result

    def _conclude(self, task: ShardTask, future: Future[ShardResult]) -> ShardResult:
        try:
            return future.result()
        except BrokenExecutor:
            again = self._try(check_shard, task, self.pool, tries=_TRIES - 1)
        return again or self._narrow(task, self._try(list_ids, task.shard))

    def _try(self, function: Callable[..., _T], *args: object, tries: int = _TRIES) -> _T | None:
        """What the function gives in a process of the executor; None if each that tried it died."""
        for _ in range(tries):
            try:
                return self.executor.submit(function, *args).result()
            except BrokenExecutor:
                continue
        return None

    def _narrow(self, task: ShardTask, ids: Sequence[str] | None) -> ShardResult:
        """Check the halves of a task that kills; ``ids`` are None if reading them does."""
        if not ids:
            return _set_aside(task, f"the documents of {task.shard.parts[0].url}")
        task = replace(task, stop=len(ids) if task.stop is None else task.stop)
        halves = _halve(task)
        result = ShardResult()
        for half in halves:
            checked = self._try(check_shard, half, self.pool)
            result.merge(checked or self._narrow(half, ids))
            if not checked and not half.workloads:  # the document is counted for no workload
                result.merge(_set_aside(task, f"document {name_document(ids[task.start])}"))
        if not halves:
            return _set_aside(task, f"document {name_document(ids[task.start])}")
        return result


def _halve(task: ShardTask) -> list[ShardTask]:
    """Two tasks that are this one together; none if it is all of one kind, of one document.

    What is counted once per corpus is a kind, and so is each workload.
    """
    assert task.stop is not None
    middle = (task.start + task.stop) // 2
    if middle > task.start:
        return [replace(task, stop=middle), replace(task, start=middle)]
    workloads = list(task.workloads.items())
    if task.limits and workloads:
        return [replace(task, workloads={}), replace(task, limits=())]
    half = len(workloads) // 2
    if not half:
        return []
    return [replace(task, workloads=dict(part)) for part in (workloads[:half], workloads[half:])]


def _set_aside(task: ShardTask, what: str) -> ShardResult:
    why = f"{what}: the process that checked it died {_TRIES} times; memory may have run out"
    return ShardResult(set_aside=[Failure(each, SET_ASIDE, why) for each in task.workloads])
