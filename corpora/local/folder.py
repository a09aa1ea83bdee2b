"""Which files of a folder are documents, and what is left out and why."""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from corpora.document import RequestError
from corpora.local.content import DataFile, FileError, is_binary, name_kind, open_regular
from corpora.local.tables import find_table_kind
from corpora.timeout import Sign
from corpora.wording import decode_name, list_names, quote_name

_EXCLUDED = ("file or folder by --exclude", "files and folders by --exclude")
_NOT_INCLUDED = ("file that no --include matches", "files that no --include matches")


@dataclass(slots=True)
class Listing:
    """The files below a folder by their paths there, in that order; ``left_out`` are by reason."""

    files: dict[str, Path] = field(default_factory=dict)
    left_out: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    unreadable: dict[str, FileError] = field(default_factory=dict)
    unused: list[str] = field(default_factory=list)

    def leave_out(self, one: str, many: str, name: str) -> None:
        """``one`` and ``many`` say what the path is, by how many of its kind there are."""
        self.left_out.setdefault((one, many), []).append(name)

    def describe(self, corpus: str) -> tuple[str, ...]:
        """What a reader of results must know, each in a line."""
        left_out = [
            f"{corpus}: left out {len(names):,} {one if len(names) == 1 else many} "
            f"({list_names(sorted(names))})"
            for (one, many), names in self.left_out.items()
        ]
        return (*left_out, *(f"{corpus}: {pattern} matches nothing" for pattern in self.unused))


class Patterns:
    """What --include and --exclude ask for, in the patterns of .gitignore."""

    def __init__(self, include: Sequence[str], exclude: Sequence[str]) -> None:
        self._include = _compile("--include", include)
        self._exclude = _compile("--exclude", exclude)
        self._matched: set[int] = set()

    def is_excluded(self, name: str) -> bool:
        """Whether a pattern leaves the file or folder out."""
        return self._matches(self._exclude, name)

    def is_included(self, name: str) -> bool:
        """Whether a pattern names the file, or there is none that does."""
        return not self._include or self._matches(self._include, name)

    def _matches(self, patterns: Sequence[tuple[str, Any]], name: str) -> bool:
        matched = [id(spec) for _, spec in patterns if spec.match_file(name)]
        self._matched.update(matched)
        return bool(matched)

    def list_unused(self) -> list[str]:
        """The options whose patterns matched nothing so far."""
        every = [*self._include, *self._exclude]
        return [option for option, spec in every if id(spec) not in self._matched]


def _compile(option: str, patterns: Sequence[str]) -> list[tuple[str, Any]]:
    if not patterns:
        return []
    try:
        from pathspec import PathSpec
    except ImportError:
        raise RequestError(
            f"{option} needs the `pathspec` library; run: pip install 'segbench[harness]'"
        ) from None
    compiled = []
    for pattern in patterns:
        try:
            spec = PathSpec.from_lines("gitignore", [pattern])
        except ValueError as error:
            raise RequestError(
                f"{option} {quote_name(pattern)} is not a pattern: {error}"
            ) from None
        if not any(each.include for each in spec.patterns):
            raise RequestError(
                f"{option} {quote_name(pattern)} matches nothing; give a pattern such as *.md"
            )
        compiled.append((f"{option} {pattern}", spec))
    return compiled


def list_folder(
    folder: Path, patterns: Patterns, give_sign: Sign, *, encoding: str, named_column: bool
) -> Listing:
    """The files below a folder, but hidden ones, binary ones, and those that are not asked for.

    A link to a file is that file; one to a folder is not followed.
    """
    listing = Listing()
    for entry, name in sorted(
        _walk(folder, patterns, listing, give_sign), key=lambda each: each[1]
    ):
        try:
            kind = name_kind(entry.stat().st_mode)
        except OSError as error:
            if entry.is_symlink():
                listing.leave_out("link that leads nowhere", "links that lead nowhere", name)
            else:
                _cannot_be_read(listing, name, error)
            continue
        if kind:
            if entry.is_symlink():
                listing.leave_out(f"link to a {kind}", f"links to {kind}s", name)
            else:
                listing.leave_out(kind, f"{kind}s", name)
        elif _is_text(listing, entry, name, give_sign, encoding, named_column):
            listing.files[_tell_apart(name, listing.files)] = Path(entry.path)
    listing.unused = patterns.list_unused()
    return listing


def _walk(
    folder: Path, patterns: Patterns, listing: Listing, give_sign: Sign
) -> Iterator[tuple["os.DirEntry[str]", str]]:
    """All that is not a folder, with its name below ``folder``."""
    waiting = [(folder, "")]
    while waiting:
        place, before = waiting.pop()
        try:
            with os.scandir(place) as found:
                entries = list(found)
        except OSError as error:
            _cannot_be_read(listing, before.rstrip("/") or ".", error)
            continue
        for entry in entries:
            give_sign()
            name = decode_name(before + entry.name)
            is_folder = stat.S_ISDIR(_get_mode(entry))
            if entry.name.startswith("."):
                listing.leave_out("hidden file or folder", "hidden files and folders", name)
            elif is_folder:
                if patterns.is_excluded(f"{name}/"):
                    listing.leave_out(*_EXCLUDED, f"{name}/")
                else:
                    waiting.append((Path(entry.path), f"{before}{entry.name}/"))
            elif patterns.is_excluded(name):
                listing.leave_out(*_EXCLUDED, name)
            elif not patterns.is_included(name):
                listing.leave_out(*_NOT_INCLUDED, name)
            else:
                yield entry, name


def _get_mode(entry: "os.DirEntry[str]") -> int:
    try:
        return entry.stat(follow_symlinks=False).st_mode
    except OSError:
        return 0


def _is_text(
    listing: Listing,
    entry: "os.DirEntry[str]",
    name: str,
    give_sign: Sign,
    encoding: str,
    named_column: bool,
) -> bool:
    if find_table_kind(entry.name, named_column=named_column):
        return True
    file = DataFile(entry.name, partial(open_regular, Path(entry.path), give_sign))
    try:
        binary = is_binary(file.read_head(), encoding)
    except FileError:
        return True  # reading it will tell, with all others that cannot be read
    if binary:
        listing.leave_out("binary file", "binary files", name)
    return not binary


def _cannot_be_read(listing: Listing, name: str, error: OSError) -> None:
    remedy = "check its permissions" if isinstance(error, PermissionError) else "check the path"
    listing.unreadable[name] = FileError(f"cannot be read: {error.strerror or error}", remedy)


def _tell_apart(name: str, others: dict[str, Path]) -> str:
    """The name, with a number if another file has it: two may be escaped alike."""
    number, told = 1, name
    while told in others:
        number += 1
        told = f"{name}#{number}"
    return told
