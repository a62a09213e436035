"""The usual rate of ports that should be equal, seen from each of them."""

from __future__ import annotations

from collections import Counter
from heapq import nlargest
from typing import NamedTuple


class UsualRate(NamedTuple):
    """How many ports have a rate, and the rate in Gb/s. The greatest is usual: of two as frequent, the higher."""

    ports: int
    gbit: float


class Rates:
    """Rates of ports that should be equal: counted once, asked for each port."""

    def __init__(self, counts: Counter[float]) -> None:
        self.counts = counts
        self.ports = sum(counts.values())
        self._usual = nlargest(2, (UsualRate(ports, rate) for rate, ports in counts.items()))

    def of_others(self, rate: float) -> UsualRate | None:
        """The usual rate without one port that has ``rate``; None when there is no other."""
        rest = [usual for usual in self._usual if usual.gbit != rate]
        if self.counts[rate] > 1:
            rest.append(UsualRate(self.counts[rate] - 1, rate))
        return max(rest, default=None)
