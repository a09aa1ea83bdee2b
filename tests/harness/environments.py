"""The environment of runs that are made up."""

from harness.results.model import Environment

ENVIRONMENT = Environment(
    command="segbench run",
    versions={},
    python="CPython 3.11.7",
    platform="Linux",
    cpu="A processor",
    cpu_count=2,
    commit="",
    dirty=False,
    started="2026-01-01T00:00:00+00:00",
    finished="2026-01-01T00:01:00+00:00",
)
