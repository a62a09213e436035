"""What drivers of HCAs and NICs log of their device (mlx5, bnxt_en, ice, efa): firmware, cable, heat, time-outs, power.

A new message of such a driver belongs here, but for two sorts: that a network link went down or came up is in
``link_log``, whichever driver says so, and errors of the PCIe bus are in ``kernel_log``, which also lists the files for
the rest of the kernel log.

Three failures, and a line of a driver's start::

    mlx5_core 0000:12:00.0: poll_health:955:(pid 0): device's health compromised - reached miss count
    mlx5_core 0000:12:00.0: Port module event[error]: module 0, Cable error, Bus stuck
    mlx5_core 0000:12:00.0 ens1np0: TX timeout detected
    mlx5_core 0000:12:00.0: E-Switch: Total vports 2

Sources: Linux ``drivers/net/ethernet/mellanox/mlx5/core``, ``drivers/infiniband/hw/mlx5``, ``bnxt_en``, ``ice``,
``efa``.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.message_table import EventPattern, MessageParser, NoisePattern

_PCI = r"(?P<pci>[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.[0-7])?)"

MESSAGES = (
    EventPattern(
        "hca-driver-started",
        "firmware version:",
        r"mlx\d_core " + _PCI + r": firmware version:",
        ("mlx5_core 0000:12:00.0: firmware version: 28.1.2",),
    ),
    EventPattern(
        "hca-driver-started",
        "renamed from ",
        r"(?:mlx\d_\w{2,4}|bnxt_\w{2}|efa|ice|irdma) " + _PCI + r" .{0,60}renamed from",
        ("efa 0000:10:1b.0 a: renamed from b", "mlx5_core 0000:12:00.0 ens1np0: renamed from eth0"),
    ),
    EventPattern(
        "kernel-cable-error",
        "Port module event[error]",
        r"mlx\d_core " + _PCI + r".{0,40}Port module event\[error\]: module (?P<module>\d+), (?P<error>.{1,80})",
        ("mlx5_core 0000:12:00.0: Port module event[error]: module 0, Cable error, Bus stuck",),
    ),
    EventPattern(
        "kernel-hca-hot",
        "Health issue observed, High temperature",
        r"mlx\d_core " + _PCI + r".{0,60}Health issue observed, High temperature, severity\((?P<severity>[0-7])\)",
        (
            "mlx5_core 0000:12:00.0: print_health_info:431:(pid 0): Health issue observed, High temperature,"
            " severity(3) ERROR:",
        ),
    ),
    EventPattern(
        "kernel-hca-fault",
        "Health issue observed",
        r"mlx\d_core "
        + _PCI
        + r".{0,60}(?P<error>Health issue observed), (?P<syndrome>\S.{0,60}?), severity\((?P<severity>[0-7])\)",
        (
            "mlx5_core 0000:12:00.0: print_health_info:431:(pid 0): Health issue observed, firmware internal error,"
            " severity(3) ERROR:",
        ),
    ),
    EventPattern(
        "kernel-hca-fault",
        "_core ",  # of mlx5_core: a mark holds no digits, because the scan asks with all of them as 0
        r"mlx\d_core " + _PCI + r".{0,60}(?P<error>device's health compromised|Health issue observed|poll_health"
        r"|[Ff]atal error|synd 0x[1-9a-f]\w{0,8}|reset_fw)",
        (
            "mlx5_core 0000:12:00.0: poll_health:955:(pid 0): device's health compromised - reached miss count",
            "mlx5_core 0000:12:00.0: poll_health:800:(pid 0): Fatal error 3 detected",
        ),
    ),
    EventPattern(
        "kernel-hca-probe-failed",
        " failed with error ",
        r"(?P<driver>mlx\d_(?:core|ib)|bnxt_(?:en|re)|ice|i40e|irdma|efa|ena|ionic|hfi1|cxi_\w{2,6}|qed[er]|hns\w{0,8})"
        r"(?: "
        + _PCI
        + r": probe with driver \S{1,40}|: probe of (?P<at>\S{6,40})) failed with error (?P<errno>-\d{1,4})",
        (
            "efa: probe of 0000:12:00.0 failed with error -62",
            "mlx5_core 0000:12:00.0: probe with driver mlx5_core failed with error -110",
        ),
    ),
    EventPattern(
        "kernel-hca-recovered",
        "health recovery succe",
        r"mlx\d_core " + _PCI + r".{0,60}health recovery succee?ded",
        ("mlx5_core 0000:12:00.0: mlx5_health_try_recover:330:(pid 9): health recovery succeeded",),
    ),
    EventPattern(
        "kernel-rdma-protection",
        "access violation work queue error",
        r"access violation work queue error",
        ("mlx5_core 0000:12:00.0: access violation work queue error",),
    ),
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
        "kernel-pcie-power-low",
        "insufficient power on the PCIe slot",
        r"mlx\d_core " + _PCI + r".{0,60}insufficient power on the PCIe slot \((?P<watt>\d{1,4})W\)",
        ("mlx5_core 0000:12:00.0: mlx5_pcie_event:301:(pid 7): Detected insufficient power on the PCIe slot (27W).",),
        harmless=True,  # also printed by good cards whose slot does not say what it gives
    ),
)

_QUIET = (
    ("Rate limit:", r"mlx\d_core .{0,20}: Rate limit:", "mlx5_core 0000:12:00.0: Rate limit: 127 rates are supported"),
    ("E-Switch:", r"mlx\d_core .{0,20}: E-Switch:", "mlx5_core 0000:12:00.0: E-Switch: Total vports 2"),
    ("tc offload range", r"mlx\d_core .{0,30}Supported tc", "mlx5_core 0000:12:00.0: Supported tc offload range"),
    ("StrdRq(", r"mlx\d_core .{0,20}: MLX\dE: StrdRq", "mlx5_core 0000:12:00.0: MLX5E: StrdRq(1) RqSz(8)"),
    ("FEC autoneg", r"bnxt_en .{0,60}FEC autoneg", "bnxt_en 0000:12:00.0 ens1: FEC autoneg off encoding: RS544"),
    ("IB device registered", r"infiniband \S{1,40}: IB device registered", "infiniband efa_0: IB device registered"),
    ("Setup irq", r"efa .{0,20}: Setup irq", "efa 0000:10:1b.0: Setup irq:190 name:efa-mgmnt"),
    (
        ": assert_var[",
        r"print_health_info:",
        "mlx5_core 0000:12:00.0: print_health_info:424:(pid 0): assert_var[0] 0x0",
    ),
    ("no write combining", r"no write combining", "infiniband mlx5_0: mlx5_ib_test_wc:345:(pid 7): no write combining"),
    (
        "Port module event",
        r"mlx\d_core .{0,60}Port module event: module \d{1,3}, Cable (?:plugged|unplugged)",
        "mlx5_core 0000:12:00.0: Port module event: module 0, Cable plugged",
    ),
    (
        "available PCIe bandwidth",
        r"mlx\d_core .{0,40} Gb/s available PCIe bandwidth \(",
        "mlx5_core 0000:12:00.0: 252.048 Gb/s available PCIe bandwidth (16.0 GT/s PCIe x16 link)",
    ),
    (
        "PCIe slot advertised sufficient power",
        r"mlx\d_core .{0,80}PCIe slot advertised sufficient power",
        "mlx5_core 0000:12:00.0: mlx5_pcie_event:296:(pid 7): PCIe slot advertised sufficient power (27W).",
    ),
)
"""Lines without news: mark, pattern and sample."""

NOISE = tuple(NoisePattern(mark, pattern, (sample,)) for mark, pattern, sample in _QUIET)


class HcaDriverLog(MessageParser):
    """Events of HCAs and NICs in the words of their drivers: the device is faulty, hot, or did not answer in time."""

    kind: ClassVar[str] = "kernel-log"
    origin: ClassVar[str] = "kernel"
    messages: ClassVar[tuple[EventPattern, ...]] = MESSAGES
    noise: ClassVar[tuple[NoisePattern, ...]] = NOISE


PARSER = HcaDriverLog
