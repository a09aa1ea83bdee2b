"""The group that all commands belong to, and what becomes of their verdicts and errors."""

import importlib
import os
from collections.abc import Sequence
from typing import Any

import click
from click.shell_completion import shell_complete

from corpora import CorpusError, RequestError
from harness.cli.ending import Ending, describe_os_error, say, say_interrupted
from harness.cli.status import NOT_MEASURED, WELL, WRONG_COMMAND, exit_status
from harness.results.errors import MeasurementError
from harness.results.verdict import Verdict

_COMPLETION = "_SEGBENCH_COMPLETE"


class CommandGroup(click.Group):
    """Commands return a verdict; whatever goes wrong is one line on standard error.

    A command of ``names`` is imported when it is asked for, since some import much: it is
    ``NAME_command`` in the module ``harness.cli.NAME``.
    """

    def __init__(self, *args: Any, names: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._names = names

    def load_commands(self) -> dict[str, click.Command]:
        """Every command by its name."""
        return {name: self._load(name) for name in self._names}

    def _load(self, name: str) -> click.Command:
        module = importlib.import_module(f"harness.cli.{name}")
        command: click.Command = getattr(module, f"{name}_command")
        return command

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command that is asked for, and raise Ending with its exit status."""
        if asked := os.environ.get(_COMPLETION):
            answered = shell_complete(self, {}, "segbench", _COMPLETION, asked) == 0
            raise Ending(WELL if answered else WRONG_COMMAND)
        try:
            returned = super().main(*args, **{**kwargs, "standalone_mode": False})
        except click.exceptions.NoArgsIsHelpError as error:
            error.show()
            raise Ending(error.exit_code) from None
        except click.ClickException as error:
            say(error.format_message())
            raise Ending(error.exit_code) from None
        except click.Abort:
            raise Ending(say_interrupted()) from None
        # Without a verdict, click itself answered: --help, --version.
        raise Ending(exit_status(returned) if isinstance(returned, Verdict) else WELL)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands, each with its whole first sentence."""
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name, command.get_short_help_str(limit=1_000))
                    for name, command in self.load_commands().items()
                ]
            )

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names, in the order of the help."""
        return list(self._names)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name; None if there is none."""
        return self._load(cmd_name) if cmd_name in self._names else None

    def invoke(self, ctx: click.Context) -> Any:
        """Run it; what is known to go wrong becomes an exception that click shows."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise Ending(say_interrupted()) from None
        except RequestError as error:
            raise click.UsageError(str(error)) from error
        except (CorpusError, MeasurementError) as error:
            raise CannotMeasureError(str(error)) from error
        except OSError as error:
            raise CannotMeasureError(describe_os_error(error)) from error


class CannotMeasureError(click.ClickException):
    """Something could not be measured or shown; the message is one line."""

    exit_code = NOT_MEASURED
