"""What a report shows besides the run: results of other commands, where the folder holds them.

=================  ================================================================================
``growth.csv``     columns ``shape``, ``splitter``, ``max_chunk_length``, ``code_points`` and
                   ``seconds``: the time for one text of that shape and length
``imports.json``   a list of objects with ``name``, ``milliseconds`` (a list, one a fresh process)
                   and ``modules``; where they are known ``packages`` and ``bytes``, installed
``claims.json``    a list of objects with ``claim``, ``says``, ``measured`` and ``status``
=================  ================================================================================

``BIAS.md``, at the root of the checkout, says where the comparison favours whom.
"""

import csv
import json
import math
import re
import statistics
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pandas

from harness.report.tables import Column, Spread, Table, show_count, show_digits
from harness.results.model import MeasurementError, one_line

T = TypeVar("T")

GROWTH = "growth.csv"
IMPORTS = "imports.json"
CLAIMS = "claims.json"
BIAS = "BIAS.md"
GROWTH_COLUMNS = ("shape", "splitter", "max_chunk_length", "code_points", "seconds")

_ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True, order=True)
class Growth:
    """How long one text took, by its shape and length."""

    shape: str
    max_chunk_length: int
    splitter: str
    code_points: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Import:
    """What loading a splitter costs, and what it brings; None where that is not known."""

    name: str
    milliseconds: Sequence[float]
    modules: int
    packages: int | None = None
    bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement of the pull request, and what was measured."""

    claim: str
    says: str
    measured: str
    status: str


@dataclass(frozen=True, slots=True)
class Extras:
    """What there is; ``bias`` is Markdown whose headings begin at the third level."""

    growth: Sequence[Growth] = ()
    imports: Sequence[Import] = ()
    claims: Sequence[Claim] = ()
    bias: str = ""


def read_extras(folder: Path, root: Path = _ROOT) -> Extras:
    """Read what a run folder holds of them, and the checkout's bias.

    Raises MeasurementError where a file is there and cannot be read.
    """
    bias = _read(root / BIAS, lambda text: _lower_headings(text.strip()))
    return Extras(
        growth=_read(folder / GROWTH, _parse_growth) or (),
        imports=_read(folder / IMPORTS, lambda text: _parse_records(text, Import)) or (),
        claims=_read(folder / CLAIMS, lambda text: _parse_records(text, Claim)) or (),
        bias=bias or "",
    )


def _read(path: Path, parse: Callable[[str], T]) -> T | None:
    if not path.exists():
        return None
    try:
        return parse(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, TypeError, LookupError, AttributeError) as error:
        raise MeasurementError(f"{path} cannot be read: {one_line(error)}") from error


def _parse_growth(text: str) -> list[Growth]:
    return [
        Growth(
            row["shape"],
            int(row["max_chunk_length"]),
            row["splitter"],
            int(row["code_points"]),
            float(row["seconds"]),
        )
        for row in csv.DictReader(text.splitlines())
    ]


def _parse_records(text: str, kind: Callable[..., T]) -> list[T]:
    records = json.loads(text)
    if not isinstance(records, list):
        raise TypeError("it is not a list")
    return [kind(**record) for record in records]


def _lower_headings(markdown: str) -> str:
    """Without its title, and with headings one level down."""
    without = re.sub(r"\A# .*\n+", "", markdown)
    return re.sub(r"^#", "##", without, flags=re.MULTILINE)


def growth(extras: Extras) -> Table:
    """A row a shape, limit and splitter: the power of the length that the time grows by."""
    texts: defaultdict[tuple[str, int, str], dict[int, float]] = defaultdict(dict)
    for one in sorted(extras.growth):
        texts[one.shape, one.max_chunk_length, one.splitter][one.code_points] = one.seconds
    return Table(
        "Growth of time",
        [
            Column("shape of text", numeric=False),
            Column("limit", show_count),
            Column("splitter", numeric=False),
            Column("longest text, code points", show_count),
            Column("its time, s", show_digits),
            Column("time grows as length to the power", "{:.2f}".format),
        ],
        [
            (*key, max(seconds), seconds[max(seconds)], _fit_power(seconds))
            for key, seconds in texts.items()
        ],
        [
            "1 is in proportion to the length, 2 with its square: twice the text, four times the time."
        ],
        f"Not measured: the run folder has no {GROWTH}.",
        names=3,
    )


def _fit_power(seconds: dict[int, float]) -> float | None:
    points = [(math.log(n), math.log(s)) for n, s in seconds.items() if n > 0 and s > 0]
    if len(points) < 2:
        return None
    return statistics.linear_regression(*zip(*points, strict=True)).slope


def imports(extras: Extras) -> Table:
    """A row a thing that can be imported."""
    return Table(
        "Import weight",
        [
            Column("import", numeric=False),
            Column("milliseconds", _show_spread),
            Column("modules", show_count),
            Column("packages installed", show_count),
            Column("MB installed", lambda size: show_digits(size / 1e6)),
        ],
        [
            (
                one.name,
                Spread.of(pandas.Series(one.milliseconds)) if one.milliseconds else None,
                one.modules,
                one.packages,
                one.bytes,
            )
            for one in extras.imports
        ],
        ["Each in fresh processes: the median, and in brackets the lowest and the highest."],
        f"Not measured: the run folder has no {IMPORTS}.",
    )


def _show_spread(spread: Spread) -> str:
    return f"{show_digits(spread.median)} ({show_digits(spread.low)}–{show_digits(spread.high)})"


def claims(extras: Extras) -> Table:
    """A row a claim of the pull request."""
    return Table(
        "Claims of the pull request",
        [
            Column(title, numeric=False)
            for title in ("claim", "what it says", "what was measured here", "answer")
        ],
        [(one.claim, one.says, one.measured, one.status) for one in extras.claims],
        empty=f"Not answered in this run: the folder has no {CLAIMS}.",
    )


def tabulate(extras: Extras) -> list[Table]:
    """All of them, in the order in which they are read."""
    return [growth(extras), imports(extras), claims(extras)]
