"""The IOMMU translates DMA instead of passing it through.

Each transfer of a device then waits for an address translation, and peer-to-peer transfers go up to the root complex.
RCCL looks at the kernel's command line and warns when an IOMMU is on without ``iommu=pt``. The kernel says what it
does for each device (``iommu_group/type``: DMA and DMA-FQ are translated, identity is passed through), and what its
default is; where only the command line is known, the finding rests on it. A fault of the IOMMU ("DMAR: [DMA Read]
Request device", "IO_PAGE_FAULT") says that it refused a transfer.

Why it matters: peer-to-peer and GPUDirect RDMA lose much of their bandwidth, or hang.
How to confirm: ``cat /sys/bus/pci/devices/ADDRESS/iommu_group/type``; ``cat /proc/cmdline``; ``dmesg | grep -i -E
'iommu|dmar'`` ("Default domain type: Passthrough" is what is wanted).
What to do: boot with ``iommu=pt`` (and ``amd_iommu=on`` or ``intel_iommu=on`` where virtual machines need it), or
turn the IOMMU off in the firmware.
When it is wrong: in a virtual machine the guest's command line says nothing about the host; the setting alone proves
no loss.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from slowlink.facts.pci.iommu import translations
from slowlink.facts.readings import nodes_of
from slowlink.model.facts import Events, Observations, Of, Readings, Warnings
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding
from slowlink.nodes import fold
from slowlink.rules.evidence.commands import as_pci_address, command
from slowlink.rules.evidence.findings import Proof, finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import KERNEL_PARAMETERS, RCCL
from slowlink.rules.evidence.messages import (
    at_hosts,
    counted,
    groups_of,
    happened,
    hosts_of,
    listed,
    refs_of,
    times_printed,
    warned,
)
from slowlink.rules.evidence.node_readings import reading_evidence

CAUSES = ("iommu-translating",)


def check(
    warnings: Warnings | None,
    observations: Observations | None,
    events: Events | None,
    settings: Annotated[Readings, Of("iommu-domain", "iommu-default-domain", "iommu-present", "iommu-parameters")]
    | None,
) -> Iterator[Finding | Proof]:
    """RCCL's warning, the kernel's own words at start-up, what each node says of its devices, and transfers that the
    IOMMU refused."""
    if refused := happened(events, "kernel-iommu-fault"):
        yield _refused(refused)
    yield from _translating(warnings, observations, settings)


def _refused(faults: Sequence[JobEvent]) -> Finding:
    """Which part of the node the device is, the line does not say: it may have nothing to do with the job."""
    devices = groups_of(faults, "pci")
    return finding(
        "iommu-translating",
        f"{at_hosts(hosts_of(faults))}the IOMMU refused {counted(times_printed(faults), 'transfer')} of "
        f"{'device ' + listed(devices) if devices else 'a device'}",
        severity="warning",
        confidence="possible",
        evidence=lines_evidence(refs_of(faults)),
        suspects=suspects("node", hosts_of(faults)),
        remedy=[
            ("See which device it is.", command("lspci", "-s", as_pci_address(next(iter(devices), None)))),
            ("Boot with the IOMMU passing through.", "grubby --update-kernel=ALL --args=iommu=pt"),
        ],
        references=[KERNEL_PARAMETERS],
    )


def _translating(
    warnings: Warnings | None, observations: Observations | None, settings: Readings | None
) -> Iterator[Finding | Proof]:
    found = warned(warnings, "iommu-not-passthrough")
    seen = observations.all if observations is not None else ()
    said = [o for o in seen if o.kind == "iommu-domain" and o.value.lower() == "translated"]
    nodes = translations(settings) if settings is not None else []
    bad = [node for node in nodes if node.translates]
    readings = [reading for node in bad for reading in node.why[:1]]
    if not found and not bad and not (said and not nodes):
        passing = [reading for node in nodes for reading in node.why[:1]]
        if passing:
            where = f" on {fold(names)}" if (names := nodes_of(passing)) else ""
            yield Proof(
                f"the IOMMU passes transfers through, or is off{where}", reading_evidence(passing[:1]), weight=0
            )
        return  # translated at start-up, but the devices say otherwise now; or nothing was read
    hosts = tuple(dict.fromkeys((*hosts_of(found), *(o.host for o in said if o.host), *nodes_of(readings))))
    sure = bool(said) or any(node.sure for node in bad)
    what = (
        "the IOMMU translates every transfer of a device"
        if sure
        else "the kernel was booted without iommu=pt, so the IOMMU may translate every transfer of a device"
    )
    yield finding(
        "iommu-translating",
        f"{at_hosts(hosts) if len(hosts) < 5 else f'{fold(hosts)}: '}{what}",
        severity="warning",
        confidence="certain" if sure else "likely",
        evidence=(
            *lines_evidence((*refs_of(found), *(o.ref for o in said))),
            *reading_evidence(readings, expected="passed through"),
        ),
        suspects=suspects("node", hosts),
        explains=("p2p-disabled",),
        remedy=[
            ("See how the kernel was booted.", "cat /proc/cmdline"),
            ("Boot with the IOMMU passing through.", "grubby --update-kernel=ALL --args=iommu=pt"),
        ],
        references=[KERNEL_PARAMETERS, RCCL],
    )
