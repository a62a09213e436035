"""Which of several nodes lost packets, by totals since the counters were reset.

A total alone says little: it may be old. Of nodes that do the same work one that lost a thousand times as many as any
other has a fault of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from slowlink.catalog.attributes import attribute
from slowlink.facts.readings import by_attribute, latest
from slowlink.model.facts import Readings
from slowlink.model.report import Evidence
from slowlink.model.state import Reading
from slowlink.rules.evidence.node_readings import reading_evidence

LOSSES = ("interface-rx-discards", "rdma-out-of-sequence", "rdma-packet-seq-err")
"""What is discarded on receive; what did not arrive in order; what the peer asked for again."""
_FEWEST = 100_000
"""Packets lost, from which on a total is compared: a link that trains, or a restarted peer, loses fewer."""
_TIMES_AS_MANY = 1000


class Loss(NamedTuple):
    """A node that lost far more than the others."""

    node: str
    worst: Reading

    @property
    def title(self) -> str:
        """What was counted, in words."""
        return attribute(self.worst.attribute).title

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The line of the counter."""
        return tuple(reading_evidence([self.worst], expected="few, as on the other nodes"))


def worst_of(losses: Readings | None, interfaces: Sequence[Reading]) -> Loss | None:
    """The node among those of ``interfaces`` that lost far more than each other, or many where of no other one the
    counters were read; None where none did. Discards count at these interfaces, what RDMA misses at any port of the
    node."""
    if losses is None:
        return None
    for name in LOSSES:
        most = _most_of_each(latest(by_attribute(losses, name)).values(), interfaces)
        if not most:
            continue
        *others, worst = sorted(most.values(), key=_count)
        if _count(worst) >= _FEWEST and all(_count(worst) >= _TIMES_AS_MANY * _count(other) for other in others):
            return Loss(worst.host or "", worst)
    return None


def _most_of_each(counters: Iterable[Reading], interfaces: Sequence[Reading]) -> dict[str, Reading]:
    """Node -> its greatest counter."""
    named = {(reading.host, reading.part.name) for reading in interfaces}
    nodes = {host for host, _ in named}
    most: dict[str, Reading] = {}
    for reading in counters:
        mine = (reading.host, reading.part.name) in named if reading.part.kind == "interface" else reading.host in nodes
        if mine and reading.host:
            most[reading.host] = max(most.get(reading.host, reading), reading, key=_count)
    return most


def _count(reading: Reading) -> int:
    return int(reading.value) if isinstance(reading.value, int) else 0
