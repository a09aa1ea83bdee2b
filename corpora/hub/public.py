"""Any data set of the Hugging Face hub, by the name of its text column."""

import dataclasses
import functools
import itertools
import re
import tempfile
from collections.abc import Callable, Container, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from corpora.document import Corpus, CorpusError, Document, RequestError
from corpora.hub import errors, rows
from corpora.local import parquet
from corpora.local.content import FileError
from corpora.local.places import open_place
from corpora.local.tables import read_texts
from corpora.timeout import Sign, watch

PREFIX = "hf:"
GRAMMAR = "hf:OWNER/NAME[@REVISION][:CONFIG][/SPLIT]#COLUMN"
# An owner and a name as the hub allows them, so that none is a path.
_NAME = r"[A-Za-z0-9_](?:(?!--|\.\.)[\w.-])*(?<![.-])"
_SPECIFICATION = re.compile(
    rf"hf:(?P<repository>{_NAME}/{_NAME})"
    # The hub's own references have slashes; a branch that has one cannot be told from a split.
    r"(?:@(?P<revision>refs/(?:convert|pr)/[^/:#]+|[^/:#]+))?"
    r"(?::(?P<config>[^/#]+))?"
    r"(?:/(?P<split>[^/#]+))?"
    r"#(?P<column>.+)",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Source:
    """What an ``hf:`` name says; what it leaves out is None."""

    repository: str
    revision: str | None
    config: str | None
    split: str | None
    column: str

    def __str__(self) -> str:
        parts = [
            self.repository,
            f"config {self.config}" if self.config else "",
            f"split {self.split}" if self.split else "",
            f"revision {self.revision}" if self.revision else "",
        ]
        return ", ".join(part for part in parts if part)


def load_public(name: str, timeout: float) -> Corpus:
    """A document for each row of the data set, streamed; its id is ``SPLIT:ROW``, from 1.

    Without a config it is the data set's own default, without a split all of them. A folder on
    this machine is never read in its place. Raises RequestError for a name of another form, and
    CorpusError if `datasets` is not installed.
    """
    match = _SPECIFICATION.fullmatch(name)
    if match is None or set(match["revision"] or "main") <= {"."}:
        raise RequestError(f"{name} does not have the form {GRAMMAR}")
    rows.import_datasets(name)
    source = Source(**match.groupdict())
    return Corpus(name, functools.partial(_read, name, source, timeout), f"{source}, on the hub")


def _read(name: str, source: Source, timeout: float) -> Iterator[Document]:
    numbers: dict[str, int] = {}
    batches = watch(functools.partial(_read_batches, source), timeout)
    while True:
        try:
            split, texts = next(batches)
        except StopIteration:
            return
        except Exception as error:  # noqa: BLE001  whatever `datasets` and the client meet
            cause, remedy = errors.explain(error, "run the same again")
            if not remedy and isinstance(error, FileError):
                cause = error.describe(error.name).removeprefix(": ")
                remedy = "" if "--" in error.remedy else error.remedy
            remedy = remedy or f"name what there is: {GRAMMAR}"
            raise CorpusError(f"{name} ({source}): {cause}; {remedy}") from None
        for text in texts:
            numbers[split] = numbers.get(split, 0) + 1
            yield Document(f"{split}:{numbers[split]}", text)


def _read_batches(
    source: Source, give_sign: Sign
) -> Generator[tuple[str, Sequence[str]], None, None]:
    """The texts of each split, a few at a time."""
    import datasets
    from huggingface_hub import HfApi

    # Only so is it never a folder of that name in the working directory.
    place = f"hf://datasets/{source.repository}"
    if errors.is_offline():
        # There is only what `datasets` has made of an earlier load.
        found = datasets.load_dataset(place, name=source.config, revision=source.revision)
        for split in _choose(source, found):
            yield from _read_arrow(source, split, found[split])
        return
    # `datasets` tries again and again; this tells at once what is wrong.
    HfApi().dataset_info(source.repository, revision=source.revision)
    # A builder locks its cache folder even when it streams; the user's is left alone.
    with tempfile.TemporaryDirectory(prefix="segbench-") as cache:
        builder = datasets.load_dataset_builder(
            place, name=source.config, revision=source.revision, cache_dir=cache
        )
        read = _find_reader(builder.config)
        if read is None:
            found = builder.as_streaming_dataset()
            for split in _choose(source, found):
                yield from _read_arrow(source, split, found[split])
            return
        for split in _choose(source, builder.config.data_files):
            for file in builder.config.data_files[split]:
                texts = (text for _, text in read(file, source.column, give_sign))
                while batch := list(itertools.islice(texts, parquet.ROWS_A_BATCH)):
                    yield split, batch


def _choose(source: Source, splits: Mapping[Any, Any]) -> list[Any]:
    there = [str(split) for split in splits]
    if source.split is None:
        return list(splits)
    if source.split not in there:
        raise FileError(f": it has no split {source.split} but {', '.join(there)}")
    return [source.split]


Reader = Callable[[str, str, Sign], Iterator[tuple[int, str]]]


def _find_reader(config: Any) -> Reader | None:
    """How to read a data set's files here, None if only `datasets` can.

    Its own readers of JSON and CSV guess types: what looks like a date, or like NA, would come
    back as another text or none.
    """
    from datasets.packaged_modules.csv.csv import CsvConfig
    from datasets.packaged_modules.json.json import JsonConfig
    from datasets.packaged_modules.parquet.parquet import ParquetConfig

    if isinstance(config, CsvConfig):
        obeyed = {"sep", "delimiter", "encoding", "features"}
        kind, delimiter = "csv", config.delimiter or config.sep
    elif isinstance(config, JsonConfig):
        obeyed, kind, delimiter = {"encoding", "chunksize", "features"}, "json", None
    elif isinstance(config, ParquetConfig):
        obeyed, kind, delimiter = {"batch_size", "columns", "features"}, "parquet", None
    else:
        return None
    _refuse_options(config, obeyed)

    def read(place: str, column: str, give_sign: Sign) -> Iterator[tuple[int, str]]:
        file = open_place(place, give_sign)
        encoding = getattr(config, "encoding", None) or "utf-8"
        try:
            for row in read_texts(file, kind, encoding, column, delimiter=delimiter):
                give_sign()
                yield row
        except FileError as error:
            error.name = PurePosixPath(place).name
            raise

    return read


def _refuse_options(config: Any, obeyed: Container[str]) -> None:
    """Raise FileError if the data set asks to be read in a way that is not known here."""
    from datasets import BuilderConfig

    plain = type(config)()
    every = {field.name for field in dataclasses.fields(config)}
    for option in sorted(every - {field.name for field in dataclasses.fields(BuilderConfig)}):
        if option not in obeyed and getattr(config, option) != getattr(plain, option):
            raise FileError(
                f": its card asks to read it with {option}, which segbench does not do",
                "name its converted files: @refs/convert/parquet",
            )


def _read_arrow(
    source: Source, split: str, found: Any
) -> Generator[tuple[str, Sequence[str]], None, None]:
    number = 0
    for table in found.with_format("arrow").iter(batch_size=parquet.ROWS_A_BATCH):
        parquet.check_columns(table.schema, {source.column: "string"})
        path = parquet.find_column(table.schema, source.column)
        assert path is not None  # it was checked
        texts = parquet.get_column(table, path).to_pylist()
        for text in texts:
            number += 1
            if text is None:
                raise FileError(
                    f": row {number} of split {split} has no {source.column}",
                    "name another column, or read a copy without that row",
                )
        yield str(split), texts
