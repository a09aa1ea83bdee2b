"""Whatever ends a command, nothing of it is left; `faults.py` tries more moments."""

import random
from pathlib import Path

import pytest

from tests.harness.faults import COMMANDS, SIGNALS, end, workplace

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="no sessions can be followed")


@pytest.mark.parametrize(("command", "name"), [*zip(COMMANDS, [*SIGNALS, "SIGKILL"], strict=True)])
def test_nothing_is_left_of_a_command_that_was_ended(command: str, name: str) -> None:
    moment = random.Random(command).uniform(2, 8)
    with workplace() as folder:
        assert end(COMMANDS[command], name, moment, folder) == []
