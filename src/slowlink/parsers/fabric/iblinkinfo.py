"""iblinkinfo: every port of every node, linked or not, under a heading for each node, or one line a link (``-l``).

The program is part of rdma-core (infiniband-diags/iblinkinfo.c)::

    CA: gpu01 mlx5_0:
          0x0c42a10300aa0100     21    1[  ] ==( 4X  106.25 Gbps Active/  LinkUp)==>  7   1[  ] "leafa" ( )
    Switch: 0x0c42a10300aa1000 leafa:
               7    1[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>      21    1[  ] "gpu01 mlx5_0" ( )
               7    2[  ] ==( 1X        106.25 Gbps Active/  LinkUp)==>      22    1[  ] "gpu02 mlx5_0" (Could be 4X)
               7    3[  ] ==(                Down/ Polling)==>             [  ] "" ( )

The speed is of one lane. ``-l`` does not tell switches from adapters: what has several ports under one GUID is a
switch. ``--diff`` puts ``< `` and ``> `` before lines: what the saved picture had, and what is there now. Versions
before 1.6 have no colon after ``Switch``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.fabric import names
from slowlink.parsers.fabric.gathered import Gathered
from slowlink.parsers.fabric.link_line import LinkLine, link_line, read_link
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

_TYPES = {"Switch": "switch", "CA": "ca", "Router": "router"}
_ENOUGH = 2
"""Ports under one GUID that are kept: two show that it is a switch."""
_STARTS = ("Switch: 0x", "Switch 0x", "CA: ", "Router: ")
_HEADING = regex(r"(?P<type>Switch|CA|Router)(?:: | (?=0x))(?:(?P<guid>0x[0-9a-f]{1,16}) )?(?P<name>.{0,160}):")


class IbLinkInfo:
    """Width, speed, states and far end of each port, and which nodes are switches."""

    kind: ClassVar[str] = "iblinkinfo"
    literals: ClassVar[Literals] = Literals((")==>", *(f"\n{start}" for start in _STARTS)))

    def __init__(self) -> None:
        self._found = Gathered()
        self._owner: re.Match[str] | None = None
        self._named: set[str] = set()
        self._listed: dict[str, list[tuple[LinkLine, Line]]] = {}
        """The first ports of each GUID of ``-l``, which does not tell switches from adapters."""

    @staticmethod
    def wants(text: str) -> bool:
        if ")==>" in text and "] ==(" in text:
            return "Link info:" not in text
        return text.startswith(_STARTS) and _HEADING.fullmatch(text) is not None

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        heading = _HEADING.fullmatch(line.text.strip())
        if heading is not None:
            self._owner = heading
            return Use.USED
        found = link_line(line.text)
        if found is None:
            return Use.NOT_MINE
        name = self._name_of(found, line)
        if name:
            part = names.port(name, found.port)
            self._found.add("link-guid", part, names.guid(found.own_guid) if found.own_guid else None, line)
            read_link(found, part, line, self._found)
        return Use.USED if name else Use.IGNORED

    def _name_of(self, found: LinkLine, line: Line) -> str:
        """The node whose port this is; "" when its heading is cut off."""
        if found.own_name:
            ports = self._listed.setdefault(found.own_guid, [])
            if len(ports) < _ENOUGH:
                ports.append((found, line))
            name, kind = names.node_name(found.own_name, found.own_guid), ""
        elif self._owner is not None:
            name = names.node_name(self._owner["name"], self._owner["guid"] or found.own_guid)
            kind = _TYPES[self._owner["type"]]
        else:
            return ""
        if name not in self._named:
            self._named.add(name)
            node = names.node(name)
            self._found.add("fabric-node-type", node, kind or None, line)
            if kind == "switch":
                self._found.add("fabric-node-lid", node, found.lid, line)
        if kind == "ca" and found.lid:
            self._found.add("link-lid", names.port(name, found.port), found.lid, line)
        return name

    def _types(self) -> None:
        """All ports of a switch have one GUID, those of an adapter have their own, and a switch at the other end."""
        names_of = {guid: names.node_name(rows[0][0].own_name, guid) for guid, rows in self._listed.items()}
        switches = {names_of[guid] for guid, rows in self._listed.items() if len({row.port for row, _ in rows}) > 1}
        for guid, rows in self._listed.items():
            row, line = rows[0]
            node = names.node(names_of[guid])
            if node.name in switches:
                self._found.add("fabric-node-type", node, "switch", line)
                self._found.add("fabric-node-lid", node, row.lid, line)
            elif row.remote is not None and names.node_name(row.remote["name"], row.remote["guid"] or "") in switches:
                self._found.add("fabric-node-type", node, "ca", line)
                self._found.add("link-lid", names.port(node.name, row.port), row.lid or None, line)

    def finish(self) -> Iterable[Reading]:
        self._types()
        self._listed = {}
        return self._found.all


PARSER = IbLinkInfo
