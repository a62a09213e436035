"""``mst status -v``: HCAs with their PCI address, interface and NUMA node.

The program is part of NVIDIA Firmware Tools (MFT)::

    MST modules:
        MST PCI configuration module loaded
    DEVICE_TYPE             MST                           PCI       RDMA            NET                       NUMA
    ConnectX7(rev:0)        /dev/mst/mt4129_pciconf0      17:00.0   mlx5_0          net-ib0                   1

Without ``-v`` there is no such table, and nothing is read. A device may lack the columns RDMA, NET and NUMA: a row
without an RDMA device has nothing to name its readings by, and is only known. NET lists all interfaces of the device
with commas between them; the first is that of port 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms import rdma_values as rdma
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, bus_id, reading, whole
from slowlink.patterns import regex

_ROW = regex(
    r"(?P<card>[A-Za-z][\w -]{2,40}?)\(rev:\w{1,4}\)\s{1,20}(?P<mst>/dev/mst/\S{1,60}|NA)\s{1,40}"
    rf"(?P<bus>[0-9a-fA-F:.]{{7,16}})(?:\s{{1,20}}(?P<device>{rdma.RDMA_NAME}))?(?:\s{{1,40}}net-(?P<net>[\w.,@-]{{1,120}}))?"
    r"(?:\s{1,40}(?P<numa>-?\d{1,3}))?\s{0,8}"
)
_SILENT = regex(
    r"(?:DEVICE_TYPE {2,40}MST .{0,200}|PCI [Dd]evices:|MST modules:|\s{1,8}MST PCI.{0,60}module.{0,20}loaded)\s{0,8}"
)


class MstStatus:
    """Each row of the table is one HCA: its card, PCI address, NUMA node, and the interface of its first port."""

    kind: ClassVar[str] = "mst"
    literals: ClassVar[Literals] = Literals(
        ("(rev:", "DEVICE_TYPE", "PCI Devices:", "PCI devices:", "MST modules:", "MST PCI")
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []

    @staticmethod
    def wants(text: str) -> bool:
        return _ROW.fullmatch(text) is not None or _SILENT.fullmatch(text) is not None

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        match = _ROW.fullmatch(line.text)
        if match is None:
            known = _SILENT.fullmatch(line.text) is not None
            return Use.IGNORED if known else Use.NOT_MINE
        if match["device"] is None or not MAX_READINGS.has_room(len(self._found)):
            return Use.IGNORED
        hca = Part("hca", match["device"])
        self._add("hca-card", hca, rdma.card(match["card"]) or match["card"].strip(), line)
        self._add("hca-bus-id", hca, bus_id(match["bus"]), line)
        self._add("hca-numa-node", hca, whole(match["numa"] or ""), line)
        if match["net"]:
            self._add("port-netdev", Part("port", f"{match['device']}/1"), match["net"].split(",")[0], line)
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _add(self, name: str, part: Part, value: Value | None, line: Line) -> None:
        if value is not None:
            self._found.append(reading(name, part, value, line))


PARSER = MstStatus
