"""Who manages the subnet: sminfo, and the state of a subnet manager in ``opensm.log``.

Sources: rdma-core, infiniband-diags/sminfo.c; OpenSM, opensm/osm_sm_state_mgr.c and osm_log.c::

    sminfo: sm lid 7 sm guid 0xc42a10300aa1000, activity count 90 priority 14 state 3 SMINFO_MASTER
    Jan 01 12:00:00 100200 [1A2B3C40] 0x03 -> OpenSM 5.17.2
    Jan 01 12:00:01 100200 [1A2B3C40] 0x80 -> Entering STANDBY state
    Jan 01 12:00:04 100200 [1A2B3C40] 0x02 -> SUBNET UP

A log does not say which manager wrote it, and a subnet may have several: standby is a healthy state of all but
one. An sminfo that fails shows that no manager answered. Other lines of the log are known and not read.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.fabric import names
from slowlink.parsers.fabric.gathered import Gathered
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import NODE
from slowlink.patterns import regex

_STATES = {"MASTER": "master", "STANDBY": "standby", "DISCOVERING": "discovering", "NOTACTIVE": "not active"}
_SMINFO = regex(
    r"(?:sminfo: )?sm lid (?P<lid>\d{1,6}) sm guid (?P<guid>0x[0-9a-f]{1,16}), activity count \d{1,12}"
    r" priority (?P<priority>\d{1,3}) state \d{1,2} SMINFO_(?P<state>\w{1,20})"
)
_SMINFO_FAILED = regex(r"sminfo: iberror: .{0,40}failed: .{0,200}")
_THIS = "this subnet manager"
"""The name of the manager that wrote a log: the log does not say which one it is."""
_STAMP = r"(?:\w{3} [ \d]\d \d\d:\d\d:\d\d \d{1,6} )?\[[0-9A-F]{1,16}\] 0x[0-9a-f]{1,2} -> "
_LOG = regex(_STAMP + r"(?P<message>.{0,600})")
_VERSION = regex(r"OpenSM (?P<version>\d[\w.-]{0,60})")
_SIZE = regex(
    r"fabric_dump_general_info:\s{1,4}- Fabric has (?P<cas>\d{1,6}) CAs, \d{1,6} CA ports \(.{1,60}?,"
    r" (?P<switches>\d{1,6}) switches"
)
_ROUTING = regex(r"osm_ucast_mgr_process: (?P<engine>\S{1,40}) tables configured on all switches")
_ENTERING = regex(r"Entering (?P<state>MASTER|STANDBY|DISCOVERING|NOT-ACTIVE) state")


class OpenSm:
    """State, priority and version of subnet managers, and whether one answered."""

    kind: ClassVar[str] = "opensm"
    literals: ClassVar[Literals] = Literals(("] 0x", "SMINFO_", "sminfo: iberror"))

    def __init__(self) -> None:
        self._found = Gathered()

    @staticmethod
    def wants(text: str) -> bool:
        return (
            ("] 0x" in text and " -> " in text and _LOG.fullmatch(text) is not None)
            or "SMINFO_" in text
            or text.startswith("sminfo: iberror")
        )

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text.strip()
        if (found := _SMINFO.fullmatch(text)) is not None:
            part, add = names.node(names.by_lid(found["lid"])), self._found.add
            add("sm-reachable", NODE, True, line)
            add("sm-state", part, _STATES.get(found["state"]), line)
            add("sm-priority", part, int(found["priority"]), line)
            add("fabric-node-guid", part, names.guid(found["guid"]), line)
            return Use.USED
        if _SMINFO_FAILED.fullmatch(text) is not None:
            self._found.add("sm-reachable", NODE, False, line)
            return Use.USED
        log = _LOG.fullmatch(text)
        return self._log(log["message"].strip(), line) if log is not None else Use.NOT_MINE

    def _log(self, message: str, line: Line) -> Use:
        add = self._found.add
        if (found := _VERSION.fullmatch(message)) is not None:
            add("sm-version", NODE, found["version"], line)
        elif (found := _SIZE.match(message)) is not None:
            add("fabric-cas", NODE, int(found["cas"]), line)
            add("fabric-switches", NODE, int(found["switches"]), line)
        elif (found := _ROUTING.match(message)) is not None:
            add("sm-routing", NODE, found["engine"], line)
        elif message.startswith("SUBNET UP"):
            add("sm-subnet-up", NODE, True, line)
        elif message.startswith(("SM port is down", "Exiting SM")):
            add("sm-subnet-up", NODE, False, line)
            add("sm-state", names.node(_THIS), "not active", line)
        elif (found := _ENTERING.match(message)) is not None:
            state = found["state"].replace("-", "")
            add("sm-state", names.node(_THIS), _STATES[state], line)
        else:
            return Use.IGNORED
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        return self._found.all


PARSER = OpenSm
