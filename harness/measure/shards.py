"""Checks a shard, in a process of the executor, in which each splitter has one of its own."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from corpora.document import Document
from harness.measure.cuts import Structure, count_line_ends, find_structure, guess_separators
from harness.measure.spooling import SHARD_SIZE, Shard, digest_text
from harness.measure.tally import ShardResult, Tally
from harness.results.model import Failure, Workload
from harness.runner.pool import SplitterPool, open_folder
from harness.runner.process import TIMED_OUT, SplitterError
from harness.runner.spool import write_spool
from harness.splitters.registry import Splitter
from segmenter.rules import count_unavoidable

_TWICE = 16  # of 256 documents, beside the first of a corpus


@dataclass(frozen=True, slots=True)
class ShardTask:
    """Workloads of one corpus on some of its documents.

    ``first`` tells whether the shard is the corpus's first. Unavoidable boundaries are counted at
    ``limits``; without any, nothing is that is counted once per corpus. Of the shard, the documents
    from number ``start`` on are checked, up to ``stop`` or all.
    """

    shard: Shard
    workloads: Mapping[Workload, Splitter]
    limits: Sequence[int] = ()
    first: bool = False
    start: int = 0
    stop: int | None = None


def check_shard(task: ShardTask, pool: SplitterPool) -> ShardResult:
    """Check the documents of a task; no more are held than SHARD_SIZE code points, or one.

    Raises CorpusError where they cannot be read, StorageError where the machine has no room.
    """
    result = ShardResult()
    twice = 0 if task.first and not task.start else None  # the corpus's first document, if any
    for documents in _batch(islice(task.shard.read(), task.start, task.stop)):
        again = [n for n, each in enumerate(documents) if n == twice or _is_chosen(each)]
        twice = None
        failed = result.failed
        workloads = {each: task.workloads[each] for each in task.workloads if each not in failed}
        result.merge(_check_batch(documents, workloads, again, task.limits, pool))
    return result


def list_ids(shard: Shard) -> list[str]:
    """The ids of a shard's documents."""
    return [document.id for document in shard.read()]


def _batch(documents: Iterable[Document]) -> Iterator[list[Document]]:
    batch: list[Document] = []
    held = 0
    for document in documents:
        if batch and held + len(document.text) + 1 > SHARD_SIZE:
            yield batch
            batch, held = [], 0
        batch.append(document)
        held += len(document.text) + 1
    if batch:
        yield batch


def _is_chosen(document: Document) -> bool:
    """Whether a document is split twice: its id alone decides, not what is checked with it."""
    name = document.id.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(name, digest_size=1, person=b"twice").digest()[0] < _TWICE


def _check_batch(
    documents: Sequence[Document],
    workloads: Mapping[Workload, Splitter],
    again: Sequence[int],
    limits: Sequence[int],
    pool: SplitterPool,
) -> ShardResult:
    result = ShardResult()
    if limits:
        result.documents = len(documents)
        for document in documents:
            result.code_points += len(document.text)
            result.texts += digest_text(document)
            result.line_ends.update(count_line_ends(document.text))
            result.fitting[guess_separators(document)] += len(document.text)
            for limit in limits:
                result.unavoidable[limit] += count_unavoidable(document.text, limit)
    structures = list(map(find_structure, documents))
    with open_folder() as folder:
        write_spool(folder / "spool", ((each.id, each.text) for each in documents))
        for workload, splitter in workloads.items():
            answer = _split_batch(folder, documents, structures, workload, splitter, again, pool)
            if isinstance(answer, Failure):
                result.failures.append(answer)
            else:
                result.tallies.append(answer)
    return result


def _split_batch(
    folder: Path,
    documents: Sequence[Document],
    structures: Sequence[Structure],
    workload: Workload,
    splitter: Splitter,
    again: Sequence[int],
    pool: SplitterPool,
) -> Tally | Failure:
    tally = Tally(workload)
    try:
        with pool.borrow(splitter) as process:
            process.load(workload.max_chunk_length)
            segments = process.split(folder / "spool", folder / "segments", again=again)
            for document, structure, given in zip(documents, structures, segments, strict=True):
                tally.add(document, given, splitter.not_applicable, structure)
    except SplitterError as error:
        if error.status == TIMED_OUT:
            pool.give_up(splitter, error)
        return Failure(workload, error.status, error.detail, error.frames)
    return tally
