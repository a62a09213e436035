"""How fast communicators are once all ranks have come, and which are slower than others of their kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from slowlink.expect.held_up.lateness import WAITING, of_part
from slowlink.expect.held_up.outliers import FEWEST, limit_of, spread_of
from slowlink.model.timed import Timed, TimedGroup
from slowlink.model.timed_calls import CallKind

if TYPE_CHECKING:
    from slowlink.model.timed import Array

_QUICK = 0.1
"""Of the sends between two ranks, the quickest tenth found the other waiting."""
_STRETCHES = 5
"""Quick sends are sought in so many, one after the other: what became slow in most of them is slow."""
_FEWEST_OF_STRETCH = 10


class Transfer(NamedTuple):
    """What one kind of call takes in one communicator, or between two of its ranks, when nobody is waited for."""

    group: int
    ends: tuple[int, ...]
    """The processes that take part."""
    kind: CallKind
    us: float
    calls: int


class SlowTransfer(NamedTuple):
    """One that takes longer than others alike."""

    transfer: Transfer
    usual_us: float
    alike: int
    """How many there are of the kind."""

    @property
    def ratio(self) -> float:
        """Its time over that of the others."""
        return self.transfer.us / self.usual_us


class Judged(NamedTuple):
    """All that could be judged, by what it is compared with."""

    slow: tuple[SlowTransfer, ...]
    sound: tuple[Transfer, ...]


def judged_transfers(
    timed: Timed, part: slice, *, fewest_calls: int, fewest_alike: int, least: float, false_alarms: float
) -> Judged:
    """Transfers that are slow, and those that are not. What has too few of its kind beside it is neither."""
    import numpy as np

    fewest_calls = max(1, fewest_calls)
    alike: dict[tuple[object, ...], list[Transfer]] = defaultdict(list)
    for number, group in enumerate(timed.groups):
        for transfer in (
            *_of_collectives(number, group, part, fewest_calls),
            *_of_sends(number, group, part, fewest_calls),
        ):
            alike[_class_of(transfer, group, timed)].append(transfer)
    fewest_alike = max(fewest_alike, FEWEST)
    tested = sum(len(each) for each in alike.values() if len(each) >= fewest_alike)
    slow: list[SlowTransfer] = []
    sound: list[Transfer] = []
    for each in alike.values():
        if len(each) < fewest_alike:
            continue
        logs = np.log([transfer.us for transfer in each])
        middle, spread = float(np.median(logs)), max(spread_of(logs), 0.005)
        limit = max(limit_of(tested, false_alarms) * spread, float(np.log(least)))
        for transfer, value in zip(each, logs, strict=True):
            if value - middle > limit:
                slow.append(SlowTransfer(transfer, float(np.exp(middle)), len(each)))
            else:
                sound.append(transfer)
    return Judged(tuple(slow), tuple(sound))


def _class_of(transfer: Transfer, group: TimedGroup, timed: Timed) -> tuple[object, ...]:
    """What transfers must have in common to be compared."""
    kind = transfer.kind
    if kind.peer is None:
        return kind, group.nranks, group.nnodes, len(transfer.ends)
    hosts = [timed.processes[end].host for end in transfer.ends]
    return "send", kind.size_bytes, None if None in hosts else hosts[0] == hosts[-1]


def _of_collectives(number: int, group: TimedGroup, part: slice, fewest: int) -> Iterator[Transfer]:
    """The shortest time of a call is that of the rank that came last: of the whole communicator, or nearly."""
    import numpy as np

    ends = tuple(member.process for member in group.members)
    for calls in group.calls:
        times = of_part(calls.times_us, part)
        if calls.kind.collective in WAITING and len(times) >= fewest:
            least = np.nanmin(times, axis=1)
            yield Transfer(number, ends, calls.kind, float(np.median(least)), len(least))


def _of_sends(number: int, group: TimedGroup, part: slice, fewest: int) -> Iterator[Transfer]:
    """The quicker of what both sides saw, of each pair that is told of."""
    member_of = {member.rank: index for index, member in enumerate(group.members)}
    found: dict[tuple[int, int, int], tuple[float, int, CallKind]] = {}
    for sends in group.sends:
        other = member_of.get(sends.kind.peer if sends.kind.peer is not None else -1)
        if other is None or other == sends.member:
            continue
        pair = (sends.member, other) if sends.kind.collective == "send" else (other, sends.member)
        times = of_part(sends.times_us, part)
        if len(times) < fewest:
            continue
        quick, count = _quick(times), len(times)
        known = found.get((*pair, sends.kind.size_bytes))
        if known is None or quick < known[0]:
            found[pair[0], pair[1], sends.kind.size_bytes] = quick, count, sends.kind
    for (one, two, _), (quick, count, kind) in found.items():
        ends = group.members[one].process, group.members[two].process
        yield Transfer(number, ends, kind, quick, count)


def _quick(times: Array) -> float:
    """The middle of the quickest tenths of an odd number of stretches."""
    import numpy as np

    stretches = next((count for count in range(_STRETCHES, 1, -2) if len(times) >= count * _FEWEST_OF_STRETCH), 1)
    each = len(times) // stretches
    place = int(_QUICK * (each - 1))
    newest = times[len(times) - stretches * each :].reshape(stretches, each)
    return float(sorted(np.partition(newest, place, axis=1)[:, place])[stretches // 2])


def crosses_nodes(transfer: Transfer, timed: Timed) -> bool | None:
    """Does it leave a node? None where nothing tells."""
    nnodes = timed.groups[transfer.group].nnodes
    hosts = {timed.processes[end].host for end in transfer.ends}
    if transfer.kind.peer is None and nnodes is not None:
        return nnodes > 1
    return None if None in hosts else len(hosts) > 1
