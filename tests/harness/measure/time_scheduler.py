"""How many tasks a second a scheduler hands out; docs/scale.md says what for.

The tasks are checks of shards that hold one short document, on two workers of this machine. A
machine that is busy with anything else makes the number smaller.
"""

import tempfile
import time
from concurrent.futures import wait
from pathlib import Path

import corpora
from harness.measure.cluster import open_cluster
from harness.measure.shards import ShardTask, check_shard
from harness.measure.spooling import PartedCorpus
from harness.results.model import Workload
from harness.runner.pool import SplitterPool
from harness.splitters.contenders import gather
from harness.splitters.registry import load_splitter
from tests.harness.measure.test_cluster import Cluster

TASKS = 1_000


def main() -> None:
    """Print the numbers."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "short.jsonl").write_text('{"text": "A text."}\n' * TASKS, encoding="utf-8")
        corpus = corpora.load(str(folder / "short.jsonl"), text_column="text")
        contenders = gather([load_splitter("segmenter")])
        workloads = {Workload("short", each.name, 500): each for each in contenders.splitters}
        cluster = Cluster(folder)
        try:
            for _ in range(2):
                cluster.add_worker()
            with (
                SplitterPool() as pool,
                open_cluster(
                    cluster.address, [corpus], contenders, folder, pool=pool, tell=print
                ) as (executor, _),
            ):
                for what, asked in (("with a splitter", workloads), ("without one", {})):
                    tasks = [ShardTask(s, asked, ()) for s in PartedCorpus(corpus).shards(10)]
                    began = time.perf_counter()
                    futures = [executor.submit(check_shard, task, pool) for task in tasks]
                    wait(futures)
                    for future in futures:
                        future.result()
                    seconds = time.perf_counter() - began
                    print(f"{len(tasks):,} tasks {what}: {len(tasks) / seconds:,.0f} a second")  # noqa: T201
        finally:
            cluster.end()


if __name__ == "__main__":
    main()
