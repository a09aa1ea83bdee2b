"""The command ``segbench``, also as ``python -m harness``."""

import signal


def main() -> None:
    """Run the command line; ends the process with its exit status."""
    # Until the command listens itself, Ctrl-C ends it without a traceback of Python's.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from harness.cli.start import start

    start()


if __name__ == "__main__":
    main()
