"""The default routes, as ``ip route`` prints them::

    default via 10.0.0.1 dev eth0 proto dhcp metric 100

Other routes are left: they are many, and what a node talks through is told by its connections. Source: iproute2 4.11 to
6.11, ``iproute.c``.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.reading_table import LineFact, ReadingParser

FACTS: tuple[LineFact, ...] = (
    LineFact(
        "interface-default-route",
        "default ",
        r"default (?:via \S{1,60} )?dev (?P<interface>[\w.@-]{1,40})(?: .{0,200})?\s*$",
        {
            "default via 10.0.0.1 dev eth0 proto dhcp metric 100": True,
            "default dev ib0 scope link": True,
        },
        convert=lambda _: True,
        part="{interface}",
    ),
)


class DefaultRoutes(ReadingParser):
    kind: ClassVar[str] = "default-routes"
    facts = FACTS


PARSER = DefaultRoutes
