"""A report on standard output: its format, how much of it, and in colours or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from slowlink.cli.colours import is_coloured
from slowlink.cli.pipes import reader_may_leave
from slowlink.cli.verbosity import is_quiet, shown_format

if TYPE_CHECKING:
    from slowlink.model.report import Report


def tell_report(report: Report, format_: str, fail_on: str) -> None:
    """The report, or with ``--quiet`` its headline alone, where people read."""
    from slowlink.report import render
    from slowlink.report.terminal import headline

    with reader_may_leave():
        if is_quiet() and format_ == "terminal":
            click.echo(headline(report))
            return
        text = render(report, shown_format(format_), color=is_coloured(), fail_on=fail_on)
        click.echo(text, nl=not text.endswith("\n"), color=True)
