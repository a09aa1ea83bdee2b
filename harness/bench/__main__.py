"""``python -m harness.bench``, where what it needs is installed."""

import sys

try:
    from harness.bench.cli import main
except ModuleNotFoundError as error:
    sys.stderr.write(f"bench: {error}; python -m pip install 'segbench[harness]'\n")
    sys.exit(3)

if __name__ == "__main__":
    sys.exit(main())
