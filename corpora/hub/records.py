"""What `segbench prepare` writes beside the data of a corpus."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from corpora.catalogue import Entry
from corpora.document import CorpusError
from corpora.local.content import FileError, open_regular
from corpora.replacing import replacing
from corpora.summary import Summary

FILE = "segbench.json"


@dataclass(frozen=True, slots=True)
class Record:
    """What a corpus came to when it was prepared; ``revision`` is the commit, if it has one."""

    corpus: str
    repository: str
    revision: str
    summary: Summary

    def differences(self, entry: Entry) -> tuple[str, ...]:
        """In which ways this is not what the catalogue promises, each in a line."""
        found = self.summary
        lines = []
        if entry.documents not in (None, found.documents):
            lines.append(
                f"{entry.name} has {found.documents:,} documents, "
                f"the catalogue expects {entry.documents:,}"
            )
        if entry.digest not in (None, found.digest):
            lines.append(
                f"{entry.name} has the digest {found.digest}, the catalogue's is {entry.digest}"
            )
        return tuple(lines)


def read_record(folder: Path, entry: Entry) -> Record | None:
    """The record in a data set's folder, None if there is none that can be read."""
    try:
        with open_regular(folder / FILE) as file:
            content = json.loads(file.read())
        record = Record(**{**content, "summary": Summary(**content["summary"])})
    except (OSError, ValueError, TypeError, KeyError, RecursionError, FileError):
        return None
    return record if record.corpus == entry.name else None


def write_record(folder: Path, record: Record) -> None:
    """Raises CorpusError if the folder cannot be written to."""
    write_replacing(folder / FILE, (json.dumps(asdict(record), indent=2) + "\n").encode())


def write_replacing(path: Path, content: bytes) -> None:
    """Replace a file whole, in a folder that is made; raises CorpusError if that fails."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(content)
    except OSError as error:
        raise CorpusError(f"{path} cannot be written: {error.strerror or error}") from None
