"""What goes to standard output: a format, and for people at a terminal a line, one screen or all of the report."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

from slowlink.cli.colours import colour_options

_VERBOSE, _QUIET = "slowlink.verbose", "slowlink.quiet"
FORMATS = ("terminal", "json", "markdown", "html", "junit")
F = TypeVar("F", bound=Callable[..., object])


def format_options(function: F) -> F:
    """``--format``, given as ``format_``; ``--verbose``, of which ``shown_format`` knows, ``--quiet`` and colours: of a
    ``ReportCommand``."""
    verbose = click.option(
        *("--verbose", "-v"),
        is_flag=True,
        expose_value=False,
        callback=_note(_VERBOSE),
        help="All of the report: every line of proof, all that was measured and how it was judged, each input.",
    )
    quiet = click.option(
        *("--quiet", "-q"),
        is_flag=True,
        expose_value=False,
        callback=_note(_QUIET),
        help="Print the headline alone, where people read.",
    )
    form = click.option(
        *("--format", "format_"),
        type=click.Choice(FORMATS),
        default="terminal",
        help="What goes to standard output.",
    )
    return form(verbose(quiet(colour_options(function))))


def _note(key: str) -> Callable[[click.Context, click.Parameter, bool], None]:
    def note(context: click.Context, _: click.Parameter, value: bool) -> None:
        context.meta[key] = value

    return note


def is_quiet() -> bool:
    """Is the headline enough?"""
    return bool(click.get_current_context().meta.get(_QUIET, False))


def shown_format(name: str) -> str:
    """The format for standard output: one screen, unless ``--verbose`` asks for all."""
    verbose = click.get_current_context().meta.get(_VERBOSE, False)
    return "full" if verbose and name == "terminal" else name
