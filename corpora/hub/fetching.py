"""Data sets from the Hugging Face hub, through its own client."""

import functools
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any, TypeVar

from corpora.catalogue import Entry
from corpora.hub import errors
from corpora.hub.location import (
    Location,
    blame,
    describe_entry,
    expand_patterns,
    find_in_folder,
    get_assets_folder,
    select_files,
)
from corpora.hub.records import write_replacing
from corpora.timeout import TIMEOUT, Sign, watch

#: Called with how many bytes are fetched so far, and of how many as far as is known.
FetchProgress = Callable[[int, int], None]
_T = TypeVar("_T")


def find_on_hub(entry: Entry, timeout: float) -> Location:
    """The data set on the hub itself, pinned to the commit that its revision names now.

    Raises CorpusError if the hub cannot be reached or does not have it.
    """
    _, commit, names = _resolve(entry, timeout)
    root = f"hf://datasets/{entry.repository}@{commit}"
    found, _ = select_files(entry, names)
    data_files = {split: [f"{root}/{name}" for name in names] for split, names in found.items()}
    origin = f"{describe_entry(entry, revision=commit)} on the hub"
    return Location(data_files, origin, f"segbench prepare {entry.name}", commit)


def fetch(
    entry: Entry,
    mirror: Path | None = None,
    *,
    timeout: float = TIMEOUT,
    force: bool = False,
    progress: FetchProgress | None = None,
) -> Location:
    """Bring the data set here, into the mirror if one is named, else into the cache.

    Files that are here already stay, unless ``force`` says that they are not to be trusted; one
    that was interrupted is continued if the server allows it. Raises CorpusError.
    """
    if entry.url is not None:
        folder = _fetch_url(entry, entry.url, mirror, timeout, force)
    else:
        folder = _fetch_snapshot(entry, mirror, timeout, force, progress)
    location = find_in_folder(entry, folder, mirror)
    if location.missing or not location.data_files:
        raise blame(
            entry,
            f"it came without all its files: {'; '.join(location.missing)}",
            f"run: {location.remedy}",
        )
    return location


def _resolve(entry: Entry, timeout: float) -> tuple[str, str, list[str]]:
    """The first revision that has all the files, its commit, and the names of its files."""
    from huggingface_hub import HfApi

    client = HfApi()

    def ask(revision: str, _: Sign) -> tuple[str, list[str]]:
        commit = client.dataset_info(entry.repository, revision=revision, timeout=timeout).sha
        names = client.list_repo_files(entry.repository, repo_type="dataset", revision=commit)
        return str(commit), names

    for revision in entry.revisions:
        commit, names = _ask_hub(entry, functools.partial(ask, revision), timeout, revision)
        found, missing = select_files(entry, names)
        if found and not missing:
            return revision, commit, names
    scripts = [name for name in names if name.endswith(".py")]
    if scripts and not found:
        cause = f"it has only a loading script, {scripts[0]}, which `datasets` does not run"
    else:
        cause = f"its files are not where they were: {', '.join(missing)}"
    raise blame(entry, cause, "read it from a mirror: --mirror DIR")


def _fetch_snapshot(
    entry: Entry, mirror: Path | None, timeout: float, force: bool, progress: FetchProgress | None
) -> Path:
    from huggingface_hub import snapshot_download

    revision, _, _ = _resolve(entry, timeout)

    def download(give_sign: Sign) -> Path:
        return Path(
            snapshot_download(
                entry.repository,
                repo_type="dataset",
                revision=revision,
                allow_patterns=expand_patterns(entry),
                local_dir=mirror / entry.repository if mirror else None,
                force_download=force,
                tqdm_class=_make_bar(give_sign, progress),
            )
        )

    return _ask_hub(entry, download, timeout, revision)


def _make_bar(give_sign: Sign, progress: FetchProgress | None) -> type:
    from tqdm import tqdm  # type: ignore[import-untyped]

    class Bar(tqdm):  # type: ignore[misc]
        """Any of the client's bars is a sign of life; those that count bytes are passed on."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            self.fetched = 0
            super().__init__(*args, **{**kwargs, "disable": True})
            self.counts = kwargs.get("unit") == "B"
            self.total = kwargs.get("total")

        def update(self, n: float | None = 1) -> None:
            give_sign()
            self.fetched += int(n or 0)
            if progress and self.counts:
                progress(self.fetched, int(self.total or 0))

    return Bar


def _fetch_url(entry: Entry, url: str, mirror: Path | None, timeout: float, force: bool) -> Path:
    from huggingface_hub import get_session

    folder = mirror / entry.repository if mirror else get_assets_folder(entry)
    target = folder / entry.files[0]

    def download(_: Sign) -> bytes:
        response = get_session().get(url, timeout=timeout)
        response.raise_for_status()
        return bytes(response.content)

    if force or not target.is_file():
        write_replacing(target, _ask_hub(entry, download, timeout))
    return folder


def _ask_hub(
    entry: Entry, question: Callable[[Sign], _T], timeout: float, revision: str = ""
) -> _T:
    """What the question answers; raises CorpusError for whatever goes wrong on the way."""

    def ask(give_sign: Sign) -> Generator[_T, None, None]:
        yield question(give_sign)

    try:
        return next(watch(ask, timeout))
    except Exception as error:  # noqa: BLE001  the client's, which differ between its versions
        cause, remedy = errors.explain(error, f"run: segbench prepare {entry.name}")
        remedy = remedy or "read it from a mirror: --mirror DIR"
        raise blame(entry, cause, remedy, revision=revision) from None
