"""Late processes that are so few of their node by chance alone: whether it is the node is a question of all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from slowlink.averages import median
from slowlink.expect.held_up.lateness import Lateness
from slowlink.expect.held_up.marks import Mark
from slowlink.model.timed import Timed

_FEWEST = 2
"""Late processes of a node; of one, the others are no like."""
_AS_LATE = 0.5
"""Of what the late ones of a node are late by."""


def late_too(
    timed: Timed,
    each: Sequence[Lateness],
    roots: Mapping[int, Sequence[Mark]],
    is_victim: Callable[[int, Sequence[Mark]], bool],
) -> dict[int, list[Mark]]:
    """All others of a node of which some are late for nobody, where each comes as late to communicators of the same
    kind and has waited for nobody either: what is asked for before anybody is blamed they miss by a hair."""
    of_host: dict[str, list[int]] = {}
    for process in roots:
        of_host.setdefault(timed.processes[process].host or "", []).append(process)
    found: dict[int, list[Mark]] = {}
    for host, mine in of_host.items():
        known = timed.processes[mine[0]].of_node
        if host and _FEWEST <= len(mine) < known:
            others = _as_late(timed, each, host, [max(roots[process], key=_total) for process in mine])
            if len(others) == known - len(mine) and not any(
                is_victim(process, [mark]) for process, mark in others.items()
            ):
                found |= {process: [mark] for process, mark in others.items()}
    return found


def _total(mark: Mark) -> float:
    return mark.total_us


def _as_late(timed: Timed, each: Sequence[Lateness], host: str, late: Sequence[Mark]) -> dict[int, Mark]:
    """Processes of a node that are none of ``late``, each in the communicator in which it is latest."""
    kinds = {_kind_of(timed, mark.lateness) for mark in late}
    least = _AS_LATE * median(float(mark.lateness.us[mark.member]) for mark in late)
    named = {mark.process for mark in late}
    found: dict[int, Mark] = {}
    for one in each:
        if _kind_of(timed, one) not in kinds:
            continue
        for place, member in enumerate(timed.groups[one.group].members):
            us = float(one.us[place])
            if us >= least and member.process not in named and timed.processes[member.process].host == host:
                mark = Mark(member.process, one, place, apart=False)
                found[member.process] = max(found.get(member.process, mark), mark, key=_total)
    return found


def _kind_of(timed: Timed, one: Lateness) -> tuple[object, ...]:
    group = timed.groups[one.group]
    return group.nranks, group.nnodes, one.kinds
