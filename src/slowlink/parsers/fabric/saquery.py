"""saquery: records of the subnet administrator, in blocks of ``name.......value``.

The program is part of rdma-core (infiniband-diags/saquery.c)::

    NodeRecord dump:
                    lid.....................0x7
                    node_type...............Switch
                    num_ports...............65
                    node_guid...............0x0c42a10300aa1000
                    port_num................0
                    NodeDescription.........leafa

Records of nodes, ports and subnet managers are read. Those of paths and others say what is possible, not what is;
they are known. Names of fields differ between records and versions (``lid``, ``LID``); case is ignored.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.fabric import names, rates
from slowlink.parsers.fabric.gathered import Gathered
from slowlink.parsers.forms.gates import Gate, as_whole
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import NODE, whole
from slowlink.patterns import regex

_HEADING = regex(r"(?P<record>[A-Z]\w{1,40}) ?(?:Record )?(?:group |member )?dump:|SA ClassPortInfo:")
_FIELD = regex(r"(?:\t{1,3} {0,4}| {8,32})(?P<name>\w[\w ]{0,40}?)\.{2,60}(?P<value>[^.].{0,200}|)")
_PART = regex(r"(?:\t{1,3}| {8,32})(?:RID|[A-Z]\w{1,40} dump:)")
"""Heads of the parts of a record."""
_FAILED = regex(
    r'Failed to find lid for ".{1,200}": .{1,200}|saquery: .{0,40}(?:Query SA failed|Failed to bind).{0,200}'
)
_TYPES = {"Channel Adapter": "ca", "Switch": "switch", "Router": "router"}
_SM_STATES = {"0": "not active", "1": "discovering", "2": "standby", "3": "master"}


class SaQuery:
    """What a record says, once it is complete: its name is its last field."""

    kind: ClassVar[str] = "saquery"
    literals: ClassVar[Literals] = Literals(
        ("..", "\nRID", " dump:", "dump:\n", "ClassPortInfo:\n", "\nFailed to find lid", "\nsaquery: ")
    )

    def __init__(self) -> None:
        self._found = Gathered()
        self._record = ""
        self._fields: dict[str, tuple[str, Line]] = {}

    @staticmethod
    def gate() -> Gate:
        return ((as_whole(_FIELD, _PART, _HEADING, _FAILED),),)

    @staticmethod
    def wants(text: str) -> bool:
        if text.startswith(("\t", " " * 8)):
            return _FIELD.fullmatch(text) is not None or _PART.fullmatch(text) is not None
        if text.endswith(("dump:", "ClassPortInfo:")):
            return _HEADING.fullmatch(text) is not None
        return text.startswith(("Failed to find lid", "saquery: ")) and _FAILED.fullmatch(text) is not None

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        heading = _HEADING.fullmatch(line.text)
        if heading is not None:
            self._end()
            self._record = (heading["record"] or "ClassPortInfo").removesuffix("Record")
            return Use.USED
        if _FAILED.fullmatch(line.text) is not None or (self._record and _PART.fullmatch(line.text) is not None):
            return Use.IGNORED
        field = _FIELD.fullmatch(line.text)
        if field is None or not self._record:
            return Use.NOT_MINE
        self._fields[field["name"].lower()] = field["value"].strip(), line
        return Use.USED

    def _end(self) -> None:
        """Read the block that is complete now."""
        fields, self._fields = self._fields, {}
        reader = {"Node": self._node, "PortInfo": self._port, "SMInfo": self._sm_info}.get(self._record)
        if reader is not None and "lid" in fields and whole(fields["lid"][0]) is not None:
            reader(fields)

    def _node(self, fields: dict[str, tuple[str, Line]]) -> None:
        description, line = fields.get("nodedescription", ("", fields["lid"][1]))
        if not description:
            return
        node_guid = fields.get("node_guid", ("", line))[0]
        name, kind = names.node_name(description, node_guid), _TYPES.get(fields.get("node_type", ("", line))[0])
        part, lid = names.node(name), whole(fields["lid"][0])
        add = self._found.add
        add("fabric-node-type", part, kind, line)
        add("fabric-node-guid", part, names.guid(node_guid) if whole(node_guid) is not None else None, line)
        add("fabric-node-ports", part, whole(fields.get("num_ports", ("", line))[0]), line)
        if kind == "switch":
            add("fabric-node-lid", part, lid, line)
        elif (number := whole(fields.get("port_num", ("", line))[0])) is not None and number < 256:
            add("link-lid", names.port(name, number), lid, line)

    def _port(self, fields: dict[str, tuple[str, Line]]) -> None:
        lid, line = fields["lid"]
        number = whole(fields.get("port", fields.get("portnum", ("", line)))[0])
        if number is None or number > 255 or not lid.isascii():
            return
        part = names.port(names.by_lid(whole(lid) or 0), number)
        for field, attribute in (("state", "link-state"), ("link_width_active", "link-width")):
            if field in fields:
                text, at = fields[field]
                self._found.add(attribute, part, rates.state(text) if field == "state" else rates.lanes(text), at)

    def _sm_info(self, fields: dict[str, tuple[str, Line]]) -> None:
        lid, line = fields["lid"]
        part = names.node(names.by_lid(whole(lid) or 0))
        self._found.add("sm-reachable", NODE, True, line)
        if "smstate" in fields:
            self._found.add("sm-state", part, _SM_STATES.get(fields["smstate"][0][:1]), fields["smstate"][1])
        if "priority" in fields:
            self._found.add("sm-priority", part, whole(fields["priority"][0]), fields["priority"][1])

    def finish(self) -> Iterable[Reading]:
        self._end()
        return self._found.all


PARSER = SaQuery
