"""The command, where what it needs is installed."""

import importlib.util
import io
import signal
import sys

# What the commands import; what a single corpus or splitter needs, it asks for itself.
_REQUIRED = (
    "click",
    "jinja2",
    "markdown_it",
    "matplotlib",
    "msgspec",
    "pandas",
    "pyperf",
    "rich",
    "scipy",
)


def main() -> None:
    """Run the command line."""
    missing = [name for name in _REQUIRED if importlib.util.find_spec(name) is None]
    if missing:
        sys.stderr.write(
            f"segbench: {', '.join(missing)} not installed; "
            "python -m pip install 'segbench[harness]'\n"
        )
        sys.exit(3)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # whatever its encoding, tables can be printed
            stream.reconfigure(errors="backslashreplace")
    # As Ctrl-C: what a run started is ended with it.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        from harness.cli.commands import (
            segbench,  # takes a while, in which Ctrl-C is one line as well
        )
    except KeyboardInterrupt:
        sys.stderr.write("segbench: interrupted; no report was written\n")
        sys.exit(130)
    segbench()


if __name__ == "__main__":
    main()
