"""A plugin of mypy for mypyc: what is called with a wrong type refuses it in its own words.

mypyc checks the arguments of a compiled method before its first line runs, and raises a TypeError
that names neither the argument nor its type as Python does. TextSegmenter checks them itself. To
mypyc, its methods therefore take any object. Type checkers never see this: setup.py alone uses it.
"""

from collections.abc import Callable

from mypy.nodes import FuncDef
from mypy.plugin import ClassDefContext, Plugin
from mypy.types import CallableType, UnboundType

CHECKED_BY_ITSELF = {"int", "str"}


class LeaveArgumentsUnchecked(Plugin):
    def get_customize_class_mro_hook(
        self, fullname: str
    ) -> Callable[[ClassDefContext], None] | None:
        return widen_arguments if fullname.endswith(".TextSegmenter") else None


def widen_arguments(context: ClassDefContext) -> None:
    for method in context.cls.defs.body:
        if isinstance(method, FuncDef) and isinstance(method.type, CallableType):
            method.type.arg_types = [
                UnboundType("object")
                if isinstance(kind, UnboundType) and kind.name in CHECKED_BY_ITSELF
                else kind
                for kind in method.type.arg_types
            ]


def plugin(_version: str) -> type[Plugin]:
    return LeaveArgumentsUnchecked
