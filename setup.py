"""Compiles the segmenter where the environment variable SEGBENCH_COMPILE=1 asks for it.

Its one file is turned into C by mypyc, unchanged. Without a C compiler, the pure form is installed.
Everything else about the distribution stands in pyproject.toml.
"""

import hashlib
import os
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import BaseError, CCompilerError

SOURCE = Path("segmenter/text_segmenter.py")
PLUGIN = Path("mypyc_arguments.py")


class BuildAllOrNothing(build_ext):
    """Builds every extension, or none where one cannot be built."""

    def run(self) -> None:
        try:
            super().run()
        except (BaseError, CCompilerError) as error:
            self.warn(f"not compiled, the segmenter stays pure Python: {error}")
            for extension in self.extensions:
                Path(self.get_ext_fullpath(extension.name)).unlink(missing_ok=True)
            self.extensions = []


def make_extensions() -> list[Extension]:
    try:
        from mypyc.build import mypycify
    except ImportError:  # pip asks for setup_requires first
        return []
    build = Path("build")
    build.mkdir(exist_ok=True)
    settings = build / "mypyc.ini"
    settings.write_text(f"[mypy]\nplugins = {PLUGIN.resolve()}\n")
    options = ["--strict", "--config-file", str(settings)]
    extensions = mypycify([*options, str(SOURCE)], debug_level="0")
    # What harness.measure.forms knows a build from an older source by.
    mark = build / "source_digest.c"
    digest = hashlib.sha256(SOURCE.read_bytes()).hexdigest()
    mark.write_text(f'const char segmenter_source_digest[] = "{digest}";\n')
    for extension in extensions:
        extension.sources.append(str(mark))
    return extensions


if os.environ.get("SEGBENCH_COMPILE") == "1":
    setup(
        setup_requires=["mypy>=1.15"],
        ext_modules=make_extensions(),
        cmdclass={"build_ext": BuildAllOrNothing},
    )
else:
    setup()
