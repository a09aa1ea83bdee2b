"""Fetching corpora ahead, and verifying what came."""

from pathlib import Path

from corpora.catalogue import read_catalogue
from corpora.document import CorpusError, RequestError
from corpora.hub import named
from corpora.hub.fetching import FetchProgress, fetch
from corpora.hub.records import Record, write_record
from corpora.summary import summarize
from corpora.timeout import TIMEOUT


def prepare(
    name: str,
    *,
    mirror: Path | None = None,
    force: bool = False,
    timeout: float = TIMEOUT,
    progress: FetchProgress | None = None,
) -> Record:
    """Fetch a named corpus, read all of it, and record what it came to beside its data.

    It goes into the mirror, which is made, if one is named, else into the Hugging Face cache.
    What is there already stays, unless ``force`` says that it is not to be trusted.
    ``progress`` is called with how many bytes are fetched so far, and of how many, from another
    thread. The record's ``differences`` tell where it is not what the catalogue promises.
    Raises RequestError if the name is not a data set's, and CorpusError if it cannot be fetched,
    a column is not as it should be, or the record cannot be written.
    """
    entry = read_catalogue().get(name)
    if entry is None or not entry.repository:
        known = ", ".join(each.name for each in read_catalogue().values() if each.repository)
        raise RequestError(f"{name} is not fetched from anywhere; what can be is {known}")
    if mirror is not None:
        try:
            mirror.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CorpusError(f"{mirror} cannot be made: {error.strerror or error}") from None
    location = fetch(entry, mirror, timeout=timeout, force=force, progress=progress)
    assert location.folder is not None  # it was fetched
    summary = summarize(named.open_corpus(entry, location, verify=False, timeout=timeout))
    record = Record(name, entry.repository, location.revision, summary)
    write_record(location.folder, record)
    return record
