"""Ends commands at random moments, and looks for what they leave.

``python -m tests.harness.faults`` does so 20 times for each command and signal, which takes an
hour or more; its options ask for less. What is left ten seconds after the signal is a fault: a
process, a temporary folder, or somebody who still holds the command's output. After SIGKILL a
folder may stay, if the next command removes it.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[2]
SECONDS = 10.0
SIGNALS = ("SIGKILL", "SIGHUP", "SIGTERM", "SIGINT")
_MEASURED = "--corpus text.txt --max-chunk-length 20"
COMMANDS = {
    "run": f"run {_MEASURED} --rounds 200 --out out",
    "check": "check --corpus text.txt --out out",
    "compare": f"compare --base {ROOT} --head {ROOT} {_MEASURED} --out out",
    "claims": "claims --corpus text.txt --out out",
    "bench": "bench --out out growth memory",
}
_MARK = "SEGBENCH_FAULT"


@contextmanager
def workplace() -> Iterator[Path]:
    """A folder with a text to measure on, and one for temporary files."""
    with tempfile.TemporaryDirectory(prefix="faults-") as place:
        folder = Path(place)
        (folder / "text.txt").write_text("One sentence, and another.\n\n  Indented.\n" * 20_000)
        (folder / "temporary").mkdir()
        yield folder


def end(command: str, name: str, moment: float, folder: Path) -> list[str]:
    """Start a command, send it a signal after so many seconds; what it left, a line each."""
    mark = uuid.uuid4().hex
    running = subprocess.Popen(
        [sys.executable, "-m", "harness", *command.split()],
        cwd=folder,
        env=_list_variables(folder) | {_MARK: mark},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    time.sleep(moment)
    running.send_signal(getattr(signal, name))
    until = time.monotonic() + SECONDS
    faults = []
    try:
        _, said = running.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        faults.append("its output is still open")
    else:
        # Where Ctrl-C meets an import, Python ends itself by SIGINT: a shell reads 130 as well.
        allowed = (0, 3, 130, -signal.SIGINT, -getattr(signal, name))
        if name != "SIGKILL" and running.returncode not in allowed:
            faults.append(f"exit status {running.returncode}: {said.decode()[-300:]}")
        # After SIGKILL it is Python's pools that miss the process.
        if name != "SIGKILL" and b"Traceback" in said:
            faults.append(f"a traceback: {said.decode()[-300:]}")
    while (left := _find_processes(mark)) and time.monotonic() < until:
        time.sleep(0.05)
    faults += [f"a process is left: {process}" for process in left]
    if name == "SIGKILL":
        _call(["list", "splitters"], folder)
    faults += [f"a folder is left: {each}" for each in (folder / "temporary").iterdir()]
    for process in left:
        os.kill(process.pid, signal.SIGKILL)
    return faults


def _list_variables(folder: Path) -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "TMPDIR": str(folder / "temporary"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "PIP_NO_INDEX": "1",
    }


def _find_processes(mark: str) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(_MARK) == mark and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue
    return found


def _call(arguments: list[str], folder: Path) -> None:
    command = [sys.executable, "-m", "harness", *arguments]
    variables = _list_variables(folder)
    subprocess.run(command, cwd=folder, env=variables, capture_output=True, check=True)


def main() -> int:
    """Try every command and signal; the exit status is 1 where anything was left."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--command", choices=COMMANDS, action="append")
    parser.add_argument("--signal", choices=SIGNALS, action="append")
    parser.add_argument("--moments", type=int, default=20)
    parser.add_argument("--latest", type=float, default=15.0, help="seconds")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    choose = random.Random(arguments.seed)
    tried = faulty = 0
    for command in arguments.command or COMMANDS:
        for name in arguments.signal or SIGNALS:
            for _ in range(arguments.moments):
                moment = choose.uniform(0.05, arguments.latest)
                with workplace() as folder:
                    faults = end(COMMANDS[command], name, moment, folder)
                tried += 1
                faulty += bool(faults)
                for fault in faults:
                    print(f"{command}, {name} after {moment:.2f} s: {fault}")  # noqa: T201
    print(f"{tried} moments, {faulty} with faults")  # noqa: T201
    return int(bool(faulty))


if __name__ == "__main__":
    sys.exit(main())
