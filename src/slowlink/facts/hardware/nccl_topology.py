"""What NCCL's own picture of a node says of its hardware: the rate of each NIC, and whether NVLink joins the GPUs.

The tree of the GRAPH subsystem (``topo.cc``) has ``+ NET[25.0] - NET/0 (...)`` below each NIC and ``+ NVL[40.0] - ...``
below each GPU; bandwidths are GB/s. A topology from a file of unknown origin (NCCL_TOPO_FILE) is not the machine's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from slowlink.catalog.platforms.settings import TOPOLOGY_FILES, platform_file
from slowlink.model.facts import NicGroup
from slowlink.model.nccl import NcclLog, TopologyLink
from slowlink.model.source import Ref

_NOMINAL_GBIT = (25.0, 40.0, 50.0, 56.0, 100.0, 200.0, 400.0, 800.0)
_ROUNDING = 0.02
"""Bandwidths are printed with one decimal."""
_RING = 4
"""The pattern of a ring in lines about the search for graphs."""


def topology_nics(logs: Iterable[NcclLog], names: Sequence[str]) -> tuple[NicGroup, Ref] | None:
    """The NICs of the node that has most, where all run at one rate; with the line of the first.

    NCCL takes 10 Gb/s where a driver tells no rate: that says nothing. A device that NCCL merged counts as its members,
    of which ``names`` are the list.
    """
    best: tuple[NicGroup, Ref] | None = None
    for links in _by_process(logs, "NET").values():
        nets = {link.child.partition(" ")[0]: link for link in links}
        rates = {_nominal(link.bandwidth_gbs * 8) for link in nets.values()}
        rate = rates.pop() if len(rates) == 1 else None
        if rate is None:
            continue
        count = len(nets)
        if names and len(names) != count:
            rate, count = _nominal(rate * count / len(names)), len(names)
        if rate is not None and (best is None or count * rate > best[0].count * best[0].rate_gbit):
            best = NicGroup(count, rate), links[0].ref
    return best


def topology_nvlink(logs: Sequence[NcclLog]) -> tuple[bool, Ref] | None:
    """Whether NVLink joins GPUs, with a line that shows it; None where no tree shows two GPUs."""
    joined = [link for links in _by_process(logs, "NVL").values() for link in links]
    if joined:
        return True, joined[0].ref
    rings = [graph for log in logs for graph in log.graphs if graph.pattern == _RING and graph.type_intra == "NVL"]
    if rings:
        return True, rings[0].ref
    for links in _by_process(logs, "PCI").values():
        gpus = [link for link in links if link.child.startswith("GPU/")]
        if len(gpus) > 1:
            return False, gpus[0].ref
    return None


def read_from_machine(logs: Sequence[NcclLog]) -> bool:
    """No file of unknown origin took the place of what NCCL finds."""
    files = [each for log in logs for each in log.env if each.name in TOPOLOGY_FILES and each.value]
    return all(each.made_by or platform_file(each.value) for each in files)


def _by_process(logs: Iterable[NcclLog], kind: str) -> Mapping[object, list[TopologyLink]]:
    found: dict[object, list[TopologyLink]] = {}
    for log in logs:
        for link in log.links:
            if link.kind == kind:
                found.setdefault(link.process, []).append(link)
    return found


def _nominal(rate_gbit: float) -> float | None:
    return next((rate for rate in _NOMINAL_GBIT if abs(rate_gbit / rate - 1) <= _ROUNDING), None)
