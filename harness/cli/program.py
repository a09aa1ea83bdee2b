"""The group that all commands belong to, and what becomes of their verdicts and errors."""

import sys
from typing import Any

import click

from corpora import CorpusError, RequestError
from harness.cli.status import INTERRUPTED, NOT_MEASURED, exit_status
from harness.results.errors import MeasurementError


class CannotMeasureError(click.ClickException):
    """Nothing could be measured or shown; ``exit_code`` tells why."""

    def __init__(self, message: str, exit_code: int = NOT_MEASURED) -> None:
        super().__init__(message)
        self.exit_code = exit_code  # type: ignore[misc]  # click reads it from the instance


class Program(click.Group):
    """Commands return a verdict; whatever goes wrong is one line on standard error."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        try:
            verdict = super().main(*args, **{**kwargs, "standalone_mode": False})
        except click.exceptions.NoArgsIsHelpError as error:
            error.show()
            sys.exit(error.exit_code)
        except click.ClickException as error:
            message = " ".join(error.format_message().split())
            click.echo(f"segbench: {message}", err=True)
            sys.exit(error.exit_code)
        # An integer is click's own: 0 after --help.
        sys.exit(verdict if isinstance(verdict, int) else exit_status(verdict))

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise CannotMeasureError("interrupted; no report was written", INTERRUPTED) from None
        except RequestError as error:
            raise click.UsageError(str(error)) from error
        except (CorpusError, MeasurementError, OSError) as error:
            raise CannotMeasureError(str(error)) from error
