"""Network links and carriers that go down and come up, whichever driver or daemon says so: a new message belongs here.

But for bonding, which says again what a driver has said: ``bonding_log``. What else a driver of an HCA or a NIC prints
(a cable, a time-out, its firmware) is in ``hca_driver_log``, the link of a PCIe slot in ``kernel_log``, which lists the
files for the rest of the kernel log.

Four ways to say it::

    [ 91.4] mlx5_core 0000:12:00.0 ens1np0: Link down
    [ 93.2] ice 0000:18:00.0 ens2f0: NIC Link is up 100 Gbps Full Duplex, Requested FEC: RS-FEC
    systemd-networkd[99]: ib3: Gained carrier
    kernel: hns3 0000:7d:00.0 eth2: link down

Sources: ``net/core/link_watch.c``, the drivers mlx5_core, bnxt_en, ice and igb, systemd-networkd, dhcpcd and
NetworkManager. The last form is that of all other drivers (``drivers/net/phy/phy.c``, hns3, cxgb4, tg3, qede, enic,
sfc, gve, ionic of Linux 6.12), with or without ``is`` and in any case; these are words of many, so the kernel must say
them. What is lost stands before what is back: it takes a line on which two messages were joined.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.message_table import EventPattern, MessageParser, NoisePattern

_INTERFACE = r"(?P<interface>[A-Za-z][\w.-]{0,31})"
_NAME = r"(?P<interface>[\w.-]{1,32})"
"""An interface, where the name may begin with a digit, too."""
_MLX = r"mlx\d_core (?P<pci>[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.[0-7])?) " + _NAME

_KERNEL = (
    r"(?:\bkernel: (?:\[[ \d.]{8,20}\] )?"
    r"|^\s{0,4}\[(?: {0,8}\d{1,8}\.\d{3,6}|\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4})\] )"
)
_OF_ANY = (
    _KERNEL + r"(?:[\w.:()-]{1,40} ){0,3}(?!nvlink|ata\d|pciehp)" + _NAME + r"(?: \([^)]{1,40}\))?: (?:[Dd]evice )?"
)


def _of_any_driver(kind: str, state: str, *samples: str) -> tuple[EventPattern, ...]:
    """``link down``, ``Link is Down``, ``Link DOWN``: a mark is literal, so each spelling has its own entry."""
    spellings = [f"ink {verb}{word}" for verb in ("", "is ") for word in (state, state.capitalize(), state.upper())]
    return tuple(
        EventPattern(kind, mark, f"{_OF_ANY}[Ll]{mark}" + r"\b", tuple(each for each in samples if f"{mark}" in each))
        for mark in spellings
    )


MESSAGES = (
    EventPattern(
        "kernel-link-down",
        "Link down",
        _MLX + r": Link down",
        ("mlx5_core 0000:12:00.0 ens1np0: Link down",),
    ),
    EventPattern(
        "kernel-link-down",
        "NIC Link is Down",
        _NAME + r": NIC Link is Down",
        ("bnxt_en 0000:12:00.0 ens1f0: NIC Link is Down",),
    ),
    EventPattern(
        "kernel-link-down",
        "link becomes not ready",
        _NAME + r": link becomes not ready",
        ("IPv6: ADDRCONF(NETDEV_CHANGE): ib3: link becomes not ready",),
    ),
    EventPattern(
        "kernel-link-down",
        "carrier",
        _NAME + r": (?P<carrier>Lost carrier|carrier lost)",
        ("systemd-networkd[99]: ib3: Lost carrier", "dhcpcd[99]: ib3: carrier lost"),
    ),
    EventPattern(
        "kernel-link-down",
        "carrier: link disconnected",
        r"device \(" + _INTERFACE + r"\): (?P<carrier>carrier: link disconnected)",
        ("NetworkManager[99]: <info>  [1700000000.1] device (ib3): carrier: link disconnected",),
    ),
    EventPattern(
        "kernel-link-up",
        "Link up",
        _MLX + r": Link up",
        ("mlx5_core 0000:12:00.0 ens1np0: Link up",),
    ),
    EventPattern(
        "kernel-link-up",
        "NIC Link is ",  # the case of what follows differs between drivers, and a mark is literal
        _INTERFACE + r": NIC Link is [Uu]p",
        (
            "bnxt_en 0000:12:00.0 ens1f0: NIC Link is Up, 200000 Mbps full duplex, Flow control: none",
            "ice 0000:12:00.0 ens1f0: NIC Link is up 100 Gbps Full Duplex, Requested FEC: RS-FEC",
        ),
    ),
    EventPattern(
        "kernel-link-up",
        "link becomes ready",
        r"ADDRCONF\(NETDEV_CHANGE\): " + _INTERFACE + r": link becomes ready",
        ("IPv6: ADDRCONF(NETDEV_CHANGE): ib3: link becomes ready",),
    ),
    EventPattern(
        "kernel-link-up",
        "Gained carrier",
        _NAME + r": Gained carrier",
        ("systemd-networkd[99]: ib3: Gained carrier",),
    ),
    EventPattern(
        "kernel-link-up",
        "carrier: link connected",
        r"device \(" + _INTERFACE + r"\): carrier: link connected",
        ("NetworkManager[99]: <info>  [1700000000.1] device (ib3): carrier: link connected",),
    ),
    *_of_any_driver(
        "kernel-link-down",
        "down",
        "kernel: hns3 0000:7d:00.0 eth2: link down",
        "[  411.224311] cxgb4 0000:02:00.4 (unnamed) ens1f4: Link Down",
        "kernel: enic 0000:06:00.0 ens2: Link DOWN",
        "kernel: qede 0000:81:00.0 ens7f0: Link is down",
        "[Mon Jun 16 09:12:41 2031] hns3 0000:7d:00.0 ens3: link down",
        "[  411.224311] tg3 0000:02:00.0 ens1: Link is Down",
        "kernel: sample 0000:02:00.0 ens1: Link is DOWN",
    ),
    *_of_any_driver(
        "kernel-link-up",
        "up",
        "kernel: hns3 0000:7d:00.0 eth2: link up",
        "[  411.224311] ionic 0000:02:00.0 ens1: Link Up",
        "kernel: enic 0000:06:00.0 ens2: Link UP",
        "kernel: gve 0000:00:05.0 eth1: Device link is up.",
        "[  411.224311] tg3 0000:02:00.0 ens1: Link is Up - 1Gbps/Full - flow control off",
        "kernel: sample 0000:02:00.0 ens1: Link is UP",
    ),
)

NOISE = (
    NoisePattern("Gained IPv", r"[\w.-]{1,32}: Gained IPv\dLL", ("systemd-networkd[99]: ens1np0: Gained IPv6LL",)),
)


class LinkLog(MessageParser):
    """Events of links: which interface lost its link or carrier, and which has it again."""

    kind: ClassVar[str] = "kernel-log"
    origin: ClassVar[str] = "kernel"
    messages: ClassVar[tuple[EventPattern, ...]] = MESSAGES
    noise: ClassVar[tuple[NoisePattern, ...]] = NOISE


PARSER = LinkLog
