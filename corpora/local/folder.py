"""Which files of a folder are documents, and what is left out and why."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corpora.document import RequestError
from corpora.local import places
from corpora.local.content import FileError, is_binary, name_kind
from corpora.local.tables import find_table_kind
from corpora.timeout import Sign
from corpora.wording import decode_name, list_names, quote_name

_EXCLUDED = ("file or folder by --exclude", "files and folders by --exclude")
_NOT_INCLUDED = ("file that no --include matches", "files that no --include matches")


@dataclass(slots=True)
class Listing:
    """The files below a folder by their paths there, in that order; ``left_out`` are by reason.

    The values are what ``corpora.local.places`` opens.
    """

    files: dict[str, str] = field(default_factory=dict)
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
    folder: str, patterns: Patterns, give_sign: Sign, *, encoding: str, named_column: bool
) -> Listing:
    """The files below a folder, but hidden ones, binary ones, and those that are not asked for.

    A link to a file is that file; one to a folder is not followed. Behind a URL no file is opened
    for that, so that a binary one is found when it is read.
    """
    listing = Listing()
    for below, name in sorted(
        _walk(folder, patterns, listing, give_sign), key=lambda each: each[1]
    ):
        place = places.join_place(folder, below)
        if places.is_url(folder) or _is_text(
            listing, Path(place), name, give_sign, encoding, named_column
        ):
            listing.files[_tell_apart(name, listing.files)] = place
    listing.unused = patterns.list_unused()
    return listing


def _walk(
    folder: str, patterns: Patterns, listing: Listing, give_sign: Sign
) -> Iterator[tuple[str, str]]:
    """All that is not a folder: its path below ``folder``, and that as a name."""
    waiting = [""]
    while waiting:
        before = waiting.pop()
        try:
            entries = list(places.scan(places.join_place(folder, before) if before else folder))
        except OSError as error:
            _cannot_be_read(listing, decode_name(before).rstrip("/") or ".", error)
            continue
        for entry, is_folder in entries:
            give_sign()
            below = before + entry
            name = decode_name(below)
            if entry.startswith("."):
                listing.leave_out("hidden file or folder", "hidden files and folders", name)
            elif is_folder:
                if patterns.is_excluded(f"{name}/"):
                    listing.leave_out(*_EXCLUDED, f"{name}/")
                else:
                    waiting.append(f"{below}/")
            elif patterns.is_excluded(name):
                listing.leave_out(*_EXCLUDED, name)
            elif not patterns.is_included(name):
                listing.leave_out(*_NOT_INCLUDED, name)
            else:
                yield below, name


def _is_text(
    listing: Listing,
    path: Path,
    name: str,
    give_sign: Sign,
    encoding: str,
    named_column: bool,
) -> bool:
    """Whether a path is a file to read; else the listing tells that it is left out, and why."""
    try:
        kind = name_kind(path.stat().st_mode)
    except OSError as error:
        if path.is_symlink():
            listing.leave_out("link that leads nowhere", "links that lead nowhere", name)
        else:
            _cannot_be_read(listing, name, error)
        return False
    if kind:
        if path.is_symlink():
            listing.leave_out(f"link to a {kind}", f"links to {kind}s", name)
        else:
            listing.leave_out(kind, f"{kind}s", name)
        return False
    if find_table_kind(path.name, named_column=named_column):
        return True
    try:
        binary = is_binary(places.open_place(str(path), give_sign).read_head(), encoding)
    except FileError:
        return True  # reading it will tell, with all others that cannot be read
    if binary:
        listing.leave_out("binary file", "binary files", name)
    return not binary


def _cannot_be_read(listing: Listing, name: str, error: OSError) -> None:
    remedy = "check its permissions" if isinstance(error, PermissionError) else "check the path"
    listing.unreadable[name] = FileError(f"cannot be read: {error.strerror or error}", remedy)


def _tell_apart(name: str, others: dict[str, str]) -> str:
    """The name, with a number if another file has it: two may be escaped alike."""
    number, told = 1, name
    while told in others:
        number += 1
        told = f"{name}#{number}"
    return told
