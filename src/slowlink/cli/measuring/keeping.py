"""``--history`` and ``--no-history``: whether a report is kept, and where. Keeping never changes an exit status."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from slowlink.cli.pipes import note
from slowlink.errors import SlowlinkError
from slowlink.store.place import OFF, VARIABLE, chosen_place

if TYPE_CHECKING:
    from slowlink.config import Config
    from slowlink.model.report import Report

F = TypeVar("F", bound=Callable[..., object])


def history_option(*, default: bool) -> Callable[[F], F]:
    """For a command that measures (``default``), or one that reads what may be anybody's."""
    return click.option(
        "--history/--no-history",
        default=default,
        help=f"Keep the report for slowlink history and baselines ({VARIABLE}).",
    )


def history_place(config: Config, *, wanted: bool) -> str:
    """Where reports go; ``off`` for nowhere. Raises SlowlinkError as ``chosen_place``, before anything is measured."""
    if not wanted:
        return OFF
    try:
        return chosen_place(None, config.history, os.environ)
    except SlowlinkError as error:
        if config.history or os.environ.get(VARIABLE):
            raise
        # Nobody asked for one: a user without a home, or without its libraries, measures all the same.
        note(f"history: not kept: {error.message} ({error.hint})")
        return OFF


def keep_report(report: Report, place: str, *, command: str, bundle: Path | None) -> None:
    """Keep ``report`` where that is wanted. What goes wrong is told, and nothing else changes."""
    if place == OFF:
        return
    try:
        from slowlink.workflows.history.keep import keep

        kept = keep(report, place, command=command, bundle=bundle)
    except SlowlinkError as error:
        note(f"history: not kept: {error.message} ({error.hint}; --no-history: keep nothing)")
        return
    note(f"history: run {kept.run_id}{'' if kept.is_new else ', as before'}")
