"""Lines of the kernel log that go with others and say no more: details of AER messages, how the IOMMU came up.

Only lines that mean nothing by themselves belong here; each other file (``kernel_log`` lists them) has the noise of its
own driver.

The first line here is read by ``kernel_log``; those below it add nothing, and are known so that they do not count as
unread::

    nvidia 0000:18:00.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Receiver ID)
    nvidia 0000:18:00.0:   device [10de:2330] error status/mask=00000010/00000000
    nvidia 0000:18:00.0:    [ 4] DLP                    (First)

Sources: ``drivers/pci/pcie/aer.c``, ``drivers/iommu/``. What matters of them, ``kernel_log`` and ``kernel_facts`` read.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.message_table import EventPattern, MessageParser, NoisePattern

_PCI = r"[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]"

NOISE = (
    NoisePattern(
        "error status/mask=",
        _PCI + r": {1,4}device \[[0-9a-f]{1,4}:[0-9a-f]{1,4}\] error status/mask=[0-9a-f]{1,8}/[0-9a-f]{1,8}",
        ("nvidia 0000:18:00.0:   device [10de:2330] error status/mask=00000010/00000000",),
    ),
    NoisePattern(
        ":    [",
        _PCI + r": {4}\[ ?\d{1,2}\] \w{2,24}\b",
        ("nvidia 0000:18:00.0:    [ 4] DLP                    (First)",),
    ),
    NoisePattern(
        "AER: ",
        _PCI
        + r": AER: (?:device recovery (?:successful|failed)|can't (?:find|recover)|(?:broadcast|subordinate) ).{0,80}",
        ("pcieport 0000:15:01.0: AER: device recovery successful",),
    ),
    NoisePattern(
        "DMAR",
        r"(?:DMAR(?:-IR)?|ACPI): (?:DMAR|Host address width|DRHD base|RMRR base|ATSR flags|RHSA base|SATC flags"
        r"|ANDD device|Intel\(R\) Virtualization|dmar\d{1,3}: reg_base|No (?:RMRR|ATSR|SATC) found"
        r"|Using Queued invalidation|IOMMU batching|HPET id|IOAPIC id|Queued invalidation|x2apic"
        r"|Enabled IRQ remapping|Reserving DMAR table)",
        ("DMAR: DRHD base: 0x000000d37fc000 flags: 0x0", "DMAR: Intel(R) Virtualization Technology for Directed I/O"),
    ),
    NoisePattern(
        "AMD-Vi: ",
        r"AMD-Vi: (?:Extended features|X2APIC|Virtual APIC|AMD IOMMUv2|Lazy IO/TLB|IO/TLB|Using global IVHD|V2 page)",
        ("AMD-Vi: Extended features (0x841f77e022094ace): PPR X2APIC NX",),
    ),
    NoisePattern(
        "iommu",
        r"(?:iommu: DMA domain TLB invalidation policy: |perf/amd_iommu: Detected AMD IOMMU"
        r"|(?:pci|platform|acpi) \S{1,20}: Adding to iommu group )",
        ("iommu: DMA domain TLB invalidation policy: lazy mode", "pci 0000:60:00.0: Adding to iommu group 1"),
    ),
)


class KernelDetails(MessageParser):
    """Takes lines that only go with others off the unread ones; gives no event of its own."""

    kind: ClassVar[str] = "kernel-log"
    origin: ClassVar[str] = "kernel"
    messages: ClassVar[tuple[EventPattern, ...]] = ()
    noise: ClassVar[tuple[NoisePattern, ...]] = NOISE


PARSER = KernelDetails
