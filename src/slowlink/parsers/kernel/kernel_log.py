"""The kernel log (dmesg, journal), as far as no file beside this one is meant for it.

Here: Xid and SXid of NVIDIA's driver, crashed and killed processes, PCIe and AER, IOMMU, memory, heat, stalls; and of
mlx5 the failures of a device, its cable and its link. A new message of another kind has its own file:

- ``hca_driver_log``: everything else that drivers of HCAs and NICs print (mlx5, bnxt_en, ice, efa);
- ``link_log``: links that go down and come up (bonding, IP stack, NetworkManager);
- ``amdgpu_log``: AMD's GPU driver; ``nvidia_driver_log``: the start of NVIDIA's driver, its version;
- ``kernel_noise``: lines that only go with others, of any part of the kernel; ``kernel_facts``: what the kernel is.

Three lines of it::

    [  77.1] NVRM: Xid (PCI:0000:3b:00): 79, pid=4711, name=train, GPU has fallen off the bus.
    [  77.2] pcieport 0000:3a:01.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Receiver ID)
    [  78.0] Out of memory: Killed process 4711 (python3) total-vm:999kB, anon-rss:888kB

Source: Linux 5.x and 6.x, NVIDIA's driver (``NVRM``), ``mlx5_core``. The catalogue of Xids explains the numbers. The
first entry that matches takes the line, so what is special comes before what is general.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.message_table import EventPattern, MessageParser, NoisePattern

_PCI = r"[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.[0-7])?"

MESSAGES = (
    EventPattern(
        "nvswitch-error",
        "SXid",
        r"SXid \(PCI:(?P<pci>"
        + _PCI
        + r")\): (?P<error>\d+)(?:, (?P<severity>[Nn]on-fatal|[Ff]atal))?(?:, Link (?P<port>\d+))?",
        ("nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30 LTSSM Fault Up",),
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
    EventPattern(
        "kernel-peer-memory-error",
        "peermem",
        r"nvidia-peermem .{0,80}ERROR (?P<error>.{1,120})",
        ("nvidia-peermem nv_get_p2p_free_callback:127 ERROR detected invalid context, skipping further processing",),
    ),
    EventPattern(
        "kernel-segfault",
        "segfault at",
        r"(?P<process>[^\s\[\]]{1,40})\[(?P<pid>\d+)\]: segfault at [0-9a-f]+ ip [0-9a-f]+ sp [0-9a-f]"
        r"+ error \d+"
        r"(?: in (?P<library>[^\s\[]{1,120}))?",
        ("train[4711]: segfault at 7f00 ip 00007fc1 sp 00007fc2 error 4 in libnccl.so.2[7fc000+d3000]",),
    ),
    EventPattern(
        "kernel-trap",
        "general protection",
        r"(?P<process>[^\s\[\]]{1,40})\[(?P<pid>\d+)\] general protection(?: fault)? ip",
        ("traps: train[4711] general protection fault ip:7fc1 sp:7fc2 error:0 in libc.so.6[7f+1000]",),
    ),
    EventPattern(
        "oom-killed",
        "Killed process",
        r"(?:Out of memory|oom-kill|OOM|memory cgroup out of memory|Memory cgroup out of memory).{0,20"
        r"}?Killed process"
        r" (?P<pid>\d+) \((?P<process>[^)]{1,60})\)",
        (
            "Out of memory: Killed process 4711 (python3) total-vm:999kB, anon-rss:888kB",
            "Memory cgroup out of memory: Killed process 4711 (train)",
        ),
    ),
    EventPattern(
        "kernel-pcie-limited",
        "available PCIe bandwidth",
        r"(?P<pci>" + _PCI + r"): (?P<available_gbit>[\d.]{1,12}) Gb/s available PCIe bandwidth, limited by"
        r" (?P<limit>(?P<limit_speed>[\d.]{1,8} GT/s) PCIe x\d{1,2}) link at (?P<at>" + _PCI + r")"
        r"(?: \(capable of (?P<capable_gbit>[\d.]{1,12}) Gb/s(?: with "
        r"(?P<capable>(?P<capable_speed>[\d.]{1,8} GT/s) PCIe x\d{1,2}) link)?)?",
        (
            "pci 0000:04:00.0: 126.016 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x16 li"
            "nk at 0000:01:00.0 (capable of "
            "504.112 Gb/s with 32.0 GT/s PCIe x16 link)",
        ),
    ),
    EventPattern(
        "kernel-aer",
        "PCIe Bus Error",
        r"(?P<pci>" + _PCI + r"): PCIe Bus Error: severity=(?P<severity>\w+)(?: \((?P<fatal>[\w-]{1,12})\))?",
        ("pcieport 0000:40:01.1: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Receiver ID)",),
    ),
    EventPattern(
        "kernel-aer",
        "AER: ",
        r"(?P<port>"
        + _PCI
        + r"): AER: (?:Multiple )?(?P<severity>Corrected|Uncorrected|Uncorrectable)[^:]{0,40}(?:error )?"
        r"(?:message )?received(?:: | from )(?P<pci>" + _PCI + r")",
        ("pcieport 0000:40:01.1: AER: Multiple Corrected error received: 0000:41:00.0",),
    ),
    EventPattern(
        "kernel-pcie-power-low",
        "insufficient power on the PCIe slot",
        r"mlx\d_core (?P<pci>" + _PCI + r").{0,60}insufficient power on the PCIe slot \((?P<watt>\d{1,4})W\)",
        ("mlx5_core 0000:12:00.0: mlx5_pcie_event:301:(pid 7): Detected insufficient power on the PCIe slot (27W).",),
        harmless=True,  # also printed by good cards whose slot does not say what it gives
    ),
    EventPattern(
        "kernel-pcie-slot-down",
        "pciehp",
        r"(?P<port>" + _PCI + r").{0,20}pciehp: Slot\((?P<slot>[\w-]{1,20})\): (?P<error>Link Down|Card not present)",
        ("pcieport 0000:40:01.1: pciehp: Slot(3): Link Down",),
    ),
    EventPattern(
        "kernel-pcie-no-room",
        "BAR ",
        r"(?P<pci>"
        + _PCI
        + r"): BAR (?P<bar>\d)(?: \[[^\]]{1,80}\])?: (?P<error>no space for|failed to assign|can't assign)",
        ("pci 0000:3b:00.0: BAR 1: failed to assign [mem size 0x2000000000 64bit pref]",),
        harmless=True,  # the kernel tries other places; a GPU left without one does not start
    ),
    EventPattern(
        "kernel-iommu-fault",
        "DMAR: ",
        r"DMAR: \[(?P<operation>[\w ]{3,20})(?: NO_PASID)?\] Request device \[(?:0x)?(?P<pci>[\da-f:.]{5,14})\]",
        ("DMAR: [DMA Read NO_PASID] Request device [3b:00.0] fault addr 0x7f00 [fault reason 0x06] PTE Read access",),
    ),
    EventPattern(
        "kernel-iommu-fault",
        "IO_PAGE_FAULT",
        r"AMD-Vi: Event logged \[(?P<operation>IO_PAGE_FAULT) (?:device=(?P<pci>[\da-f:.]{5,14})|domain=)",
        ("AMD-Vi: Event logged [IO_PAGE_FAULT device=3b:00.0 domain=0x001a address=0xdf00 flags=0x0020]",),
    ),
    EventPattern(
        "kernel-memory-controller",
        "EDAC ",
        r"EDAC \w{2,10}: (?P<count>\d{1,6}) (?P<severity>CE|UE) (?P<error>.{1,80}?)"
        r"(?: on (?P<dimm>[\w#-]{1,60})| on |$)",
        ("EDAC MC0: 1 UE memory read error on CPU_SrcID#0_MC#1_Chan#0_DIMM#0 (channel:0 slot:0)",),
    ),
    EventPattern(
        "kernel-link-down",
        "ink",
        r"mlx\d_core (?P<pci>" + _PCI + r") (?P<interface>[\w.-]{1,32}): Link down",
        ("mlx5_core 0000:12:00.0 ens1np0: Link down",),
    ),
    EventPattern(
        "kernel-link-down",
        "ink ",
        r"(?P<interface>[\w.-]{1,32}): (?:NIC Link is Down|link becomes not ready)",
        ("bnxt_en 0000:12:00.0 ens1f0: NIC Link is Down",),
    ),
    EventPattern(
        "kernel-link-down",
        "carrier",
        r"(?P<interface>[\w.-]{1,32}): (?P<carrier>Lost carrier|carrier lost)",
        ("systemd-networkd[99]: ib3: Lost carrier", "dhcpcd[99]: ib3: carrier lost"),
    ),
    EventPattern(
        "kernel-link-up",
        "ink up",
        r"mlx\d_core (?P<pci>" + _PCI + r") (?P<interface>[\w.-]{1,32}): Link up",
        ("mlx5_core 0000:12:00.0 ens1np0: Link up",),
    ),
    EventPattern(
        "kernel-link-up",
        "carrier",
        r"(?P<interface>[\w.-]{1,32}): Gained carrier",
        ("systemd-networkd[99]: ib3: Gained carrier",),
    ),
    EventPattern(
        "kernel-cable-error",
        "Port module event[error]",
        r"mlx\d_core (?P<pci>"
        + _PCI
        + r").{0,40}Port module event\[error\]: module (?P<module>\d+), (?P<error>.{1,80})",
        ("mlx5_core 0000:12:00.0: Port module event[error]: module 0, Cable error, Bus stuck",),
    ),
    EventPattern(
        "kernel-hca-fault",
        "core",
        r"mlx\d_core (?P<pci>"
        + _PCI
        + r").{0,60}(?P<error>device's health compromised|Health issue observed|poll_health"
        r"|fatal error|synd 0x[1-9a-f]\w{0,8}|reset_fw)",
        ("mlx5_core 0000:12:00.0: poll_health:955:(pid 0): device's health compromised - reached miss count",),
    ),
    EventPattern(
        "kernel-hca-recovered",
        "health recovery succe",
        r"mlx\d_core (?P<pci>" + _PCI + r").{0,60}health recovery succee?ded",
        ("mlx5_core 0000:12:00.0: mlx5_health_try_recover:330:(pid 9): health recovery succeeded",),
    ),
    EventPattern(
        "kernel-rdma-protection",
        "access violation work queue error",
        r"access violation work queue error",
        ("mlx5_core 0000:12:00.0: access violation work queue error",),
    ),
    EventPattern(
        "kernel-hung-task",
        "blocked for more than",
        r"task (?P<process>[^\s:]{1,40}):(?P<pid>\d+) blocked for more than (?P<seconds>\d+) seconds",
        ("INFO: task train:4711 blocked for more than 120 seconds.",),
    ),
    EventPattern(
        "kernel-soft-lockup",
        "soft lockup",
        r"soft lockup - CPU#(?P<cpu>\d+) stuck for (?P<seconds>\d+)s",
        ("watchdog: BUG: soft lockup - CPU#7 stuck for 23s! [train:4711]",),
    ),
    EventPattern(
        "kernel-nfs-stall",
        "not responding",
        r"nfs: server (?P<server>\S{1,120}) not responding",
        ("nfs: server store01 not responding, still trying",),
    ),
    EventPattern(
        "kernel-machine-check",
        "[Hardware Error]",
        r"(?:mce: )?\[Hardware Error\]: (?P<error>.{1,100})",
        ("mce: [Hardware Error]: Machine check events logged",),
    ),
    EventPattern(
        "kernel-thermal",
        "temperature above threshold",
        r"CPU(?P<cpu>\d+): (?:Core|Package) temperature above threshold",
        ("mce: CPU3: Package temperature above threshold, cpu clock throttled (total events = 9)",),
    ),
)

NOISE = (
    NoisePattern("NVRM: ", r"NVRM: ", ("NVRM: GPU Board Serial Number: 4711",)),
    NoisePattern(
        "available PCIe bandwidth",
        r"mlx\d_core .{0,40} Gb/s available PCIe bandwidth \(",
        ("mlx5_core 0000:12:00.0: 252.048 Gb/s available PCIe bandwidth (16.0 GT/s PCIe x16 link)",),
    ),
    NoisePattern(
        "PCIe slot advertised sufficient power",
        r"mlx\d_core .{0,80}PCIe slot advertised sufficient power",
        ("mlx5_core 0000:12:00.0: mlx5_pcie_event:296:(pid 7): PCIe slot advertised sufficient power (27W).",),
    ),
)


class KernelLog(MessageParser):
    """Events of the kernel and of its drivers: the table above, with what is known and harmless left out."""

    kind: ClassVar[str] = "kernel-log"
    origin: ClassVar[str] = "kernel"
    messages: ClassVar[tuple[EventPattern, ...]] = MESSAGES
    noise: ClassVar[tuple[NoisePattern, ...]] = NOISE


PARSER = KernelLog
