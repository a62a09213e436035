"""The standard nodes of a GPU: what a node that nobody named may be."""

from __future__ import annotations

from functools import cache

from msgspec import Struct

from slowlink.catalog.systems import all_systems
from slowlink.model.facts import NicGroup

USUAL_PORTS_GBIT = (100.0, 200.0, 400.0)
"""Port rates that nodes with linked data-centre GPUs were built with, slowest first. 800 Gb/s ports count only where
the GPU is one that comes with them."""


class Standard(Struct, frozen=True):
    """One kind of node: its GPUs and its network."""

    nics: tuple[NicGroup, ...]
    gpus: int
    systems: tuple[str, ...]
    """Catalogue ids of the systems that are built so; empty where the catalogue has none of this GPU."""

    @property
    def total_gbit(self) -> float:
        return sum(group.count * group.rate_gbit for group in self.nics)


UNLISTED = Standard((NicGroup(8, USUAL_PORTS_GBIT[-1]),), 8, ())
"""Taken as the largest node of a GPU of which the catalogue has no system."""


@cache
def standards_of(gpu: str) -> tuple[Standard, ...]:
    """The distinct nodes that the catalogue has of this GPU, largest network first; never empty."""
    found: dict[tuple[float, int], Standard] = {}
    for system in all_systems().values():
        if system.gpu != gpu or not system.nics:
            continue
        nics = tuple(NicGroup(group.count, group.rate_gbit) for group in system.nics)
        new = Standard(nics, system.gpus_per_node, (system.id,))
        key = new.total_gbit, new.gpus
        known = found.get(key)
        if known is None:
            found[key] = new
        else:  # 8 x 400 and 32 x 100 carry the same: fewer, faster ports are what people name
            shorter = min(known.nics, new.nics, key=lambda groups: sum(group.count for group in groups))
            found[key] = Standard(shorter, new.gpus, known.systems + new.systems)
    return tuple(found[key] for key in sorted(found, reverse=True)) or (UNLISTED,)


def largest_port_gbit(gpu: str | None) -> float:
    """Gb/s of the fastest port that nodes with this GPU are sold with; of any usual node where the GPU is unknown."""
    kinds = standards_of(gpu) if gpu is not None else (UNLISTED,)
    return max(group.rate_gbit for kind in kinds for group in kind.nics)
