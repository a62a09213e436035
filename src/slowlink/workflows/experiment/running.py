"""From the first launch to the last: ask what to launch, launch it, tell what it gave."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from slowlink.model.experiment import Launched, Trial

if TYPE_CHECKING:
    from slowlink.workflows.experiment.launching import Launching


class Plans(Protocol):
    """What decides: ``experiments.tuning.Search``, ``experiments.interference.Comparison``."""

    def plan(self) -> tuple[Trial, ...]:
        """The next launches; empty at the end."""

    def add(self, launched: Launched) -> None:
        """What one gave."""


def run(
    plans: Plans,
    launching: Launching,
    tell: Callable[[Launched], None],
    most_launches: int,
    out_of_time: Callable[[], bool],
) -> str:
    """Launch until all is settled. Gives why it ended early; "" where it did not. ``tell`` hears of each launch."""
    count = 0
    while trials := plans.plan():
        for trial in trials:
            if count >= most_launches:
                return f"the {most_launches} launches that were allowed are spent"
            if out_of_time():
                return "its time is over"
            launched = launching.launch(trial)
            count += 1
            if launched.why != "interrupted":
                plans.add(launched)
                tell(launched)
            if launching.interrupted:
                return "interrupted"
            if launching.stopped:
                return launching.stopped
    return ""
