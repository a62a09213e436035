"""Who comes late to which communicator, more than by chance."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from slowlink.expect.held_up.lateness import Lateness
from slowlink.expect.held_up.outliers import limit_of, spread_of
from slowlink.model.timed import Timed


class Tolerances(NamedTuple):
    """What is asked for before anybody is blamed."""

    fewest_calls: int
    fewest_alike: int
    least_share: float
    least_of_call: float
    least_slower: float
    later_share: float
    false_alarms: float


class Mark(NamedTuple):
    """A process that comes late to one communicator, more than by chance."""

    process: int
    lateness: Lateness
    member: int
    apart: bool
    """Further from the others than these from one another; else nothing says that it is not as its like."""

    @property
    def total_us(self) -> float:
        """By how much, over all calls."""
        return float(self.lateness.total_us[self.member])


def share_of(lateness: Lateness, member: int) -> float | None:
    """Of the time of the job, what the others wait for a member; None where nothing tells how long that was."""
    if lateness.elapsed_us <= lateness.typical_us * lateness.calls:
        return None  # written down all at once, at the end
    return float(lateness.total_us[member]) / lateness.elapsed_us


def alike_of(timed: Timed, each: Iterable[Lateness]) -> list[tuple[list[Lateness], float]]:
    """By what ranks must have in common to be held against one another, with what these differ by: without end where
    they are too few to show it."""
    import numpy as np

    alike: dict[tuple[object, ...], list[Lateness]] = defaultdict(list)
    for one in each:
        group = timed.groups[one.group]
        alike[group.nranks, group.nnodes, one.kinds if len(one.kinds) == 1 else ()].append(one)
    return [(some, spread_of(np.concatenate([one.us for one in some]))) for some in alike.values()]


def marks_of(timed: Timed, each: Sequence[Lateness], tolerances: Tolerances) -> Iterator[Mark]:
    """Members that are later than chance allows, by how their own calls differ; and whether they are so by how all that
    are in communicators alike differ, too."""
    import numpy as np

    limit = limit_of(sum(len(one.us) for one in each), tolerances.false_alarms / 2)
    for some, spread in alike_of(timed, each):
        for one in some:
            for member in np.flatnonzero(one.us > 0):
                us, own = float(one.us[member]), max(float(one.error_us[member]), 1.0)
                if us / own > limit and _matters(one, int(member), tolerances):
                    process = timed.groups[one.group].members[member].process
                    yield Mark(process, one, int(member), us / max(spread, own) > limit)


def _matters(one: Lateness, member: int, tolerances: Tolerances) -> bool:
    share = share_of(one, member)
    if share is not None and share < tolerances.least_share:
        return False
    of_call = float(one.us[member]) / one.typical_us if one.typical_us else 0.0
    return of_call >= tolerances.least_of_call and float(one.later[member]) >= tolerances.later_share
