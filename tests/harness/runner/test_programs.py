"""Programs end with everything they started, and say why they failed."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psutil
import pytest

from harness.runner.programs import Program, ProgramError, run_program

ROOT = Path(__file__).parents[3]
#: Starts a process in a session of its own, which nobody waits for, and tells its number.
LEAVING = textwrap.dedent("""
    import subprocess, sys
    sleep = [sys.executable, "-c", "import time; time.sleep(600)"]
    left = subprocess.Popen(sleep, start_new_session=True, stdout=subprocess.DEVNULL)
    print(left.pid, flush=True)
""")
linux = pytest.mark.skipif(sys.platform != "linux", reason="sessions are followed on Linux alone")


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def await_end(process: int) -> bool:
    until = time.monotonic() + 10
    while time.monotonic() < until:
        if not psutil.pid_exists(process):
            return True
        time.sleep(0.02)
    return False


def test_a_program_gives_what_it_writes_and_its_status() -> None:
    done = run_program(python("import sys; print('out'); sys.exit('why')"), timeout=60)
    assert (done.status, done.output, done.errors) == (1, "out\n", "why\n")
    assert done.reason == "ended with status 1: why"


def test_the_reason_is_the_last_line_however_much_is_said() -> None:
    code = "import sys; sys.stderr.write('raise ValueError\\n' * 200_000 + 'ValueError: so\\n \\n')"
    done = run_program(python(f"{code}; sys.exit(3)"), timeout=60)
    assert done.reason == "ended with status 3: ValueError: so"


def test_a_signal_is_told_and_a_reason_bounded() -> None:
    done = run_program(python("import os; os.kill(os.getpid(), 11)"), timeout=60)
    assert done.status == -signal.SIGSEGV
    assert done.reason.startswith("ended by signal 11")
    done = run_program(python("import sys; sys.exit('x' * 1_000_000)"), timeout=60)
    assert len(done.reason) < 400


@pytest.mark.parametrize(
    ("name", "reason"),
    [("no-such-program", "No such file or directory"), (str(ROOT), "Permission denied")],
)
def test_what_cannot_be_run_is_named(name: str, reason: str) -> None:
    with pytest.raises(ProgramError, match=f"^{name} cannot be run: {reason}$"):
        run_program([name], timeout=60)


def test_a_program_that_takes_too_long_is_ended() -> None:
    with pytest.raises(ProgramError, match=r"did not finish within 0\.5 seconds"):
        run_program(python("import time; time.sleep(600)"), timeout=0.5)


@linux
def test_what_a_program_leaves_behind_is_ended_though_it_ended_well() -> None:
    done = run_program(python(LEAVING), timeout=60)
    assert done.status == 0
    assert await_end(int(done.output))


@linux
@pytest.mark.parametrize("how", ["end", "forget"])
def test_a_program_ends_with_its_sessions(how: str) -> None:
    program = Program(python(LEAVING + "import time; time.sleep(600)"))
    left = int(program.output.readline())
    assert psutil.pid_exists(left)
    if how == "end":
        program.end()
        program.end()
    del program
    assert await_end(left)


@linux
@pytest.mark.parametrize("victim", ["parent", "guard"])
def test_a_program_ends_when_its_parent_or_its_guard_is_killed(victim: str) -> None:
    """Though it holds Python's lock, and could not see by itself that nobody wants it."""
    busy = "import os; print(os.getpid(), flush=True); any(map(int.__neg__, iter(int, 1)))"
    code = f"""
from harness.runner.programs import Program
program = Program({python(busy)!r})
print(program.output.readline().decode(), flush=True)
input()
"""
    with subprocess.Popen(
        python(code),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as parent:
        assert parent.stdout is not None
        program = psutil.Process(int(parent.stdout.readline()))
        guard = program.parent()
        assert guard is not None
        assert guard.ppid() == parent.pid
        (parent if victim == "parent" else guard).kill()
        assert await_end(program.pid)
        parent.kill()
    assert await_end(guard.pid)
