"""How the command ends when something happens that no command foresees."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

import pytest

ROOT = Path(__file__).parents[3]
GUARDED = """
import os, signal, sys, threading
from harness.cli.ending import Ending, end_in_one_line
{before}
with end_in_one_line():
{block}
"""


def run_python(
    program: str, tmp_path: Path, *arguments: str, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run a program with a temporary folder of its own."""
    (tmp_path / "temporary").mkdir(exist_ok=True)
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},
        cwd=tmp_path,
        text=True,
        timeout=100,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path / "temporary")},
    )


def run_guarded(
    block: str, tmp_path: Path, before: str = "", **options: Any
) -> subprocess.CompletedProcess[str]:
    indented = "\n".join(f"    {line}" for line in block.splitlines())
    return run_python(GUARDED.format(before=before, block=indented), tmp_path, **options)


def run_segbench(
    tmp_path: Path, *arguments: str, before: str = "", **options: Any
) -> subprocess.CompletedProcess[str]:
    program = f"{before}\nfrom harness.__main__ import main\nmain()"
    return run_python(program, tmp_path, *arguments, **options)


UNPRINTABLE = """
class Unprintable(Exception):
    def __str__(self):
        raise ValueError
"""
ENDLESS = "def call():\n    call()"


@pytest.mark.parametrize(
    ("block", "before", "told"),
    [
        ("raise KeyError('so')", "", "KeyError: 'so'"),
        ("raise LookupError('two\\nlines')", "", "LookupError: two lines"),
        ("raise MemoryError", "", "MemoryError"),
        ("raise ImportError('no such library')", "", "ImportError: no such library"),
        ("call()", ENDLESS, "RecursionError: maximum recursion depth exceeded"),
        ("raise Unprintable", UNPRINTABLE, "Unprintable"),
        ("raise BaseExceptionGroup('all', [KeyError(1)])", "", "ExceptionGroup: all (1 sub-"),
        # What a splitter, a corpus or a library says is no answer of ours.
        ("sys.exit(1)", "", "SystemExit: 1"),
        ("raise SystemExit('so')", "", "SystemExit: so"),
    ],
)
def test_what_nobody_foresaw_is_one_line_and_a_file(
    block: str, before: str, told: str, tmp_path: Path
) -> None:
    done = run_guarded(block, tmp_path, before)
    assert (done.returncode, done.stdout) == (3, "")
    (file,) = (tmp_path / "temporary").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert told.partition(":")[0] in file.read_text()
    assert "Traceback (most recent call last)" in file.read_text()
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"segbench: {told}")
    assert line.endswith(f"; its traceback is in {file}")


def test_where_no_traceback_can_be_kept_the_line_says_so(tmp_path: Path) -> None:
    before = "import tempfile\ntempfile.tempdir = '/nowhere'"
    done = run_guarded("raise KeyError('so')", tmp_path, before)
    assert done.returncode == 3
    assert re.fullmatch(
        r"segbench: KeyError: 'so'; its traceback cannot be kept: /nowhere/\S+: "
        r"No such file or directory\n",
        done.stderr,
    )


def test_an_error_of_the_system_is_told_in_its_words(tmp_path: Path) -> None:
    done = run_guarded("open('nowhere')", tmp_path)
    assert done.returncode == 3
    assert done.stderr == "segbench: nowhere: No such file or directory\n"
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.parametrize(
    ("number", "told"),
    [
        ("EMFILE", "t: Too many open files; raise the limit with ulimit -n"),
        ("ENOSPC", "t: No space left on device; free space there"),
        ("EACCES", "t: Permission denied"),
    ],
)
def test_an_error_of_the_system_has_the_remedy_that_helps(
    number: str, told: str, tmp_path: Path
) -> None:
    block = f"import errno, os\nraise OSError(errno.{number}, os.strerror(errno.{number}), 't')"
    done = run_guarded(block, tmp_path)
    assert (done.returncode, done.stderr) == (3, f"segbench: {told}\n")


def test_in_a_folder_that_is_gone_it_says_so(tmp_path: Path) -> None:
    before = "import os, sys\nos.mkdir('gone')\nos.chdir('gone')\nos.rmdir('../gone')"
    done = run_segbench(tmp_path, "list", before=before)
    assert done.returncode == 3
    assert done.stderr == (
        "segbench: the current folder cannot be found: No such file or directory; "
        "change to another one\n"
    )


def test_a_line_is_bounded_and_does_nothing_to_a_terminal(tmp_path: Path) -> None:
    done = run_guarded(r"raise LookupError('\x1b[2J\u202e' + 'x' * 20_000_000)", tmp_path)
    assert done.returncode == 3
    (line,) = done.stderr.splitlines()
    assert line.startswith(r"segbench: LookupError: \u{1B}[2J\u{202E}xxx")
    assert 1_000 < len(line) < 2_500
    assert str(tmp_path) in line


def test_an_ending_is_the_exit_status(tmp_path: Path) -> None:
    done = run_guarded("print('so')\nraise Ending(1)", tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (1, "so\n", "")


def test_a_command_that_fails_in_an_unforeseen_way_is_no_bad_answer(tmp_path: Path) -> None:
    before = "import corpora\ncorpora.load_all = lambda *_, **__: [][0]"
    done = run_segbench(tmp_path, "check", before=before)
    assert done.returncode == 3
    assert done.stderr.startswith("segbench: IndexError: list index out of range; its traceback ")
    assert len(done.stderr.splitlines()) == 1


# Imports a module that does something first.
FINDER = """
import os, signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "harness.cli.commands":
            {action}
sys.meta_path.insert(0, Finder())
"""
WRAPPED = """
            try:
                os.kill(os.getpid(), signal.SIGINT)
                signal.pause()
            except KeyboardInterrupt:
                raise ImportError("numpy could not be initialized")
"""


def test_an_interruption_before_the_command_listens_is_no_traceback(tmp_path: Path) -> None:
    before = FINDER.format(action="os.kill(os.getpid(), signal.SIGINT)")
    before = before.replace("harness.cli.commands", "harness.cli.start")
    done = run_segbench(tmp_path, "list", before=before)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


@pytest.mark.skipif(os.name == "nt", reason="a shell closes the streams")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_command_without_standard_streams_measures(closed: str, tmp_path: Path) -> None:
    """Pipes to its own processes took their numbers, and each of these processes failed."""
    (tmp_path / "text.txt").write_text("Some text.")
    command = f'"$1" -m harness check --corpus text.txt --splitter fixed --out run {closed}'
    done = subprocess.run(
        ["sh", "-c", command, "sh", sys.executable],
        capture_output=True,
        cwd=tmp_path,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "run" / "environment.json").exists()


@pytest.mark.parametrize(
    "action",
    [
        "os.kill(os.getpid(), signal.SIGINT)",
        "os.kill(os.getpid(), signal.SIGTERM)",
        "os.kill(os.getpid(), signal.SIGHUP)",
        WRAPPED,
    ],
)
def test_an_interruption_while_libraries_load_is_one_line(action: str, tmp_path: Path) -> None:
    done = run_segbench(tmp_path, "list", before=FINDER.format(action=action))
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "segbench: interrupted; no report was written\n"


def test_a_harness_that_cannot_be_imported_is_one_line(tmp_path: Path) -> None:
    action = 'raise ImportError("cannot import name x")'
    done = run_segbench(tmp_path, "list", before=FINDER.format(action=action))
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("segbench: ImportError: cannot import name x; its traceback is ")


def test_a_signal_that_is_ignored_stays_ignored(tmp_path: Path) -> None:
    """As nohup starts a command."""
    before = "signal.signal(signal.SIGHUP, signal.SIG_IGN)"
    block = "os.kill(os.getpid(), signal.SIGHUP)\nprint('on')\nraise Ending(0)"
    done = run_guarded(block, tmp_path, before)
    assert (done.returncode, done.stdout, done.stderr) == (0, "on\n", "")


@pytest.fixture
def unread() -> Any:
    """The end of a pipe that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as pipe:
        yield pipe


@pytest.mark.parametrize(
    ("arguments", "status"),
    [(["list"], 0), (["vectors"], 0), (["--help"], 0), (["run", "--help"], 0)],
)
def test_who_reads_no_more_gets_the_status_all_the_same(
    arguments: list[str], status: int, unread: IO[bytes], tmp_path: Path
) -> None:
    done = run_segbench(tmp_path, *arguments, stdout=unread)
    assert (done.returncode, done.stderr) == (status, "")


def test_a_bad_answer_is_one_though_nobody_reads(unread: IO[bytes], tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text("import sys\nfor _ in sys.stdin: print('{}', flush=True)")
    command = f"{sys.executable} wrong.py"
    done = run_segbench(tmp_path, "vectors", "--check", command, stdout=unread)
    assert (done.returncode, done.stderr) == (1, "")


def test_an_error_that_nobody_reads_is_still_its_status(unread: IO[bytes], tmp_path: Path) -> None:
    assert run_segbench(tmp_path, "lsit", stderr=unread).returncode == 2
    assert run_guarded("raise KeyError", tmp_path, stderr=unread).returncode == 3


@pytest.mark.parametrize(("stream", "status"), [(1, 0), (2, 2)])
def test_a_stream_that_is_closed_is_done_without(stream: int, status: int, tmp_path: Path) -> None:
    command = "list" if stream == 1 else "lsit"
    done = run_segbench(tmp_path, command, preexec_fn=lambda: os.close(stream))
    assert (done.returncode, done.stdout, done.stderr) == (status, "", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = run_segbench(tmp_path, "list", stdout=full)
        assert run_segbench(tmp_path, "lsit", stderr=full).returncode == 2
    assert done.returncode == 3
    assert done.stderr == "segbench: standard output: No space left on device; free space there\n"


def limit_memory() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (300_000 * 1024,) * 2)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere memory is not limited so")
def test_nothing_of_the_current_folder_runs_while_memory_is_limited(tmp_path: Path) -> None:
    import resource

    (tmp_path / "harness").mkdir()
    for name in ("numpy", "tempfile", "json", "harness/__init__"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    done = subprocess.run(
        [sys.executable, "-P", "-m", "harness", "list"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (16 * 2**30,) * 2),
    )
    assert not (tmp_path / "ran").exists()
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere memory is not limited so")
def test_too_little_memory_is_one_line(tmp_path: Path) -> None:
    done = run_segbench(tmp_path, "check", preexec_fn=limit_memory)
    assert (done.returncode, done.stdout) == (3, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("segbench: the libraries cannot be loaded: ")
    assert line.endswith("; memory is limited to 292 MiB, raise it with ulimit -v")
