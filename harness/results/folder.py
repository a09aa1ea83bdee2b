"""The files of a run folder, written and read in this one place.

A folder is a whole run if its ``environment.json`` says when the run finished; that file is
written last. Files that hold nothing are left out, but for those that every run has.
"""

import csv
import os
import re
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from harness.results.atomic import open_replacing, write_json, write_json_lines
from harness.results.errors import MeasurementError
from harness.results.escapes import read_cell, write_cell
from harness.results.journal import JOURNAL, tell_resuming
from harness.results.model import (
    BoundaryCount,
    Claim,
    Contrast,
    Count,
    CutCount,
    Environment,
    Example,
    Exemption,
    Failure,
    Growth,
    Import,
    LineEnds,
    Retrieval,
    Round,
    Run,
    Stripping,
    Texts,
    Trial,
    Unavoidable,
    ViolationCount,
)
from harness.results.reading import parse_json, read_csv, read_json, read_text, reading
from harness.results.timings import TIMINGS
from harness.results.viewer import pack_excerpt, unpack_excerpts

_T = TypeVar("_T")

ENVIRONMENT = "environment.json"
COUNTS = "counts.csv"
VIOLATIONS = "violations.csv"
EXAMPLES = "examples.jsonl"
FAILURES = "failures.jsonl"
ROUNDS = "rounds.csv"
VIEWER = "viewer.json"
BOUNDARIES = "boundaries.csv"
UNAVOIDABLE = "unavoidable.csv"
CUTS = "cuts.csv"
LINE_ENDS = "line_ends.csv"
EXEMPTIONS = "exemptions.csv"
TRIALS = "trials.csv"
TEXTS = "texts.csv"
GROWTH = "growth.csv"
IMPORTS = "imports.json"
CLAIMS = "claims.json"
RETRIEVAL = "retrieval.csv"
STRIPPING = "stripping.csv"
CONTRASTS = "contrasts.jsonl"
COMPARISON = "compare.json"
BENCH = "bench.json"
BASE_TIMINGS = "base.json"
HEAD_TIMINGS = "head.json"

# What people read.
REPORT_MARKDOWN = "report.md"
REPORT_PAGE = "report.html"
BENCH_PAGE = "bench.md"
GROWTH_PLOT = "growth.svg"
CLAIMS_PAGE = "claims.md"
COMPARISON_PAGE = "compare.md"

# What splitters were called in runs that do not name their baseline.
EARLIER_NAMES: Mapping[str, str] = {
    "langchain": "langchain-memmachine",
    "langchain-keep": "langchain-memmachine-keep",
    "langchain-moved": "langchain-memmachine-moved",
    "langchain-moved-rule": "langchain-memmachine-moved-rule",
    "langchain-1.1.1": "langchain-memmachine-1.1.1",
    "langchain-1.1.2": "langchain-memmachine-1.1.2",
    "langchain-1.1.3": "langchain-memmachine-1.1.3",
    "langchain-default": "langchain",
    "langchain-separator-false": "langchain-memmachine-separator-false",
    "langchain-separator-start": "langchain-memmachine-separator-start",
    "langchain-separator-end": "langchain-memmachine-separator-end",
}
# The fields that name one, but for ``splitter``, which every record has that is of one.
_SPLITTER_FIELDS: Mapping[type, Collection[str]] = {
    Import: {"name"},
    Round: {"baseline"},
    Stripping: {"keeping"},
}
#: Names that older versions gave to fields.
_RENAMED = {"forced": "unavoidable"}
#: Columns of older versions from which these do not follow: there they are None.
_REPLACED = {
    "lost_whitespace": "characters_lost",
    "lost_content": "characters_lost",
    "added_whitespace": "characters_added",
    "added_content": "characters_added",
    "excess": "misplaced",
}

_GREATEST = 2**63 - 1
_SIGNED = re.compile(r"(content_)?difference(_low|_high)?")


@dataclass(frozen=True, slots=True)
class _File:
    """A file with one record per row, line or item: the field of Run that it holds.

    One that is ``required`` is there, even if it is empty, unless the run measured retrieval alone.
    """

    name: str
    field: str
    kind: type[Any]
    required: bool = False


_FILES = (
    _File(COUNTS, "counts", Count, required=True),
    _File(VIOLATIONS, "violations", ViolationCount, required=True),
    _File(EXAMPLES, "examples", Example, required=True),
    _File(FAILURES, "failures", Failure, required=True),
    _File(ROUNDS, "rounds", Round),
    _File(BOUNDARIES, "boundaries", BoundaryCount),
    _File(UNAVOIDABLE, "unavoidable", Unavoidable),
    _File(CUTS, "cuts", CutCount),
    _File(LINE_ENDS, "line_ends", LineEnds),
    _File(EXEMPTIONS, "exemptions", Exemption),
    _File(TRIALS, "trials", Trial),
    _File(TEXTS, "texts", Texts),
    _File(GROWTH, "growth", Growth),
    _File(IMPORTS, "imports", Import),
    _File(CLAIMS, "claims", Claim),
    _File(RETRIEVAL, "retrievals", Retrieval),
    _File(STRIPPING, "strippings", Stripping),
    _File(CONTRASTS, "contrasts", Contrast),
)

#: Every file of a run but for its reports.
RUN_FILES = (ENVIRONMENT, TIMINGS, VIEWER, *(file.name for file in _FILES))
#: Every file of a run.
REPORTED_FILES = (*RUN_FILES, REPORT_MARKDOWN, REPORT_PAGE)
#: Every file of a bench.
BENCH_FILES = (BENCH, ROUNDS, BENCH_PAGE, GROWTH_PLOT)
#: Every file with the answers to the claims.
CLAIMS_FILES = (CLAIMS, CLAIMS_PAGE)
#: Every file of a comparison.
COMPARISON_FILES = (COMPARISON, COMPARISON_PAGE, ROUNDS, BASE_TIMINGS, HEAD_TIMINGS)
#: Every file that a command may write into the folder of --out.
WRITTEN_FILES = (*REPORTED_FILES, *BENCH_FILES, *CLAIMS_FILES, *COMPARISON_FILES)


@contextmanager
def open_results(folder: Path, names: Iterable[str]) -> Iterator[None]:
    """Try a folder before anything is measured, and remove what is there of files with these names.

    If the block fails, a folder that was not there before is gone. Raises MeasurementError if the
    folder cannot be made or written to.
    """
    created = not folder.exists()
    start_folder(folder, names)
    try:
        yield
    except BaseException:
        if created:
            with suppress(OSError):
                folder.rmdir()
        raise


def start_folder(folder: Path, names: Iterable[str]) -> None:
    """Make a folder without files of these names; raises as ``open_results``."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in names:
            (folder / name).unlink(missing_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise MeasurementError(
            f"cannot write {folder}: {reason}; give another folder with --out"
        ) from error


def write_run(path: Path, run: Run) -> None:
    """Write all of a run's files into the folder ``path``, ``environment.json`` last.

    Raises MeasurementError if nothing was measured, a round has no count, or a file cannot be
    written.
    """
    if not (run.counts or run.failures or run.retrievals):
        raise MeasurementError(f"nothing was measured, so {path} is not written")
    try:
        _require_comparable(run.rounds, run.counts)
    except ValueError as error:
        raise MeasurementError(str(error)) from error
    start_folder(path, RUN_FILES)
    for file in _FILES:
        records = getattr(run, file.field)
        if records or (file.required and not run.retrievals):
            _write(path / file.name, file.kind, records)
    if run.excerpts:
        write_json(path / VIEWER, [pack_excerpt(excerpt) for excerpt in run.excerpts])
    write_json(path / ENVIRONMENT, msgspec.to_builtins(run.environment), indent=2)


def write_rounds(folder: Path, rounds: Sequence[Round]) -> None:
    """Write ``rounds.csv`` into a run folder or any other."""
    _write(folder / ROUNDS, Round, rounds)


def read_rounds(folder: Path) -> list[Round]:
    """The rounds of ``rounds.csv``, in whichever folder; raises ValueError if they are damaged."""
    return _read(folder / ROUNDS, Round)


def write_claims(folder: Path, claims: Sequence[Claim]) -> None:
    """Write ``claims.json`` into a run folder or any other."""
    _write(folder / CLAIMS, Claim, claims)


def read_run(path: Path) -> Run:
    """Read a run folder.

    Raises MeasurementError for a folder that is absent, of an aborted run, or not readable.
    """
    if not path.is_dir():
        raise MeasurementError(f"{path} is not a run folder; give one that a run wrote")
    if not os.path.lexists(path / ENVIRONMENT):
        if os.path.lexists(path / JOURNAL):
            raise MeasurementError(f"{path} holds an interrupted check; {tell_resuming(path)}")
        raise MeasurementError(f"{path} holds no finished run ({ENVIRONMENT} is absent); run again")
    environment, renamed = _read_environment(path / ENVIRONMENT)
    remedy = _find_remedy(environment.versions)
    held: dict[str, Any] = {}
    checked = not os.path.lexists(path / RETRIEVAL)
    for file in _FILES:
        there = path / file.name
        if (file.required and checked) or os.path.lexists(there):
            with reading(there, remedy if file.required else f"delete it, or {remedy}"):
                held[file.field] = _read(there, file.kind)
    if held.get("rounds"):
        with reading(path / ROUNDS, f"delete it, or {remedy}"):
            _require_comparable(held["rounds"], held["counts"])
    if os.path.lexists(there := path / VIEWER):
        with reading(there, f"delete it, or {remedy}"):
            held["excerpts"] = unpack_excerpts(read_json(there))
    run = Run(environment, **held)
    if renamed:
        measured: list[Count | Failure | Retrieval] = [*run.counts, *run.failures, *run.retrievals]
        counted = {each.workload.splitter for each in measured}
        earlier = {old: new for old, new in EARLIER_NAMES.items() if old in counted}
        run = replace(_rename(run, EARLIER_NAMES), renamed=earlier)
    return run


def _read_environment(path: Path) -> tuple[Environment, bool]:
    """The environment, and whether splitters had other names when it was written."""
    with reading(path, "run again"):
        content = read_json(path)
    versions = content.get("versions") if isinstance(content, dict) else None
    with reading(path, _find_remedy(versions if isinstance(versions, dict) else {})):
        environment = msgspec.convert(content, Environment)
        if not environment.finished:
            raise ValueError("it does not say when the run finished")
    if "baseline" in content:
        return environment, False
    names = {EARLIER_NAMES.get(name, name): each for name, each in environment.versions.items()}
    baseline = EARLIER_NAMES[environment.baseline]
    return replace(environment, versions=names, baseline=baseline), True


def _rename(value: _T, names: Mapping[str, str]) -> _T:
    """The same record, and the records in it, with other names of splitters."""
    changes: dict[str, Any] = {}
    for field in fields(value):  # type: ignore[arg-type]
        held = getattr(value, field.name)
        if field.name in _SPLITTER_FIELDS.get(type(value), {"splitter"}):
            changes[field.name] = names.get(held, held)
        elif isinstance(held, list | tuple):
            changes[field.name] = [
                _rename(each, names) if is_dataclass(each) else each for each in held
            ]
        elif is_dataclass(held):
            changes[field.name] = _rename(held, names)
    return replace(value, **changes)  # type: ignore[type-var]


def _find_remedy(versions: Mapping[str, object]) -> str:
    """What to do about a file that cannot be read, given the versions that its run recorded."""
    try:
        here = version("segbench")
    except PackageNotFoundError:
        here = "another"
    there = versions.get("segbench", here)
    if there == here:
        return "run again"
    return f"segbench {there} wrote it and this is {here}: use that version, or run again"


def _require_comparable(rounds: Sequence[Round], counts: Sequence[Count]) -> None:
    counted = {count.workload for count in counts}
    for each in rounds:
        if each.workload not in counted:
            raise ValueError(f"{each.workload} was timed but not checked")
    baselines = sorted({each.baseline for each in rounds})
    if len(baselines) > 1:
        raise ValueError(f"there is more than one baseline: {', '.join(baselines)}")


def _write(path: Path, kind: type[Any], records: Iterable[Any]) -> None:
    flat = (
        {name: msgspec.to_builtins(value) for name, value in _flatten(record)} for record in records
    )
    if path.suffix == ".csv":
        columns = [name for name, _ in _list_columns(kind)]
        with open_replacing(path) as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(columns)
            for row in flat:
                cells = [row[name] for name in columns]
                writer.writerow([write_cell(c) if isinstance(c, str) else c for c in cells])
    elif path.suffix == ".jsonl":
        write_json_lines(path, flat)
    else:
        write_json(path, list(flat), indent=1)


def _flatten(record: Any) -> Iterator[tuple[str, object]]:
    """The fields of a record, and in their place those of the records in it."""
    for field in fields(record):
        value = getattr(record, field.name)
        if is_dataclass(value):
            yield from _flatten(value)
        else:
            yield field.name, value


def _list_columns(kind: type[Any]) -> Iterator[tuple[str, bool]]:
    """The names that ``_flatten`` gives of such a record, and whether each has to be there."""
    for field in fields(kind):
        if isinstance(field.type, type) and is_dataclass(field.type):
            yield from _list_columns(field.type)
        else:
            yield field.name, field.default in (MISSING, None)


def _read(path: Path, kind: type[_T]) -> list[_T]:
    if path.suffix == ".csv":
        return _read_table(path, kind)
    if path.suffix == ".jsonl":
        lines = enumerate(read_text(path).splitlines(), 1)
        return [_build(f"line {number}", parse_json(line), kind) for number, line in lines]
    items = msgspec.convert(read_json(path), list[object])
    return [_build(f"item {number}", item, kind) for number, item in enumerate(items, 1)]


def _read_table(path: Path, kind: type[_T]) -> list[_T]:
    header, rows = read_csv(path)
    header = [_RENAMED.get(name, name) for name in header]
    missing = [
        name
        for name, needed in _list_columns(kind)
        if needed and name not in header and _REPLACED.get(name) not in header
    ]
    if missing:
        raise ValueError(f"it has no column {', '.join(missing)}")
    absent = {field.name for field in fields(kind) if field.default is None}  # type: ignore[arg-type]
    return [
        _build(
            f"line {number}",
            {
                name: read_cell(cell)
                for name, cell in zip(header, row, strict=True)
                if cell or name not in absent  # nothing stands for None
            },
            kind,
            strict=False,
        )
        for number, row in rows
    ]


def _build(place: str, flat: object, kind: type[_T], *, strict: bool = True) -> _T:
    """The record that ``_flatten`` took apart; fields that it does not have are left out.

    Numbers are given as text unless ``strict``. Raises ValueError, which names the place.
    """
    try:
        named = msgspec.convert(flat, dict[str, object])
        nested = _nest({_RENAMED.get(name, name): named[name] for name in named}, kind)
        record = msgspec.convert(nested, kind, strict=strict)
        _require_sound(record)
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from error
    return record


def _nest(flat: dict[str, object], kind: type[Any]) -> dict[str, object]:
    return {
        field.name: _nest(flat, field.type)
        if isinstance(field.type, type) and is_dataclass(field.type)
        else flat[field.name]
        for field in fields(kind)
        if is_dataclass(field.type) or field.name in flat
    }


def _require_sound(record: object) -> None:
    """Raises ValueError for a number that nothing can be measured to be."""
    for name, value in _flatten(record):
        numbers = value if isinstance(value, list) else [value]
        least = 1 if name == "max_chunk_length" else -1 if _SIGNED.fullmatch(name) else 0
        for number in numbers:
            if isinstance(number, int | float) and not least <= number <= _GREATEST:
                raise ValueError(f"{name} is {number}")
