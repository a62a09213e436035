"""NCCL uses fewer HCAs than the node has.

``NET/IB : Using [0]mlx5_0:1/IB ...`` lists what NCCL takes. NCCL_IB_HCA, a port that is down, or a container that
sees only some of the devices shortens the list. Each node's list is compared with the longest one in the job, with the
number of NICs where that was given, and with the HCAs that tools saw on a node, those of the topology matrix that are
near a GPU among them: there less than half must be in use, because some HCAs serve storage, or fewer than the node has
GPUs, where there would be one for each.

Why it matters: the bandwidth between nodes shrinks in proportion, and all nodes wait for the one with the fewest.
How to confirm: compare the list with ``ibv_devinfo`` on the node, and the lists of all nodes with one another.
What to do: add the missing names to NCCL_IB_HCA, bring the port up, or give the container every device under
/dev/infiniband.
When it is wrong: storage and management HCAs are left out on purpose; only those of the compute fabric count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated

from slowlink.facts.network import devices_by_host, ports
from slowlink.facts.readings import by_attribute, latest
from slowlink.model.facts import Environment, Hardware, Network, Of, Readings
from slowlink.model.nccl import NetDevice
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, line_evidence, suspects

CAUSES = ("hca-list-incomplete",)

_PLACE = "NIC"
"""A topology matrix whose legend is cut off names HCAs by their places."""
_FOR_STORAGE = 3
"""HCAs of which one or two may be for storage."""


def check(
    network: Network,
    hardware: Hardware | None,
    environment: Environment | None,
    seen: Annotated[Readings, Of("hca-present", "port-state", "port-rate", "port-netdev", "gpu-nic-link")] | None,
) -> Iterator[Finding]:
    """Compared with the other nodes of the job, with the number of NICs that was given, and with what tools saw."""
    if network.single_node:
        return  # the network carries nothing
    by_host = devices_by_host(network)
    counts = {host: ports(devices) for host, devices in by_host.items()}
    if not counts:
        return  # sockets only, or every list was cut
    known = sum(group.count for group in hardware.nics) if hardware is not None and hardware.given else 0
    most = max(counts.values())
    # A node that has more than was given uses a storage HCA as well: that accuses no other node.
    fewer = [host for host, count in counts.items() if count < min(most, known or most)]
    if fewer:
        what = f"{_verb(fewer)} {counts[fewer[0]]} HCAs where other nodes use {most}"
        yield _finding(fewer, by_host, what, f"{most} HCAs", environment)
    elif most < known:
        hosts = list(counts)
        yield _finding(hosts, by_host, f"{_verb(hosts)} {most} of {known} HCAs", f"{known} HCAs", environment)
    elif seen is not None and not known:
        hosts = list(counts)
        used = {device.name for device in by_host[hosts[0]]}
        there = _usable(seen, used)
        gpus = hardware.gpus_per_node if hardware is not None else None
        one_a_gpu = gpus is not None and len(used) < gpus <= len(there)
        half = 2 * len(used) < len(there) or (2 * len(used) == len(there) and _one_rate(seen, there))
        if used <= there and (half or one_a_gpu):
            what = f"{_verb(hosts)} {len(used)} of the {len(there)} HCAs that tools saw on a node"
            yield _finding(hosts, by_host, what, ", ".join(sorted(there)), environment)


def _usable(seen: Readings, used: Iterable[str]) -> set[str]:
    """HCAs that could carry the job: those whose ports are not known to be down, or slower than what it uses. A bond
    of Ethernet ports is for storage and log-in."""
    states = {r.part.name.partition("/")[0]: r.value for r in latest(by_attribute(seen, "port-state")).values()}
    rates = {r.part.name.partition("/")[0]: r.value for r in latest(by_attribute(seen, "port-rate")).values()}
    least = min((rate for name in used if isinstance(rate := rates.get(name), int | float)), default=0.0)
    interfaces = {r.part.name.partition("/")[0]: str(r.value) for r in by_attribute(seen, "port-netdev")}
    near = {r.part.name.partition("-")[2] for r in by_attribute(seen, "gpu-nic-link") if r.value in ("PIX", "PXB")}
    names = {r.part.name for r in by_attribute(seen, "hca-present")} | states.keys() | interfaces.keys() | near
    return {
        name
        for name in names
        if "bond" not in name + interfaces.get(name, "")
        and not name.startswith(_PLACE)
        and states.get(name, "Active") == "Active"
        and not (isinstance(rate := rates.get(name), int | float) and rate < least)
    }


def _one_rate(seen: Readings, names: Iterable[str]) -> bool:
    """Do these have ports of one rate, so that half of them is no other network? Of four and more, storage has fewer
    than the job."""
    rates = {r.part.name.partition("/")[0]: r.value for r in latest(by_attribute(seen, "port-rate")).values()}
    known = [rates.get(name) for name in names]
    return len(known) > _FOR_STORAGE and None not in known and len(set(known)) == 1


def _names(devices: list[NetDevice]) -> str:
    return ", ".join(dict.fromkeys(d.name for d in devices))


def _verb(hosts: list[str]) -> str:
    return "uses" if len(hosts) == 1 else "use"


def _finding(
    hosts: list[str],
    by_host: dict[str, list[NetDevice]],
    what: str,
    expected: str,
    environment: Environment | None,
) -> Finding:
    filters = environment.values.get("NCCL_IB_HCA", ()) if environment is not None else ()
    because = f" (NCCL_IB_HCA={filters[0]})" if filters else ""
    return finding(
        "hca-list-incomplete",
        f"{hosts[0]}{' and others' if len(hosts) > 1 else ''} {what}{because}",
        severity="error",
        confidence="likely",
        suspects=suspects("node", hosts),
        evidence=[line_evidence(by_host[h][0].ref, observed=_names(by_host[h]), expected=expected) for h in hosts[:2]],
        explains=["busbw-below-expected", "gpu-nic-affinity-wrong"],
        remedy=[("Compare the list with the devices of the node.", "ibv_devinfo -l; ibdev2netdev")],
    )
