"""What is asked of a scheduler about its nodes, and what every scheduler's words have in common."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Protocol

from slowlink.errors import SlowlinkError
from slowlink.launch.execute import Captured, capture
from slowlink.model.acting import SchedulerNode

_QUERY_S = 60.0
"""A controller of thousands of nodes that is busy takes its time."""
_MOST_SHOWN = 300
REFUSED, NO_ANSWER, CHANGED = "refused", "no-answer", "changed-meanwhile"
"""Slugs: nothing was done; nothing tells whether it was done; the node is not as it was when we looked, and nothing was
done."""

Refusals = Sequence[tuple[str, str, str]]
"""(pattern of what a program says, slug, what it means in a sentence)."""


class Scheduler(Protocol):
    """Every method raises SlowlinkError, with one sentence, where the scheduler refuses or does not answer."""

    @property
    def title(self) -> str:
        """``Slurm``."""

    @property
    def word(self) -> str:
        """What its users call a node that is taken out of use: ``drained``."""

    def nodes(self) -> Mapping[str, SchedulerNode]:
        """All of its nodes, by name."""

    def node(self, name: str) -> SchedulerNode:
        """As it is now."""

    def take_out(self, node: SchedulerNode, reason: str) -> None:
        """Give it no new jobs. What runs there goes on."""

    def give_back(self, node: SchedulerNode) -> None:
        """Undo that, and nothing else."""


def answer_of(argv: Sequence[str], title: str, refusals: Refusals, env: Mapping[str, str]) -> str:
    """What a program of the scheduler prints. Raises SlowlinkError."""
    answer = capture(argv, _QUERY_S, env=env)
    if answer.status == 0:
        return answer.stdout
    said = _last_line(answer)
    if answer.status is None:
        raise SlowlinkError(f"{title} did not answer ({said})", slug=NO_ANSWER)
    for pattern, slug, meaning in refusals:
        if re.search(pattern, said):
            raise SlowlinkError(f"{meaning} ({said})", slug=slug)
    raise SlowlinkError(f"{title} refused ({said})", slug=REFUSED)


def _last_line(answer: Captured) -> str:
    lines = [line.strip() for line in answer.stderr.splitlines() or answer.stdout.splitlines() if line.strip()]
    return lines[-1][:_MOST_SHOWN] if lines else "it printed nothing"
