"""Access Control Services of PCIe bridges send peer-to-peer traffic the long way.

With ReqRedir or CmpltRedir set, a bridge passes requests between two devices below it up to the root complex instead
of straight across. Kernels set it when an IOMMU is on. SrcValid alone checks who sent a request and redirects nothing.
Bridges without a GPU or an HCA below them do not matter.

Why it matters: GPUDirect RDMA and peer-to-peer copies lose much of their bandwidth, and some platforms hang.
How to confirm: ``lspci -vvv`` as root, and look for ``ACSCtl:`` with ``ReqRedir+`` below each PCI bridge; the buses of
the bridge (``secondary``, ``subordinate``) show what is below it.
What to do: switch ACS off in the firmware, or at each boot ``setpci -s BRIDGE ECAP_ACS+0x6.w=0000``; boot bare-metal
nodes with the IOMMU off or passing through.
When it is wrong: root ports with a single device below them carry no traffic across; hypervisors need ACS to give
devices to virtual machines, and let traffic across by address translation services instead. Virtual bridges, which a
hypervisor emulates inside a virtual machine, are not judged.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from msgspec import Struct

from slowlink.facts.pci.tree import PciTree, pci_trees
from slowlink.facts.readings import latest, name_of_node, nodes_of
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.nodes import fold
from slowlink.rules.evidence.commands import as_pci_address, command
from slowlink.rules.evidence.findings import Proof, finding, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_TROUBLESHOOTING
from slowlink.rules.evidence.messages import counted
from slowlink.rules.evidence.node_readings import by_prepare, node_suspects, on_nodes, reading_evidence
from slowlink.rules.pcie.bridges import Carried, emulated_bridges, is_placed

CAUSES = ("acs-enabled",)


class Params(Struct, frozen=True):
    """What to make of settings whose devices the output does not name (``lspci -vvv | grep ACSCtl``)."""

    share: float = 0.5
    """Share of them that redirects, from which some are taken to be bridges above GPUs or HCAs: an error, not a
    warning."""


def check(
    settings: Annotated[Readings, Of("acs-redirect")],
    places: Annotated[Readings, Of("pci-role", "pci-buses", "pci-device")] | None,
    params: Params,
) -> Iterator[Finding | Proof]:
    """One finding for bridges known to matter, else one for those whose place is not known, else proof."""
    virtual = emulated_bridges(places)
    now = [r for r in latest(settings.all).values() if (r.host, r.part) not in virtual]
    trees = pci_trees(places) if places is not None else {}
    carried = {node: tree.carrying for node, tree in trees.items()}
    carrying = [r for r in now if r.part.name in carried.get(r.host or "", ())]
    redirecting = [r for r in carrying if r.value]
    placeless = [r for r in now if not is_placed(r, trees)]
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
            weight=0,
        )


def _certain(bad: list[Reading], trees: dict[str, PciTree], carried: Carried) -> Finding:
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
            (
                "Switch ACS off on the bridge until the next start.",
                command("setpci", "-s", as_pci_address(bad[0].part.name), "ECAP_ACS+0x6.w=0000"),
            ),
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
        f"{on_nodes(bad)}ACS redirects peer-to-peer traffic on {len(bad)} of {counted(len(placeless), 'device')}; "
        "the output does not tell whether GPUs or HCAs are behind them",
        severity="error" if most else "warning",
        confidence="likely" if most else "possible",
        evidence=reading_evidence(bad, expected="off"),
        suspects=node_suspects(bad),
        explains=("p2p-disabled", "busbw-below-expected", "latency-high"),
        remedy=[("See which bridges they are, and what is behind them.", "lspci -D -vvv; lspci -D -tv")],
        references=[NCCL_TROUBLESHOOTING],
    )
