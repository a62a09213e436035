"""Options that several commands share: the hardware that the user names."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

F = TypeVar("F", bound=Callable[..., object])


def hardware_options(function: F) -> F:
    """``--system --gpu --gpus-per-node --nics``: what the log does not tell."""
    for option in (
        click.option("--nics", metavar="COUNTxGBIT", help="NICs of a node: 8x400, or 4x200+1x100."),
        click.option("--gpus-per-node", type=click.IntRange(1, 1024), help="GPUs of a node that take part."),
        click.option(
            "--gpu",
            metavar="ID",
            help="GPU of the catalogue or its printed name: h100-sxm, 'NVIDIA H100 80GB HBM3'.",
        ),
        click.option(
            "--system",
            metavar="ID",
            help="System of the catalogue: hgx_h100 (slowlink expect --list-systems).",
        ),
    ):
        function = option(function)
    return function
