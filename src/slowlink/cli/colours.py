"""``--color`` and ``--no-color``: when an answer on a terminal is coloured."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TypeVar

import click

from slowlink.cli.shown.sections import WHEN

_KEY = "slowlink.color"
F = TypeVar("F", bound=Callable[..., object])


def colour_options(command: F) -> F:
    """``--color`` and ``--no-color``, of a ``ReportCommand``; ``is_coloured`` knows of them."""
    never = click.option(
        "--no-color", "color", flag_value="never", expose_value=False, callback=_note, help="As --color never."
    )
    when = click.option(
        "--color", type=click.Choice(WHEN), default="auto", expose_value=False, callback=_note,
        help="Colours; auto: where the output is a terminal. Alone it means always.",
    )  # fmt: skip
    return when(never(command))


def _note(context: click.Context, _: click.Parameter, value: str | None) -> None:
    context.meta[_KEY] = value or "auto"


def is_coloured() -> bool:
    """Does an answer to the terminal have colours?"""
    context = click.get_current_context(silent=True)
    when = context.meta.get(_KEY, "auto") if context is not None else "auto"
    if when != "auto":
        return bool(when == "always")
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
