"""``--color`` and ``--no-color``: when an answer on a terminal is coloured."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import TypeVar

import click

_WHEN = ("auto", "always", "never")
F = TypeVar("F", bound=Callable[..., object])


class MayBeColoured(click.Command):
    """A command with ``--color``, which other tools take with a word, with ``=`` and a word, or alone."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, list(_with_words(args)))


def colour_options(command: F) -> F:
    """``--color`` and ``--no-color``, of a ``MayBeColoured`` command."""
    never = click.option("--no-color", "color", flag_value="never", help="As --color never.")
    when = click.option(
        "--color", type=click.Choice(_WHEN), default="auto",
        help="Colours; auto: where the output is a terminal. Alone it means always.",
    )  # fmt: skip
    return when(never(command))


def is_coloured(when: str = "auto") -> bool:
    """Does an answer to the terminal have colours?"""
    if when != "auto":
        return when == "always"
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def _with_words(args: Sequence[str]) -> Iterator[str]:
    """``--color`` that is alone gets its word: what stands behind it may be a file."""
    for word, behind in zip_longest(args, args[1:]):
        yield "--color=always" if word == "--color" and behind not in _WHEN else word
