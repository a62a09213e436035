"""PCIe links in NCCL's topology tree that differ from their siblings."""

from __future__ import annotations

from slowlink.model.facts import Topology
from slowlink.model.nccl import TopologyLink

SHARE = 0.6
"""A link below this share of its siblings' is at least one PCIe generation or half the lanes behind."""


def uneven(topology: Topology) -> tuple[TopologyLink, ...]:
    """Links to GPUs that are narrower than those of the other GPUs of the same process. At least three GPUs must
    show what is normal."""
    by_process: dict[object, list[TopologyLink]] = {}
    for link in topology.links:
        if link.kind == "PCI" and link.child.startswith("GPU/"):
            by_process.setdefault(link.process, []).append(link)
    found: dict[tuple[str | None, str], TopologyLink] = {}
    for links in by_process.values():
        most = max(link.bandwidth_gbs for link in links)
        narrow = [link for link in links if link.bandwidth_gbs < SHARE * most]
        if len(links) >= 3 and len(narrow) * 2 < len(links):
            for link in narrow:
                found.setdefault((link.process.host, link.child), link)
    return tuple(found.values())
