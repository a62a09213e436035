"""A GPU or HCA trained at less than its PCIe width or speed.

At start-up the kernel says when a device can do more than the link it sits on, and which link limits it. NCCL's
topology shows the bandwidth of each GPU's link: one that is far below that of most other GPUs is reported as possible.

Why it matters: half the width or one generation less halves what the device can carry, and every ring passes it.
How to confirm: ``lspci -s ADDRESS -vv | grep -E 'LnkCap|LnkSta'`` under load; idle GPUs lower their speed to save
power.
What to do: reseat the card or riser, look at the firmware's settings (bifurcation, forced generation), and compare
with a sound node.
When it is wrong: a switch of an older generation above the device is the design of some machines; then all nodes are
alike. The GPU inside a processor is no fault, and where the machine has a lid it is only noted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from slowlink.model.facts import Events, Topology
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, line_evidence, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_TROUBLESHOOTING
from slowlink.rules.evidence.messages import at_hosts, groups_of, happened, hosts_of, listed, refs_of
from slowlink.rules.pcie.nccl_pci_links import uneven
from slowlink.rules.pcie.remedies import RESEAT

CAUSES = ("pcie-link-degraded",)
_MOST_RATES = 4
"""Named in words."""


class Params(Struct, frozen=True):
    """Which of the kernel's messages are about a GPU or HCA; they name an address only."""

    least_capable_gbit: float = 120.0
    """Gb/s that a device must be capable of. PCIe 3.0 x16, the least of them, carries 16 lanes x 8 GT/s x 128/130 =
    126 Gb/s (PCI Express Base Specification)."""
    classes: tuple[str, ...] = ("0x02", "0x03", "0x06", "0x0b", "0x12")
    """How the PCI classes of networks, displays, bridges, co-processors and accelerators begin. A drive of
    generation 5 is capable of as much as a GPU, and is none of them."""


def check(events: Events | None, topology: Topology | None, params: Params) -> Iterator[Finding]:
    """The kernel's own words, and GPUs that lie on a narrower link than their siblings."""
    limited = [e for e in happened(events, "kernel-pcie-limited") if _may_be_a_fault(e, params)]
    for lid in (False, True):
        if of_kind := [e for e in limited if ("lid" in e.groups) is lid]:
            yield _kernel(of_kind, lid=lid)
    narrow = uneven(topology) if topology is not None else ()
    if narrow:
        names = [link.child for link in narrow]
        yield finding(
            "pcie-link-degraded",
            f"{at_hosts(list(dict.fromkeys(link.process.host for link in narrow if link.process.host)))}"
            f"{listed(names)} on a PCIe link of {narrow[0].bandwidth_gbs:g} GB/s, while the other GPUs have more",
            severity="warning",
            confidence="possible",
            evidence=[line_evidence(link.ref, observed=f"{link.bandwidth_gbs:g} GB/s") for link in narrow[:4]],
            suspects=suspects("gpu", names),
            explains=("busbw-below-expected", "straggler-gpu"),
            remedy=RESEAT,
            references=[NCCL_TROUBLESHOOTING],
        )


def _may_be_a_fault(event: JobEvent, params: Params) -> bool:
    """Is it, as far as the log tells, a GPU or HCA in a slot, or a bridge above one?"""
    if _gbit(event, "capable_gbit") < params.least_capable_gbit or "of_processor" in event.groups:
        return False
    return event.groups.get("class", params.classes[0]).startswith(params.classes)


def _kernel(limited: Sequence[JobEvent], *, lid: bool) -> Finding:
    """``lid``: of laptops, whose makers give GPUs fewer lanes."""
    by_rates: dict[tuple[float, float], list[JobEvent]] = {}
    for event in limited:
        by_rates.setdefault((_gbit(event, "available_gbit"), _gbit(event, "capable_gbit")), []).append(event)
    each = [
        f"{listed(groups_of(alike, 'pci'))} limited to {available:.0f} of {capable:.0f} Gb/s on PCIe by the link at "
        f"{listed(groups_of(alike, 'at'))}"
        for (available, capable), alike in sorted(by_rates.items(), key=lambda pair: pair[0][0] / pair[0][1])
    ]
    more = f"; and {len(each) - _MOST_RATES} other rates" if len(each) > _MOST_RATES else ""
    design = "; the machine has a lid, and may be built so" if lid else ""
    return finding(
        "pcie-link-degraded",
        f"{at_hosts(hosts_of(limited))}{'; '.join(each[:_MOST_RATES])}{more}{design}",
        severity="info" if lid else "error",
        confidence="possible" if lid else "likely",
        evidence=lines_evidence(refs_of(limited)),
        suspects=(*suspects("link", groups_of(limited, "at")), *suspects("node", hosts_of(limited))),
        explains=() if lid else ("busbw-below-expected", "straggler-gpu", "straggler-nic"),
        remedy=RESEAT,
        references=["https://docs.kernel.org/PCI/index.html"],
    )


def _gbit(event: JobEvent, name: str) -> float:
    """A rate that the message names, in Gb/s; 0 where it cannot be read, which no device is capable of."""
    try:
        return float(event.groups.get(name, "0"))
    except ValueError:
        return 0.0
