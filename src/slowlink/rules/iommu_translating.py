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

from slowlink.model.facts import Warnings
from slowlink.model.report import Finding
from slowlink.rules.findings import finding, lines, suspects
from slowlink.rules.references import KERNEL_PARAMETERS, RCCL
from slowlink.rules.seen import at, hosts_of, refs_of, warned


def check(warnings: Warnings) -> Iterator[Finding]:
    """One finding for all nodes that warn."""
    found = warned(warnings, "iommu-not-passthrough")
    if not found:
        return
    hosts = hosts_of(found)
    yield finding(
        "iommu-translating",
        f"{at(hosts)}the kernel was booted without iommu=pt, so the IOMMU may translate every transfer of a device",
        severity="warning",
        confidence="likely",
        evidence=lines(refs_of(found)),
        suspects=suspects("node", hosts),
        explains=("p2p-disabled",),
        remedy=[
            ("See how the kernel was booted.", "cat /proc/cmdline"),
            ("Boot with the IOMMU passing through.", "grubby --update-kernel=ALL --args=iommu=pt"),
        ],
        references=[KERNEL_PARAMETERS, RCCL],
    )
