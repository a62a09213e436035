"""Links that go down and come up, as bonding, the IP stack, drivers and NetworkManager log them: new ones belong here.

The messages of mlx5, of systemd-networkd and "NIC Link is Down" are in ``kernel_log``, which also lists the files for
the rest of the kernel log; what else a driver of an HCA prints is in ``hca_driver_log``.

Both ways of one link::

    [ 91.4] bond0: (slave ens1np0): link status definitely down, disabling slave
    [ 95.0] bond0: (slave ens1np0): link status definitely up, 400000 Mbps full duplex

Sources: ``drivers/net/bonding/bond_main.c``, ``net/core/link_watch.c``, the drivers bnxt_en, ice and igb, and
NetworkManager.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.message_table import EventPattern, MessageParser, NoisePattern

_INTERFACE = r"(?P<interface>[A-Za-z][\w.-]{0,31})"

MESSAGES = (
    EventPattern(
        "kernel-link-down",
        "link status definitely down",
        r"\(slave " + _INTERFACE + r"\): link status definitely down",
        ("bond0: (slave ens1np0): link status definitely down, disabling slave",),
    ),
    EventPattern(
        "kernel-link-down",
        "link status definitely down for interface",
        r"link status definitely down for interface " + _INTERFACE,
        ("bonding: bond0: link status definitely down for interface ens1np0, disabling it",),
    ),
    EventPattern(
        "kernel-link-up",
        "link status definitely up",
        r"\(slave " + _INTERFACE + r"\): link status definitely up",
        ("bond0: (slave ens1np0): link status definitely up, 400000 Mbps full duplex",),
    ),
    EventPattern(
        "kernel-link-up",
        "link status definitely up for interface",
        r"link status definitely up for interface " + _INTERFACE,
        ("bonding: bond0: link status definitely up for interface ens1np0, 100000 Mbps full duplex",),
    ),
    EventPattern(
        "kernel-link-up",
        "Link is Up",
        _INTERFACE + r": NIC Link is Up",
        ("bnxt_en 0000:12:00.0 ens1f0: NIC Link is Up, 200000 Mbps full duplex, Flow control: none",),
    ),
    EventPattern(
        "kernel-link-up",
        "link becomes ready",
        r"ADDRCONF\(NETDEV_CHANGE\): " + _INTERFACE + r": link becomes ready",
        ("IPv6: ADDRCONF(NETDEV_CHANGE): ib3: link becomes ready",),
    ),
    EventPattern(
        "kernel-link-down",
        "carrier: link disconnected",
        r"device \(" + _INTERFACE + r"\): (?P<carrier>carrier: link disconnected)",
        ("NetworkManager[99]: <info>  [1700000000.1] device (ib3): carrier: link disconnected",),
    ),
    EventPattern(
        "kernel-link-up",
        "carrier: link connected",
        r"device \(" + _INTERFACE + r"\): carrier: link connected",
        ("NetworkManager[99]: <info>  [1700000000.1] device (ib3): carrier: link connected",),
    ),
)

NOISE = (
    NoisePattern(
        "Port module event",
        r"mlx\d_core .{0,60}Port module event: module \d{1,3}, Cable (?:plugged|unplugged)",
        ("mlx5_core 0000:12:00.0: Port module event: module 0, Cable plugged",),
    ),
)


class LinkLog(MessageParser):
    """Events of links: which interface lost its carrier, and which has it again."""

    kind: ClassVar[str] = "link-log"
    origin: ClassVar[str] = "kernel"
    messages: ClassVar[tuple[EventPattern, ...]] = MESSAGES
    noise: ClassVar[tuple[NoisePattern, ...]] = NOISE


PARSER = LinkLog
