"""The group that all commands belong to, and what becomes of their verdicts and errors."""

from typing import Any

import click

from corpora import CorpusError, RequestError
from harness.cli.ending import Ending, describe_os_error, say, say_interrupted
from harness.cli.status import NOT_MEASURED, WELL, exit_status
from harness.results.errors import MeasurementError
from harness.results.verdict import Verdict


class Program(click.Group):
    """Commands return a verdict; whatever goes wrong is one line on standard error."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
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
        # Without a verdict, click itself answered: --help, --version, a shell's completion.
        raise Ending(exit_status(returned) if isinstance(returned, Verdict) else WELL)

    def invoke(self, ctx: click.Context) -> Any:
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
