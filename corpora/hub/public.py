"""Any data set of the Hugging Face hub, by the name of its text column."""

import functools
import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any

from corpora.document import Corpus, CorpusError, Document, RequestError
from corpora.hub import errors, rows
from corpora.timeout import Sign, watch

PREFIX = "hf:"
GRAMMAR = "hf:OWNER/NAME[@REVISION][:CONFIG][/SPLIT]#COLUMN"
_SPECIFICATION = re.compile(
    r"hf:(?P<repository>[\w.-]+/[\w.-]+)"
    # The hub's own references have slashes; a branch that has one cannot be told from a split.
    r"(?:@(?P<revision>refs/(?:convert|pr)/[^/:#]+|[^/:#]+))?"
    r"(?::(?P<config>[^/#]+))?"
    r"(?:/(?P<split>[^/#]+))?"
    r"#(?P<column>.+)"
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


def load(name: str, timeout: float) -> Corpus:
    """A document for each row of the data set, streamed; its id is ``SPLIT:ROW``, from 1.

    Without a config it is the data set's own default, without a split all of them. Raises
    RequestError for a name of another form, and CorpusError where `datasets` is not installed.
    """
    match = _SPECIFICATION.fullmatch(name)
    if match is None:
        raise RequestError(f"{name} does not have the form {GRAMMAR}")
    rows.import_datasets(name)
    source = Source(**match.groupdict())
    return Corpus(name, functools.partial(_read, name, source, timeout), f"{source}, on the hub")


def _read(name: str, source: Source, timeout: float) -> Iterator[Document]:
    def read(_: Sign) -> Generator[tuple[str, Any], None, None]:
        import datasets
        from huggingface_hub import HfApi

        if not errors.is_offline():
            # `datasets` tries again and again where this tells at once what is wrong.
            HfApi().dataset_info(source.repository, revision=source.revision, timeout=timeout)
        found = datasets.load_dataset(
            source.repository,
            name=source.config,
            revision=source.revision,
            # Without the network there is only what `datasets` has made of an earlier load.
            streaming=not errors.is_offline(),
        )
        if source.split is not None and source.split not in found:
            raise rows.RowError(f"it has no split {source.split} but {', '.join(found)}")
        for split in [source.split] if source.split else list(found):
            batches = found[split].with_format("arrow").iter(batch_size=rows.ROWS_A_BATCH)
            for table in batches:
                rows.check_columns(table.schema, {source.column: "string"})
                yield split, rows.get_column(table, source.column)

    columns = watch(read, timeout)
    number: dict[str, int] = {}
    while True:
        try:
            split, column = next(columns)
        except StopIteration:
            return
        except Exception as error:  # noqa: BLE001  whatever `datasets` meets
            cause, mend = errors.explain(error, "run the same again")
            mend = mend or f"name what there is: {GRAMMAR}"
            raise CorpusError(f"{name} ({source}): {cause}; {mend}") from None
        for text in column.to_pylist():
            number[split] = number.get(split, 0) + 1
            if text is None:
                raise CorpusError(
                    f"{name} ({source}): row {number[split]} of split {split} has no "
                    f"{source.column}; name another column, or read a copy without that row"
                )
            yield Document(f"{split}:{number[split]}", text)
