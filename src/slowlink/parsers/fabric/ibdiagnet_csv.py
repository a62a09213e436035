"""``ibdiagnet2.db_csv``: tables between ``START_NAME`` and ``END_NAME``, each with a line of column names.

ibdiagnet 2 of MFT and MLNX_OFED writes this file, which has many more tables and columns than these::

    START_NODES
    NodeDesc,NumPorts,NodeType,NodeGUID
    "MF0;leafa:MQM9700/U1",65,2,0x0c42a10300aa1000
    END_NODES
    START_PORTS
    NodeGuid,PortGuid,PortNum,LinkWidthActv,PortPhyState,PortState
    0x0c42a10300aa1000,0x0c42a10300aa1000,1,2,5,4
    END_PORTS

Read are NODES, PORTS, LINKS and PM_INFO, with columns by their names, in any order. States and widths are codes of the
specification. Tables name nodes by GUID; NODES, which comes first, has their descriptions.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.fabric import counters, names
from slowlink.parsers.fabric.gathered import Gathered
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import whole
from slowlink.patterns import regex

_BORDER = regex(r"(?P<edge>START|END)_(?P<table>[A-Z][A-Z0-9_]{1,60})")
_HEAD = regex(r"(?:NodeDesc|NodeGuid|NodeGUID|Scope|name)(?:\d)?,[\w ,./()\[\]#-]{1,4000}")
_ROW = regex(r'(?:0x[0-9a-f]{1,16}|"[^"\n]{0,200}"|[\w .;:/-]{1,100}),.{1,6000}')
_WANTED = frozenset({"NODES", "PORTS", "LINKS", "PM_INFO"})
_TYPES = {1: "ca", 2: "switch", 3: "router"}
_STATES = {1: "Down", 2: "Init", 3: "Armed", 4: "Active"}
_PHYSICAL = {1: "Sleep", 2: "Polling", 3: "Disabled", 4: "Training", 5: "LinkUp", 6: "LinkErrorRecovery", 7: "PhyTest"}
_WIDTHS = {1: 1, 2: 4, 4: 8, 8: 12, 16: 2}
"""Codes of PortInfo (InfiniBand Architecture Specification, volume 1)."""
_LONGEST = 8000
"""Characters of a row that are read."""
_MOST_NODES = Limit(200_000, "nodes")


class IbdiagnetCsv:
    """Nodes, states of ports, links and counters, each from its table."""

    kind: ClassVar[str] = "ibdiagnet-csv"
    literals: ClassVar[Literals] = Literals(
        ("\nSTART_", "\nEND_", "\nNodeDesc", "\nNodeG", "\nScope", "\nname,", "\nname0,", "\n0x", '\n"')
    )

    def __init__(self) -> None:
        self._found = Gathered()
        self._table = ""
        self._columns: list[str] = []
        self._names: dict[str, str] = {}

    @staticmethod
    def wants(text: str) -> bool:
        return (
            (text.startswith(("START_", "END_")) and _BORDER.fullmatch(text) is not None)
            or (text.count(",") >= 3 and (_HEAD.fullmatch(text) is not None or text.startswith(("0x", '"'))))
        )  # fmt: skip

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        border = _BORDER.fullmatch(line.text)
        if border is not None:
            self._table, self._columns = border["table"] if border["edge"] == "START" else "", []
            return Use.IGNORED
        if not self._table or _ROW.fullmatch(line.text) is None:
            return Use.NOT_MINE
        if self._table not in _WANTED:
            return Use.IGNORED
        cells = _cells(line.text[:_LONGEST])
        if not self._columns:
            self._columns = [cell.strip().lower() for cell in cells]
            return Use.IGNORED
        self._row(dict(zip(self._columns, (cell.strip() for cell in cells), strict=False)), line)
        return Use.USED

    def _row(self, row: Mapping[str, str], line: Line) -> None:
        if self._table == "NODES":
            self._node(row, line)
        elif self._table == "LINKS":
            ends = [self._port(row, f"nodeguid{end}", f"portnum{end}") for end in (1, 2)]
            if ends[0] and ends[1]:
                self._found.add("link-peer", names.port(*ends[0]), names.port(*ends[1]).name, line)
                self._found.add("link-peer", names.port(*ends[1]), names.port(*ends[0]).name, line)
        else:
            end = self._port(row, "nodeguid", "portnumber" if self._table == "PM_INFO" else "portnum")
            if end is not None:
                self._state(row, end, line) if self._table == "PORTS" else self._counters(row, end, line)

    def _node(self, row: Mapping[str, str], line: Line) -> None:
        node_guid = row.get("nodeguid", "")
        if whole(node_guid) is None or not _MOST_NODES.has_room(len(self._names)):
            return
        name = self._names[names.guid(node_guid)] = names.node_name(row.get("nodedesc", ""), node_guid)
        part, add = names.node(name), self._found.add
        add("fabric-node-guid", part, names.guid(node_guid), line)
        add("fabric-node-type", part, _TYPES.get(whole(row.get("nodetype", "")) or 0), line)
        add("fabric-node-ports", part, whole(row.get("numports", "")), line)

    def _port(self, row: Mapping[str, str], guid: str, number: str) -> tuple[str, int] | None:
        """Node and number of a port; None when the row does not say."""
        if whole(row.get(guid, "")) is None or (port := whole(row.get(number, ""))) is None or not 0 < port < 255:
            return None
        node_guid = names.guid(row[guid])
        return self._names.get(node_guid, node_guid), port

    def _state(self, row: Mapping[str, str], end: tuple[str, int], line: Line) -> None:
        part, add = names.port(*end), self._found.add
        up = whole(row.get("portstate", "")) or 0
        add("link-state", part, _STATES.get(up), line)
        add("link-physical-state", part, _PHYSICAL.get(whole(row.get("portphystate", "")) or 0), line)
        if up == 4:
            add("link-width", part, _WIDTHS.get(whole(row.get("linkwidthactv", "")) or 0), line)

    def _counters(self, row: Mapping[str, str], end: tuple[str, int], line: Line) -> None:
        told: dict[str, int] = {}
        for column, text in row.items():
            attribute, count = counters.attribute_of(column), whole(text)
            value = counters.in_unit(attribute, count) if attribute is not None and count is not None else None
            if attribute is not None and value is not None:
                told[attribute] = max(value, told.get(attribute, 0))
        for attribute, value in told.items():
            self._found.add(attribute, names.port(*end), value, line)

    def finish(self) -> Iterable[Reading]:
        return self._found.all


def _cells(text: str) -> list[str]:
    """The columns of a row; quotes hold commas in names."""
    try:
        return next(csv.reader([text]), [])
    except csv.Error:
        return text.split(",")


PARSER = IbdiagnetCsv
