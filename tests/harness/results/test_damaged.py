"""Run folders that are damaged, foreign or hostile: one line that names the file, or a report."""

import json
import os
import random
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from harness.report.html import render_report_page
from harness.report.markdown import render_report
from harness.report.pages import write_report
from harness.report.terminal import print_run
from harness.results.errors import MeasurementError
from harness.results.folder import read_run, write_claims, write_run
from harness.results.model import Claim
from tests.harness.report.test_safe import make_run

ROUNDS = int(os.environ.get("SEGBENCH_MUTATIONS", "40"))  # of each file; CI takes fewer than 300
FILES = [
    *("boundaries.csv", "claims.json", "counts.csv", "environment.json", "examples.jsonl"),
    *("exemptions.csv", "failures.jsonl", "growth.csv", "imports.json", "rounds.csv"),
    *("texts.csv", "trials.csv", "unavoidable.csv", "viewer.json", "violations.csv"),
]
VALUES: list[Any] = [
    *(None, True, [], {}, "", "x", -1, 0, 2**70, 10**400, 1.5, -0.0, 1e308, "nan", "1e999"),
    *([[]], {"a": 1}, "\ud800", "\x1b[2J", "=1+1", "x" * 200_000),
]
NESTED = "[" * 100_000
TOKENS = [
    *(b"NaN", b"-Infinity", b"1e999", b'"', b",", b"\n", b"\r", b"\0", b"\xff", b"\xed\xa0\x80"),
    *(b"{", b"}", b"[", b"]", b"\\", b"9" * 5_000, b"null", b"'", b"=", b"\xe2\x80\xae"),
]


def write_whole_run(folder: Path) -> None:
    write_run(folder, make_run("name"))
    assert sorted(path.name for path in folder.iterdir()) == FILES


def mutate_bytes(content: bytes, chance: random.Random) -> bytes:
    """Somewhere something is left out, doubled, moved or put in."""
    for _ in range(chance.randint(1, 3)):
        start = chance.randrange(len(content) + 1)
        end = min(len(content), start + chance.choice((0, 1, 1, 5, 50)))
        token = chance.choice([b"", content[start:end] * 2, *TOKENS])
        content = content[:start] + token + content[end:]
    return content


def mutate_json(value: Any, chance: random.Random) -> Any:
    """One value, anywhere in it, is of another kind, or a name is gone or new."""
    if isinstance(value, dict) and value and chance.random() < 0.85:
        name = chance.choice(list(value))
        if chance.random() < 0.15:
            return {key: each for key, each in value.items() if key != name}
        if chance.random() < 0.1:
            return {**value, "of a later version": chance.choice(VALUES)}
        return {**value, name: mutate_json(value[name], chance)}
    if isinstance(value, list) and value and chance.random() < 0.85:
        place = chance.randrange(len(value))
        if chance.random() < 0.15:
            return value[:place] + value[place + 1 :]
        return [*value[:place], mutate_json(value[place], chance), *value[place + 1 :]]
    return chance.choice(VALUES)


def mutate_cell(text: str, chance: random.Random) -> str:
    """One cell of a table is another value."""
    lines = [line.split(",") for line in text.splitlines()]
    row = chance.choice(lines)
    row[chance.randrange(len(row))] = str(chance.choice(VALUES)).replace("\n", " ")
    return "\n".join(map(",".join, lines)) + "\n"


def damage(path: Path, chance: random.Random) -> None:
    content = path.read_bytes()
    if chance.random() < 0.5:
        damaged = mutate_bytes(content, chance)
    elif path.suffix == ".csv":
        damaged = mutate_cell(content.decode(), chance).encode("utf-8", "surrogatepass")
    elif path.suffix == ".jsonl":
        lines = content.decode().splitlines()
        lines[0] = json.dumps(mutate_json(json.loads(lines[0]), chance))
        damaged = "\n".join(lines).encode()
    else:
        damaged = json.dumps(mutate_json(json.loads(content), chance)).encode()
    path.write_bytes(damaged)


def report(folder: Path) -> str | None:
    """All that is made of a run folder; the line that says why not."""
    try:
        run = read_run(folder)
    except MeasurementError as error:
        return str(error)
    # Growth that is drawn, and tables that are made, of whatever was let through.
    render_report_page(run)
    render_report(run)
    print_run(run, Console(file=(folder / "terminal").open("w", encoding="utf-8"), width=200))
    return None


@pytest.mark.filterwarnings("ignore::UserWarning")  # a plot of absurd numbers is an absurd plot
@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_one_line_or_a_report(tmp_path: Path, name: str) -> None:
    write_whole_run(tmp_path)
    path = tmp_path / name
    whole = path.read_bytes()
    chance = random.Random(name)
    refused = 0
    for number in range(ROUNDS):
        path.write_bytes(whole)
        damage(path, chance)
        try:
            line = report(tmp_path)
        except Exception as error:
            raise AssertionError(f"{name}, mutation {number}: {path.read_bytes()!r}") from error
        if line is not None:
            refused += 1
            assert len(line.splitlines()) == 1
            # Or a file that it no longer fits: a timing of which nothing was counted.
            assert line.startswith(f"{tmp_path}/")
            assert " cannot be read: " in line
            assert line.endswith("run again")
    assert refused > ROUNDS // 10


@pytest.mark.parametrize("name", FILES)
def test_nesting_without_end_is_refused(tmp_path: Path, name: str) -> None:
    write_whole_run(tmp_path)
    for content in (NESTED, NESTED.replace("[", '{"a":')):
        (tmp_path / name).write_text(content)
        with pytest.raises(MeasurementError, match=f"{name} cannot be read: .*run again"):
            read_run(tmp_path)


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_link(path: Path) -> None:
    (path.parent / "secret").write_text("corpus,digest\nsecret,secret\n")
    path.symlink_to("secret")


def make_dangling(path: Path) -> None:
    path.symlink_to("nowhere")


def make_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("make", [make_pipe, make_link, make_dangling, make_device, Path.mkdir])
@pytest.mark.parametrize("name", FILES)
def test_what_is_not_a_regular_file_is_not_opened(
    tmp_path: Path, name: str, make: Callable[[Path], None]
) -> None:
    write_whole_run(tmp_path)
    path = tmp_path / name
    path.unlink()
    make(path)
    caught: list[str] = []

    def read() -> None:
        try:
            read_run(tmp_path)
        except MeasurementError as error:
            caught.append(str(error))

    # In a thread that may hang: a pipe to which nobody writes is read for ever.
    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    reader.join(60)
    (line,) = caught
    assert line.startswith(f"{path} cannot be read: it is ")
    assert "secret" not in line


def set_environment(folder: Path, **changes: Any) -> None:
    path = folder / "environment.json"
    content = {**json.loads(path.read_text()), **changes}
    path.write_text(json.dumps({key: each for key, each in content.items() if each is not None}))


def test_a_field_that_a_later_version_added_is_left_out(tmp_path: Path) -> None:
    write_whole_run(tmp_path)
    set_environment(tmp_path, versions={"segbench": "99.0"}, gpu="none")
    counts = tmp_path / "counts.csv"
    header, row = counts.read_text().splitlines()
    counts.write_text(f"tokens,{header}\n7,{row}\n")
    run = read_run(tmp_path)
    assert run.environment.versions == {"segbench": "99.0"}
    assert list(run.counts) == list(make_run("name").counts)
    assert write_report(tmp_path).exists()


@pytest.mark.parametrize("name", ["environment.json", "counts.csv", "failures.jsonl"])
def test_what_an_earlier_version_did_not_write_names_that_version(
    tmp_path: Path, name: str
) -> None:
    write_whole_run(tmp_path)
    set_environment(tmp_path, versions={"segbench": "0.0.1"})
    path = tmp_path / name
    if name == "environment.json":
        set_environment(tmp_path, cpu_count=None)
    else:
        path.write_text(path.read_text().replace("longest", "most").replace("detail", "why"))
    with pytest.raises(MeasurementError, match=r"segbench 0\.0\.1 wrote it and this is ") as caught:
        read_run(tmp_path)
    assert str(caught.value).startswith(f"{path} cannot be read: ")


def test_what_is_written_is_never_read_from_a_link(tmp_path: Path) -> None:
    """A file of the run is replaced, not what it points to."""
    victim = tmp_path / "victim"
    victim.write_text("mine")
    run = tmp_path / "run"
    run.mkdir()
    (run / "claims.json").symlink_to(victim)
    write_claims(run, [Claim("F1", "it is so", "it is", "confirmed")])
    assert victim.read_text() == "mine"
    with suppress(FileNotFoundError):
        assert not (run / "claims.json").is_symlink()
