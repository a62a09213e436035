"""The judgement: who is late without having waited for anybody, and what is slow though nobody is late."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from slowlink.expect.held_up.grounds import Lacking, lacking_of
from slowlink.expect.held_up.lateness import Lateness, lateness_of, sends_lateness
from slowlink.expect.held_up.outliers import limit_of, spread_of
from slowlink.expect.held_up.places import Place, places_of
from slowlink.expect.held_up.since import late_since, slow_since
from slowlink.expect.held_up.transfers import Judged, SlowTransfer, judged_transfers
from slowlink.model.timed import Timed

if TYPE_CHECKING:
    from slowlink.model.timed import Array

_PARTS = tuple(slice(start, 1000) for start in (0, 500, 750, 900))
"""All calls, and the last of them, in per mille: what began lately is not seen in the middle of all."""
_MOST_ASKED = 8
"""Late processes that are asked since when: they are of one cause, or too many."""
_SAME = 0.5
"""Of the time that a rank is late by: what it waited for another explains it from this share on."""


class Tolerances(NamedTuple):
    """What is asked for before anybody is blamed."""

    fewest_calls: int
    fewest_alike: int
    least_share: float
    least_of_call: float
    least_slower: float
    later_share: float
    false_alarms: float


class Late(Struct, frozen=True, eq=False):
    """A process that comes late without having waited for another."""

    process: int
    lateness: Lateness
    """Of the communicator in which it costs most."""
    member: int
    share: float | None
    """Of the time of the job that the others wait for it; None where nothing tells how long that was."""
    certain_by: float
    """How many standard deviations it stands apart."""
    groups: int
    """Communicators in which it is late."""
    lately: bool
    """Seen in the last of the calls alone."""
    lacking: Lacking
    """What keeps it open whether it waited for another."""


class Slow(Struct, frozen=True, eq=False):
    """A part of the network that is slow though everybody is there."""

    transfers: tuple[SlowTransfer, ...]
    place: Place
    lately: bool
    lacking: Lacking
    """A rank that is not known may be the last to come: then the shortest time that is known is waiting."""


class HeldUp(Struct, frozen=True, eq=False):
    """Who and what."""

    late: tuple[Late, ...]
    slow: tuple[Slow, ...]
    compared: int
    """Processes whose arrival could be judged."""
    transfers: int
    """Transfers that could be."""
    undecided: tuple[Late, ...] = ()
    """Where nobody is late: processes that come last call after call, and stand no further from their like than these
    from one another. One of two is always the last; where most are late, the others are early."""


def held_up(timed: Timed, tolerances: Tolerances) -> HeldUp:
    """Judged over all calls; where that finds nothing, over the last half, quarter and tenth. What began in the course
    of the job is judged once more from then on: before, its victims were sound."""
    tolerances = tolerances._replace(false_alarms=tolerances.false_alarms / len(_PARTS))
    found = _first_found(timed, tolerances)
    if found.late and not found.slow:  # somebody may be late because of what is slow only now
        newest = _judged(timed, tolerances, _PARTS[-1])
        found = newest if newest.slow else found
    start = _began(timed, found)
    if start:
        again = _judged(timed, tolerances, slice(start, 1000))
        found = again if again.late or again.slow else found
    return found


def _first_found(timed: Timed, tolerances: Tolerances) -> HeldUp:
    """Of the first part of the calls that shows anybody; else of the first that leaves it open; else of all."""
    nobody = []
    for part in _PARTS:
        found = _judged(timed, tolerances, part)
        if found.late or found.slow:
            return found
        nobody.append(found)
    return next((found for found in nobody if found.undecided), nobody[0])


def _began(timed: Timed, found: HeldUp) -> int:
    """Per mille of the calls, of the last that began; 0 where nothing did."""
    told = [late_since(timed, late.lateness, late.member) for late in found.late[:_MOST_ASKED]]
    told += [slow_since(timed.groups[each.transfer.group], each) for slow in found.slow for each in slow.transfers[:1]]
    return max((-(-1000 * since.call // since.of) for since in told if since is not None), default=0)


def _judged(timed: Timed, tolerances: Tolerances, part: slice) -> HeldUp:
    transfers = judged_transfers(
        timed,
        part,
        fewest_calls=max(1, tolerances.fewest_calls // 2),
        fewest_alike=tolerances.fewest_alike,
        least=tolerances.least_slower,
        false_alarms=tolerances.false_alarms / 2,
    )
    each = [
        one
        for number, group in enumerate(timed.groups)
        for one in lateness_of(number, group, part, tolerances.fewest_calls)
    ]
    lately = part.start > 0
    marks = list(_marks(timed, each, tolerances))
    late, undecided = _roots(timed, marks, _Explained(timed, each, marks, transfers, part), lately=lately)
    places = places_of(transfers, timed) if transfers.slow else ()
    slow = tuple(
        Slow(some, place, lately, lacking_of(timed, (one.transfer.group for one in some))) for place, some in places
    )
    compared = {
        member.process
        for some, spread in _alike(timed, each)
        if spread < inf
        for one in some
        for member in timed.groups[one.group].members
    }
    judged = len(transfers.slow) + len(transfers.sound)
    return HeldUp(late, slow, len(compared), judged, () if late or slow else undecided)


class _Mark(NamedTuple):
    """A process that comes late to one communicator, more than by chance."""

    process: int
    lateness: Lateness
    member: int
    sigmas: float
    apart: bool
    """Further from the others than these from one another; else nothing says that it is not as its like."""

    @property
    def total_us(self) -> float:
        return float(self.lateness.total_us[self.member])


def _roots(
    timed: Timed, marks: Sequence[_Mark], explained: _Explained, *, lately: bool
) -> tuple[tuple[Late, ...], tuple[Late, ...]]:
    """Who is late for nobody; and where that is nobody, those of whom it is open."""
    late = _of_processes(mark for mark in marks if mark.apart)
    roots = {process: mine for process, mine in late.items() if not explained.is_victim(process, mine)}
    if roots and 2 * len(roots) <= len(timed.processes):
        return tuple(_late(process, mine, explained, lately=lately) for process, mine in sorted(roots.items())), ()
    # Where most are late, the others are early; where all waited for another, the one that all wait for is unknown.
    some = roots or _of_processes(marks)
    return (), tuple(_late(process, mine, explained, lately=lately) for process, mine in sorted(some.items()))


def _of_processes(marks: Iterable[_Mark]) -> dict[int, list[_Mark]]:
    found: dict[int, list[_Mark]] = defaultdict(list)
    for mark in marks:
        found[mark.process].append(mark)
    return found


def _late(process: int, marks: Sequence[_Mark], explained: _Explained, *, lately: bool) -> Late:
    worst = max(marks, key=lambda mark: mark.total_us)
    return Late(
        process=process,
        lateness=worst.lateness,
        member=worst.member,
        share=_share(worst.lateness, worst.member),
        certain_by=max(mark.sigmas for mark in marks),
        groups=len(marks),
        lately=lately,
        lacking=explained.lacking(process),
    )


def _share(lateness: Lateness, member: int) -> float | None:
    if lateness.elapsed_us <= lateness.typical_us * lateness.calls:
        return None  # written down all at once, at the end
    return float(lateness.total_us[member]) / lateness.elapsed_us


def _alike(timed: Timed, each: Iterable[Lateness]) -> list[tuple[list[Lateness], float]]:
    """By what ranks must have in common to be held against one another, with what these differ by: without end where
    they are too few to show it."""
    import numpy as np

    alike: dict[tuple[object, ...], list[Lateness]] = defaultdict(list)
    for one in each:
        group = timed.groups[one.group]
        alike[group.nranks, group.nnodes, one.kinds if len(one.kinds) == 1 else ()].append(one)
    return [(some, spread_of(np.concatenate([one.us for one in some]))) for some in alike.values()]


def _marks(timed: Timed, each: Sequence[Lateness], tolerances: Tolerances) -> Iterator[_Mark]:
    """Members that are later than chance allows, by how their own calls differ; and whether they are so by how all that
    are in communicators alike differ, too."""
    import numpy as np

    limit = limit_of(sum(len(one.us) for one in each), tolerances.false_alarms / 2)
    for some, spread in _alike(timed, each):
        for one in some:
            for member in np.flatnonzero(one.us > 0):
                us, own = float(one.us[member]), max(float(one.error_us[member]), 1.0)
                sigmas = us / max(spread, own)
                if us / own > limit and _matters(one, int(member), tolerances):
                    process = timed.groups[one.group].members[member].process
                    yield _Mark(process, one, int(member), sigmas, sigmas > limit)


def _matters(one: Lateness, member: int, tolerances: Tolerances) -> bool:
    share = _share(one, member)
    if share is not None and share < tolerances.least_share:
        return False
    of_call = float(one.us[member]) / one.typical_us if one.typical_us else 0.0
    return of_call >= tolerances.least_of_call and float(one.later[member]) >= tolerances.later_share


class _Explained:
    """Why a process may be late: another made it wait, or it came out of a slow transfer."""

    def __init__(
        self, timed: Timed, each: Sequence[Lateness], marks: Sequence[_Mark], transfers: Judged, part: slice
    ) -> None:
        self._timed = timed
        self._groups_of: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for number, group in enumerate(timed.groups):
            for place, member in enumerate(group.members):
                self._groups_of[member.process].append((number, place))
        self._late: dict[int, Array] = {}
        for one in each:
            self._late[one.group] = self._late[one.group] + one.total_us if one.group in self._late else one.total_us
        self._flagged = {(mark.lateness.group, mark.member) for mark in marks if mark.apart}
        self._waits = _of_sends(timed, part)
        self._lost = _lost_near(timed, transfers)

    def is_victim(self, process: int, marks: Sequence[_Mark]) -> bool:
        """Is the worst that it is late by explained elsewhere?"""
        most = max(mark.total_us for mark in marks)
        late_in = {mark.lateness.group for mark in marks}
        for number, place in self._groups_of[process]:
            if self._lost.get(number, 0.0) >= _SAME * most:
                return True
            if number in late_in:
                continue
            for table, flagged in ((self._late, True), (self._waits, False)):
                totals = table.get(number)
                if totals is not None and self._waited(number, place, totals, flagged) >= _SAME * most:
                    return True
        return False

    def lacking(self, process: int) -> Lacking:
        """What would have to be known before it is said that the process waited for nobody."""
        import numpy as np

        mine = self._groups_of[process]
        told = any(number in self._waits and np.isfinite(self._waits[number][place]) for number, place in mine)
        return lacking_of(self._timed, (number for number, _ in mine), sends=not told)

    def _waited(self, number: int, place: int, totals: Array, flagged: bool) -> float:
        """By how much the latest of the others came after it; of collectives only who was late beyond chance counts."""
        import numpy as np

        others = [
            float(total)
            for other, total in enumerate(totals)
            if other != place and np.isfinite(total) and (not flagged or (number, other) in self._flagged)
        ]
        return max(others, default=-np.inf) - float(totals[place]) if np.isfinite(totals[place]) else -np.inf


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


def _of_sends(timed: Timed, part: slice) -> Mapping[int, Array]:
    alike: dict[tuple[int, int | None], list[int]] = defaultdict(list)
    for number, group in enumerate(timed.groups):
        if group.sends:
            alike[group.nranks, group.nnodes].append(number)
    found: dict[int, Array] = {}
    for numbers in alike.values():
        found |= sends_lateness(timed.groups, numbers, part)
    return found
