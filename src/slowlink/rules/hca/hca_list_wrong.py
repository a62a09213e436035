"""NCCL uses a device that is not part of the compute fabric.

Storage, management and service adapters are RDMA devices too, and NCCL takes all that it finds. An InfiniBand port
cannot be connected with a RoCE port: where NCCL tried, the run failed. A list with a few RoCE devices among more
InfiniBand ones is only a warning, until a channel goes over one of them.

Why it matters: some connections fail or crawl, depending on which device a rank happens to be near.
How to confirm: compare the ``NET/IB : Using`` line with ``ibdev2netdev`` and ``nvidia-smi topo -m``.
What to do: name the devices of the compute fabric: ``NCCL_IB_HCA==mlx5_0,mlx5_1,...`` on all nodes.
When it is wrong: a mixed list does no harm as long as NCCL prefers the faster devices; only failed connections prove
that it does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.model.edges import Edges
from slowlink.model.facts import Network, Transports, Warnings
from slowlink.model.nccl import NetDevice
from slowlink.model.report import Finding
from slowlink.model.source import Ref
from slowlink.rules.evidence.commands import export, only_these_hcas
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_ENV
from slowlink.rules.evidence.messages import FAILED_RUN, at_hosts, hosts_of, listed, refs_of, warned

CAUSES = ("hca-list-wrong",)


def _remedy(fabric: Sequence[str] = ()) -> list[tuple[str, str]]:
    """``fabric``: the devices that are left, where the log tells."""
    return [
        ("See which device belongs to which network.", "ibdev2netdev"),
        ("Name the devices of the compute fabric alone.", export("NCCL_IB_HCA", only_these_hcas(fabric))),
    ]


def check(warnings: Warnings | None, network: Network | None, transports: Transports | None) -> Iterator[Finding]:
    """One finding for ports that NCCL tried to connect and could not; without any, one for a mixed list: an error where
    a channel goes over a device of the other kind."""
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
            remedy=_remedy(),
            references=[f"{NCCL_ENV}#nccl-ib-hca"],
        )
    elif network is not None and not network.single_node:
        yield from _mixed(network, transports)


def _mixed(network: Network, transports: Transports | None) -> Iterator[Finding]:
    """A few RoCE devices among more InfiniBand ones in one process. With as many of each, either may be the fabric."""
    by_process: dict[tuple[str | None, int | None], list[NetDevice]] = {}
    for device in network.devices:
        by_process.setdefault((device.process.host, device.process.pid), []).append(device)
    for devices in by_process.values():
        kinds = {kind: [d for d in devices if d.link_layer == kind] for kind in ("IB", "RoCE")}
        if kinds["RoCE"] and len(kinds["IB"]) > len(kinds["RoCE"]):
            names = [device.name for device in kinds["RoCE"]]
            over = _channels_over(kinds["RoCE"], transports)
            yield finding(
                "hca-list-wrong",
                f"NCCL uses {listed(names)} (RoCE) beside {len(kinds['IB'])} InfiniBand devices"
                + (", and channels between nodes go over it" if over else ""),
                severity="error" if over else "warning",
                confidence="likely" if over else "possible",
                evidence=lines_evidence([*(device.ref for device in kinds["RoCE"]), *over[:1]]),
                suspects=suspects("hca", names),
                explains=("busbw-below-expected", "hardware-unknown", "gdr-disabled") if over else (),
                remedy=_remedy([device.name for device in kinds["IB"]]),
                references=[f"{NCCL_ENV}#nccl-ib-hca"],
            )
            return  # the other processes have the same list


def _channels_over(devices: Sequence[NetDevice], transports: Transports | None) -> list[Ref]:
    """Lines of channels between nodes that go over one of these devices, by the numbers that the host gave them."""
    numbers = {(device.process.host, device.index) for device in devices}
    edges = transports.inter.of(lambda kind: kind.net_device is not None) if transports is not None else Edges()
    return [e.ref for e in edges.first_of_each() if (e.process.host, e.net_device) in numbers]
