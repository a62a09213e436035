"""Who is late where the sends and receives of the job were not recorded: stages of a pipeline may wait for one another.

A rank that is late to a communicator inside its node is so by itself, mostly: its peers there wait for the same stage
as it does. One that is late to ranks of other nodes may have waited for a stage before it, and comes late by as much.
Ranks that are late on several nodes may come out of the same slow transfer, which nobody recorded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from slowlink.expect.held_up.marks import Mark
from slowlink.model.timed import Timed

_SAME = 0.5
"""Of the time that a process is late by: another that is late by so much may be what it waited for."""

Roots = Mapping[int, Sequence[Mark]]


def told_apart(timed: Timed, roots: Roots) -> Roots:
    """Those of ``roots`` that cannot have waited for another of them; nobody where nothing tells."""
    hosts = {process: timed.processes[process].host or f"?{process}" for process in roots}
    inside = {process: marks for process, marks in roots.items() if _is_inside(timed, marks)}
    of_inside = {hosts[process] for process in inside}
    if len(of_inside) > 1:
        return {}
    most = max((_total(marks) for marks in inside.values()), default=0.0)
    left = {
        process: marks
        for process, marks in roots.items()
        if hosts[process] in of_inside or most < _SAME * _total(marks)
    }
    together = [
        {timed.processes[member.process].host or f"?{member.process}" for member in group.members}
        for group in timed.groups
    ]
    outside = sorted({hosts[process] for process in left} - of_inside)
    apart = all(any({one, other} <= some for some in together) for one, other in combinations(outside, 2))
    return left if apart else inside


def _is_inside(timed: Timed, marks: Sequence[Mark]) -> bool:
    return timed.groups[max(marks, key=lambda mark: mark.total_us).lateness.group].nnodes == 1


def _total(marks: Sequence[Mark]) -> float:
    return max(mark.total_us for mark in marks)
