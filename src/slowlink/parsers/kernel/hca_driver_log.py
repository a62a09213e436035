"""What drivers of HCAs and NICs log (mlx5, bnxt_en, ice, efa ...): a new message of such a driver belongs here.

Of mlx5 the failures of a device, its cable and its link are in ``kernel_log``, which also lists the files for the rest
of the kernel log. Here: heat, time-outs, links of other drivers, and the many lines of a driver's start.

Two of the first sort, and one of the last::

    mlx5_core 0000:12:00.0: temp_warn:194:(pid 0): High temperature on sensors with bit set 0 1
    mlx5_core 0000:12:00.0 ens1np0: TX timeout detected
    mlx5_core 0000:12:00.0: E-Switch: Total vports 2

Sources: Linux ``drivers/net/ethernet/mellanox/mlx5/core``, ``drivers/infiniband/hw/mlx5``, ``drivers/pci/pcie/aer.c``,
``drivers/net/bonding``, ``bnxt_en``, ``efa``; NVIDIA's open kernel modules.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.message_table import EventPattern, MessageParser, NoisePattern

_PCI = r"(?P<pci>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])"

MESSAGES = (
    EventPattern(
        "kernel-hca-hot",
        "High temperature on sensors",
        r"mlx\d_core " + _PCI + r".{0,60}High temperature on sensors",
        ("mlx5_core 0000:12:00.0: temp_warn:194:(pid 0): High temperature on sensors with bit set 0 1",),
    ),
    EventPattern(
        "kernel-hca-timeout",
        "TX timeout detected",
        r"(?:mlx\d_core|bnxt_en|ice) " + _PCI + r" (?P<interface>[\w.-]{1,32}): TX timeout detected",
        ("mlx5_core 0000:12:00.0 ens1np0: TX timeout detected",),
    ),
    EventPattern(
        "kernel-hca-timeout",
        "timeout. Will cause a leak of a command resource",
        r"mlx\d_core " + _PCI + r": wait_func:\d{1,6}:\(pid \d{1,10}\): (?P<command>\w{2,40})\(0x\w{1,6}\) timeout",
        (
            "mlx5_core 0000:12:00.0: wait_func:1167:(pid 7): MANAGE_PAGES(0x108) timeout. Will cause a leak of a"
            " command resource",
        ),
    ),
    EventPattern(
        "kernel-link-up",
        "NIC Link is up",
        r"(?P<interface>[A-Za-z][\w.-]{0,31}): NIC Link is up",
        ("ice 0000:12:00.0 ens1f0: NIC Link is up 100 Gbps Full Duplex, Requested FEC: RS-FEC",),
    ),
)

_START = (
    ("firmware version:", r"mlx\d_core .{0,20}: firmware version:", "mlx5_core 0000:12:00.0: firmware version: 28.1.2"),
    ("Rate limit:", r"mlx\d_core .{0,20}: Rate limit:", "mlx5_core 0000:12:00.0: Rate limit: 127 rates are supported"),
    ("E-Switch:", r"mlx\d_core .{0,20}: E-Switch:", "mlx5_core 0000:12:00.0: E-Switch: Total vports 2"),
    ("tc offload range", r"mlx\d_core .{0,30}Supported tc", "mlx5_core 0000:12:00.0: Supported tc offload range"),
    ("StrdRq(", r"mlx\d_core .{0,20}: MLX\dE: StrdRq", "mlx5_core 0000:12:00.0: MLX5E: StrdRq(1) RqSz(8)"),
    (
        "renamed from ",
        r"(?:mlx\d_\w{2,4}|bnxt_\w{2}|efa|ice|irdma) .{0,60}renamed from",
        "efa 0000:10:1b.0 a: renamed from b",
    ),
    (
        "Enslaving as",
        r"\(slave [\w.-]{1,32}\): Enslaving as",
        "bond0: (slave ens1np0): Enslaving as a backup interface",
    ),
    ("active interface up", r"[\w.-]{1,32}: active interface up", "bond0: active interface up!"),
    ("Gained IPv", r"[\w.-]{1,32}: Gained IPv\dLL", "systemd-networkd[99]: ens1np0: Gained IPv6LL"),
    ("FEC autoneg", r"bnxt_en .{0,60}FEC autoneg", "bnxt_en 0000:12:00.0 ens1: FEC autoneg off encoding: RS544"),
    ("IB device registered", r"infiniband \S{1,40}: IB device registered", "infiniband efa_0: IB device registered"),
    ("Setup irq", r"efa .{0,20}: Setup irq", "efa 0000:10:1b.0: Setup irq:190 name:efa-mgmnt"),
    (
        "error status/mask=",
        r": {1,4}device \[[0-9a-f:]{9}\] error status",
        "a 0000:12:00.0:   device [15b3:1021] error status/mask=1/2",
    ),
    (
        ": assert_var[",
        r"print_health_info:",
        "mlx5_core 0000:12:00.0: print_health_info:424:(pid 0): assert_var[0] 0x0",
    ),
    ("no write combining", r"no write combining", "infiniband mlx5_0: mlx5_ib_test_wc:345:(pid 7): no write combining"),
    (
        "out-of-tree module taints",
        r"\w{2,40}: loading out-of-tree",
        "nvidia: loading out-of-tree module taints kernel.",
    ),
    ("taints kernel", r"\w{2,40}: module license ", "nvidia: module license 'NVIDIA' taints kernel."),
    (
        "-- Logs begin at",
        r"^-- Logs begin at",
        "-- Logs begin at Mon 2025-03-03 08:00:00 UTC, end at Tue 2025-03-04. --",
    ),
    (
        "-- Journal begins at",
        r"^-- Journal begins at",
        "-- Journal begins at Mon 2025-03-03 08:00:00 UTC, ends at Tue. --",
    ),
)
_AER = ("RxErr", "BadTLP", "BadDLLP", "Rollover", "Timeout", "CmpltTO", "UnsupReq", "NonFatalErr", "MalfTLP")
"""Bits of a PCIe error, each on a line below it."""
NOISE = (
    *(NoisePattern(mark, pattern, (sample,)) for mark, pattern, sample in _START),
    *(NoisePattern(bit, r": {1,6}\[ ?\d{1,2}\] " + bit, (f"mlx5_core 0000:12:00.0:    [12] {bit}",)) for bit in _AER),
)


class DriverLog(MessageParser):
    """Events of HCA drivers that are no faults of the HCA itself: it is hot, or it was waited for in vain."""

    kind: ClassVar[str] = "driver-log"
    origin: ClassVar[str] = "kernel"
    messages: ClassVar[tuple[EventPattern, ...]] = MESSAGES
    noise: ClassVar[tuple[NoisePattern, ...]] = NOISE


PARSER = DriverLog
