"""The named cases: the examples of the specification, and texts that showed faults elsewhere."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources

from segmenter.testing.case import Case as Case
from segmenter.testing.faults import FAULTS
from segmenter.testing.notation import read_notation

SPECIFICATION = "SPEC.md"


class SpecificationError(Exception):
    """An example that cannot be read; the message is one line and names file and line."""


@cache
def load_cases() -> Mapping[str, Case]:
    """Every case by its name, those of the specification first."""
    cases = [*read_examples(read_specification()), *FAULTS]
    return {case.name: case for case in cases}


def read_specification() -> str:
    """SPEC.md of the installed segmenter."""
    return resources.files("segmenter").joinpath(SPECIFICATION).read_text(encoding="utf-8")


def read_glosses() -> Mapping[str, str]:
    """What each rule of the specification asks for, in a line."""
    return dict(re.findall(r"^#+ `([a-z-]+)`: (.+)$", read_specification(), re.MULTILINE))


_heading = re.compile(r"#+ (?:`(?P<rule>[a-z-]+)`: )?")
_caption = re.compile(r"`(?P<name>[a-z0-9-]+)`, limit (?P<limit>[1-9][0-9]*):")


def read_examples(document: str) -> Iterator[Case]:
    """The examples of a specification, in order.

    An example is a block of "segments" under a caption with its name and limit; its rule is named
    in the nearest heading that names one. Raises SpecificationError for a block that has no
    caption or rule, or a name that another has, and for a line not written as `notation` does.
    """
    rule, names = "", set()
    caption: re.Match[str] | None = None
    for number, language, lines in _read_blocks(document):
        if language is None:
            line = lines[0]
            if (heading := _heading.match(line)) and (found := heading["rule"]):
                rule = found
            elif line.strip():
                caption = _caption.fullmatch(line.strip())
            continue
        if language != "segments":
            continue
        if caption is None:
            raise SpecificationError(
                f"{SPECIFICATION}:{number}: write `name`, limit N: above the example"
            )
        name = caption["name"]
        if name in names or not rule:
            problem = "is there already" if rule else "stands under no rule"
            raise SpecificationError(f"{SPECIFICATION}:{number}: {name} {problem}")
        names.add(name)
        segments = tuple(
            _read_line(line, number + offset) for offset, line in enumerate(lines, start=1)
        )
        yield Case(
            name,
            rule,
            "".join(segments),
            int(caption["limit"]),
            f"{SPECIFICATION}:{number}",
            segments,
        )
        caption = None


def _read_blocks(document: str) -> Iterator[tuple[int, str | None, Sequence[str]]]:
    """Each fenced block with the number of its first line and its language.

    Every other line comes by itself, without a language.
    """
    lines = iter(enumerate(document.split("\n"), start=1))
    for number, line in lines:
        indentation, fence, language = line.partition("```")
        if not fence:
            yield number, None, [line]
            continue
        block = []
        for _, inner in lines:
            if inner == f"{indentation}```":
                break
            block.append(inner.removeprefix(indentation))
        else:
            raise SpecificationError(f"{SPECIFICATION}:{number}: the block has no end")
        yield number, language, block


def _read_line(line: str, number: int) -> str:
    try:
        return read_notation(line)
    except ValueError as error:
        raise SpecificationError(f"{SPECIFICATION}:{number}: {error}") from error
