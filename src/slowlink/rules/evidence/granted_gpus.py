"""A benchmark that was asked for more GPUs than there can be: none is missing then."""

from __future__ import annotations

from collections.abc import Sequence

from slowlink.model.facts import Commands
from slowlink.model.job import Command, JobEvent

TOO_FEW = "nccl-tests-invalid-gpus"
"""``8 requested but only 4 were found``."""


def granted(few: JobEvent, commands: Commands | None) -> Command | None:
    """The command of the same source that gave the ranks just as many GPUs as ``few`` found; None for none."""
    given: Sequence[Command] = commands.all if commands is not None else ()
    return next(
        (
            each
            for each in given
            if each.ref.source == few.ref.source and each.gpus is not None and str(each.gpus) == few.groups["found"]
        ),
        None,
    )


def most_are_wanting(few: JobEvent) -> bool:
    """Are half of the GPUs or more, of those that were asked for, not there? So many do not break at once."""
    return 2 * int(few.groups["found"]) <= int(few.groups["requested"])
