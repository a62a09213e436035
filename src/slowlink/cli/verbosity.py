"""What goes to standard output: a format, and for people at a terminal one screen or all of the report."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

_KEY = "slowlink.verbose"
FORMATS = ("terminal", "json", "markdown", "html", "junit")
F = TypeVar("F", bound=Callable[..., object])


def format_options(function: F) -> F:
    """``--format``, given as ``format_``, and ``--verbose``, of which ``shown_format`` knows."""
    verbose = click.option(
        *("--verbose", "-v"),
        is_flag=True,
        expose_value=False,
        callback=_note,
        help="All of the report: every line of proof, all that was measured and how it was judged, each input.",
    )
    form = click.option(
        *("--format", "format_"),
        type=click.Choice(FORMATS),
        default="terminal",
        help="What goes to standard output.",
    )
    return form(verbose(function))


def _note(context: click.Context, _: click.Parameter, value: bool) -> None:
    context.meta[_KEY] = value


def shown_format(name: str) -> str:
    """The format for standard output: one screen, unless ``--verbose`` asks for all."""
    verbose = click.get_current_context().meta.get(_KEY, False)
    return "full" if verbose and name == "terminal" else name
