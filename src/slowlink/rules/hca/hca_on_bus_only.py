"""The PCI bus shows HCAs, and the node has no RDMA device.

lspci lists what answers on the bus. ibv_devinfo, ibv_devices, ibstat, ``rdma link`` and /sys/class/infiniband list what
a driver made of it. A node that has the first and none of the second has its cards: the driver did not start, its RDMA
part (mlx5_ib, ib_uverbs) is not loaded, or it does not fit the kernel that was booted.

Why it matters: nothing on this node can use RDMA; NCCL takes TCP sockets, or fails.
How to confirm: ``lsmod | grep -E 'mlx5_ib|ib_uverbs'`` and ``dmesg | grep -iE 'mlx5|infiniband'`` on the node itself.
What to do: load the driver, or install the one that fits the kernel; then ask the same tool again.
When it is wrong: a container sees the bus of its host, and has only the devices that it was given. Of adapters that are
Ethernet controllers to lspci it is possible only: a NIC needs no RDMA. Where a list that was taken later has devices,
nothing is reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from slowlink.facts.readings import latest, node_of
from slowlink.model.facts import Network, Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.patterns import regex
from slowlink.rules.evidence.findings import finding, suspects
from slowlink.rules.evidence.messages import counted, listed
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, reading_evidence

CAUSES = ("hca-driver-failed",)

_INFINIBAND = regex(r"(?i)\binfiniband (?:controller|\[0207\])|\b0207:|elastic fabric adapter|omni-path")
"""Adapters that are for RDMA alone."""
_FAMILY = regex(r"\[(?P<family>[^\]:]{3,60})\]")

Listed = Annotated[Readings, Of("hca-count", "hca-present", "hca-node-guid", "port-state")]


def check(
    devices: Annotated[Readings, Of("pci-role", "pci-device", "pci-driver")],
    listed_hcas: Listed,
    network: Network | None,
) -> Iterator[Finding]:
    """One finding for all such nodes."""
    cards: dict[str, list[Reading]] = {}
    for reading in latest(
        each for each in devices.all if each.attribute == "pci-role" and each.value == "hca"
    ).values():
        cards.setdefault(node_of(reading), []).append(reading)
    none = [reading for node, reading in _without(listed_hcas).items() if node in cards]
    if none:
        yield _finding(none, [card for each in none for card in cards[node_of(each)]], devices, network)


def _without(seen: Readings) -> Mapping[str, Reading]:
    """Node -> the reading that says that it has no device; not those of which another or a later list shows some."""
    none = {node_of(each): each for each in seen.all if each.attribute == "hca-count" and each.value == 0}
    for each in seen.all:
        without = none.get(node_of(each))
        if without is None or (each.attribute == "hca-count" and each.value == 0):
            continue
        if each.ref.source != without.ref.source or each.ref.line > without.ref.line:
            del none[node_of(each)]
    return none


def _finding(none: Sequence[Reading], cards: Sequence[Reading], devices: Readings, network: Network | None) -> Finding:
    sure = any(_INFINIBAND.search(card.ref.text) for card in cards)
    lost = network is not None and not network.single_node and any(c.network == "Socket" for c in network.choices)
    names = {reading.part: str(reading.value) for reading in devices.all if reading.attribute == "pci-device"}
    families = [found["family"] for card in cards if (found := _FAMILY.search(names.get(card.part, "")))]
    what = f" ({listed(list(dict.fromkeys(families)))})" if families else ""
    return finding(
        "hca-driver-failed",
        f"{on_nodes(none)}PCI shows {counted(len(cards), 'HCA')}{what}, and there is no RDMA device: the driver or its "
        "RDMA part did not start, or a container was not given the devices",
        severity="error" if sure or lost else "warning",
        confidence="likely" if sure else "possible",
        evidence=(*reading_evidence(cards[:2]), *reading_evidence(none)),
        suspects=(*suspects("hca", (card.part.name for card in cards)), *node_suspects(none)),
        explains=(
            "hca-missing",
            "hardware-unknown",
            "socket-fallback",
            "hca-list-incomplete",
            "rdma-device-not-accessible",
        )
        if sure or lost
        else (),
        remedy=[
            (
                "See whether the driver is loaded, and what it said.",
                "lsmod | grep -E 'mlx5_ib|ib_uverbs'; dmesg | grep -i mlx5",
            ),
            ("Load its RDMA part, or install the driver that fits this kernel.", "modprobe -a mlx5_ib ib_uverbs"),
            ("In a container, give it the devices.", "docker run --device=/dev/infiniband ..."),
        ],
    )
