"""``opainfo`` of Omni-Path: state, speed, lanes, LIDs and packets of each port.

The program is part of opa-ff (Intel, now Cornelis Networks)::

    hfi1_0:1                           PortGID:0xfe80000000000000:00117501010a0b0c
       PortState:     Active
       LinkSpeed      Act: 25Gb         En: 25Gb
       LinkWidth      Act: 4            En: 4
       LinkWidthDnGrd ActTx: 4  Rx: 4   En: 3,4
       LID: 0x0000000b-0x0000000b       SM LID: 0x00000002 SL: 0
       Xmit Data:               17 MB Pkts:                   18

``Act`` is what the link does and ``En`` what it may do. LinkSpeed is of one lane: the rate is that times the lanes.
LinkWidthDnGrd shows each direction's lanes that are left after some were dropped while the link stayed up; the fewer
of both count, and this reading comes after the one of LinkWidth.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms import rdma_values as rdma
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading, whole
from slowlink.patterns import regex

GAP = 12

_FIRST = regex(r"(?P<device>hfi\d{1,2}_\d{1,3}):(?P<port>\d{1,3})\s{1,60}Port(?:GID|GUID):\S{1,60}\s{0,8}")
_STATE = regex(r"\s{1,12}PortState:\s{1,12}(?P<state>\w{2,20})\b.{0,120}")
_SPEED = regex(r"\s{1,12}LinkSpeed\s{1,12}Act: (?P<speed>\d{1,4}(?:\.\d{1,3})?)Gb .{0,80}")
_WIDTH = regex(r"\s{1,12}LinkWidth\s{1,12}Act: (?P<width>\d)\b.{0,80}")
_LESS = regex(r"\s{1,12}LinkWidthDnGrd\s{1,12}ActTx: (?P<tx>\d)\s{1,8}Rx: (?P<rx>\d)\b.{0,80}")
_LID = regex(r"\s{1,12}LID: (?P<lid>0x[0-9a-f]{1,8})\S{0,20}\s{1,20}SM LID: (?P<sm>0x[0-9a-f]{1,8})\b.{0,60}")
_PACKETS = regex(r"\s{1,12}(?P<side>Xmit|Recv) Data:\s{1,24}\d{1,20} MB Pkts:\s{1,24}(?P<packets>\d{1,20})\s{0,8}")
_SILENT = regex(r"\s{1,20}(?:LCRC\s{1,12}Act:|QSFP |Link Quality: |Integrity Mgmt|PortGUID:).{0,160}")
_ALL = (_FIRST, _STATE, _SPEED, _WIDTH, _LESS, _LID, _PACKETS, _SILENT)


class OpaInfo:
    """Ports of ``opainfo``: a line that begins with the HCA and port opens one, indented lines are of it."""

    kind: ClassVar[str] = "opainfo"
    literals: ClassVar[Literals] = Literals(
        (
            *("PortGID:", "PortGUID:", "\nPortState:", "\nLinkSpeed", "\nLinkWidth", "\nLID: 0x", "\nXmit Data:"),
            *("\nRecv Data:", "\nLCRC", "\nQSFP ", "\nLink Quality: ", "\nIntegrity Mgmt"),
        )
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._port: Part | None = None
        self._speed: float | None = None
        self._last = 0

    @staticmethod
    def wants(text: str) -> bool:
        return any(pattern.fullmatch(text) for pattern in _ALL)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        first = _FIRST.fullmatch(line.text)
        if first is not None:
            self._port, self._speed, self._last = Part("port", f"{first['device']}/{int(first['port'])}"), None, line.no
            return Use.IGNORED
        if self._port is None or line.no - self._last > GAP:
            return Use.NOT_MINE
        use = self._more(self._port, line)
        if use is not Use.NOT_MINE:
            self._last = line.no
        return use

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _more(self, port: Part, line: Line) -> Use:
        state, speed, lid = (pattern.fullmatch(line.text) for pattern in (_STATE, _SPEED, _LID))
        width, packets = self._lanes(line.text), _PACKETS.fullmatch(line.text)
        if state is not None:
            return self._add(port, {"port-state": rdma.port_state(state["state"])}, line)
        if speed is not None:
            self._speed = float(speed["speed"])
            return Use.IGNORED
        if width is not None:
            rate = self._speed * width if self._speed else None
            return self._add(port, {"port-width": width or None, "port-rate": rate or None}, line)
        if lid is not None:
            return self._add(port, {"port-lid": rdma.lid(lid["lid"]), "port-sm-lid": rdma.lid(lid["sm"])}, line)
        if packets is not None:
            side = "xmit" if packets["side"] == "Xmit" else "rcv"
            return self._add(port, {f"port-{side}-packets": whole(packets["packets"])}, line)
        return Use.IGNORED if _SILENT.fullmatch(line.text) else Use.NOT_MINE

    @staticmethod
    def _lanes(text: str) -> int | None:
        """Lanes in use; the lesser of both directions."""
        width, less = _WIDTH.fullmatch(text), _LESS.fullmatch(text)
        if less is not None:
            return min(int(less["tx"]), int(less["rx"]))
        return int(width["width"]) if width is not None else None

    def _add(self, port: Part, values: dict[str, Value | None], line: Line) -> Use:
        said = [reading(name, port, value, line) for name, value in values.items() if value is not None]
        if not said or not MAX_READINGS.has_room(len(self._found)):
            return Use.IGNORED
        self._found.extend(said)
        return Use.USED


PARSER = OpaInfo
