"""What Slurm's variables say about an allocation: SLURM_JOB_NODELIST, SLURM_JOB_CPUS_PER_NODE."""

from __future__ import annotations

import re
from collections.abc import Mapping

from slowlink.model.plan import Allocation, Node
from slowlink.nodes import expand

_REPEATED = re.compile(r"(\d{1,6})(?:\(x(\d{1,6})\))?")
_MOST_NODES = 100_000


def allocation_of(environment: Mapping[str, str]) -> Allocation | None:
    """Nodes in rank order with their processors as slots; None outside an allocation.

    Raises SlowlinkError (``bad-node-set``) for a node list that cannot be read.
    """
    nodelist = environment.get("SLURM_JOB_NODELIST") or environment.get("SLURM_NODELIST")
    if not nodelist:
        return None
    names = expand(nodelist)
    slots = repeated_counts(environment.get("SLURM_JOB_CPUS_PER_NODE", ""))
    if len(slots) != len(names):
        slots = [None] * len(names)
    nodes = tuple(Node(name, slots=count) for name, count in zip(names, slots, strict=True))
    return Allocation(nodes, basis=f"SLURM_JOB_NODELIST={nodelist}")


def repeated_counts(text: str) -> list[int | None]:
    """``8(x3),4`` to 8, 8, 8, 4; empty when it cannot be read."""
    counts: list[int | None] = []
    for part in text.split(",") if text else ():
        matched = _REPEATED.fullmatch(part.strip())
        if matched is None:
            return []
        times = int(matched.group(2) or 1)
        if len(counts) + times > _MOST_NODES:
            return []
        counts += [int(matched.group(1))] * times
    return counts
