"""Lines of the kernel log that have no news and are no single driver's own: the noise of the kernel itself.

Here: details below an AER message, how the IOMMU and the tables of errors came up, what ACPI finds wrong in the
firmware's tables (on most machines, without consequence), modules that taint the kernel, headings of journals. The
noise of one driver stands in that driver's file; ``kernel_log`` lists them.

The first line here is read by ``kernel_log``; those below it add nothing, and are known so that they do not count as
unread::

    nvidia 0000:18:00.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Receiver ID)
    nvidia 0000:18:00.0:   device [10de:2330] error status/mask=00000010/00000000
    nvidia 0000:18:00.0:    [ 4] DLP                    (First)

Sources: ``drivers/pci/pcie/aer.c``, ``drivers/iommu/``, ``drivers/acpi/``, ``kernel/module``, journalctl. What
matters of them, ``kernel_log`` and ``kernel_facts`` read.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.message_table import EventPattern, MessageParser, NoisePattern

_PCI = r"[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]"
_BITS = ("RxErr", "BadTLP", "BadDLLP", "Rollover", "Timeout", "CmpltTO", "UnsupReq", "NonFatalErr", "MalfTLP")
"""Bits of a PCIe error, each on a line below it, that are known however far a log indents them."""

NOISE = (
    NoisePattern(
        "error status/mask=",
        r": {1,4}device \[[0-9a-f]{1,4}:[0-9a-f]{1,4}\] error status/mask=",
        ("nvidia 0000:18:00.0:   device [10de:2330] error status/mask=00000010/00000000",),
    ),
    NoisePattern(
        ":    [",
        _PCI + r": {4}\[ ?\d{1,2}\] \w{2,24}\b",
        ("nvidia 0000:18:00.0:    [ 4] DLP                    (First)",),
    ),
    *(
        NoisePattern("] " + bit, r": {1,6}\[ ?\d{1,2}\] " + bit, (f"mlx5_core 0000:12:00.0: [12] {bit}",))
        for bit in _BITS
    ),
    NoisePattern(
        "AER: ",
        _PCI + r": AER: (?:device recovery failed|can't (?:find|recover)|(?:broadcast|subordinate) ).{0,80}",
        ("pcieport 0000:15:01.0: AER: device recovery failed",),
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
    NoisePattern(
        "ACPI ",
        r"^(?:kernel: )?(?:\[[^\[\]]{1,40}\] )?ACPI (?:BIOS )?(?:Error|Warning|Exception)(?: \(bug\))?: ",
        (
            "[    1.2] ACPI BIOS Error (bug): Could not resolve symbol [\\_SB.PC00.DEV0], AE_NOT_FOUND",
            "ACPI Warning: SystemIO range conflicts with OpRegion (\\PMIO) (20190816/utaddress-204)",
        ),
    ),
    NoisePattern(
        "T: ",
        r"(?:ERST|HEST|BERT): (?:Error Record Serialization Table|Table (?:parsing|is not found)"
        r"|Total records found: 0)",
        ("ERST: Error Record Serialization Table (ERST) support is initialized.",),
    ),
    NoisePattern(
        "GHES: ",
        r"GHES: (?:APEI firmware first mode is|HEST is not enabled|Failed to enable APEI firmware first mode)",
        ("GHES: APEI firmware first mode is enabled by APEI bit and WHEA _OSC.",),
    ),
    NoisePattern(
        "EDAC ",
        r"EDAC \w{1,12}: Giving out device to",
        ("EDAC MC0: Giving out device to module i10nm_edac controller Intel_10nm Socket#0 IMC#0: DEV 0000:7e:0c.0",),
    ),
    NoisePattern(
        "perf: interrupt took too long",
        r"perf: interrupt took too long \(",
        ("perf: interrupt took too long (2513 > 2500), lowering kernel.perf_event_max_sample_rate to 79500",),
    ),
    NoisePattern(
        "module verification failed",
        r"\w{2,40}: module verification failed: signature",
        ("nvidia: module verification failed: signature and/or required key missing - tainting kernel",),
    ),
    NoisePattern(
        "out-of-tree module taints",
        r"\w{2,40}: loading out-of-tree",
        ("nvidia: loading out-of-tree module taints kernel.",),
    ),
    NoisePattern(
        "taints kernel",
        r"\w{2,40}: module license ",
        ("nvidia: module license 'NVIDIA' taints kernel.",),
    ),
    NoisePattern(
        "-- Logs begin at",
        r"^-- Logs begin at",
        ("-- Logs begin at Mon 2025-03-03 08:00:00 UTC, end at Tue 2025-03-04. --",),
    ),
    NoisePattern(
        "-- Journal begins at",
        r"^-- Journal begins at",
        ("-- Journal begins at Mon 2025-03-03 08:00:00 UTC, ends at Tue. --",),
    ),
)


class KernelDetails(MessageParser):
    """Lines that say nothing of a fault: they give no event, and do not count as unread."""

    kind: ClassVar[str] = "kernel-log"
    origin: ClassVar[str] = "kernel"
    messages: ClassVar[tuple[EventPattern, ...]] = ()
    noise: ClassVar[tuple[NoisePattern, ...]] = NOISE


PARSER = KernelDetails
