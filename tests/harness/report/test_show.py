"""What `segbench show` prints, and the page that it writes."""

import io
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from rich.console import Console
from rich.text import Text

from corpora import Document
from harness.cli.commands import segbench
from harness.measure.excerpts import view_segments, view_text
from harness.report import show
from harness.report.signs import find_sign
from harness.results.errors import MeasurementError
from harness.results.model import Excerpt, Workload
from harness.runner.pool import SplitterPool
from harness.splitters import registry as splitters
from harness.splitters.registry import Splitter, load_splitter

# The first example of the pull request, limit 50.
TEXT = (
    "First sentence is here. Second sentence is right here. Third one ends it.\n\n"
    "New paragraph starts here and goes on."
)


def excerpt(text: str, segments: dict[str, list[str]], limit: int) -> Excerpt:
    views = [
        view_segments(Document("d", text), made, Workload("text", name, limit), 0, len(text))
        for name, made in segments.items()
    ]
    return Excerpt("text", "", "d", len(text), 0, text, views)


def bands(text: str, segments: list[str], limit: int = 50) -> str:
    shown = excerpt(text, {"x": segments}, limit)
    blocks = show.draw_blocks(shown, shown.views[0], plain=True)
    return Text("\n").join(blocks).plain


def test_bands_tell_boundaries_whitespace_and_what_is_lost() -> None:
    assert bands("a b\n\tc", ["a ", "b\n", "\tc"]) == "▏a·▏b↵\n▏→c"
    assert bands("a b\n\tc", ["a", "b", "c"]) == "▏a⟦⟨join⟩·⟧▏b⟦↵\n→⟧▏c"


def test_bands_name_broken_rules() -> None:
    assert bands("a\n b", ["a\n ", "b"]) == "▏a↵\n·▏⟨cut-after-last-newline⟩b"
    assert bands("abcd", ["abcd"], 3) == "▏⟨fits: 4 > 3⟩abcd"
    assert bands("   a", ["  ", " a"], 2) == "▏··▏⟨too-long-run, unavoidable⟩·a"
    assert bands("ab", ["ab", ""]) == "▏ab⟨empty⟩"
    assert bands("ab", ["ab", "no\u00a0"]) == "▏ab⟨join⟩⟨added no⍽⟩"


def test_bands_tell_which_segment_is_too_long_beside_one_that_is_not_in_the_text() -> None:
    added = "⟨added XXXX⟩⟨fits: segment of 4; expected: at most 3⟩"
    assert bands("abcd", ["ab", "XXXX", "cd"], 3) == f"▏ab▏⟨join⟩{added}cd"
    assert bands("abcdef", ["ab", "XXXX", "cdef"], 3) == f"▏ab▏⟨fits: 4 > 3⟩⟨join⟩{added}cdef"
    assert bands("abcdef", ["ab", "X", "cdef"], 3) == "▏ab▏⟨fits: 4 > 3⟩⟨join⟩⟨added X⟩cdef"


@pytest.mark.parametrize(
    ("character", "sign"),
    [
        ("a", None),
        ("é", None),
        ("、", None),
        ("\u200d", None),
        ("\x1b", r"\u{1B}"),
        ("\u200b", r"\u{200B}"),
        ("\ufeff", r"\u{FEFF}"),
        ("\ud800", r"\u{D800}"),
        ("\u202e", r"\u{202E}"),
        ("\u2003", r"\u{2003}"),
        ("\u3000", "□"),
    ],
)
def test_what_cannot_be_seen_has_a_sign(character: str, sign: str | None) -> None:
    assert find_sign(character) == sign


def segbench_show(*arguments: str, text: str | bytes = TEXT) -> Result:
    result = CliRunner().invoke(segbench, ["show", *arguments], input=text)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def test_splitters_stand_side_by_side() -> None:
    result = segbench_show("-", "--max-chunk-length", "50")
    assert result.exit_code == 0, result.stderr
    assert "segmenter at 50" in result.stdout
    assert "langchain at 50" in result.stdout.splitlines()[0]
    assert re.search(r"│ segmenter +│ +4 │ +38 │ +0 │ +0 │ none", result.stdout)
    assert re.search(r"│ langchain +│ +3 │ +48 │ +3 │ +0 │ join", result.stdout)


def test_a_change_of_splitter_is_told_in_numbers() -> None:
    """MemMachine's: "First sentence is here.", the second and the third in one, the rest."""
    splitters = [load_splitter("langchain-memmachine"), load_splitter("segmenter")]
    with SplitterPool() as pool:
        excerpt, _ = view_text("t", TEXT.encode(), splitters, [50], pool)
    table = show.tabulate_migrations(excerpt, excerpt.views, 50)
    # The first has other edges, the second and third are cut apart, the last is the same.
    assert table.cells == [["langchain-memmachine → segmenter", "1", "1", "2", "75%", "50%"]]


def test_a_narrow_terminal_has_one_under_the_other() -> None:
    console = Console(width=40, record=True, file=io.StringIO())
    splitters = [load_splitter("segmenter"), load_splitter("langchain")]
    with SplitterPool() as pool:
        excerpt, _ = view_text("t", TEXT.encode(), splitters, [50], pool)
    show.print_shown(excerpt, console)
    lines = console.export_text().splitlines()
    assert max(map(len, lines)) <= 40
    assert lines[0].strip() == "segmenter at 50"


def test_control_characters_do_not_reach_the_terminal() -> None:
    result = segbench_show("-", "--splitter", "segmenter", text="a\x1b[31mb\x07")
    assert r"a\u{1B}[31mb\u{7}" in result.stdout
    assert "\x1b" not in result.stdout


def test_a_page_is_written(tmp_path: Path) -> None:
    source = tmp_path / "text.md"
    source.write_bytes(b"one\r\ntwo\r\n")
    page = tmp_path / "page.html"
    result = segbench_show(str(source), "--html", str(page))
    assert (result.exit_code, result.stdout) == (0, f"Page: {page}\n")
    assert r"one\r\ntwo\r\n" in page.read_text(encoding="utf-8")


def test_a_splitter_that_fails_is_told_and_the_others_are_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    result = segbench_show("-", "--splitter", "segmenter", "--splitter", "segmentr")
    assert (result.exit_code, result.stdout) == (2, "")
    broken = Splitter("segmentr", "a_package_that_nobody_has:split")
    monkeypatch.setattr(
        splitters,
        "load_splitter",
        lambda name: broken if name == "segmentr" else load_splitter(name),
    )
    result = segbench_show("-", "--splitter", "segmenter", "--splitter", "segmentr")
    assert result.exit_code == 3
    assert "segmenter at 500" in result.stdout
    (line,) = result.stderr.splitlines()
    assert line.startswith("segbench: segmentr ")
    assert "a_package_that_nobody_has" in line


@pytest.mark.parametrize(
    ("content", "said"), [(b"ab\xff", "standard input is not UTF-8 at byte 2"), (b"", "is empty")]
)
def test_what_cannot_be_shown_is_one_line(content: bytes, said: str) -> None:
    result = segbench_show("-", text=content)
    assert result.exit_code == 3
    (line,) = result.stderr.splitlines()
    assert said in line


def test_lone_surrogates_come_through() -> None:
    with SplitterPool() as pool:
        excerpt, _ = view_text("t", b"a\xed\xa0\x80b", [load_splitter("segmenter")], [5], pool)
    assert excerpt.text == "a\ud800b"
    with pytest.raises(MeasurementError):
        view_text("t", b"\xed", [load_splitter("segmenter")], [5], SplitterPool())


def test_a_file_that_is_not_there() -> None:
    result = segbench_show("nowhere.txt")
    assert result.exit_code == 2
    assert "nowhere.txt" in result.stderr


def test_of_a_long_text_the_beginning_is_printed_and_all_is_counted() -> None:
    text = "".join(f"line {number}\n" for number in range(20_000))
    result = segbench_show("-", "--splitter", "segmenter", text=text)
    assert "line·100↵" in result.stdout
    assert "line·19999" not in result.stdout
    (told,) = [line for line in result.stdout.splitlines() if "more code points" in line]
    left = int(told.split()[1].replace(",", ""))
    assert 0 <= 50_000 - (len(text) - left) < 2_000
    assert told.rstrip().endswith("--html shows them")
    (row,) = [line for line in result.stdout.splitlines() if "│ segmenter" in line]
    assert int(row.split("│")[2].replace(",", "")) * 500 >= len(text)
