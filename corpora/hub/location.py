"""Where the data sets of the catalogue lie: in a mirror, or in the Hugging Face cache."""

import fnmatch
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from corpora.catalogue import Entry
from corpora.document import CorpusError, RequestError
from corpora.hub.records import Record, read_record

# The names of a data set's files tell how many there are.
_SHARD = re.compile(r"^(.*)-\d{5}-of-(\d{5})\.")


@dataclass(frozen=True, slots=True)
class Location:
    """Where a data set lies: the only thing that differs from one place to another.

    ``data_files`` are, by split, absolute paths or hf:// URLs; ``folder`` is None on the hub.
    ``revision`` is the commit if it is known; ``remedy`` the command that fetches the data
    again; ``missing`` says what of the data set is not there.
    """

    data_files: Mapping[str, Sequence[str]]
    origin: str
    remedy: str
    revision: str = ""
    folder: Path | None = None
    missing: tuple[str, ...] = ()
    record: Record | None = None


def find_here(entry: Entry, mirror: Path | None) -> Location | None:
    """The data set in the mirror, if one is named, else in the cache; None if that has none.

    A mirror may hold a part of the data set, a cache must hold all. Raises CorpusError for a
    mirror that holds nothing of it, or an empty file.
    """
    if mirror is None:
        for folder in _cached_folders(entry):
            location = find_in_folder(entry, folder, None)
            if location.data_files and not location.missing:
                return location
        return None
    if not mirror.is_dir():
        raise RequestError(f"the mirror {mirror} is not a folder; name one that is: --mirror DIR")
    folder = mirror / entry.repository
    location = find_in_folder(entry, folder, mirror)
    if not location.data_files:
        wanted = " or ".join(entry.files).format(split=f"{{{','.join(entry.splits)}}}")
        raise blame(entry, f"{folder} holds no {wanted}", f"run: {location.remedy}")
    for paths in location.data_files.values():
        for path in paths:
            if not Path(path).stat().st_size:
                raise blame(entry, f"{path} is empty", f"run: {location.remedy}")
    return location


def find_in_folder(entry: Entry, folder: Path, mirror: Path | None) -> Location:
    """What the folder has of the data set; ``mirror`` is the one it is part of, if any."""
    root = folder.absolute()
    names = [path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()]
    found, missing = select_files(entry, names)
    in_mirror = f" --mirror {shlex.quote(str(mirror))}" if mirror else ""
    place = str(mirror) if mirror else "the cache"
    revision = "" if mirror or entry.url else folder.name
    return Location(
        {split: [(root / name).as_posix() for name in found[split]] for split in found},
        f"{describe_entry(entry, revision=revision)} in {place}",
        f"segbench prepare {entry.name}{in_mirror}",
        revision,
        root,
        tuple(f"{entry.name} has {what} in {place}" for what in missing),
        read_record(root, entry),
    )


def select_files(
    entry: Entry, names: Sequence[str]
) -> tuple[dict[str, list[str]], tuple[str, ...]]:
    """The files of each split among the names of a repository's, and what is missing."""
    found = {}
    missing = []
    for split in entry.splits:
        for pattern in entry.files:
            if matches := fnmatch.filter(names, pattern.format(split=split)):
                found[split] = sorted(matches)
                break
        else:
            missing.append(f"no split {split}")
        shards = [shard for name in found.get(split, []) if (shard := _SHARD.match(name))]
        for whole, count in sorted({(shard[1], int(shard[2])) for shard in shards}):
            there = sum(shard[1] == whole for shard in shards)
            if there < count:
                missing.append(f"{there} of {count} files of split {split}")
    return found, tuple(missing)


def _cached_folders(entry: Entry) -> Iterator[Path]:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    if entry.url is not None:
        yield get_assets_folder(entry)
        return
    for revision in entry.revisions:
        try:
            yield Path(
                snapshot_download(
                    entry.repository,
                    repo_type="dataset",
                    revision=revision,
                    allow_patterns=expand_patterns(entry),
                    local_files_only=True,
                )
            )
        except LocalEntryNotFoundError:  # there is none, or not all of it
            continue


def get_assets_folder(entry: Entry) -> Path:
    """Where the cache keeps a data set that does not come from the hub."""
    from huggingface_hub import constants

    return Path(constants.HF_ASSETS_CACHE, "segbench", *entry.repository.split("/"))


def expand_patterns(entry: Entry) -> list[str]:
    """What is fetched of a repository: the files of the corpus, and those of its questions."""
    files = [pattern.format(split=split) for pattern in entry.files for split in entry.splits]
    return [*files, *entry.questions]


def describe_entry(entry: Entry, *, split: str = "", revision: str = "") -> str:
    """The corpus and all that tells where it comes from."""
    revision = revision or " or ".join(entry.revisions)
    parts = [
        entry.repository,
        f"config {entry.config}" if entry.config else "",
        f"split {split}" if split else "",
        f"revision {revision}" if revision else "",
    ]
    return f"{entry.name} ({', '.join(part for part in parts if part)})"


def blame_data(entry: Entry, location: Location, split: str, cause: str) -> CorpusError:
    """The error of data that are damaged: they have to be fetched again."""
    remedy = f"fetch it again: {location.remedy} --force"
    return blame(entry, cause, remedy, split=split, revision=location.revision)


def blame(
    entry: Entry, cause: str, remedy: str, *, split: str = "", revision: str = ""
) -> CorpusError:
    """The error that names the corpus, the cause and the remedy."""
    return CorpusError(
        f"{describe_entry(entry, split=split, revision=revision)}: {cause}; {remedy}"
    )
