"""Who is late because somebody else is, or because a transfer is slow: nobody who is to blame."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING

from slowlink.expect.held_up.grounds import Lacking, lacking_of
from slowlink.expect.held_up.lateness import Lateness, sends_lateness
from slowlink.expect.held_up.marks import Mark
from slowlink.expect.held_up.transfers import Judged
from slowlink.model.timed import Timed

if TYPE_CHECKING:
    from slowlink.model.timed import Array

_SHORTEST = (1.0, 0.8)
"""Of the sends of a rank, the shares that are looked at: some pipelines wait at few of their sends only; in others a
few interruptions, which strike everybody, hide by how much all of them are longer."""
_SAME = 0.5
"""Of the time that a rank is late by: what it waited for another explains it from this share on."""


class Explained:
    """Why a process may be late: another made it wait, or it came out of a slow transfer."""

    def __init__(
        self, timed: Timed, each: Sequence[Lateness], marks: Sequence[Mark], transfers: Judged, part: slice
    ) -> None:
        import numpy as np

        self._timed = timed
        self._groups_of: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for number, group in enumerate(timed.groups):
            for place, member in enumerate(group.members):
                self._groups_of[member.process].append((number, place))
        self._late: dict[int, Array] = {}
        for one in each:
            self._late[one.group] = self._late[one.group] + one.total_us if one.group in self._late else one.total_us
        self._flagged = {number: np.zeros(len(timed.groups[number].members), bool) for number in self._late}
        for mark in marks:
            self._flagged[mark.lateness.group][mark.member] |= mark.apart
        self._part = part
        self._lost = _lost_near(timed, transfers)

    @cached_property
    def _waits(self) -> Sequence[Mapping[int, Array]]:
        """Not asked for where nobody is late."""
        return [_of_sends(self._timed, self._part, shortest) for shortest in _SHORTEST]

    def is_victim(self, process: int, marks: Sequence[Mark]) -> bool:
        """Is the worst that it is late by explained elsewhere?"""
        most = max(mark.total_us for mark in marks)
        late_in = {mark.lateness.group for mark in marks}
        for number, place in self._groups_of[process]:
            if self._lost.get(number, 0.0) >= _SAME * most:
                return True
            if number in late_in:
                continue
            if _waited(place, self._late.get(number), self._flagged.get(number)) >= _SAME * most:
                return True
            if any(_waited(place, waits.get(number)) >= _SAME * most for waits in self._waits):
                return True
        return False

    def lacking(self, process: int) -> Lacking:
        """What would have to be known before it is said that the process waited for nobody."""
        import numpy as np

        mine = self._groups_of[process]
        waits = self._waits[0]
        told = any(number in waits and np.isfinite(waits[number][place]) for number, place in mine)
        return lacking_of(self._timed, (number for number, _ in mine), sends=not told)


def _waited(place: int, totals: Array | None, late: Array | None = None) -> float:
    """By how much the latest of the others came after it. ``late``: those that count; None for all."""
    import numpy as np

    if totals is None or not np.isfinite(totals[place]):
        return -inf
    count = np.isfinite(totals) if late is None else np.isfinite(totals) & late
    count[place] = False
    return float(np.max(totals, where=count, initial=-inf)) - float(totals[place])


def _lost_near(timed: Timed, transfers: Judged) -> dict[int, float]:
    """Group -> microseconds that slow transfers cost in it, or in another that shares a process with it: who waits for
    somebody who came out of a slow transfer is late as well."""
    lost: dict[int, float] = defaultdict(float)
    for slow in transfers.slow:
        lost[slow.transfer.group] += (slow.transfer.us - slow.usual_us) * slow.transfer.calls
    of_process: dict[int, float] = {}
    for number, us in lost.items():
        for member in timed.groups[number].members:
            of_process[member.process] = max(us, of_process.get(member.process, 0.0))
    if not of_process:
        return {}
    return {
        number: max(of_process.get(member.process, 0.0) for member in group.members)
        for number, group in enumerate(timed.groups)
    }


def _of_sends(timed: Timed, part: slice, shortest: float) -> Mapping[int, Array]:
    alike: dict[tuple[int, int | None], list[int]] = defaultdict(list)
    for number, group in enumerate(timed.groups):
        if group.sends:
            alike[group.nranks, group.nnodes].append(number)
    found: dict[int, Array] = {}
    for numbers in alike.values():
        found |= sends_lateness(timed.groups, numbers, part, shortest=shortest)
    return found
