"""A Dask cluster as an executor: its workers run the same versions, and can read the same texts.

The scheduler sees bytes alone: it would look through whatever else a task is given. A worker makes
sure of what it needs when the first task of a run arrives there, so that one that joins later, or
takes the place of one that was killed, does so too.
"""

import contextlib
import functools
import hashlib
import itertools
import logging
import pickle
import platform
import secrets
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from corpora import Corpus, CorpusError, Part
from harness.measure.spooling import SHARD_SIZE
from harness.results.errors import MeasurementError
from harness.results.escapes import quote
from harness.runner.pool import SplitterPool
from harness.splitters.contenders import Contenders, gather
from harness.splitters.registry import Splitter

_PACKAGES = ("segmenter", "corpora", "harness")


class AddressError(Exception):
    """What was given is not the address of a scheduler; the message is one line."""


@dataclass(frozen=True, slots=True)
class Demands:
    """What each worker must have.

    ``versions`` are those of this process; ``installed`` those that each splitter runs with.
    ``parts`` are one of each corpus that workers read themselves, by the corpus's name. ``sign`` is
    a file that holds the name of the run, in the folder of the corpora that they cannot.
    """

    run: str
    versions: Mapping[str, str]
    splitters: Sequence[Splitter]
    installed: Mapping[str, Mapping[str, str]]
    parts: Mapping[str, Part]
    sign: Path | None
    pool: SplitterPool


class ClusterExecutor(Executor):
    """Tasks for the workers; BrokenExecutor stands for one during which workers died."""

    def __init__(self, client: Any, demands: Demands) -> None:
        self._executor = client.get_executor(pure=False)
        self._demands = demands

    def submit(self, function: Callable[..., Any], /, *args: Any, **options: Any) -> "Future[Any]":
        """Let a worker call the function, which it imports by its name."""
        return self._hand_over(function, args, options)

    def visit(self, address: str) -> "Future[Any]":
        """Let a certain worker make sure that it is fit."""
        return self._hand_over(_do_nothing, (), {}, workers=[address])

    def _hand_over(
        self,
        function: Callable[..., Any],
        args: Sequence[Any],
        options: Mapping[str, Any],
        **where: Any,
    ) -> "Future[Any]":
        task = pickle.dumps((self._demands, function, args, options))
        given: Future[Any] = Future()
        done = self._executor.submit(_perform, task, **where)
        done.add_done_callback(lambda done: _pass_on(done, given))
        given.add_done_callback(lambda given: given.cancelled() and done.cancel())
        return given

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more tasks, and forget those that have not begun unless they are waited for."""
        self._executor.shutdown(wait=wait and not cancel_futures)


def _pass_on(done: "Future[Any]", given: "Future[Any]") -> None:
    from distributed import KilledWorker  # what is raised here would be lost

    if not given.set_running_or_notify_cancel():
        return
    if done.cancelled():
        given.set_exception(MeasurementError("the scheduler has forgotten a task; run it again"))
    elif isinstance(error := done.exception(), KilledWorker):
        given.set_exception(BrokenExecutor(str(error)))
    elif error is not None:
        given.set_exception(error)
    else:
        given.set_result(done.result())


_arrivals = threading.Lock()
_arrived: dict[str, "_Stay"] = {}


@dataclass(slots=True)
class _Stay:
    """What a run has changed in a worker, and why the worker is unfit, if it is."""

    pool: SplitterPool
    tempdir: str | None
    unfit: MeasurementError | None = None


def _perform(task: bytes) -> Any:
    """What a worker does for a task."""
    demands, function, args, options = pickle.loads(task)
    _arrive(demands)
    return function(*args, **options)


def _arrive(demands: Demands) -> None:
    """Make sure, once a run, that this worker has what is demanded; raises MeasurementError."""
    from distributed import get_worker

    worker = get_worker()
    with _arrivals:
        if demands.run not in _arrived:
            stay = _arrived[demands.run] = _Stay(demands.pool, tempfile.tempdir)
            # Dask removes what is left there by workers that were killed.
            tempfile.tempdir = str(worker.local_directory)
            try:
                _check(demands)
            except MeasurementError as error:
                stay.unfit = MeasurementError(f"the worker {worker.address} {error}")
        if unfit := _arrived[demands.run].unfit:
            raise unfit


def _leave(run: str) -> None:
    """End what a run has started in this worker, and give back what it took."""
    if stay := _arrived.pop(run, None):
        stay.pool.close()
        tempfile.tempdir = stay.tempdir


def _check(demands: Demands) -> None:
    for name, version in describe_versions().items():
        if (wanted := demands.versions[name]) != version:
            raise MeasurementError(
                f"has {name} {version}, and this machine has {wanted}; install the same there"
            )
    contenders = gather(replace(splitter, interpreter=None) for splitter in demands.splitters)
    for name, reason in contenders.unavailable.items():
        raise MeasurementError(f"cannot run splitter {name}: {reason}")
    for name, installation in contenders.installations.items():
        here, there = demands.installed[name], installation.versions
        if different := sorted(p for p in {*here, *there} if here.get(p) != there.get(p)):
            package = different[0]
            raise MeasurementError(
                f"runs splitter {name} with {package} {there.get(package, 'missing')}, and this "
                f"machine has {here.get(package, 'none')}; install the same there"
            )
    demands.pool.interpreters = {each.name: each.interpreter for each in contenders.splitters}
    for corpus, part in demands.parts.items():
        try:
            next(part.read(), None)
        except CorpusError as error:
            raise MeasurementError(f"cannot read corpus {quote(corpus)}: {error}") from None
    if demands.sign is not None:
        try:
            found = demands.sign.read_text(encoding="ascii")
        except (OSError, ValueError):
            found = ""
        if found != demands.run:
            raise MeasurementError(
                f"does not see the folder {demands.sign.parent}, where the corpora are that are "
                "not files; give --out a folder that every worker has"
            )


@functools.cache  # a worker that goes on while its files are replaced still runs the old ones
def describe_versions() -> Mapping[str, str]:
    """What must be the same in two processes that share the work of a check."""
    root = Path(__file__).parents[2]
    digest = hashlib.sha256()
    for package in _PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return {
        "Python": ".".join(platform.python_version_tuple()[:2]),
        "segbench of source": digest.hexdigest()[:12],
    }


@contextlib.contextmanager
def open_cluster(
    address: str,
    corpora: Iterable[Corpus],
    contenders: Contenders,
    folder: Path,
    *,
    pool: SplitterPool,
    tell: Callable[[str], None],
) -> Iterator[tuple[Executor, int]]:
    """The cluster with that scheduler as an executor, and how many tasks it works on at once.

    ``folder`` will hold the corpora that have no parts, so that every worker must have it. ``tell``
    is called with lines for the user. When the block ends, nothing is left on the workers. Raises
    AddressError for what is not an address, CorpusError, and MeasurementError if the scheduler does
    not answer or a worker is not fit for the run.
    """
    try:
        import distributed
        from distributed.comm.addressing import get_address_host_port
    except ImportError:
        raise MeasurementError(
            "--cluster needs the `distributed` library; run: pip install 'segbench[dask]'"
        ) from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what goes wrong is raised
    try:
        get_address_host_port(address)
    except ValueError as error:
        raise AddressError(
            f"{address} is not an address: {error}; give the scheduler's, such as tcp://host:8786"
        ) from None
    try:
        client: Any = distributed.Client(address, set_as_default=False)  # type: ignore[no-untyped-call]
    except OSError as error:
        raise MeasurementError(
            f"the cluster at {address} does not answer: {error}; check that its scheduler runs"
        ) from error
    with client:
        run = secrets.token_hex(8)
        sign = folder / f"sign-{run}"
        demands = Demands(
            run,
            describe_versions(),
            contenders.splitters,
            {name: each.versions for name, each in contenders.installations.items()},
            dict(_choose_parts(corpora)),
            sign if any(corpus.parts is None for corpus in corpora) else None,
            pool,
        )
        executor = ClusterExecutor(client, demands)
        try:
            sign.write_text(run, encoding="ascii")
            yield executor, _welcome(client, executor, tell)
        finally:
            sign.unlink(missing_ok=True)
            executor.shutdown(cancel_futures=True)
            with contextlib.suppress(Exception):  # workers that are gone have nothing left
                client.run(_leave, run, on_error="ignore")


def _choose_parts(corpora: Iterable[Corpus]) -> Iterator[tuple[str, Part]]:
    """One of each corpus that has any, which this process can read."""
    for corpus in corpora:
        for part in itertools.islice(corpus.parts(SHARD_SIZE), 1) if corpus.parts else ():
            next(part.read(), None)
            yield corpus.name, part


def _welcome(client: Any, executor: ClusterExecutor, tell: Callable[[str], None]) -> int:
    """Make sure that every worker is fit; returns how many tasks all of them work on at once."""
    if "dashboard" in client.scheduler_info()["services"]:
        tell(f"the cluster's dashboard: {client.dashboard_link}")
    if not client.nthreads():
        tell("the cluster has no worker yet; waiting for the first one")
        executor.submit(_do_nothing).result()  # makes a cluster grow that does so on demand
    threads: dict[str, int] = client.nthreads()
    arriving = {address: executor.visit(address) for address in threads}
    while arriving:
        wait(arriving.values(), timeout=1.0, return_when=FIRST_COMPLETED)
        for address in list(arriving):
            if arriving[address].done():
                arriving.pop(address).result()
            elif address not in client.nthreads():  # its task would wait for it
                arriving.pop(address).cancel()
    return sum(threads.values())


def _do_nothing() -> None:
    """What is asked of a worker so that it arrives."""
