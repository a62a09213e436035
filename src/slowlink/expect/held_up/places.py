"""Where a slow part of the network is: what all slow transfers have in common, and no sound one has.

One end that is slow (its HCA, its link to it) slows every transfer that it takes part in; a path slows those alone that
go over it. So an end is cleared by each sound transfer of its own, and what is left over are the places where the fault
can be. Transfers that share no end are of different faults.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec import Struct

from slowlink.expect.held_up.transfers import Judged, SlowTransfer, crosses_nodes
from slowlink.model.timed import Timed

PlaceKind = Literal["end", "node", "path", "inside", "somewhere"]


class Place(Struct, frozen=True):
    """Where it can be."""

    kind: PlaceKind
    """``end``: at one process, its GPU or HCA. ``node``: all ends of one node. ``path``: between nodes whose ends are
    fast elsewhere. ``inside``: in one node. ``somewhere``: at one of several ends, which nothing tells apart."""
    processes: tuple[int, ...]
    """Those at which it can be; of a path its ends."""
    nodes: tuple[str, ...]
    candidates: int
    """Processes at which it can be; 1 where it is known."""


def places_of(judged: Judged, timed: Timed) -> Iterator[tuple[Place, tuple[SlowTransfer, ...]]]:
    """Each place with the slow transfers that it accounts for."""
    clear = {end for transfer in judged.sound if _tells(transfer.ends, timed) for end in transfer.ends}
    left = list(judged.slow)
    for names, mine in _whole_nodes([slow for slow in left if not _is_inside(slow, timed)], clear, timed):
        ends = tuple(end for end, process in enumerate(timed.processes) if process.host in names)
        yield Place("node" if len(names) == 1 else "somewhere", ends, names, len(ends) if len(names) > 1 else 1), mine
        left = [slow for slow in left if slow not in mine]
    for some in _joined(left, clear, timed):
        yield _place(some, clear, timed), tuple(some)


def _whole_nodes(
    slow: Sequence[SlowTransfer], clear: set[int], timed: Timed
) -> list[tuple[tuple[str, ...], tuple[SlowTransfer, ...]]]:
    """Nodes of which every end has slow transfers and none a sound one. Several that share all of these cannot be told
    apart; one whose transfers are some of another's is that one's neighbour."""
    found: dict[tuple[SlowTransfer, ...], list[str]] = defaultdict(list)
    for name, ends in sorted(_nodes(timed).items()):
        mine = tuple(each for each in slow if ends & {*each.transfer.ends})
        touched = {end for each in mine for end in each.transfer.ends if end in ends}
        if len(ends) > 1 and touched == ends and not ends & clear:
            found[mine].append(name)
    largest = [mine for mine in found if not any({*mine} < {*other} for other in found)]
    return [(tuple(found[mine]), mine) for mine in largest]


def _tells(ends: Sequence[int], timed: Timed) -> bool:
    """Does a sound transfer clear its ends? One inside a node says nothing of HCAs, nor does one of which nothing
    tells where its ends are: it may be inside."""
    hosts = {timed.processes[end].host for end in ends}
    return None not in hosts and len(hosts) > 1


def _is_inside(slow: SlowTransfer, timed: Timed) -> bool:
    """Is it sure that no HCA takes part in it?"""
    return crosses_nodes(slow.transfer, timed) is False


def _nodes(timed: Timed) -> dict[str, set[int]]:
    found: dict[str, set[int]] = defaultdict(set)
    for number, process in enumerate(timed.processes):
        if process.host:
            found[process.host].add(number)
    return found


def _joined(slow: Sequence[SlowTransfer], clear: set[int], timed: Timed) -> Iterator[list[SlowTransfer]]:
    """Transfers that may have one cause: they share an end that no sound transfer clears, or join the same nodes."""
    left = list(slow)
    while left:
        counts: dict[int, int] = defaultdict(int)
        for each in left:
            for end in each.transfer.ends:
                if end not in clear:
                    counts[end] += 1
        if not counts:
            break
        best = max(counts, key=lambda end: (counts[end], -end))
        yield [each for each in left if best in each.transfer.ends]
        left = [each for each in left if best not in each.transfer.ends]
    by_nodes: dict[frozenset[str | None], list[SlowTransfer]] = defaultdict(list)
    for each in left:
        by_nodes[frozenset(timed.processes[end].host for end in each.transfer.ends)].append(each)
    yield from by_nodes.values()


def _place(slow: Sequence[SlowTransfer], clear: set[int], timed: Timed) -> Place:
    common = set.intersection(*({*each.transfer.ends} for each in slow))
    ends = common or {end for each in slow for end in each.transfer.ends}
    open_ends = sorted(common - clear)
    nodes = tuple(sorted({host for end in ends for host in (timed.processes[end].host,) if host}))
    if all(_is_inside(each, timed) for each in slow):
        return Place("inside", tuple(open_ends or sorted(ends)), nodes, max(1, len(open_ends)))
    if len(open_ends) == 1:
        host = timed.processes[open_ends[0]].host
        return Place("end", tuple(open_ends), (host,) if host else (), 1)
    if not open_ends and len(nodes) > 1:
        return Place("path", tuple(sorted(ends)), nodes, 1 if len(nodes) == 2 else len(ends))
    left = tuple(open_ends or sorted(ends))
    return Place("somewhere", left, nodes, len(left))
