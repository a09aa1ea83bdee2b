"""A public name stands for one thing, in whatever module a reader meets it."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# Names that several modules define on purpose, and why.
EXCEPTIONS = {
    "ORIGIN": "each embedded corpus is a module that has one",
    "read": "each embedded corpus is a module that has one",
    "fits": "the kit's form of the rule that segmenter.rules checks, found by the rule's name",
    "main": "what a program starts with",
    "TYPE_CHECKING": "known to type checkers by this name; typing need not be imported",
}


def list_public(source: str) -> Iterator[str]:
    """The public names that a module defines: functions, classes, constants."""
    for node in ast.parse(source).body:
        match node:
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):
                found = [name]
            case ast.AnnAssign(target=ast.Name(id=name)):
                found = [name]
            case ast.Assign(targets=targets):
                parts = [part for target in targets for part in ast.walk(target)]
                found = [part.id for part in parts if isinstance(part, ast.Name)]
            case _:
                continue
        yield from (name for name in found if not name.startswith("_"))


def find_shared(sources: dict[str, str]) -> dict[str, list[str]]:
    """The names that more than one module defines, with the modules."""
    modules: defaultdict[str, list[str]] = defaultdict(list)
    for module, source in sources.items():
        for name in dict.fromkeys(list_public(source)):
            modules[name].append(module)
    return {name: found for name, found in modules.items() if len(found) > 1}


def test_no_public_name_is_defined_in_two_modules() -> None:
    files = [
        path for top in ("segmenter", "corpora", "harness") for path in (ROOT / top).rglob("*.py")
    ]
    assert len(files) > 100
    shared = find_shared({str(path.relative_to(ROOT)): path.read_text("utf-8") for path in files})
    assert {name: found for name, found in shared.items() if name not in EXCEPTIONS} == {}
    assert EXCEPTIONS.keys() <= shared.keys()  # an exception that is not needed goes


@pytest.mark.parametrize(
    "definition",
    [
        "def Name(): ...",
        "async def Name(): ...",
        "class Name: ...",
        "Name = 1",
        "other = Name = 1",
        "first, Name = 1, 2",
        "Name: int = 1",
        "Name: int",
    ],
)
def test_every_kind_of_definition_is_seen(definition: str) -> None:
    found = find_shared({"one": definition, "two": "class Name: ..."})
    assert found == {"Name": ["one", "two"]}


def test_imports_and_private_names_are_no_definitions() -> None:
    source = "from a import Name\n_Name = 1\ndef f():\n    Name = 1\nclass C:\n    Name = 1\n"
    assert find_shared({"one": source, "two": "class Name: ..."}) == {}
