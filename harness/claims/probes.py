"""Programs for ``run_probe``, which ask an environment about its LangChain."""

FUNCTIONS = """
import ast, inspect, json, textwrap
from langchain_text_splitters import base, character
recursive, parent = character.RecursiveCharacterTextSplitter, base.TextSplitter
functions = {
    "RecursiveCharacterTextSplitter.__init__": recursive.__init__,
    "TextSplitter.__init__": parent.__init__,
    "split_text": recursive.split_text,
    "_split_text": recursive._split_text,
    "_split_text_with_regex": character._split_text_with_regex,
    "_merge_splits": parent._merge_splits,
    "_join_docs": parent._join_docs,
}
found = {}
for name, function in functions.items():
    node = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    decorators = [ast.unparse(each) for each in node.decorator_list]
    node.decorator_list = []
    found[name] = [ast.unparse(node), decorators]
default = inspect.signature(parent.__init__).parameters["strip_whitespace"].default
print(json.dumps([found, default]))
"""
"""The source of what splits, without comments, formatting and decorators; the latter beside it.
Then the default of ``strip_whitespace``."""

OLD_STRIPPING = """
import inspect, json
from langchain.text_splitter import TextSplitter
join = TextSplitter._join_docs
optional = "strip_whitespace" in inspect.signature(TextSplitter.__init__).parameters
print(json.dumps([".strip()" in inspect.getsource(join), optional]))
"""
"""Whether ``_join_docs`` of the package ``langchain`` strips, and whether that is optional."""

LOADED = """
import json, sys
import langchain_text_splitters
print(json.dumps([name in sys.modules for name in ("tiktoken", "transformers")]))
"""
"""Whether importing the splitters imports tiktoken and transformers."""
