"""Hardware without the NICs that no channel uses."""

from __future__ import annotations

from msgspec.structs import replace

from slowlink.facts.hardware.used_ports import used_ports
from slowlink.model.facts import Facts, Hardware


def in_use(hardware: Hardware, facts: Facts, ranks_per_node: int) -> Hardware:
    """``hardware`` with as many NICs as channel lines show in use.

    Where a node has more NICs than ranks, NCCL takes those beside its GPUs, and the others carry nothing. All stay
    where ranks share a NIC while others are idle: that is a fault, and what it costs is to be seen. Of boards that are
    used in part the share is counted elsewhere.
    """
    if len(hardware.nics) != 1 or hardware.gpus_per_node not in (None, ranks_per_node):
        return hardware
    (group,) = hardware.nics
    if ranks_per_node >= group.count or facts.network is None or facts.transports is None:
        return hardware
    used = used_ports(facts.network, facts.transports)
    if used is None or not ranks_per_node <= used.count < group.count:
        return hardware
    said = f"channels use {used.count} of these {group.count} ({used.ref.source}:{used.ref.line})"
    basis = "; ".join(part for part in (hardware.basis, said) if part)
    return replace(hardware, nics=(replace(group, count=used.count),), basis=basis)
