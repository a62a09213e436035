"""How many ranks of a run each host has, from a list of devices that may leave some out."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence

from slowlink.model.benchmark import RankDevice


def ranks_of_hosts(devices: Sequence[RankDevice]) -> Mapping[str, int]:
    """Host -> its ranks. Whoever quotes a table leaves out the middle of its list of devices: where no ranks of another
    host lie between two of a host, those between are its own, too."""
    ranks: dict[str, set[int]] = {}
    for device in devices:
        if device.host is not None:
            ranks.setdefault(device.host, set()).add(device.rank)
    every = sorted(rank for own in ranks.values() for rank in own)
    return {host: _number(own, every) for host, own in ranks.items()}


def _number(own: set[int], every: Sequence[int]) -> int:
    """``every``: the ranks of all hosts, ascending; one that two hosts name stands there twice."""
    first, last = min(own), max(own)
    between = bisect_left(every, last) - bisect_right(every, first)
    apart = between > sum(first < rank < last for rank in own)
    return len(own) if apart else last - first + 1
