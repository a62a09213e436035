"""NCCL uses a device that is not part of the compute fabric.

Storage, management and service adapters are RDMA devices too, and NCCL takes all that it finds. Devices of different
kinds (InfiniBand and RoCE) cannot be connected with each other.

Why it matters: some connections fail or crawl, depending on which device a rank happens to be near.
How to confirm: the ``NET/IB : Using`` line against ``ibdev2netdev`` and ``nvidia-smi topo -m``.
What to do: name the devices of the compute fabric: ``NCCL_IB_HCA==mlx5_0,mlx5_1,...`` on all nodes.
When it is wrong: a mixed list is harmless while NCCL prefers the faster devices; only failed connections prove harm.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Network, Warnings
from slowlink.model.nccl import NetDevice
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_ENV
from slowlink.rules.evidence.messages import FAILED_RUN, at_hosts, hosts_of, listed, refs_of, warned

CAUSES = ("hca-list-wrong",)


def check(warnings: Warnings | None, network: Network | None) -> Iterator[Finding]:
    """Devices that could not be connected, else a list of mixed kinds."""
    refused = warned(warnings, "ib-link-layers-mixed")
    if refused:
        yield finding(
            "hca-list-wrong",
            f"{at_hosts(hosts_of(refused))}NCCL tried to connect an InfiniBand port with a RoCE port",
            severity="critical",
            confidence="certain",
            evidence=lines_evidence(refs_of(refused)),
            suspects=suspects("node", hosts_of(refused)),
            explains=("rdma-retry-exceeded", "rail-cross-traffic", *FAILED_RUN),
            remedy=_REMEDY,
            references=[f"{NCCL_ENV}#nccl-ib-hca"],
        )
    elif network is not None and not network.single_node:
        yield from _mixed(network)


_REMEDY = [
    ("See which device belongs to which network.", "ibdev2netdev"),
    ("Name the devices of the compute fabric alone.", "export NCCL_IB_HCA==mlx5_0,mlx5_1"),
]


def _mixed(network: Network) -> Iterator[Finding]:
    """A few RoCE devices among more InfiniBand ones in one process."""
    by_process: dict[tuple[str | None, int | None], list[NetDevice]] = {}
    for device in network.devices:
        by_process.setdefault((device.process.host, device.process.pid), []).append(device)
    for devices in by_process.values():
        kinds = {kind: [d for d in devices if d.link_layer == kind] for kind in ("IB", "RoCE")}
        if kinds["RoCE"] and len(kinds["IB"]) > len(kinds["RoCE"]):
            names = [device.name for device in kinds["RoCE"]]
            yield finding(
                "hca-list-wrong",
                f"NCCL uses {listed(names)} (RoCE) beside {len(kinds['IB'])} InfiniBand devices",
                severity="warning",
                confidence="possible",
                evidence=lines_evidence(device.ref for device in kinds["RoCE"]),
                suspects=suspects("hca", names),
                remedy=_REMEDY,
                references=[f"{NCCL_ENV}#nccl-ib-hca"],
            )
            return
