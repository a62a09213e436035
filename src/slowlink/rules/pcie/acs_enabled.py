"""Access Control Services of PCIe bridges send peer-to-peer traffic the long way.

With ReqRedir or CmpltRedir set, a bridge passes requests between two devices below it up to the root complex instead
of straight across. Kernels set it when an IOMMU is on. SrcValid alone checks who sent a request and redirects
nothing. Bridges that have neither a GPU nor an HCA behind them do not matter.

Why it matters: GPUDirect RDMA and peer-to-peer copies lose much of their bandwidth, and some platforms hang.
How to confirm: ``lspci -vvv`` as root, and look for ``ACSCtl:`` with ``ReqRedir+`` below each PCI bridge; the buses of
the bridge (``secondary``, ``subordinate``) tell what is behind it.
What to do: switch ACS off in the firmware, or at each start ``setpci -s BRIDGE ECAP_ACS+0x6.w=0000``; boot bare-metal
nodes with the IOMMU off or passing through.
When it is wrong: root ports that a single device hangs on carry no traffic across; hypervisors need ACS to give
devices to virtual machines, and let traffic across by address translation services instead. Bridges that a hypervisor
made up inside a virtual machine are not judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from slowlink.facts.pci_tree import PciTree, pci_trees
from slowlink.facts.readings import latest, name_of_node, nodes_of
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Part, Reading
from slowlink.nodes import fold
from slowlink.patterns import regex
from slowlink.rules.evidence.findings import Proof, finding, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_TROUBLESHOOTING
from slowlink.rules.evidence.messages import counted
from slowlink.rules.evidence.node_readings import by_prepare, node_suspects, on_nodes, reading_evidence

CAUSES = ("acs-enabled",)

_MADE_UP = regex("qemu|red hat|vmware|virtio|hyper-v", re.IGNORECASE)


@dataclass(frozen=True)
class Params:
    """Tolerances."""

    share: float = 0.5
    """Of devices without names: from this share on that redirect, some are taken to be bridges above GPUs or HCAs."""


def check(
    settings: Annotated[Readings, Of("acs-redirect")],
    places: Annotated[Readings, Of("pci-role", "pci-buses", "pci-device")] | None,
    params: Params,
) -> Iterator[Finding | Proof]:
    """One finding for all bridges known to matter, one for those that grep left without a name, or proof."""
    virtual = _virtual(places)
    now = [r for r in latest(settings.all).values() if (r.host, r.part) not in virtual]
    trees = pci_trees(places) if places is not None else {}
    carried = {node: tree.carrying() for node, tree in trees.items()}
    carrying = [r for r in now if r.part.name in carried.get(r.host or "", ())]
    redirecting = [r for r in carrying if r.value]
    placeless = [r for r in now if not _placed(r, trees)]
    if redirecting:
        yield _certain(redirecting, trees, carried)
    elif any(r.value for r in placeless):
        yield _possible(placeless, params)
    elif carrying or placeless:
        what = f"{len(carrying)} bridges above GPUs and HCAs" if carrying else f"{len(placeless)} devices that have it"
        where = f" of {fold(names)}" if (names := nodes_of(carrying or placeless)) else ""
        yield Proof(
            f"ACS redirects nothing on all {what}{where}",
            reading_evidence((carrying or placeless)[:1], expected="off"),
        )


def _virtual(places: Readings | None) -> set[tuple[str | None, Part]]:
    """Bridges that a hypervisor made up: what is set in them redirects nothing."""
    named = (r for r in (places.all if places is not None else ()) if r.attribute == "pci-device")
    return {(r.host, r.part) for r in named if _MADE_UP.search(str(r.value))}


def _placed(reading: Reading, trees: dict[str, PciTree]) -> bool:
    """Is it known what lies behind this device? Devices that are no bridges pass nothing on. A listing of bridges alone
    (``lspci -s BRIDGE``) leaves out what is behind them."""
    tree = trees.get(reading.host or "")
    if tree is None or reading.part.name.startswith("#") or set(tree.roles.values()) == {"bridge"}:
        return False
    known = any(bridge.address == reading.part.name for bridge in tree.bridges)
    return known or tree.roles.get(reading.part.name, "bridge") != "bridge"


def _certain(bad: list[Reading], trees: dict[str, PciTree], carried: dict[str, dict[str, list[str]]]) -> Finding:
    switch = [r for r in bad if not trees[r.host or ""].is_root_port(r.part.name)]
    shared = [r for r in bad if len(carried[r.host or ""][r.part.name]) > 1]
    names = (" ".join(filter(None, (name_of_node(r), r.part.name))) for r in bad)
    return finding(
        "acs-enabled",
        f"{on_nodes(bad)}ACS redirects peer-to-peer traffic on {counted(len(bad), 'PCIe bridge')} above GPUs or HCAs",
        severity="error",
        confidence="certain" if switch or shared else "likely",
        evidence=reading_evidence(bad, expected="off"),
        suspects=(*node_suspects(bad), *suspects("bridge", names)),
        explains=("p2p-disabled", "busbw-below-expected", "latency-high"),
        remedy=[
            ("Switch ACS off on the bridge until the next start.", f"setpci -s {bad[0].part.name} ECAP_ACS+0x6.w=0000"),
            by_prepare("acs", bad),
            ("Switch ACS off in the firmware, for good.", ""),
        ],
        references=[NCCL_TROUBLESHOOTING],
    )


def _possible(placeless: list[Reading], params: Params) -> Finding:
    bad = [r for r in placeless if r.value]
    most = len(bad) >= params.share * len(placeless)
    return finding(
        "acs-enabled",
        f"{on_nodes(bad)}ACS redirects peer-to-peer traffic on {len(bad)} of "
        f"{counted(len(placeless), 'device')}; the output "
        "does not tell whether GPUs or HCAs are behind them",
        severity="error" if most else "warning",
        confidence="likely" if most else "possible",
        evidence=reading_evidence(bad, expected="off"),
        suspects=node_suspects(bad),
        explains=("p2p-disabled", "busbw-below-expected", "latency-high"),
        remedy=[("See which bridges they are, and what is behind them.", "lspci -D -vvv; lspci -D -tv")],
        references=[NCCL_TROUBLESHOOTING],
    )
