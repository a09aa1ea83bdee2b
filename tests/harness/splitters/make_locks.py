"""Makes the locks of all splitters and claims again: `make locks`. Needs uv, and the network."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from harness.claims.answers import IMPORTED
from harness.splitters.locking import DIGESTS, LOCKS, name_lock, pin
from harness.splitters.registry import list_splitters, load_splitter

LOWEST = ">=3.11"  # the Python of this project


def list_locked() -> dict[tuple[str, ...], str]:
    """Every set of requirements that has a lock, with the lowest Python that it is for."""
    splitters = [load_splitter(name) for name in list_splitters()]
    locked = {
        tuple(each.requirements): each.python or LOWEST
        for each in splitters
        if each.requirements and not each.newest
    }
    return locked | {tuple(each.split()): LOWEST for each in IMPORTED}


def lock(requirements: Sequence[str], python: str) -> Iterator[tuple[Requirement, list[str]]]:
    """All that requirements bring, on any platform, and the digests of the files of each."""
    (lowest,) = SpecifierSet(python)
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder, "wanted.txt")
        wanted.write_text("\n".join(requirements))
        command = [sys.executable, "-m", "uv", "pip", "compile", str(wanted), "--quiet"]
        command += ["--universal", "--python-version", lowest.version]
        command += ["--generate-hashes", "--no-header", "--no-annotate"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(requirements)}: {done.stderr.strip()}")
    for line in done.stdout.replace("\\\n", " ").splitlines():
        found, *digests = line.split("--hash=")
        yield Requirement(found.strip()), [digest.strip() for digest in digests]


def main() -> None:
    made = {}
    digests = {}
    for requirements, python in list_locked().items():
        name = name_lock(requirements)
        found = dict(lock(requirements, python))
        made[f"{name}.txt"] = f"# Python {python}\n" + "".join(f"{each}\n" for each in found)
        digests |= {pin(requirement): known for requirement, known in found.items()}
        print(f"{name}: {len(found)} distributions")  # noqa: T201
    made[DIGESTS] = "".join(" ".join([each, *digests[each]]) + "\n" for each in sorted(digests))
    LOCKS.mkdir(exist_ok=True)
    for old in LOCKS.iterdir():
        old.unlink()
    for file, text in made.items():
        (LOCKS / file).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
