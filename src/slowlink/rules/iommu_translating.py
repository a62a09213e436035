"""The IOMMU translates DMA instead of passing it through.

RCCL looks at the kernel's command line and warns when an IOMMU is on without ``iommu=pt``. Each transfer of a device
then waits for an address translation, and peer-to-peer transfers climb to the root complex.

Why it matters: peer-to-peer and GPUDirect RDMA lose much of their bandwidth, or hang.
How to confirm: ``cat /proc/cmdline``; ``dmesg | grep -i -E 'iommu|dmar'`` ("Default domain type: Passthrough" is what
is wanted).
What to do: boot with ``iommu=pt`` (and ``amd_iommu=on`` or ``intel_iommu=on`` where virtual machines need it), or
turn the IOMMU off in the firmware.
When it is wrong: in a virtual machine the guest's command line says nothing about the host; the warning alone proves
no loss.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Observations, Warnings
from slowlink.model.report import Finding
from slowlink.rules.findings import finding, lines, suspects
from slowlink.rules.references import KERNEL_PARAMETERS, RCCL
from slowlink.rules.seen import at, hosts_of, refs_of, warned


def check(warnings: Warnings | None, observations: Observations | None) -> Iterator[Finding]:
    """RCCL's warning, or the kernel's own words at start-up."""
    found = warned(warnings, "iommu-not-passthrough")
    seen = observations.all if observations is not None else ()
    translating = [o for o in seen if o.kind == "iommu-domain" and o.value.lower() == "translated"]
    hosts = tuple(dict.fromkeys((*hosts_of(found), *(o.host for o in translating if o.host))))
    if not found and not translating:
        return
    what = (
        "the IOMMU translates every transfer of a device"
        if translating
        else "the kernel was booted without iommu=pt, so the IOMMU may translate every transfer of a device"
    )
    yield finding(
        "iommu-translating",
        f"{at(hosts)}{what}",
        severity="warning",
        confidence="certain" if translating else "likely",
        evidence=lines((*refs_of(found), *(o.ref for o in translating))),
        suspects=suspects("node", hosts),
        explains=("p2p-disabled",),
        remedy=[
            ("See how the kernel was booted.", "cat /proc/cmdline"),
            ("Boot with the IOMMU passing through.", "grubby --update-kernel=ALL --args=iommu=pt"),
        ],
        references=[KERNEL_PARAMETERS, RCCL],
    )
