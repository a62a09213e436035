"""GPUs whose PCIe link is narrower than that of the others, in NCCL's own picture of the node (its topology tree)."""

from __future__ import annotations

from slowlink.model.facts import Topology
from slowlink.model.nccl import TopologyLink

SHARE = 0.6
"""A link below this share of the widest is at least one PCIe generation or half the lanes short: each halves the
bandwidth."""
FEWEST_GPUS = 3
"""Links to GPUs needed to say what is normal; the narrow ones must be the smaller part of them."""


def uneven(topology: Topology) -> tuple[TopologyLink, ...]:
    """Links to GPUs that are narrower than those of most other GPUs that the same process sees."""
    by_process: dict[object, list[TopologyLink]] = {}
    for link in topology.links:
        if link.kind == "PCI" and link.child.startswith("GPU/"):
            by_process.setdefault(link.process, []).append(link)
    found: dict[tuple[str | None, str], TopologyLink] = {}
    for links in by_process.values():
        most = max(link.bandwidth_gbs for link in links)
        narrow = [link for link in links if link.bandwidth_gbs < SHARE * most]
        if len(links) >= FEWEST_GPUS and len(narrow) * 2 < len(links):
            for link in narrow:
                found.setdefault((link.process.host, link.child), link)
    return tuple(found.values())
