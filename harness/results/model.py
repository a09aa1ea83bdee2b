"""What a run learns: the types, and the files of a run folder that hold them.

Lengths and offsets are code points, durations are seconds. A run folder is whole when its
``environment.json`` says when the run finished; that file is written last. Standard library only,
but for ``timings.json``, which pyperf writes and reads.
"""

import csv
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from itertools import accumulate
from pathlib import Path
from typing import IO, Any, TypeVar

T = TypeVar("T")


class MeasurementError(Exception):
    """Something could not be measured; the message is one line: what, why, and how to mend it."""


@dataclass(frozen=True, slots=True, order=True)
class Workload:
    """One corpus through one splitter at one limit."""

    corpus: str
    splitter: str
    max_chunk_length: int

    def __str__(self) -> str:
        return f"{self.corpus}/{self.splitter}/{self.max_chunk_length}"


@dataclass(frozen=True, slots=True)
class Count:
    """What a splitter made of a corpus.

    ``shortest``, ``median`` and ``longest`` are segment lengths, 0 where there is no segment.
    ``characters_lost`` are those of the texts that no segment holds, ``characters_added`` those
    of segments that the texts do not have in that place.
    """

    workload: Workload
    documents: int
    code_points: int
    segments: int
    shortest: int
    median: float
    longest: int
    characters_lost: int
    characters_added: int
    digest: str


@dataclass(frozen=True, slots=True)
class BoundaryCount:
    """Where a workload's segments meet; of segments that do not join, where two touch.

    ``at_whitespace`` are the boundaries with whitespace on at least one side, ``misplaced`` those
    of them that are against the whitespace rule and need not be; ``whitespace_segments`` are
    segments of whitespace alone.
    """

    workload: Workload
    boundaries: int
    at_whitespace: int
    misplaced: int
    whitespace_segments: int


@dataclass(frozen=True, slots=True)
class Texts:
    """What a corpus held: the digest of its documents, where they came from in words, and what a
    reader must know of them, a line each. Runs with the same digest have measured the same texts.
    """

    corpus: str
    digest: str
    origin: str
    notes: str = ""


@dataclass(frozen=True, slots=True)
class Exemption:
    """A rule that cannot be asked of a splitter, and why."""

    splitter: str
    rule: str
    reason: str


@dataclass(frozen=True, slots=True)
class Trial:
    """How a splitter meets one question: a text that others choke on, or where segments lie.

    ``answer`` is a word or two, such as ``kept``, ``raised`` or ``timed out``; ``detail`` says
    more, in one line.
    """

    splitter: str
    question: str
    answer: str
    detail: str


@dataclass(frozen=True, slots=True)
class Violation:
    """One breach of a rule: where in which document, and whether no splitter could avoid it."""

    rule: str
    document: str
    start: int
    forced: bool
    detail: str


@dataclass(frozen=True, slots=True)
class ViolationCount:
    """How often a workload broke a rule; ``count`` includes the ``forced`` ones."""

    workload: Workload
    rule: str
    count: int
    forced: int


@dataclass(frozen=True, slots=True)
class Example:
    """One violation with the text on both sides of its start."""

    workload: Workload
    violation: Violation
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Failure:
    """A workload without a result, and why.

    ``status`` is ``unavailable`` (the splitter cannot be loaded), ``raised`` (it raised an
    exception), ``invalid`` (what it gave is no list of strings), ``changed`` (it did not give
    again what was checked), ``timed out`` or ``failed`` (its process died); ``detail`` is one line.
    """

    workload: Workload
    status: str
    detail: str


@dataclass(frozen=True, slots=True)
class Timing:
    """One pass of a splitter over its whole corpus; rounds count from 0."""

    workload: Workload
    round: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Span:
    """Where a segment lies in its document; ``end`` is the offset after it."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class View:
    """What a splitter made of an excerpt at one limit, as part of its whole document.

    ``spans`` are the segments of which some character is in the excerpt, in order; ``first`` is
    the number of the first, from 0, of the document's ``segments``. ``added`` are segments, cut to
    a bounded length, that the document does not hold there, with the offset where they would be.
    """

    splitter: str
    max_chunk_length: int
    segments: int
    first: int
    spans: Sequence[Span]
    violations: Sequence[Violation] = ()
    added: Sequence[tuple[int, str]] = ()


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A stretch of a document, for people to look at; ``start`` is its offset there.

    ``length`` is that of the document, ``licence`` that of its corpus, empty where none is known.
    """

    corpus: str
    licence: str
    document: str
    length: int
    start: int
    text: str
    views: Sequence[View]

    @property
    def end(self) -> int:
        """The offset in the document after the excerpt."""
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class Environment:
    """Where, when and on what a run was made.

    ``command`` is what was typed, ``versions`` maps each distribution that was measured or
    measured with to its version, ``commit`` is empty outside a git checkout, ``dirty`` tells
    whether files differed from it; ``started`` and ``finished`` are ISO 8601 in UTC.
    """

    command: str
    versions: Mapping[str, str]
    python: str
    platform: str
    cpu: str
    cpu_count: int
    commit: str
    dirty: bool
    started: str
    finished: str


@dataclass(frozen=True, slots=True)
class Run:
    """All that a run folder holds."""

    environment: Environment
    counts: Sequence[Count] = ()
    violations: Sequence[ViolationCount] = ()
    examples: Sequence[Example] = ()
    failures: Sequence[Failure] = ()
    timings: Sequence[Timing] = ()
    warm_ups: Sequence[Timing] = ()
    excerpts: Sequence[Excerpt] = ()
    boundaries: Sequence[BoundaryCount] = ()
    exemptions: Sequence[Exemption] = ()
    trials: Sequence[Trial] = ()
    texts: Sequence[Texts] = ()


ENVIRONMENT = "environment.json"
COUNTS = "counts.csv"
VIOLATIONS = "violations.csv"
EXAMPLES = "examples.jsonl"
FAILURES = "failures.jsonl"
TIMINGS = "timings.json"
VIEWER = "viewer.json"
BOUNDARIES = "boundaries.csv"
EXEMPTIONS = "exemptions.csv"
TRIALS = "trials.csv"
TEXTS = "texts.csv"
WORKLOAD_COLUMNS = ("corpus", "splitter", "max_chunk_length")
COUNT_COLUMNS = tuple(name for name in Count.__slots__ if name != "workload")
VIOLATION_COLUMNS = ("rule", "count", "forced")
BOUNDARY_COLUMNS = tuple(name for name in BoundaryCount.__slots__ if name != "workload")


@contextmanager
def open_replacing(path: Path) -> Iterator[IO[str]]:
    """Write ``path`` beside its place and move it in when the block ends without an exception.

    Text is UTF-8 with ``\\n`` line ends. Raises MeasurementError where it cannot be written.
    """
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise _unwritable(path, error) from error
    beside = Path(name)
    try:
        with os.fdopen(
            descriptor, "w", encoding="utf-8", errors="surrogatepass", newline="\n"
        ) as file:
            yield file
        beside.chmod(0o666 & ~_umask())
        beside.replace(path)
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        beside.unlink(missing_ok=True)


def start_run(path: Path) -> None:
    """Make ``path`` an unfinished run folder: what an earlier run left there is removed.

    Raises MeasurementError where the folder cannot be made or written to.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        for name in (
            *(ENVIRONMENT, COUNTS, VIOLATIONS, EXAMPLES, FAILURES, TIMINGS, VIEWER),
            *(BOUNDARIES, EXEMPTIONS, TRIALS, TEXTS),
        ):
            (path / name).unlink(missing_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        raise _unwritable(path, error) from error


def write_run(path: Path, run: Run) -> None:
    """Write all of a run's files into the folder ``path``, ``environment.json`` last.

    Raises MeasurementError where nothing was measured, a timing has no count, or a file cannot
    be written.
    """
    if not run.counts and not run.failures:
        raise MeasurementError(f"nothing was measured, so {path} is not written")
    start_run(path)
    write_counts(path / COUNTS, run.counts)
    write_violations(path / VIOLATIONS, run.violations)
    write_examples(path / EXAMPLES, run.examples)
    write_failures(path / FAILURES, run.failures)
    if run.timings:
        write_timings(path / TIMINGS, run.timings, run.counts, run.warm_ups)
    if run.excerpts:
        write_excerpts(path / VIEWER, run.excerpts)
    if run.boundaries:
        _write_table(path / BOUNDARIES, BOUNDARY_COLUMNS, run.boundaries)
    if run.exemptions:
        _write_rows(path / EXEMPTIONS, Exemption, run.exemptions)
    if run.trials:
        _write_rows(path / TRIALS, Trial, run.trials)
    if run.texts:
        _write_rows(path / TEXTS, Texts, run.texts)
    write_environment(path / ENVIRONMENT, run.environment)


def write_counts(path: Path, counts: Iterable[Count]) -> None:
    """Write ``counts.csv``: a row a workload."""
    _write_table(path, COUNT_COLUMNS, counts)


def write_violations(path: Path, violations: Iterable[ViolationCount]) -> None:
    """Write ``violations.csv``: a row a workload and rule."""
    _write_table(path, VIOLATION_COLUMNS, violations)


def write_examples(path: Path, examples: Iterable[Example]) -> None:
    """Write ``examples.jsonl``: a JSON object a line, every code point above 127 escaped."""
    _write_lines(
        path,
        (
            {
                **asdict(example.workload),
                **asdict(example.violation),
                "before": example.before,
                "after": example.after,
            }
            for example in examples
        ),
    )


def write_failures(path: Path, failures: Iterable[Failure]) -> None:
    """Write ``failures.jsonl``: a JSON object a line."""
    _write_lines(
        path,
        (
            {**asdict(failure.workload), "status": failure.status, "detail": failure.detail}
            for failure in failures
        ),
    )


def write_timings(
    path: Path,
    timings: Iterable[Timing],
    counts: Iterable[Count],
    warm_ups: Iterable[Timing] = (),
) -> None:
    """Write ``timings.json``: a pyperf suite with a benchmark a workload and a value a round.

    Each benchmark's metadata carry its workload, and the code points and the digest of its
    count. Raises MeasurementError where a timing has no count or rounds are missing.
    """
    import pyperf  # not needed to check

    counted = {count.workload: count for count in counts}
    before = _group_rounds(warm_ups)
    benchmarks = []
    for workload, seconds in _group_rounds(timings).items():
        if workload not in counted:
            raise MeasurementError(f"{workload} was timed but not checked; check it first")
        metadata = {
            "name": str(workload),
            **asdict(workload),
            "code_points": counted[workload].code_points,
            "digest": counted[workload].digest,
            "unit": "second",
            "loops": 1,
        }
        run = pyperf.Run(
            seconds,
            warmups=[(1, value) for value in before.get(workload, ())],
            metadata=metadata,
            collect_metadata=False,
        )
        benchmarks.append(pyperf.Benchmark([run]))
    suite = pyperf.BenchmarkSuite(benchmarks)
    with open_replacing(path) as file:
        suite.dump(file)


def _group_rounds(timings: Iterable[Timing]) -> dict[Workload, list[float]]:
    rounds: dict[Workload, dict[int, float]] = {}
    for timing in timings:
        rounds.setdefault(timing.workload, {})[timing.round] = timing.seconds
    for workload, seconds in rounds.items():
        if sorted(seconds) != list(range(len(seconds))):
            raise MeasurementError(f"{workload} was timed in the rounds {sorted(seconds)} only")
    return {
        workload: [seconds[number] for number in range(len(seconds))]
        for workload, seconds in rounds.items()
    }


def write_excerpts(path: Path, excerpts: Iterable[Excerpt]) -> None:
    """Write ``viewer.json``: the excerpts as ``pack_excerpt`` gives them, in ASCII."""
    with open_replacing(path) as file:
        json.dump([pack_excerpt(e) for e in excerpts], file, separators=(",", ":"))
        file.write("\n")


def pack_excerpt(excerpt: Excerpt) -> dict[str, Any]:
    """An excerpt as JSON values, compact.

    ``text`` is a list of pieces, since JSON would read two lone surrogates that meet as one
    character. A view's ``runs`` are in turn the gap before each segment and its length, from
    ``from``, which is relative to the excerpt's start.
    """
    return {
        "corpus": excerpt.corpus,
        "licence": excerpt.licence,
        "document": excerpt.document,
        "length": excerpt.length,
        "start": excerpt.start,
        "text": _between_surrogates.split(excerpt.text),
        "views": [_pack_view(view, excerpt.start) for view in excerpt.views],
    }


_between_surrogates = re.compile("(?<=[\ud800-\udbff])(?=[\udc00-\udfff])")


def _pack_view(view: View, start: int) -> dict[str, Any]:
    begin = end = view.spans[0].start if view.spans else start
    runs: list[int] = []
    for span in view.spans:
        runs += (span.start - end, span.end - span.start)
        end = span.end
    return {
        "splitter": view.splitter,
        "limit": view.max_chunk_length,
        "segments": view.segments,
        "first": view.first,
        "from": begin - start,
        "runs": runs,
        "breaches": [[v.rule, v.start - start, v.forced, v.detail] for v in view.violations],
        "added": [[place - start, _between_surrogates.split(text)] for place, text in view.added],
    }


def write_environment(path: Path, environment: Environment) -> None:
    """Write ``environment.json``, which makes the folder a whole run."""
    with open_replacing(path) as file:
        json.dump(asdict(environment), file, indent=2)
        file.write("\n")


def read_run(path: Path) -> Run:
    """Read a run folder.

    Raises MeasurementError for a folder that is absent, of an aborted run, or not readable.
    """
    if not path.is_dir():
        raise MeasurementError(f"{path} is not a run folder; give one that a run wrote")
    environment = path / ENVIRONMENT
    if not environment.exists():
        raise MeasurementError(f"{path} holds no finished run ({ENVIRONMENT} is absent); run again")
    timings, warm_ups = (
        _reading(path / TIMINGS, _read_timings) if (path / TIMINGS).exists() else ([], [])
    )
    return Run(
        environment=_reading(environment, _read_environment),
        counts=_reading(path / COUNTS, _read_counts),
        violations=_reading(path / VIOLATIONS, _read_violations),
        examples=_reading(path / EXAMPLES, _read_examples),
        failures=_reading(path / FAILURES, _read_failures),
        timings=timings,
        warm_ups=warm_ups,
        excerpts=_reading(path / VIEWER, _read_excerpts) if (path / VIEWER).exists() else (),
        boundaries=_reading_if_there(path / BOUNDARIES, _read_boundaries),
        exemptions=_reading_if_there(path / EXEMPTIONS, lambda there: _read_rows(there, Exemption)),
        trials=_reading_if_there(path / TRIALS, lambda there: _read_rows(there, Trial)),
        texts=_reading_if_there(path / TEXTS, lambda there: _read_rows(there, Texts)),
    )


def _read_environment(path: Path) -> Environment:
    environment = Environment(**json.loads(path.read_text(encoding="utf-8")))
    if not environment.finished:
        raise ValueError("it does not say when the run finished; run again")
    return environment


def _read_counts(path: Path) -> list[Count]:
    return [
        Count(
            workload=_workload(row),
            documents=int(row["documents"]),
            code_points=int(row["code_points"]),
            segments=int(row["segments"]),
            shortest=int(row["shortest"]),
            median=float(row["median"]),
            longest=int(row["longest"]),
            characters_lost=int(row["characters_lost"]),
            characters_added=int(row["characters_added"]),
            digest=row["digest"],
        )
        for row in _read_table(path, COUNT_COLUMNS)
    ]


def _read_violations(path: Path) -> list[ViolationCount]:
    return [
        ViolationCount(_workload(row), row["rule"], int(row["count"]), int(row["forced"]))
        for row in _read_table(path, VIOLATION_COLUMNS)
    ]


def _read_boundaries(path: Path) -> list[BoundaryCount]:
    return [
        BoundaryCount(_workload(row), *(int(row[name]) for name in BOUNDARY_COLUMNS))
        for row in _read_table(path, BOUNDARY_COLUMNS)
    ]


def _read_examples(path: Path) -> list[Example]:
    return [
        Example(
            workload=_workload(record),
            violation=Violation(**{name: record[name] for name in Violation.__slots__}),
            before=record["before"],
            after=record["after"],
        )
        for record in _read_lines(path)
    ]


def _read_failures(path: Path) -> list[Failure]:
    return [
        Failure(_workload(record), record["status"], record["detail"])
        for record in _read_lines(path)
    ]


def _read_excerpts(path: Path) -> list[Excerpt]:
    return [
        Excerpt(
            **{name: packed[name] for name in ("corpus", "licence", "document", "length", "start")},
            text="".join(packed["text"]),
            views=[_unpack_view(view, packed) for view in packed["views"]],
        )
        for packed in json.loads(path.read_text(encoding="utf-8"))
    ]


def _unpack_view(packed: Mapping[str, Any], excerpt: Mapping[str, Any]) -> View:
    start = excerpt["start"]
    runs = packed["runs"]
    ends = list(accumulate(runs, initial=start + packed["from"]))
    return View(
        packed["splitter"],
        packed["limit"],
        packed["segments"],
        packed["first"],
        [Span(ends[n], ends[n + 1]) for n in range(1, len(runs), 2)],
        [
            Violation(rule, excerpt["document"], start + place, forced, detail)
            for rule, place, forced, detail in packed["breaches"]
        ],
        [(start + place, "".join(pieces)) for place, pieces in packed["added"]],
    )


def _read_timings(path: Path) -> tuple[list[Timing], list[Timing]]:
    import pyperf  # not needed to read the rest

    timings: list[Timing] = []
    warm_ups: list[Timing] = []
    for benchmark in pyperf.BenchmarkSuite.load(os.fspath(path)):
        workload = _workload(benchmark.get_metadata())
        (run,) = benchmark.get_runs()
        values = enumerate(run.values)
        timings.extend(Timing(workload, number, seconds) for number, seconds in values)
        before = enumerate(run.warmups)
        warm_ups.extend(Timing(workload, number, seconds) for number, (_, seconds) in before)
    return timings, warm_ups


def _workload(record: Mapping[str, Any]) -> Workload:
    return Workload(record["corpus"], record["splitter"], int(record["max_chunk_length"]))


def _reading(path: Path, read: Callable[[Path], T]) -> T:
    try:
        return read(path)
    except (OSError, ValueError, TypeError, LookupError) as error:
        raise MeasurementError(f"{path} cannot be read: {one_line(error)}") from error


def _reading_if_there(path: Path, read: Callable[[Path], Sequence[T]]) -> Sequence[T]:
    return _reading(path, read) if path.exists() else ()


def one_line(error: BaseException) -> str:
    """The kind of an exception and the first line of what it says, at most 200 code points."""
    first = next(iter(str(error).strip().splitlines()), "")
    return f"{type(error).__name__}: {first}"[:200] if first else type(error).__name__


def _write_table(
    path: Path,
    columns: Sequence[str],
    records: Iterable[Count | ViolationCount | BoundaryCount],
) -> None:
    with open_replacing(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*WORKLOAD_COLUMNS, *columns])
        for record in records:
            workload = [getattr(record.workload, name) for name in WORKLOAD_COLUMNS]
            writer.writerow([*workload, *(getattr(record, name) for name in columns)])


def _read_table(path: Path, columns: Sequence[str]) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", errors="surrogatepass", newline="") as file:
        reader = csv.DictReader(file)
        expected = [*WORKLOAD_COLUMNS, *columns]
        if reader.fieldnames != expected:
            raise ValueError(f"its columns are not {', '.join(expected)}")
        return list(reader)


def _write_rows(path: Path, kind: type[T], records: Iterable[T]) -> None:
    """Write records whose fields are all text."""
    columns = [each.name for each in fields(kind)]  # type: ignore[arg-type]  # a dataclass
    with open_replacing(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([getattr(record, name) for name in columns] for record in records)


def _read_rows(path: Path, kind: type[T]) -> list[T]:
    """Read what ``_write_rows`` wrote."""
    with path.open(encoding="utf-8", errors="surrogatepass", newline="") as file:
        return [kind(**row) for row in csv.DictReader(file)]


def _write_lines(path: Path, records: Iterable[Mapping[str, object]]) -> None:
    with open_replacing(path) as file:
        file.writelines(json.dumps(record) + "\n" for record in records)


def _read_lines(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _unwritable(path: Path, error: OSError) -> MeasurementError:
    reason = error.strerror or type(error).__name__
    return MeasurementError(f"cannot write {path}: {reason}; give another folder with --out")
