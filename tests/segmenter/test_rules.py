"""Every rule against splitters that break it, and against a slow reading of the rules."""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from segmenter import TextSegmenter, rules
from segmenter.rules import RULES, Breach, Splitting, count_unavoidable, find_violations

Split = Callable[[str], list[str]]


def find_broken(text: str, segments: Sequence[str], limit: int) -> dict[str, list[Breach]]:
    """The rules that are broken."""
    found = find_violations(text, segments, limit)
    assert list(found) == list(RULES)
    return {name: breaches for name, breaches in found.items() if breaches}


# Deliberately wrong splitters, each of which breaks one rule only.


def drop_spaces(text: str) -> list[str]:
    return text.split(" ")


def keep_whole(text: str) -> list[str]:
    return [text]


def cut_at_the_end_of_each_run(text: str) -> list[str]:
    return re.split(r"(?<=\s)(?=\S)", text)


def cut_at_the_start_of_each_run(text: str) -> list[str]:
    return re.split(r"(?<=\S)(?=\s)", text)


def cut_off_the_edges(text: str) -> list[str]:
    return re.split(r"(?<=^\s)(?=\S)|(?<=\S)(?=\s$)", text)


def cut_out_each_run(text: str) -> list[str]:
    return re.split(r"(?<=\S)(?=\s)|(?<=\s)(?=\S)", text)


def slice_backwards(text: str) -> list[str]:
    """Every five from the end, not from the start."""
    first = len(text) % 5
    return [text[:first], *(text[i : i + 5] for i in range(first, len(text), 5))]


def cut_everywhere(text: str) -> list[str]:
    return list(text)


def cut_off_nothing(text: str) -> list[str]:
    return [*text.splitlines(keepends=True), ""]


@pytest.mark.parametrize(
    ("rule", "split", "text", "starts"),
    [
        ("join", drop_spaces, "one two three", [3]),
        ("fits", keep_whole, "one two ", [0]),
        ("cut-after-last-newline", cut_at_the_end_of_each_run, "a:\n b\n\n\tc d", [4, 8]),
        ("run-without-newline", cut_at_the_start_of_each_run, "one\u3000two \u00a0six", [3, 7]),
        ("edges", cut_off_the_edges, "\none\t", [1, 4]),
        ("whitespace-segment", cut_out_each_run, "a \t b\nc", [1, 5]),
        ("too-long-run", slice_backwards, "ab         \nc", [3]),
        ("whitespace-only", cut_everywhere, " \n ", [1]),
        ("empty", cut_off_nothing, "", [0]),
        ("empty", cut_off_nothing, "one\ntwo\n", [8]),
    ],
)
def test_a_broken_splitter_breaks_one_rule_only(
    rule: str, split: Split, text: str, starts: list[int]
) -> None:
    broken = find_broken(text, split(text), 5)
    assert list(broken) == [rule]
    assert [breach.start for breach in broken[rule]] == starts
    assert not any(breach.unavoidable for breach in broken[rule])


def test_every_rule_has_its_broken_splitter() -> None:
    (mark,) = test_a_broken_splitter_breaks_one_rule_only.pytestmark  # type: ignore[attr-defined]
    assert {case[0] for case in mark.args[1]} == set(RULES)


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("", 1),
        ("a", 1),
        (" ", 1),
        (" \n\t ", 2),
        ("def f():\n    return [\n        1,\n    ]\n", 20),
        ("a\u200b b\ufeffc", 2),  # U+200B and U+FEFF are no whitespace
        ("\ud800 \x00\x85", 2),
    ],
)
def test_the_segmenter_breaks_none(text: str, limit: int) -> None:
    assert find_broken(text, TextSegmenter(limit).split(text), limit) == {}


def test_a_unit_that_is_too_long_forces_a_breach_where_it_is_cut_from_its_start() -> None:
    text = "ab" + " " * 9 + "\n" + " " * 7 + "cd"
    # Units: "a", "b" with ten of whitespace, seven of whitespace with "c", "d". One run.
    right = [text[:1], text[1:6], text[6:11], text[11:12], text[12:17], text[17:20], text[20:]]
    assert find_broken(text, right, 5) == {
        "too-long-run": [
            Breach(
                6,
                True,
                "run 2-19 cut at 6 and elsewhere; expected: every 5 from the start of its unit",
            )
        ]
    }
    wrong = [text[:1], text[1:6], text[6:10], text[10:12], text[12:17], text[17:20], text[20:]]
    assert [breach.unavoidable for breach in find_broken(text, wrong, 5)["too-long-run"]] == [False]
    # The indentation, too, is a unit that is too long only while it has its content.
    assert list(find_broken("a\n" + " " * 5 + "b", ["a\n", " " * 5, "b"], 6)) == [
        "whitespace-segment"
    ]
    assert find_violations("a\n" + " " * 5 + "b", ["a\n", " " * 5, "b"], 5)["too-long-run"][
        0
    ].unavoidable


def test_a_run_of_units_that_fit_is_avoidable() -> None:
    cut_runs = Splitting("one  two  ", ["one ", " two", "  "], 9).cut_runs
    assert [(cut.rule, cut.unavoidable) for cut in cut_runs] == [
        ("run-without-newline", False),
        ("edges", False),
    ]


def test_a_run_is_avoidable_where_one_of_its_two_units_fits() -> None:
    text = "a" + " " * 5 + "\n b"
    segments = [text[:5], text[5:7], " ", "b"]
    assert list(find_broken(text, segments, 5)) == ["whitespace-segment"]
    assert list(find_broken(text, [text[:5], text[5:7], " b"], 5)) == ["too-long-run"]


def test_edges_belong_to_the_units_beside_them() -> None:
    text = "   a   "
    assert find_broken(text, ["   a   "], 7) == {}
    assert [b.unavoidable for b in find_broken(text, ["   a ", "  "], 5)["too-long-run"]] == [True]
    assert [b.start for b in find_broken(text, ["   a", "   "], 7)["edges"]] == [4]


def test_details_say_what_was_expected() -> None:
    found = find_violations("a\n b", ["a", "\n", " b", "c"], 1)
    assert found["join"] == [
        Breach(4, False, "0 characters lost, 1 added; expected: the text exactly")
    ]
    assert found["fits"] == [Breach(2, False, "segment of 2; expected: at most 1")]
    assert find_violations("a\n b", ["a", "\n b"], 4)["cut-after-last-newline"] == [
        Breach(1, False, "run 1-3 cut at 1; expected: at 2, after its last newline")
    ]
    assert find_violations("a  b", ["a ", " b"], 4)["run-without-newline"] == [
        Breach(2, False, "run 1-3 cut at 2; expected: at its end, 3")
    ]


def test_segments_that_do_not_join_are_looked_for_from_the_left() -> None:
    splitting = Splitting("one two  two three", ["one", "two", "two", "3", "ree"], 10)
    assert splitting.starts == [0, 4, 9, -1, 15]
    assert (splitting.loss.lost, splitting.loss.added) == (6, 1)
    # A long run of whitespace lost hides nothing, nor does a long text before a long segment.
    far = "x" * 5000
    text = f"a{' ' * 5000}b{far}{'0123456789abcdef'}"
    splitting = Splitting(text, ["a", "b", "0123456789abcdef"], 20)
    assert splitting.starts == [0, 5001, 10002]
    assert (splitting.loss.lost, splitting.loss.added) == (10000, 0)
    # What is short is not taken to be what it happens to be the same as, far away.
    assert Splitting(f"ab{far}z{far}", ["a", "z", "b"], 20).starts == [0, -1, 1]


def test_boundary_rules_apply_where_neighbours_touch() -> None:
    # "a" and " b" touch; the characters between " b" and "c" are lost.
    assert list(find_broken("a b  c", ["a", " b", "c"], 9)) == ["join", "run-without-newline"]
    assert list(find_broken("a b  c", ["a ", "b", "c"], 9)) == ["join"]
    assert list(find_broken("a b  c", ["a", "X", " b  c"], 9)) == ["join"]


def test_the_limit_must_be_positive() -> None:
    with pytest.raises(ValueError, match="must be positive, not 0"):
        find_violations("a", ["a"], 0)


@pytest.mark.parametrize("text", [" " * 100_000, "x" + " " * 100_000 + "\n" + " " * 100_000 + "y"])
def test_a_run_is_scanned_once_however_often_it_is_cut(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scanned = []
    find_run = rules.find_run
    monkeypatch.setattr(rules, "find_run", lambda *place: scanned.append(place) or find_run(*place))
    splitting = Splitting(text, list(text), 7)
    assert sum(len(list(rule(splitting))) for rule in RULES.values()) == 1
    assert len(scanned) <= 3


class CountingText(str):
    """Counts the code points that ``find`` may look at."""

    looked_at = 0

    def find(self, part: str, start: int, end: int | None = None) -> int:  # type: ignore[override]
        found = super().find(part, start, end)
        reached = found + len(part) if found >= 0 else min(end or len(self), len(self))
        self.looked_at += max(0, reached - start)
        return found


@pytest.mark.parametrize("length", [1, 15, 20, 400])
def test_segments_that_are_not_found_cost_no_more_than_the_text(length: int) -> None:
    text = CountingText("ab cd\n" * 10_000)
    splitting = Splitting(text, ["X" * length] * (len(text) // length), 500)
    assert splitting.loss.added == len(text) // length * length
    assert splitting.loss.lost == len(text)
    assert text.looked_at < 300 * len(text)


# A slow reading of the rules, a character at a time.


def find_units(text: str) -> list[tuple[int, int]]:
    """The start and end of each unit; none in whitespace alone."""
    contents = [i for i, character in enumerate(text) if not character.isspace()]
    starts = [0]
    for before, after in pairwise(contents):
        newlines = [i for i in range(before, after) if text[i] == "\n"]
        starts.append(newlines[-1] + 1 if newlines else after)
    return list(zip(starts, [*starts[1:], len(text)], strict=True)) if contents else []


def count_slowly(text: str, segments: list[str], limit: int) -> dict[str, tuple[int, int]]:
    """How many breaches each rule has, and how many are unavoidable, for segments that join."""
    counts = dict.fromkeys(RULES, (0, 0))

    def count(rule: str, unavoidable: bool = False) -> None:
        total, of_these = counts[rule]
        counts[rule] = (total + 1, of_these + unavoidable)

    for segment in segments:
        if len(segment) > limit:
            count("fits")
        if segment == "":
            count("empty")
    boundaries = {len("".join(segments[:i])) for i in range(1, len(segments))} - {0, len(text)}
    if text.isspace():
        if any(boundary % limit for boundary in boundaries):
            count("whitespace-only")
        return counts
    misplaced = {}  # boundary within a unit: how long that is, how far from its start
    for start, end in find_units(text):
        for boundary in boundaries & set(range(start + 1, end)):
            misplaced[boundary] = (end - start, boundary - start)
    for run in re.finditer(r"\s+", text):
        touching = set(range(run.start(), run.end() + 1))
        within = [misplaced[boundary] for boundary in sorted(touching & set(misplaced))]
        if not within:
            continue
        if all(length > limit for length, _ in within):
            count("too-long-run", all(distance % limit == 0 for _, distance in within))
        elif run.start() == 0 or run.end() == len(text):
            count("edges")
        elif len(touching & boundaries) > 1:
            count("whitespace-segment")
        elif "\n" in run.group():
            count("cut-after-last-newline")
        else:
            count("run-without-newline")
    return counts


texts = st.text(alphabet="ab. \n\t\u00a0\u3000\r\u200b", max_size=40)


@st.composite
def splittings(draw: st.DrawFn) -> tuple[str, list[str], int]:
    text = draw(texts)
    limit = draw(st.integers(1, 12))
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=12)))
    segments = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    return text, segments, limit


@settings(derandomize=True, max_examples=1500, deadline=None)
@given(splittings())
def test_counts_are_those_of_a_slow_reading(splitting: tuple[str, list[str], int]) -> None:
    text, segments, limit = splitting
    found = find_violations(text, segments, limit)
    counts = {
        name: (len(breaches), sum(breach.unavoidable for breach in breaches))
        for name, breaches in found.items()
    }
    assert counts == count_slowly(text, segments, limit)


@settings(derandomize=True, max_examples=300, deadline=None)
@given(texts, st.integers(1, 12))
def test_the_segmenter_breaks_the_rule_exactly_where_a_unit_does_not_fit(
    text: str, limit: int
) -> None:
    broken = find_broken(text, TextSegmenter(limit).split(text), limit)
    assert all(breach.unavoidable for breach in broken.get("too-long-run", []))
    assert set(broken) <= {"too-long-run"}
    assert bool(broken) == any(end - start > limit for start, end in find_units(text))


@settings(derandomize=True, max_examples=300, deadline=None)
@given(splittings(), st.data())
def test_what_is_lost_and_added_balances(
    splitting: tuple[str, list[str], int], data: st.DataObject
) -> None:
    text, segments, limit = splitting
    kept = [segment.strip() for segment in segments]
    stripped = Splitting(text, kept, limit)
    assert stripped.loss.added == 0
    assert stripped.loss.lost == len(text) - len("".join(kept))
    added = data.draw(st.integers(0, len(segments)))
    other = Splitting(text, [*segments[:added], "XY", *segments[added:]], limit)
    assert (other.loss.lost, other.loss.added) == (0, 2)


def test_the_right_segments_of_the_vectors_break_no_rule(vectors) -> None:
    for name, text, limit, segments in vectors:
        broken = find_broken(text, segments, limit)
        assert set(broken) <= {"too-long-run"}, name
        assert all(breach.unavoidable for breach in broken.get("too-long-run", [])), name


def test_the_pattern_for_content_agrees_with_isspace() -> None:
    everything = "".join(map(chr, range(0x110000)))
    content = "".join(character for character in everything if not character.isspace())
    assert "".join(re.findall(rules._content, everything)) == content


# Boundaries against the rule, by unit.


def cut_in_every_way(text: str) -> list[list[str]]:
    """All segments that join to a text, without empty ones."""
    ways = []
    for chosen in range(1 << max(0, len(text) - 1)):
        places = [0, *(at for at in range(1, len(text)) if chosen >> (at - 1) & 1), len(text)]
        ways.append([text[start:end] for start, end in pairwise(places)])
    return ways


def count_inside(text: str, segments: list[str], start: int, end: int) -> int:
    """Boundaries strictly inside a unit."""
    places = {len("".join(segments[:number])) for number in range(1, len(segments))}
    return len(places & set(range(start + 1, end)))


@settings(derandomize=True, max_examples=150, deadline=None)
@given(st.text(alphabet="ab \n\t\u3000", min_size=1, max_size=8), st.integers(1, 9))
def test_excess_and_unavoidable_are_those_of_all_ways_to_cut(text: str, limit: int) -> None:
    units = find_units(text) or [(0, len(text))]
    fewest = None
    for segments in cut_in_every_way(text):
        inside = [count_inside(text, segments, *unit) for unit in units]
        spare = [(end - start - 1) // limit for start, end in units]
        splitting = Splitting(text, segments, limit)
        assert splitting.excess == sum(
            max(0, number - allowed) for number, allowed in zip(inside, spare, strict=True)
        )
        if max(map(len, segments)) <= limit:
            fewest = min(sum(inside), fewest if fewest is not None else sum(inside))
    assert count_unavoidable(text, limit) == fewest


@settings(derandomize=True, max_examples=300, deadline=None)
@given(texts, st.integers(1, 12))
def test_the_segmenter_has_no_excess(text: str, limit: int) -> None:
    assert Splitting(text, TextSegmenter(limit).split(text), limit).excess == 0


def test_a_limit_longer_than_the_text_leaves_nothing_unavoidable() -> None:
    assert count_unavoidable(" a ", 10**12) == 0
    assert count_unavoidable("", 1) == 0
    with pytest.raises(ValueError, match="must be positive, not 0"):
        count_unavoidable("a", 0)
