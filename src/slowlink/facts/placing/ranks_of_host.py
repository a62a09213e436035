"""How many ranks of a run each host has, from a list of devices that may leave some out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from slowlink.model.benchmark import RankDevice


def ranks_of_hosts(devices: Sequence[RankDevice]) -> Mapping[str, int]:
    """Host -> its ranks. Whoever quotes a table leaves out the middle of its list of devices: where no ranks of another
    host lie between two of a host, those between are its own, too."""
    ranks: dict[str, set[int]] = {}
    for device in devices:
        if device.host is not None:
            ranks.setdefault(device.host, set()).add(device.rank)
    return {
        host: _number(own, [r for other, theirs in ranks.items() if other != host for r in theirs])
        for host, own in ranks.items()
    }


def _number(own: set[int], others: Sequence[int]) -> int:
    first, last = min(own), max(own)
    apart = any(first < rank < last for rank in others)
    return len(own) if apart else last - first + 1
