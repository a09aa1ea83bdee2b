"""Environments of their own, from a folder of wheels that the test builds: no network."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from packaging.specifiers import SpecifierSet

from corpora import Corpus, Document
from harness.cli.commands import segbench
from harness.measure.check import check_corpora
from harness.measure.spooling import spool_corpora
from harness.results.folder import read_run
from harness.runner.executor import open_process_pool
from harness.runner.pool import SplitterPool
from harness.runner.process import SplitterProcess
from harness.runner.spool import write_spool
from harness.splitters import registry as splitters
from harness.splitters import venvs as environments
from harness.splitters.contenders import gather
from harness.splitters.registry import Splitter
from harness.splitters.venvs import Installation, Interpreter, UnavailableError, install
from tests.harness.splitters.wheels import build_wheel

CODE = """
import os
import time
from segmenter import SEPARATORS  # the harness lends it to the environment
import fake_needed

def slices(limit):
    assert " " in SEPARATORS
    return lambda text: [text[i : i + limit] for i in range(0, len(text), limit)]

def sleeping(limit, tell):
    def split(text):
        if text == "sleep":
            with open(tell + ".part", "w") as file:
                file.write(str(os.getpid()))
            os.rename(tell + ".part", tell)
            time.sleep(600)
        return slices(limit)(text)
    return split
"""
SLICES = Splitter("slices", "fake_splitter:slices", requirement="fake-splitter==1.2")


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    build_wheel(folder, "fake_splitter", "1.2", CODE, ["fake-needed>=3"])
    build_wheel(folder, "fake_needed", "3.1", "", [])
    return folder


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch, wheels: Path) -> None:
    """Only the folder of wheels is asked, by pip alone."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setattr(environments.shutil, "which", lambda name: None)


def test_an_environment_is_made_once_and_kept(cache: Path) -> None:
    said: list[str] = []
    made = install(SLICES, cache=cache, progress=said.append)
    assert (made.python, made.versions) == (
        environments.platform.python_version(),
        {"fake-splitter": "1.2", "fake-needed": "3.1"},
    )
    assert made.size > len(CODE)
    (line,) = said
    assert line.startswith("installing fake-splitter==1.2 with Python 3.")
    assert install(SLICES, cache=cache, progress=said.append) == made
    assert len(said) == 1
    (folder,) = cache.iterdir()
    assert folder.name.startswith("fake-splitter-")


def test_an_environment_whose_python_is_gone_is_made_again(tmp_path: Path) -> None:
    made = install(SLICES, cache=tmp_path)
    assert made.interpreter is not None
    Path(made.interpreter).unlink()
    said: list[str] = []
    assert install(SLICES, cache=tmp_path, progress=said.append) == made
    assert len(said) == 1
    assert Path(made.interpreter).exists()


@pytest.mark.parametrize(
    "damage",
    [
        "",
        "{",
        "[" * 100_000,
        "[]",
        '{"python": 3, "versions": {}, "size": 0, "lock": ""}',
        '{"python": "3.11.2", "versions": {}, "size": 0}',
        "a package",
        "a file",
    ],
)
def test_a_damaged_virtual_environment_is_made_again(damage: str, tmp_path: Path) -> None:
    made = install(SLICES, cache=tmp_path)
    assert made.interpreter is not None
    folder = Path(made.interpreter).parents[1]
    (packages,) = folder.glob("lib/python3.*/site-packages")
    if damage == "a package":
        for part in packages.glob("fake_needed*"):
            shutil.rmtree(part) if part.is_dir() else part.unlink()
    elif damage == "a file":
        (packages / "fake_splitter.py").unlink()
    else:
        (folder / "installation.json").write_text(damage)
    said: list[str] = []
    again = install(SLICES, cache=tmp_path, progress=said.append)
    assert replace(again, made=made.made) == made
    assert len(said) == 1
    assert (packages / "fake_splitter.py").exists()
    assert (packages / "fake_needed.py").exists()
    assert [each.name for each in tmp_path.iterdir()] == [folder.name]


def test_an_environment_tells_the_day_it_was_made(cache: Path) -> None:
    made = install(SLICES, cache=cache)
    assert made.interpreter is not None
    record = Path(made.interpreter).parents[1] / "installation.json"
    os.utime(record, (0, 24 * 3600))
    assert install(SLICES, cache=cache).made == "1970-01-02"


def test_a_splitter_of_another_environment_takes_turns_with_the_baseline_of_this_one(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environments, "default_cache", lambda: cache)
    monkeypatch.setattr(splitters, "load_splitter", lambda name: SLICES)
    text = tmp_path / "text.txt"
    text.write_text("Some text. And more.")
    arguments = ["time", "--corpus", str(text), "--splitter", "slices"]
    result = CliRunner().invoke(
        segbench, [*arguments, "--max-chunk-length", "5", "--out", str(tmp_path / "run")]
    )
    assert result.exit_code == 0, result.stderr
    rounds = read_run(tmp_path / "run").rounds
    assert {(each.workload.splitter, each.baseline) for each in rounds} == {("slices", "langchain")}


def test_a_splitter_is_shown_from_its_environment(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environments, "default_cache", lambda: cache)
    absent = Splitter("absent", "m:f", requirement="nobody-has-this")
    known = {"slices": SLICES, "absent": absent}
    monkeypatch.setattr(splitters, "load_splitter", known.__getitem__)
    text = tmp_path / "text.txt"
    text.write_text("abcdefg")
    arguments = ["show", str(text), "--max-chunk-length", "3", "--splitter", "slices"]
    result = CliRunner().invoke(segbench, arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "slices at 3" in result.stdout
    result = CliRunner().invoke(segbench, [*arguments, "--splitter", "absent"])
    assert result.exit_code == 3
    assert result.stderr.startswith(
        "segbench: absent is unavailable: its virtual environment cannot be"
    )


def test_a_splitter_runs_in_its_environment(cache: Path, tmp_path: Path) -> None:
    made = install(SLICES, cache=cache)
    splitter = Splitter("slices", SLICES.factory, interpreter=made.interpreter)
    spool = tmp_path / "spool"
    write_spool(spool, [("first", "abcdefg"), ("second", "\ud83d\ude00")])
    with contextlib.closing(SplitterProcess(splitter, timeout=60)) as process:
        process.load(3)
        assert list(process.split(spool, tmp_path / "segments")) == [
            ["abc", "def", "g"],
            ["\ud83d\ude00"],
        ]


def test_a_process_that_is_killed_in_the_middle_has_failed_and_the_check_goes_on(
    cache: Path, tmp_path: Path
) -> None:
    made = install(SLICES, cache=cache)
    assert made.interpreter is not None
    splitters = [
        Splitter(
            "sleeping",
            "fake_splitter:sleeping",
            {"tell": str(tmp_path / "asleep")},
            interpreter=made.interpreter,
        ),
        Splitter("slices", "fake_splitter:slices", interpreter=made.interpreter),
    ]
    documents = [Document("awake", "text"), Document("asleep", "sleep"), Document("last", "text")]
    corpus = Corpus("tiny", lambda: iter(documents))
    killer = threading.Thread(target=kill_when_told, args=(tmp_path / "asleep",), daemon=True)
    with (
        spool_corpora([corpus]) as corpora,
        SplitterPool(timeout=500) as pool,
        open_process_pool(1) as executor,
    ):
        killer.start()
        result = check_corpora(corpora, splitters, [3], pool=pool, executor=executor)
    (failure,) = result.failures
    assert (failure.workload.splitter, failure.status) == ("sleeping", "failed")
    assert failure.detail == "its process was ended by signal 9 (Killed), in 'asleep'"
    assert [(c.workload.splitter, c.documents) for c in result.counts] == [("slices", 3)]


def kill_when_told(place: Path) -> None:
    """Kill the process whose number a file tells, as soon as it is there."""
    while not place.exists() or not place.read_text():  # it is there before it is written
        time.sleep(0.01)
    os.kill(int(place.read_text()), signal.SIGKILL)


@pytest.mark.parametrize(
    ("requirement", "reason"),
    [
        (
            "fake-splitter==9",
            "its virtual environment cannot be made: ERROR: No matching distribution",
        ),
        (
            "nobody-has-this",
            "its virtual environment cannot be made: ERROR: No matching distribution",
        ),
        ("not a requirement!", "splitter peer: InvalidRequirement"),
    ],
)
def test_what_cannot_be_made_is_unavailable_and_leaves_nothing(
    requirement: str, reason: str, tmp_path: Path
) -> None:
    with pytest.raises(UnavailableError) as raised:
        install(Splitter("peer", "m:f", requirement=requirement), cache=tmp_path)
    assert str(raised.value).startswith(reason)
    assert "\n" not in str(raised.value)
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_installation_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(command: list[str]) -> str:
        assert len(list(tmp_path.iterdir())) == 1
        raise KeyboardInterrupt

    monkeypatch.setattr(environments, "_do", interrupt)
    with pytest.raises(KeyboardInterrupt):
        install(SLICES, cache=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_is_met_here_needs_no_environment(tmp_path: Path) -> None:
    here = install(Splitter("peer", "m:f", requirement="pytest>=8"), cache=tmp_path)
    assert here.interpreter is None
    assert {"pytest", "pluggy"} <= set(here.versions)
    assert list(tmp_path.iterdir()) == []
    assert install(Splitter("own", "m:f")) == Installation(here.python, None, {}, 0)


def test_another_python_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [Interpreter("/a", "3.13.1"), Interpreter("/b", "3.9.1"), Interpreter("/c", "3.12.9")]
    monkeypatch.setattr(environments, "_find_interpreters", lambda: found)
    monkeypatch.setattr(environments.platform, "python_version", lambda: "3.11.4")
    assert environments.find_interpreter(SpecifierSet(">=3.12")) == found[2]
    assert environments.find_interpreter(SpecifierSet(">=3.11")).path == sys.executable
    with pytest.raises(UnavailableError, match=r"needs Python >=3\.20, this is 3\.11\.4, and none"):
        environments.find_interpreter(SpecifierSet(">=3.20"))


def test_a_python_of_pyenv_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "versions" / "3.99.1" / "bin"
    folder.mkdir(parents=True)
    python = folder / "python"
    python.write_text("#!/bin/sh\necho 3.99.1\n")
    python.chmod(0o755)
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    environments._find_interpreters.cache_clear()
    try:
        found = environments.find_interpreter(SpecifierSet(">=3.99"))
    finally:
        environments._find_interpreters.cache_clear()
    assert found == Interpreter(str(python), "3.99.1")


@pytest.mark.parametrize("own_pip", [True, False])
def test_nothing_of_the_current_folder_runs(
    own_pip: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "current"
    folder.mkdir()
    for name in ("pip", "venv", "platform", "json", "ensurepip"):
        (folder / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').write({name!r})")
    monkeypatch.chdir(folder)
    answer = [sys.executable, "3.11.4"] if own_pip else [f"{sys.prefix}/bin/python3", "3.11.4"]
    monkeypatch.setattr(environments, "find_interpreter", lambda _: Interpreter(*answer))
    newest = replace(SLICES, requirement="fake-splitter", newest=own_pip)
    install(newest, isolated=True, cache=tmp_path / "cache")
    assert not (tmp_path / "ran").exists(), (tmp_path / "ran").read_text()


def test_the_current_folder_does_not_say_which_python_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "platform.py").write_text("python_version = lambda: '3.98.0'")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(environments, "_candidates", lambda: [sys.executable])
    environments._find_interpreters.cache_clear()
    try:
        (found,) = environments._find_interpreters()
    finally:
        environments._find_interpreters.cache_clear()
    assert found.version == sys.version.split()[0]


def test_uv_is_used_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []

    def do(command: list[str]) -> str:
        asked.append(command)
        if "venv" in command:
            python = environments._interpreter_of(Path(command[-1]))
            python.parent.mkdir()
            python.touch()
            packages = Path(command[-1], "lib", "python3.11", "site-packages")
            (packages / "fake_splitter-1.2.dist-info").mkdir(parents=True)
            (packages / "fake_splitter.py").write_text("1234567")
            about = packages / "fake_splitter-1.2.dist-info"
            (about / "METADATA").write_text("Name: fake-splitter\nVersion: 1.2\n")
            (about / "RECORD").write_text("fake_splitter.py,,7\n")
        return json.dumps({"fake-splitter": ["1.2", 7, []]})

    monkeypatch.setattr(environments.shutil, "which", {"uv": "/bin/uv"}.get)
    monkeypatch.setattr(environments, "_do", do)
    made = install(SLICES, cache=tmp_path)
    assert [command[:3] for command in asked[:2]] == [
        ["/bin/uv", "venv", "--quiet"],
        ["/bin/uv", "pip", "install"],
    ]
    assert asked[1][-1] == "fake-splitter==1.2"
    assert (made.versions, made.size) == ({"fake-splitter": "1.2"}, 7)


def test_constraints_make_another_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = Interpreter(sys.executable, "3.11.4")
    source = environments._Source(SLICES.requirements, base)
    plain = environments._name_environment(SLICES, source)
    constraints = tmp_path / "constraints"
    constraints.write_text("fake-needed==3.1\n")
    monkeypatch.setenv("PIP_CONSTRAINT", str(constraints))
    constrained = environments._name_environment(SLICES, source)
    constraints.write_text("fake-needed==3.0\n")
    assert len({plain, constrained, environments._name_environment(SLICES, source)}) == 3


def test_gathering_tells_who_is_unavailable_and_installs_once(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environments, "default_cache", lambda: cache)
    other = Splitter("other", "fake_splitter:sleeping", requirement=SLICES.requirement)
    absent = Splitter("absent", "m:f", requirement="nobody-has-this")
    found = gather([SLICES, other, absent, Splitter("own", "m:f")])
    assert [splitter.name for splitter in found.splitters] == ["slices", "other", "own"]
    assert found.splitters[0].interpreter == found.splitters[1].interpreter is not None
    assert found.splitters[2].interpreter is None
    assert list(found.unavailable) == ["absent"]
    assert "No matching distribution" in found.unavailable["absent"]


def test_the_environment_sees_nothing_of_this_one(cache: Path) -> None:
    made = install(SLICES, cache=cache)
    assert made.interpreter is not None
    program = (
        "import importlib.util as u; print(u.find_spec('click'), u.find_spec('fake_splitter'))"
    )
    seen = subprocess.run(
        [made.interpreter, "-c", program], capture_output=True, text=True, check=True
    )
    assert seen.stdout.startswith("None ModuleSpec")


def test_who_is_unavailable_is_in_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With its reason, beside the others, and also where nobody is available."""
    absent = Splitter("absent", "m:f", requirement="nobody-has-this")
    load_splitter = splitters.load_splitter
    monkeypatch.setattr(
        splitters, "load_splitter", lambda name: absent if name == "absent" else load_splitter(name)
    )
    text = tmp_path / "text.txt"
    text.write_text("Some text. And more.")
    for others in ([], ["--splitter", "segmenter"]):
        out = tmp_path / f"run{len(others)}"
        arguments = ["check", "--corpus", str(text), "--splitter", "absent", *others]
        result = CliRunner().invoke(segbench, [*arguments, "--out", str(out)])
        assert result.exit_code == 3, result.output
        run = read_run(out)
        assert {failure.workload.splitter for failure in run.failures} == {"absent"}
        assert {failure.status for failure in run.failures} == {"unavailable"}
        assert len(run.failures) == 3
        assert len(run.counts) == (3 if others else 0)
        report = (out / "report.md").read_text()
        assert (
            "| absent | unavailable | its virtual environment cannot be made: ERROR: No matching"
            in report
        )
