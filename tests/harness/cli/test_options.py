"""An option with nothing to apply to is a wrong command, and what is there is not replaced."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.cli.commands import segbench
from harness.cli.options import add_separators


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("list splitters --mirror .", "--mirror and --measure are for corpora"),
        ("list rules --measure", "--mirror and --measure are for corpora"),
        ("bench growth --rounds 99", "only speed takes --rounds"),
        ("bench growth --corpus builtin", "only speed takes --corpus"),
        ("bench memory imports --max-documents 3", "only speed takes --max-documents"),
        ("bench memory --seed 3", "only speed takes --seed"),
        ("bench growth --max-chunk-length 20", "only speed takes --max-chunk-length"),
        ("bench growth --timeout 20", "only speed takes --timeout"),
        ("run --splitter fixed --splitters all", "--splitter or --splitters all, not both"),
        ("check --splitter fixed --splitters all", "--splitter or --splitters all, not both"),
        ("time --splitter fixed --splitters all", "--splitter or --splitters all, not both"),
        ("retrieve --splitter fixed --splitters all", "--splitter or --splitters all, not both"),
        ("retrieve --retriever bm25 --vectors kept", "--vectors is for embedding functions"),
        ("check --overwrite", "--overwrite is for the folder of --out"),
        ("retrieve --overwrite", "--overwrite is for the folder of --out"),
        ("compare --overwrite --base x", "--overwrite is for the folder of --out"),
        ("show text --overwrite", "--overwrite is for the file that --html names"),
        ("compare one two --seed 3", "two runs are compared without --seed"),
    ],
)
def test_an_option_without_effect_is_a_wrong_command(
    command: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text").write_text("One.")
    done = CliRunner().invoke(segbench, command.split())
    assert done.exit_code == 2, done.output
    (line,) = done.stderr.splitlines()
    assert says in line
    assert done.stdout == ""
    assert [path.name for path in tmp_path.iterdir()] == ["text"]


def test_a_file_is_not_replaced_by_a_page_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = Path("text")
    text.write_text("One. Two.")
    Path("gone").symlink_to("text")
    command = ["show", "text", "--splitter", "fixed", "--html"]
    for page in ("text", "gone"):
        done = CliRunner().invoke(segbench, [*command, page])
        assert done.exit_code == 2
        assert done.stderr == f"segbench: {page} exists; give another file, or --overwrite\n"
    assert text.read_text() == "One. Two."
    done = CliRunner().invoke(segbench, [*command, "gone", "--overwrite"])
    assert done.exit_code == 0, done.output
    assert Path("gone").read_text().startswith("<!doctype html>")
    assert text.read_text() == "One. Two."


def test_a_bench_opens_in_the_browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda page: opened.append(page) or True)
    done = CliRunner().invoke(segbench, ["bench", "imports", "--out", "out"])
    assert done.exit_code == 0, done.output
    done = CliRunner().invoke(segbench, ["report", "out", "--open"])
    assert done.exit_code == 0, done.output
    (page,) = opened
    assert page.startswith((tmp_path / "out").as_uri())


def test_separators_measure_the_segmenter_beside_what_is_named() -> None:
    assert add_separators(["langchain"], ["lines"]) == ["segmenter-lines", "langchain"]
    assert add_separators(["langchain", "segmenter"], ["lines", "memmachine", "lines"]) == [
        *("segmenter", "segmenter-lines", "langchain"),
    ]
    assert add_separators(["segmenter-lines"], []) == ["segmenter-lines"]


@pytest.mark.parametrize("name", ["text", "link"])
def test_a_page_does_not_replace_the_text_that_it_shows(name: str, tmp_path: Path) -> None:
    page = tmp_path / "text"
    page.write_text("one two")
    (tmp_path / "link").symlink_to(page)
    given = ["show", str(tmp_path / name), "--html", str(page), "--overwrite"]
    done = CliRunner().invoke(segbench, given)
    assert done.exit_code == 2
    assert done.stderr == f"segbench: {page} is the text itself; give another file with --html\n"
    assert page.read_text() == "one two"


def test_commands_of_the_same_second_write_to_folders_of_their_own() -> None:
    program = """
import datetime, sys
from harness.cli import inputs
class Stopped(datetime.datetime):
    now = classmethod(lambda cls, zone: datetime.datetime(2024, 5, 1, 10, 30, 59, tzinfo=zone))
inputs.datetime = Stopped
print(inputs.name_folder("bench-"), flush=True)
sys.stdin.read()
"""
    command = [sys.executable, "-c", program]
    with (
        subprocess.Popen(command, stdin=-1, stdout=-1, text=True) as one,
        subprocess.Popen(command, stdin=-1, stdout=-1, text=True) as other,
    ):
        names = [each.stdout.readline() for each in (one, other) if each.stdout]
        for each in (one, other):
            each.communicate()
    assert len({*names}) == 2
    assert all(name.startswith("reports/bench-2024-05-01T10-30-59Z") for name in names)
