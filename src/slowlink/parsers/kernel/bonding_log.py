"""What the bonding driver logs of the links below a bond: a new message of it belongs here.

All other links are in ``link_log``; ``kernel_log`` lists the files for the rest of the kernel log.

A table of its own, because bonding says again what the driver of the NIC has said: equal events of one table are
counted as one that came twice, and a link that was lost once would look as if it flapped.

Both ways of one link::

    [ 91.4] bond0: (slave ens1np0): link status definitely down, disabling slave
    [ 95.0] bond0: (slave ens1np0): link status definitely up, 400000 Mbps full duplex

Source: ``drivers/net/bonding/bond_main.c``; before Linux 5.5 it put ``bonding:`` in front.
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
)

NOISE = (
    NoisePattern(
        "Enslaving as",
        r"\(slave [\w.-]{1,32}\): Enslaving as",
        ("bond0: (slave ens1np0): Enslaving as a backup interface",),
    ),
    NoisePattern("active interface up", r"[\w.-]{1,32}: active interface up", ("bond0: active interface up!",)),
)


class BondingLog(MessageParser):
    """Events of links below a bond: which interface the bond has lost, and which it has again."""

    kind: ClassVar[str] = "kernel-log"
    origin: ClassVar[str] = "kernel"
    messages: ClassVar[tuple[EventPattern, ...]] = MESSAGES
    noise: ClassVar[tuple[NoisePattern, ...]] = NOISE


PARSER = BondingLog
