"""The kernel log (dmesg, journal), as far as no file beside this one is meant for it.

Here: crashes of the kernel and of processes, killed processes, PCIe slots, IOMMU, memory, machine checks, heat of
processors, stalls. A new message of another sort has its own file:

- ``hca_driver_log``: drivers of HCAs and NICs about their device (mlx5, bnxt_en, ice, efa);
- ``link_log``: network links that go down and come up, whoever says so (drivers, IP stack, NetworkManager), but for
  ``bonding_log``: bonding;
- ``nvidia_driver_log``: NVIDIA's kernel modules (Xid, SXid ...); ``nvidia_driver_version``: their version;
- ``amdgpu_log``: AMD's GPU driver;
- ``aer_log``: errors of PCIe links; ``pcie_bandwidth_log``: devices on a link that limits them;
- ``file_server_waits``: NFS servers that do not answer, and how long; ``whole_log``: whether anything is left out;
- ``kernel_noise``: lines without news that are no single driver's own; ``kernel_facts``: what the kernel is.

Three lines of it::

    [  77.2] pcieport 0000:3a:01.0: pciehp: Slot(3): Link Down
    [  78.0] Out of memory: Killed process 4711 (python3) total-vm:999kB, anon-rss:888kB
    [ 199.5] INFO: task train:4711 blocked for more than 120 seconds.

Source: Linux 5.x and 6.x. Within a table the first entry that matches takes the line, so what is special comes before
what is general. ``PARSER.kind`` is ``kernel-log`` in all these tables of messages but AMD's.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.message_table import EventPattern, MessageParser

_PCI = r"[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.[0-7])?"

MESSAGES = (
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
        "kernel-interrupt-refused",
        "INTR-REMAP",
        r"DMAR: \[?INTR-REMAP[\]:] Request device \[{1,2}(?P<pci>[\da-fx:.]{5,18})\] fault index",
        (
            "DMAR: [INTR-REMAP] Request device [c5:00.1] fault index 0x41 [fault reason 0x22] Present field in the IRTE"
            " entry is clear",
            "DMAR: [INTR-REMAP] Request device [0xc5:0x00.1] fault index 0x4100 [fault reason 0x25] Blocked a"
            " compatibility format interrupt request",
            "DMAR: INTR-REMAP: Request device [[c5:00.1] fault index 41",
        ),
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
        "kernel-panic",
        "Kernel panic - not syncing",
        r"Kernel panic - not syncing: (?P<error>.{1,120})",
        ("Kernel panic - not syncing: Fatal machine check",),
    ),
    EventPattern(
        "kernel-oops",
        "BUG: ",
        r"BUG: (?P<error>unable to handle (?:page fault|kernel)\b.{0,80}|kernel NULL pointer dereference\b.{0,40}"
        r"|Bad page \w{2,6} in process .{1,40})",
        (
            "BUG: unable to handle page fault for address: ffffb0c0d0e0f000",
            "BUG: kernel NULL pointer dereference, address: 0000000000000008",
        ),
    ),
    EventPattern(
        "kernel-oops",
        "kernel BUG at ",
        r"(?P<error>kernel BUG at \S{3,120}!)",
        ("kernel BUG at mm/slub.c:305!",),
    ),
    EventPattern(
        "kernel-oops",
        "Unable to handle kernel ",  # as arm64 writes it
        r"(?P<error>Unable to handle kernel (?:paging request|NULL pointer dereference|\w{2,12} access).{0,60})",
        ("Unable to handle kernel paging request at virtual address ffff800081234560",),
    ),
    EventPattern(
        "kernel-oops",
        "Oops: ",
        r"(?:Internal error: )?(?P<error>Oops: (?:[\w ]{3,40}: )?[0-9a-f]{4,16} \[#\d{1,4}\])",
        ("Oops: 0002 [#1] SMP NOPTI", "Internal error: Oops: 0000000096000004 [#1] SMP"),
    ),
    EventPattern(
        "kernel-oops",
        "general protection fault",
        r"(?P<error>general protection fault(?:, probably for .{1,60})?: \d{4} \[#\d{1,4}\])",
        ("general protection fault, probably for non-canonical address 0xdead000000000100: 0000 [#1] SMP PTI",),
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
        "kernel-machine-check",
        "[Hardware Error]",
        r"(?:mce: )?\[Hardware Error\]: (?P<error>.{1,100})",
        ("mce: [Hardware Error]: Machine check events logged",),
    ),
    EventPattern(
        "kernel-thermal",
        "above threshold",
        r"CPU(?P<cpu>\d+): (?:Core|Package) temperature (?:is )?above threshold",
        (
            "mce: CPU3: Package temperature above threshold, cpu clock throttled (total events = 9)",
            "CPU3: Core temperature is above threshold, cpu clock is throttled (total events = 9)",
        ),
    ),
)


class KernelLog(MessageParser):
    """Events of the kernel itself: of its processes, buses, memory and processors."""

    kind: ClassVar[str] = "kernel-log"
    origin: ClassVar[str] = "kernel"
    messages: ClassVar[tuple[EventPattern, ...]] = MESSAGES


PARSER = KernelLog
