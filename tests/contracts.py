"""A kind of contract for import-linter: modules that need only the standard library."""

import sys
from typing import Any

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


class StandardLibraryContract(Contract):
    """Neither ``modules`` nor what they import, directly or not, imports a third-party package.

    ``ignored`` are modules within them for which this need not hold.
    """

    type_name = "standard_library"

    modules = fields.ListField(subfield=fields.StringField())
    ignored = fields.ListField(subfield=fields.StringField(), required=False, default=[])

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        names: list[str] = list(self.modules)  # type: ignore[call-overload]
        ignored = set().union(*(_within(graph, name) for name in self.ignored))  # type: ignore[attr-defined]
        foreign = {
            f"{module} needs {external}"
            for name in names
            for module in _within(graph, name) - ignored
            for external in _find_external(graph, module)
        }
        return ContractCheck(kept=not foreign, metadata={"foreign": sorted(foreign)})

    def render_broken_contract(self, check: ContractCheck) -> None:
        lines: Any = check.metadata["foreign"]
        for line in lines:
            output.print_error(line)


def _within(graph: ImportGraph, name: str) -> set[str]:
    if name not in graph.modules:
        raise ValueError(f"there is no module {name}")
    return {name, *graph.find_descendants(name)}


def _find_external(graph: ImportGraph, module: str) -> list[str]:
    """The third-party packages that are loaded with a module."""
    return [
        name
        for name in graph.find_upstream_modules(module)
        if graph.is_module_squashed(name) and name not in sys.stdlib_module_names
    ]
