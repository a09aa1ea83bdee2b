"""Every rule of the kit is broken by one splitter, and that splitter breaks no other."""

import re
from contextlib import suppress
from importlib import resources
from pathlib import Path
from types import SimpleNamespace

import numpy
import pytest

from harness.splitters.adapters.segmenter import load_pure
from segmenter import TextSegmenter
from segmenter.testing import (
    RULE_SETS,
    NotApplicableError,
    RefusedTextError,
    RuleBrokenError,
    check,
    load_cases,
)
from segmenter.testing import split as kit_split
from segmenter.testing.cases import Case
from segmenter.testing.checks import (
    CHECKS,
    UnknownRuleError,
    concerns,
    describe_rule,
    select_rules,
)
from segmenter.testing.known import ANY_TEXT, read_known_violations
from segmenter.testing.trial import Factory, load_factory
from tests.segmenter.testing import broken_splitters as broken

# The rules that a splitter cannot keep when it breaks one are left out of the set by their nature:
# where text is left out, the segments do not join either; and only our own cuts are the reference.
WHITESPACE, OVERLAP = RULE_SETS["whitespace"], RULE_SETS["overlap"]
EVERY_RULE = dict.fromkeys((*WHITESPACE, *OVERLAP, *RULE_SETS["reference"]))
BROKEN = [
    ("accepts", broken.refusing, EVERY_RULE),
    ("join", broken.losing, WHITESPACE),
    ("fits", broken.exceeding, WHITESPACE),
    ("order", broken.Disordered, WHITESPACE),
    ("covers", broken.skipping, OVERLAP),
    ("empty", broken.adding_nothing, WHITESPACE),
    ("offsets", broken.Misplaced, EVERY_RULE),
    ("offsets", broken.Searching, EVERY_RULE),
    ("offsets", broken.WronglyEnding, EVERY_RULE),
    ("deterministic", broken.changing, WHITESPACE),
    ("cut-after-last-newline", broken.cutting_at_ends_of_runs, WHITESPACE),
    ("run-without-newline", broken.cutting_at_starts_of_runs, WHITESPACE),
    ("edges", broken.cutting_edges, WHITESPACE),
    ("whitespace-segment", broken.setting_runs_apart, WHITESPACE),
    ("too-long-run", broken.cutting_from_the_end, WHITESPACE),
    ("whitespace-only", broken.cutting_whitespace, WHITESPACE),
    ("reference", broken.cutting_every_unit, EVERY_RULE),
]


def find_broken(factory: Factory, rules: object) -> dict[str, list[str]]:
    """The cases on which each rule is broken."""
    found: dict[str, list[str]] = {}
    for case in load_cases().values():
        for rule in rules:  # type: ignore[attr-defined]
            if not concerns(rule, case.text, case.max_chunk_length):
                continue
            try:
                check(factory, case, rule)
            except RuleBrokenError:
                found.setdefault(rule, []).append(case.name)
            except (NotApplicableError, RefusedTextError):
                pass
    return found


@pytest.mark.parametrize(
    ("rule", "factory", "rules"),
    BROKEN,
    ids=[f"{rule}-{factory.__name__}" for rule, factory, _ in BROKEN],
)
def test_a_broken_splitter_breaks_one_rule_of_the_kit_only(rule, factory, rules) -> None:
    found = find_broken(factory, rules)
    assert list(found) == [rule], found


def test_every_rule_of_the_kit_has_its_broken_splitter() -> None:
    assert {rule for rule, _, _ in BROKEN} == set(CHECKS) == set(EVERY_RULE)


@pytest.mark.parametrize("form", [TextSegmenter, load_pure()], ids=["as imported", "pure"])
def test_the_segmenter_breaks_none(form) -> None:
    assert find_broken(form, EVERY_RULE) == {}


def test_a_rule_that_does_not_concern_a_text_is_broken_by_no_splitter() -> None:
    small = [case for case in load_cases().values() if len(case.text) < 100]
    for _, factory, rules in BROKEN:
        for case in small:
            for rule in rules:
                if not concerns(rule, case.text, case.max_chunk_length):
                    with suppress(NotApplicableError, RefusedTextError):
                        check(factory, case, rule)


def test_langchain_that_keeps_whitespace_breaks_what_its_example_lists() -> None:
    examples = Path(str(resources.files("segmenter.testing"))) / "examples"
    known = read_known_violations(examples / "langchain-memmachine-keep.toml")
    found = find_broken(load_factory(f"{examples}/langchain_memmachine_keep.py:make"), WHITESPACE)
    assert set(found) == {
        "cut-after-last-newline",
        "run-without-newline",
        "edges",
        "whitespace-segment",
        "too-long-run",
        "whitespace-only",
    }
    listed = {(rule, name) for rule, names in found.items() for name in names}
    assert listed == {(rule, name) for rule, name in known if name != ANY_TEXT}
    assert {rule for rule, name in known if name == ANY_TEXT} == set(found)


def documents(limit: int):
    """A splitter that gives documents with their places, as LangChain does."""

    def split(text: str):
        segments = TextSegmenter(limit)
        return [
            SimpleNamespace(page_content=text[start:end], metadata={"start_index": start})
            for start, end in segments.spans(text)
        ]

    return split


def overlapping(limit: int):
    """A splitter whose segments share half of their text with the next, and say where they are."""
    step = (limit + 1) // 2

    def split(text: str):
        starts = range(0, max(1, len(text) - limit + step), step) if text else []
        return [SimpleNamespace(text=text[at : at + limit], start_index=at) for at in starts]

    return split


class Words:
    """A splitter whose limit is in words."""

    def __init__(self, limit: int) -> None:
        self._limit = limit

    def split(self, text: str) -> list[str]:
        words = re.findall(r"\s*\S+\s*$|\s*\S+|^\s+$", text)
        return ["".join(words[i : i + self._limit]) for i in range(0, len(words), self._limit)]

    def length(self, text: str) -> int:
        return len(text.split())


def test_documents_with_offsets_are_tried_by_every_rule() -> None:
    assert find_broken(documents, EVERY_RULE) == {}
    check(documents, load_cases()["offsets-count-code-points"], "offsets")


def test_splitters_with_overlap_are_tried_by_what_applies() -> None:
    assert find_broken(overlapping, OVERLAP) == {}
    assert "join" in find_broken(overlapping, ["join"])


def test_splitters_that_count_otherwise_are_tried_by_what_applies() -> None:
    assert find_broken(Words, RULE_SETS["lossless"]) == {}
    case = load_cases()["trailing-newlines"]
    for rule in ("edges", "whitespace-segment", "too-long-run"):
        with pytest.raises(NotApplicableError, match="does not count code points"):
            check(Words, case, rule)
    Words.length, length = lambda self, text: len(text), Words.length
    try:
        assert "fits" in find_broken(Words, ["fits"])
    finally:
        Words.length = length


class Numbered(TextSegmenter):
    """A splitter to which the names of the methods of the kit mean something else."""

    length = 500
    spans = ()


def test_what_is_no_method_is_not_taken_for_one() -> None:
    check(Numbered, load_cases()["exact-fit"], "fits")
    with pytest.raises(NotApplicableError, match="does not say where"):
        check(Numbered, load_cases()["exact-fit"], "offsets")


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        ([(0, 5), (0, 6)], r"at 0: !\.? is not at 0"),
        ([(0, 5), (5, 7)], r"at 5: ! is not from 5 to 7"),
        ([(0, 4), (5, 6)], r"at 0: hello is not from 0 to 4"),
        ([(-1, 4), (5, 6)], r"at 0: hello is not at -1"),
    ],
)
def test_offsets_are_told_where_they_are_wrong(spans, message) -> None:
    class Told(TextSegmenter):
        def spans(self, text: str) -> list[tuple[int, int]]:
            return spans

    with pytest.raises(RuleBrokenError, match=message):
        check(Told, load_cases()["one-over"], "offsets")


def test_offsets_may_be_any_integers() -> None:
    check(
        lambda limit: lambda text: [SimpleNamespace(text=text, start_index=numpy.int64(0))],
        load_cases()["exact-fit"],
        "offsets",
    )


def test_offsets_that_are_not_offered_do_not_pass() -> None:
    with pytest.raises(NotApplicableError, match="does not say where"):
        check(broken.losing, load_cases()["exact-fit"], "offsets")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, "it gave no list of strings but NoneType"),
        ("text", "no list of strings but str"),
        (b"text", "no list of strings but bytes"),
        ({"text": 1}, "no list of strings but dict"),
        ({"text"}, "no list of strings but set"),
        ([b"text"], "no list of strings but a list with bytes"),
        (["te", None], "a list with NoneType"),
        ([SimpleNamespace(text="t", start_index=0), "ext"], "1 offsets for 2 segments"),
        (
            [SimpleNamespace(text="text", start_index=0.0)],
            "it gave float for an offset or a length",
        ),
        ([SimpleNamespace(text="text", start_index="0")], "it gave str for an offset or a length"),
    ],
)
def test_what_are_no_segments_is_refused(given, message) -> None:
    with pytest.raises(RuleBrokenError, match=message):
        check(lambda limit: lambda text: given, load_cases()["exact-fit"], "accepts")
    with pytest.raises(RefusedTextError, match=message):
        check(lambda limit: lambda text: given, load_cases()["exact-fit"], "join")


class Lying(str):
    __slots__ = ()

    def __len__(self) -> int:
        return 0

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = str.__hash__


@pytest.mark.parametrize(
    "give",
    [
        tuple,
        iter,
        numpy.array,
        lambda segments: (each for each in segments),
        lambda segments: map(Lying, segments),
        lambda segments: [SimpleNamespace(page_content=each) for each in segments],
    ],
)
@pytest.mark.parametrize("name", ["split", "split_text", "__call__"])
def test_a_splitter_is_taken_as_people_have_it(name, give) -> None:
    def make(limit: int) -> object:
        split = TextSegmenter(limit).split
        called = {name: lambda self, text: give(split(text))}
        return type("Theirs", (), called)()

    case = load_cases()["one-over"]
    for rule in ("join", "fits", "deterministic", "reference"):
        check(make, case, rule)
    (one, other) = kit_split(make, case.text, case.max_chunk_length)
    assert (type(one), type(other)) == (str, str)
    short = load_cases()["exact-fit"]
    with pytest.raises(RuleBrokenError, match="0 characters lost, 5 added"):
        check(lambda limit: lambda text: give([text, text]), short, "join")


def test_a_splitter_that_waits_is_told_apart() -> None:
    async def split(text: str) -> list[str]:
        return [text]

    async def generate(text: str):
        yield text

    for made, kind in ((split, "coroutine"), (generate, "async_generator")):
        with pytest.raises(RefusedTextError, match=f"but {kind}; wrap .* asyncio.run"):
            check(lambda limit, made=made: made, load_cases()["exact-fit"], "join")


@pytest.mark.parametrize(
    ("factory", "message"),
    [
        (lambda text: text.split(), "AttributeError: 'int' object has no attribute 'split'"),
        (lambda: None, "TypeError: .* takes 0 positional arguments but 1 was given"),
        (lambda *, limit: None, "TypeError: .* takes 0 positional arguments but 1 was given"),
        (TextSegmenter(20), "TypeError: 'TextSegmenter' object is not callable"),
        (lambda limit: TextSegmenter, "it returned the class TextSegmenter, not an object of it"),
        (lambda limit: None, "it returned NoneType"),
        (lambda limit: "text", "it returned str"),
    ],
)
def test_what_is_no_factory_is_told_what_one_is(factory, message) -> None:
    sentence = "; a factory is called with the limit, its one positional argument, and returns a"
    with pytest.raises(RefusedTextError, match=message + sentence):
        check(factory, load_cases()["exact-fit"], "join")


def test_a_message_does_not_hold_a_whole_text() -> None:
    def make(limit: int) -> Factory:
        def split(text: str) -> list[str]:
            raise ValueError(f"cannot split {text!r}")

        return split

    with pytest.raises(RefusedTextError, match=r"^ValueError: cannot split 'x+$") as caught:
        check(make, Case("long", "join", "x" * 1_000_000, 5, ""), "join")
    assert len(str(caught.value)) < 1000


def test_a_panic_is_a_refusal_and_an_interruption_is_none() -> None:
    def raising(error: BaseException) -> Factory:
        def split(text: str) -> list[str]:
            raise error

        return lambda limit: split

    panic = type("PanicException", (BaseException,), {})
    with pytest.raises(RuleBrokenError, match="PanicException: out of bounds"):
        check(raising(panic("out of bounds")), load_cases()["exact-fit"], "accepts")
    with pytest.raises(KeyboardInterrupt):
        check(raising(KeyboardInterrupt()), load_cases()["exact-fit"], "accepts")


def test_every_rule_has_a_sentence() -> None:
    sentences = [describe_rule(rule) for rule in CHECKS]
    assert len(set(sentences)) == len(CHECKS)
    for sentence in sentences:
        assert re.fullmatch(r"[A-Z][^.]+\.", sentence)


@pytest.mark.parametrize(
    ("names", "rules"),
    [
        ("join", ["accepts", "join"]),
        (" fits ,join,", ["accepts", "fits", "join"]),
        ("reference,join", ["accepts", "reference", "join"]),
        ("accepts", ["accepts"]),
    ],
)
def test_rules_are_selected_by_name(names, rules) -> None:
    assert select_rules(names) == rules


@pytest.mark.parametrize(("names", "message"), [("joins", "mean join"), ("", "no rule is named;")])
def test_rules_that_do_not_exist_are_refused(names, message) -> None:
    with pytest.raises(UnknownRuleError, match=message):
        select_rules(names)


@pytest.mark.parametrize(
    ("rule", "text", "limit", "answer"),
    [
        ("join", "", 1, True),
        ("whitespace-only", " ", 1, True),
        ("whitespace-only", "a ", 1, False),
        ("whitespace-only", "", 1, False),
        ("edges", " a", 5, True),
        ("edges", "a b", 5, False),
        ("edges", " ", 5, False),
        ("cut-after-last-newline", "a \n b", 9, True),
        ("cut-after-last-newline", "a b\n", 9, False),
        ("run-without-newline", "a b\n", 9, True),
        ("run-without-newline", "a\nb ", 9, False),
        ("whitespace-segment", "ab", 1, False),
        ("whitespace-segment", "a b", 1, True),
        ("too-long-run", "a  b", 3, False),
        ("too-long-run", "a  b", 2, True),
        ("too-long-run", "a\n  b", 3, False),
        ("too-long-run", "a\n  b", 2, True),
        ("too-long-run", "  b", 2, True),
        ("too-long-run", "b  ", 2, True),
    ],
)
def test_rules_concern_the_texts_that_can_break_them(rule, text, limit, answer) -> None:
    assert concerns(rule, text, limit) is answer
