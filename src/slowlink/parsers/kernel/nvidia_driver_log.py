"""What NVIDIA's kernel modules log: Xid and SXid, GPUs that are lost or do not start, and the quiet lines of a start.

What takes more than one pattern belongs here; what else they say has its meaning in ``catalog/vocabulary/`` (nvrm,
nvidia-peermem, nvidia-uvm, nvidia-nvswitch). The version of the module that was loaded is read by
``nvidia_driver_version``; ``kernel_log`` lists the files for the rest of the kernel log.

Two failures, and a line of the start::

    [  77.1] NVRM: Xid (PCI:0000:3b:00): 79, pid=4711, name=train, GPU has fallen off the bus.
    [  77.3] nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30 LTSSM Fault Up
    [   9.4] nvidia-modeset: Loading NVIDIA Kernel Mode Setting Driver for UNIX platforms  570.86.10

Source: ``NVRM``, nvidia-modeset, nvidia-uvm, nvidia-drm, nvidia-nvlink, nvidia-nvswitch, nvidia-peermem and
nvidia-persistenced of drivers 450 to 580. The catalogue of Xids explains the numbers.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.message_table import EventPattern, MessageParser, NoisePattern

_PCI = r"[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.[0-7])?"

MESSAGES = (
    EventPattern(
        "nvswitch-error-data",
        "SXid",
        r"SXid \(PCI:" + _PCI + r"\): \d+, (?:Data \{|Severity \d)",
        ("nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 20034, Severity 1 Engine instance 30 Sub-engine instance 00",),
        harmless=True,  # more of the error above it
    ),
    EventPattern(
        "nvswitch-error",
        "SXid",
        r"SXid \(PCI:(?P<pci>"
        + _PCI
        + r")\): (?P<error>\d+)(?:, (?P<severity>[Nn]on-fatal|[Ff]atal))?(?:, Link (?P<port>\d+))?",
        ("nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30 LTSSM Fault Up",),
    ),
    EventPattern(
        "gpu-recovery-action",
        "recovery action changed",
        r"NVRM: Xid \((?:PCI:)?(?P<pci>[0-9a-fA-F:.]{4,20})\): 154\b.{0,80}recovery action changed from \w{1,20} "
        r"\([^()]{1,40}\) to \w{1,20} \((?P<action>[^()]{1,40})\)",
        (
            "NVRM: Xid (PCI:0000:3b:00): 154, pid=7, name=train, GPU recovery action changed from 0x0 (None) to 0x1 "
            "(GPU Reset Required)",
        ),
    ),
    EventPattern(
        "kernel-xid",
        "NVRM: Xid",
        r"NVRM: Xid \((?:PCI:)?(?P<pci>[0-9a-fA-F:.]{4,20})\): (?P<xid>\d+)(?:, pid='?(?P<pid>[\d<>\w]"
        r"{1,20})'?)?"
        r"(?:, name=(?P<name>[^,\s]{1,60}))?"
        r"(?:, Timeout after (?P<timeout_s>\d{1,6})s of waiting for RPC response from GPU(?P<gpu>\d{1,4}) GSP)?",
        (
            "NVRM: Xid (PCI:0:3b:00): 119, pid=7, name=app, Timeout after 9s of waiting for RPC response from GPU2 GSP",
            "[ 77.1] NVRM: Xid (PCI:0000:3b:00): 79, pid=4711, name=train, GPU has fallen off the bus.",
            "NVRM: Xid (PCI:0000:3b:00): 48, An uncorrectable double bit error (DBE) has been detected",
        ),
    ),
    EventPattern(
        "kernel-gpu-lost",
        "fallen off the bus",
        r"NVRM: (?=.{0,80}GPU )(?:.{0,80}?GPU (?:at )?(?:PCI:)?(?P<pci>" + _PCI + r"))?.{0,120}fallen off the bus",
        (
            "NVRM: GPU 0000:3b:00.0: GPU has fallen off the bus.",
            "NVRM: The GPU at PCI:0000:3b:00 has fallen off the bus and does not answer.",
        ),
    ),
    EventPattern(
        "kernel-gpu-init-failed",
        "RmInitAdapter failed",
        r"NVRM: GPU (?P<pci>" + _PCI + r"): RmInitAdapter failed",
        ("NVRM: GPU 0000:3b:00.0: RmInitAdapter failed! (0x62:0x65:1860)",),
    ),
)

_QUIET = (
    (
        r"nvidia-modeset: Loading NVIDIA ",
        "nvidia-modeset: Loading NVIDIA Kernel Mode Setting Driver for UNIX platforms  570.86.10",
    ),
    (
        r"nvidia-nvlink: (?:Nvlink Core is being initialized|Unregistered )",
        "nvidia-nvlink: Nvlink Core is being initialized, major device number 510",
    ),
    (
        r"nvidia[-_]uvm: (?:Loaded|Unloaded|module uses symbols|module verification) ",
        "nvidia-uvm: Loaded the UVM driver, major device number 508.",
    ),
    (
        r"\[nvidia-drm\] \[GPU ID 0x[0-9a-f]{8}\] (?:Loading|Unloading) driver",
        "[drm] [nvidia-drm] [GPU ID 0x00003b00] Loading driver",
    ),
    (
        r"\bnvidia [0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]: (?:enabling device|vgaarb: )",
        "nvidia 0000:3b:00.0: enabling device (0140 -> 0142)",
    ),
    (r"nvidia-nvswitch\d{1,3}: (?:using MSI|open|using|Probing device|dev)", "nvidia-nvswitch3: using MSI"),
)
"""Lines of a start and a stop: pattern, whatever its capital letters, and sample."""

NOISE = tuple(NoisePattern("nvidia", "(?i)" + pattern, (sample,)) for pattern, sample in _QUIET)


class NvidiaDriverLog(MessageParser):
    """Events of NVIDIA's GPUs and NVSwitches, each with the PCI address where the message names it."""

    kind: ClassVar[str] = "kernel-log"
    origin: ClassVar[str] = "kernel"
    messages: ClassVar[tuple[EventPattern, ...]] = MESSAGES
    noise: ClassVar[tuple[NoisePattern, ...]] = NOISE


PARSER = NvidiaDriverLog
