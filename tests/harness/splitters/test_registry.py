"""The declared splitters."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from harness.results.errors import MeasurementError
from harness.splitters.registry import (
    Splitter,
    UnknownSplitterError,
    default_names,
    list_splitters,
    load_splitter,
    name_with_separators,
)
from segmenter import TextSegmenter
from segmenter.separators import LISTS

ALWAYS = [
    "segmenter",
    "langchain",
    "langchain-memmachine",
    "langchain-memmachine-keep",
    "langchain-memmachine-moved",
    "langchain-memmachine-moved-rule",
    "fixed",
]


def test_seven_splitters_always_run_in_this_order() -> None:
    assert default_names() == list_splitters()[:7] == ALWAYS


def test_no_two_names_are_of_the_same_thing() -> None:
    """Whatever is called with the same options, of any release that both may be measured with."""
    declared = [load_splitter(name) for name in list_splitters()]
    of_releases = [
        each for each in declared if not re.search(r"\d\.\d", each.name) and not each.newest
    ]
    made = [(each.factory, repr(sorted(each.options.items()))) for each in of_releases]
    assert len(set(made)) == len(made) > 50


@pytest.mark.parametrize("name", ALWAYS)
def test_a_declared_splitter_splits(name: str) -> None:
    splitter = load_splitter(name)
    assert splitter.name == name
    assert splitter.description
    segments = splitter.make(8)("One two. Three.")
    words = ["One two.", "Three."] if name == "fixed" else ["One", "two.", "Three."]
    if name == "langchain":
        words = ["One two.", "Three."]  # its own separators are blank lines, newlines and blanks
    assert [segment.strip() for segment in segments] == words


def test_the_distribution_is_that_of_the_requirement() -> None:
    assert load_splitter("segmenter").distribution is None
    assert load_splitter("langchain").distribution == "langchain-text-splitters"
    assert Splitter("s", "m:f", requirement="a.b_c[extra]~=1.2").distribution == "a.b_c"


def test_an_unknown_name_suggests_near_ones() -> None:
    with pytest.raises(UnknownSplitterError) as raised:
        load_splitter("langchian-keep")
    assert "'langchian-keep'" in str(raised.value)
    assert "langchain-keep" in str(raised.value).partition("did you mean ")[2]
    with pytest.raises(UnknownSplitterError, match="segmenter, langchain, langchain-memmachine"):
        load_splitter("")


def test_a_package_that_is_absent_is_named_with_the_command_that_installs_it() -> None:
    splitter = Splitter("peer", "a_package_that_nobody_has:f", requirement="peer-splitter>=2")
    with pytest.raises(MeasurementError) as raised:
        splitter.make(5)
    assert str(raised.value) == (
        "splitter peer cannot be loaded: No module named 'a_package_that_nobody_has'; "
        "run: pip install 'peer-splitter>=2'"
    )


@pytest.mark.parametrize("name", ALWAYS)
def test_a_splitter_needs_no_more_than_its_requirement(name: str) -> None:
    """Nor does knowing of it load it: what a worker imports is what is measured."""
    program = f"""
import sys
from harness.splitters.registry import load_splitter
splitter = load_splitter({name!r})
assert "langchain_text_splitters" not in sys.modules
splitter.make(5)
foreign = {{"datasets", "pandas", "pyperf", "click", "rich", "corpora"}} & set(sys.modules)
assert not foreign, foreign
assert ("langchain_text_splitters" in sys.modules) == ({name!r} not in ("segmenter", "fixed"))
"""
    checkout = Path(__file__).parents[3]
    subprocess.run([sys.executable, "-c", program], check=True, cwd=checkout)


def test_anyones_splitter_is_given_by_its_factory_or_its_file(tmp_path: Path) -> None:
    splitter = load_splitter("textwrap:TextWrapper")
    assert (splitter.name, splitter.factory) == ("textwrap:TextWrapper", "textwrap:TextWrapper")
    file = tmp_path / "mine.py"
    file.write_text("class Splitter:\n  def __init__(self, n): self.n = n\n"
                    "  def split(self, text): return [text[:self.n], text[self.n:]]\n")  # fmt: skip
    mine = load_splitter(f"{file}:Splitter")
    assert mine.make(2)("abc") == ["ab", "c"]
    assert load_splitter(f"{file}:Nothing").factory == f"{file}:Nothing"
    with pytest.raises(MeasurementError, match="has no 'Nothing'"):
        load_splitter(f"{file}:Nothing").make(2)


def test_a_module_beside_one_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As pytest finds it, wherever the program that runs this lies."""
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "beside.py").write_text("def make(limit): return lambda text: [text]\n")
    assert load_splitter("beside:make").make(2)("abc") == ["abc"]


def test_a_file_may_hold_what_any_module_may(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text(
        "from __future__ import annotations\n"
        "from dataclasses import dataclass\n"
        "class Factories:\n"
        "    @dataclass\n"
        "    class Slices:\n"
        "        limit: int\n"
        "        def split(self, text): return [text[: self.limit], text[self.limit :]]\n"
    )
    made = load_splitter(f"{tmp_path}/json.py:Factories.Slices").make(2)
    assert made("abc") == ["ab", "c"]
    assert sys.modules["json"] is json


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("absent.py:make", "absent.py is not a file; give an existing one"),
        ("some/absent.py", "say which function of some/absent.py makes it: some/absent.py:FUN"),
        ("a b:make", "no splitter is named 'a b:make'"),
        ("module:", "no splitter is named 'module:'"),
    ],
)
def test_what_names_no_factory_is_unknown(name: str, message: str) -> None:
    with pytest.raises(UnknownSplitterError) as raised:
        load_splitter(name)
    assert str(raised.value).startswith(message)


def test_every_list_of_separators_has_its_splitter() -> None:
    assert name_with_separators("memmachine") == "segmenter"
    for name, separators in LISTS.items():
        split = load_splitter(name_with_separators(name)).make(5)
        text = "# a\n\nb. c, d\n" * 3
        assert split(text) == TextSegmenter(5, separators=separators).split(text)
