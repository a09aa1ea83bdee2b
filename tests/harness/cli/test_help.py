"""The help, and what a shell completes."""

import pytest
from click.testing import CliRunner

from harness.cli.commands import segbench
from harness.splitters import registry as splitters

COMMANDS = segbench.load_commands()


@pytest.mark.parametrize("width", ["40", "80", "200"])
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_the_help_says_in_whole_sentences_what_each_command_does(option: str, width: str) -> None:
    result = CliRunner().invoke(segbench, [option], env={"COLUMNS": width})
    assert result.exit_code == 0
    assert not [line for line in result.output.splitlines() if line.rstrip().endswith("..")]
    listed = result.output.partition("Commands:\n")[2]
    assert [line.split()[0] for line in listed.splitlines() if line[2:3].strip()] == [
        *("run", "check", "time", "report", "compare", "bench", "retrieve", "claims"),
        *("show", "vectors", "list", "prepare"),
    ]
    for command in COMMANDS:
        sentence = " ".join((COMMANDS[command].help or "").split()).partition(".")[0]
        assert f"{command} {sentence}." in " ".join(listed.split())


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_and_option_has_help(command: str) -> None:
    result = CliRunner().invoke(segbench, [command, "-h"])
    assert result.exit_code == 0
    assert "-h, --help" in result.output
    for option in COMMANDS[command].params:
        assert option.param_type_name == "argument" or option.help  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("segbench ve", ["plain,vectors"]),
        ("segbench check --corpus legal", ["plain,legalbench_rag"]),
        ("segbench check --corpus ./no", ["file,./no"]),
        ("segbench check --splitter fix", ["plain,fixed"]),
        ("segbench show --splitter fix", ["plain,fixed"]),
        ("segbench prepare qas", ["plain,qasper"]),
        ("segbench list cor", ["plain,corpora"]),
    ],
)
def test_a_shell_completes_names(typed: str, offered: list[str]) -> None:
    variables = {
        "_SEGBENCH_COMPLETE": "bash_complete",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split()) - 1),
    }
    result = CliRunner().invoke(segbench, [], env=variables)
    assert (result.exit_code, result.output.split()) == (0, offered)


def test_a_shell_completes_every_declared_splitter() -> None:
    variables = {
        "_SEGBENCH_COMPLETE": "bash_complete",
        "COMP_WORDS": "segbench run --splitter ",
        "COMP_CWORD": "3",
    }
    result = CliRunner().invoke(segbench, [], env=variables)
    assert result.output.split() == [f"plain,{name}" for name in splitters.list_splitters()]


def test_a_shell_that_is_not_known_is_a_wrong_command() -> None:
    result = CliRunner().invoke(segbench, [], env={"_SEGBENCH_COMPLETE": "nosh_source"})
    assert result.exit_code == 2
