"""Starts the command, if what it needs is installed."""

import importlib.util
import subprocess
import sys
from pathlib import Path

from harness.cli.ending import Ending, end_in_one_line, say
from harness.cli.status import NOT_MEASURED
from harness.runner.folders import open_own_folder

# What the commands import; what a single corpus or splitter needs, it asks for itself.
_REQUIRED = (
    "click",
    "jinja2",
    "markdown_it",
    "matplotlib",
    "msgspec",
    "pyperf",
    "regex",
    "rich",
    "scipy",
)


def start() -> None:
    """Run the command line."""
    with end_in_one_line():
        missing = [name for name in _REQUIRED if importlib.util.find_spec(name) is None]
        if missing:
            say(f"not installed: {', '.join(missing)}; run: pip install 'segbench[harness]'")
            raise Ending(NOT_MEASURED)
        _find_current_folder()
        with open_own_folder():
            _try_memory()
            from harness.cli.commands import segbench

            segbench()


def _find_current_folder() -> None:
    try:
        Path.cwd()
    except OSError as error:
        say(f"the current folder cannot be found: {error.strerror}; change to another one")
        raise Ending(NOT_MEASURED) from error


def load_libraries() -> None:
    """Load the library that asks the system for memory, and ends the process if it gets none.

    That is linear algebra, which asks when it is first used.
    """
    import matplotlib.figure  # noqa: F401
    import numpy
    import scipy.linalg
    import scipy.stats

    from harness.cli.commands import segbench

    segbench.load_commands()
    numpy.linalg.inv(numpy.eye(2))
    scipy.linalg.inv(numpy.eye(2))


def _try_memory() -> None:
    """Where memory is limited, load the libraries in another process first, then in this one."""
    try:
        import resource
    except ImportError:  # a system without limits
        return
    limits = [resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA)]
    lowest = min((each for each in limits if each != resource.RLIM_INFINITY), default=None)
    if lowest is None:
        return
    # Without -P, modules of the current folder would stand in for those of the same name.
    program = "from harness.cli.start import load_libraries; load_libraries()"
    tried = subprocess.run(
        [sys.executable, "-P", "-c", program],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if tried.returncode:
        said = tried.stderr.strip().rpartition("\n")[2]
        say(
            f"the libraries cannot be loaded: {said}; memory is limited to "
            f"{lowest // 2**20} MiB, raise it with ulimit -v"
        )
        raise Ending(NOT_MEASURED)
    load_libraries()
