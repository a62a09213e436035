"""``ibnetdiscover -p``: one line a port, with its peer where it has one.

The program is part of rdma-core (infiniband-diags/ibnetdiscover.c)::

    CA    21  1 0x0c42a10300aa0100 4x NDR - SW     7  1 0x0c42a10300aa1000 ( 'gpu01 mlx5_0' - 'leafa' )
    SW     7  1 0x0c42a10300aa1000 4x NDR - CA    21  1 0x0c42a10300aa0100 ( 'leafa' - 'gpu01 mlx5_0' )
    SW     7  5 0x0c42a10300aa1000 4x ???                                    'leafa'

The columns are type, LID, port, GUID, width and speed. Width and speed of a port without a peer are what it last had,
or noise: they are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.fabric import names, rates
from slowlink.parsers.fabric.gathered import Gathered
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

_TYPES = {"SW": "switch", "CA": "ca", "RT": "router"}
_STARTS = ("CA ", "SW ", "RT ", "?? ")
_PORT = regex(
    r"(?P<type>CA|SW|RT|\?\?)\s{1,8}(?P<lid>\d{1,6})\s{1,6}(?P<port>\d{1,3}) (?P<guid>0x[0-9a-f]{16})"
    r" (?P<width>[\d?]{1,2}x) (?P<speed>\S{1,12})(?:\s{1,60}'(?P<alone>.{0,120})'"
    r"| - (?:CA|SW|RT|\?\?)\s{1,8}\d{1,6}\s{1,6}(?P<peer>\d{1,3}) (?P<peer_guid>0x[0-9a-f]{16})"
    r" \( '(?P<name>.{0,120}?)' - '(?P<peer_name>.{0,120}?)' \))"
)


class IbNetDiscoverPorts:
    """Each line is one port: its peer, width and speed, and that it has none."""

    kind: ClassVar[str] = "ibnetdiscover-ports"
    literals: ClassVar[Literals] = Literals(f"\n{start}" for start in _STARTS)

    def __init__(self) -> None:
        self._found = Gathered()
        self._seen: set[str] = set()

    @staticmethod
    def wants(text: str) -> bool:
        return text.startswith(_STARTS) and _PORT.fullmatch(text) is not None

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        found = _PORT.fullmatch(line.text)
        if found is None:
            return Use.NOT_MINE
        connected = found["peer"] is not None
        node = names.node_name(found["name"] if connected else found["alone"], found["guid"])
        part, add = names.port(node, found["port"]), self._found.add
        self._node(node, found, line)
        add("link-lid", part, None if found["type"] == "SW" else int(found["lid"]), line)
        add("link-connected", part, connected, line)
        if connected:
            peer = names.port(names.node_name(found["peer_name"], found["peer_guid"]), found["peer"])
            add("link-peer", part, peer.name, line)
            add("link-width", part, rates.lanes(found["width"]), line)
            add("link-speed", part, rates.lane_speed(found["speed"]), line)
        return Use.USED

    def _node(self, node: str, found: re.Match[str], line: Line) -> None:
        if node in self._seen or found["type"] not in _TYPES:
            return
        self._seen.add(node)
        self._found.add("fabric-node-type", names.node(node), _TYPES[found["type"]], line)
        if found["type"] == "SW":
            self._found.add("fabric-node-lid", names.node(node), int(found["lid"]), line)

    def finish(self) -> Iterable[Reading]:
        return self._found.all


PARSER = IbNetDiscoverPorts
