"""``ibdev2netdev``, plain and ``-v``: which network interface belongs to which port of an HCA.

The script comes with MLNX_OFED and DOCA. ``-v`` puts the PCI address, the board and its firmware around the plain
form::

    mlx5_0 port 1 ==> ens1np0 (Up)
    0000:18:00.0 mlx5_1 (MT4129 - MCX75310AAS) ConnectX-7 400Gb/s  fw 28.43.2026 port 1 (ACTIVE) ==> ib1 (Down)

The word at the end is the state of the network interface and not of the port: an InfiniBand port may be active while
IPoIB on it is down. Only ``-v`` shows the state of the port, before the arrow.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms import rdma_values as rdma
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, bus_id, reading

_TAIL = re.compile(
    r"\bport (?P<port>\d{1,3})(?: \((?P<state>[A-Za-z_]{2,16}) {0,8}\))? {1,4}==> {0,4}(?P<netdev>[\w.@-]{1,40})?"
    r"(?: {0,4}\((?P<up>[A-Za-z]{0,12})\))?\s{0,8}$"
)
_PLAIN = re.compile(r"\s{0,40}(?P<device>[A-Za-z][\w.-]{1,40}) {1,4}$")
_VERBOSE = re.compile(
    r"\s{0,40}(?P<bus>[0-9a-fA-F:.]{7,16}) {1,4}(?P<device>[A-Za-z][\w.-]{1,40}) \((?P<type>[\w.]{1,20})"
    r"(?: - (?P<board>[\w./ -]{1,60}?) {0,8})?\)(?P<text>.{0,400}?)(?:\bfw (?P<firmware>[\w.]{1,30}))? {0,8}$"
)


class Ibdev2Netdev:
    """Each line is one port: its interface and that one's state, and with ``-v`` the HCA that it is on."""

    kind: ClassVar[str] = "ibdev2netdev"
    literals: ClassVar[Literals] = Literals(("==>",))

    def __init__(self) -> None:
        self._found: list[Reading] = []

    @staticmethod
    def wants(text: str) -> bool:
        return "==>" in text and len(text) < 2000 and _TAIL.search(text) is not None

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        tail = _TAIL.search(line.text) if "==>" in line.text else None
        if tail is None or not MAX_READINGS.has_room(len(self._found)):
            return Use.NOT_MINE
        head = line.text[: tail.start()]
        match = _PLAIN.fullmatch(head) or _VERBOSE.fullmatch(head)
        if match is None:
            return Use.NOT_MINE
        device = match["device"]
        port = Part("port", f"{device}/{int(tail['port'])}")
        self._add("port-netdev", port, tail["netdev"], line)
        if tail["state"]:
            self._add("port-state", port, rdma.port_state(tail["state"]), line)
        if tail["netdev"] and tail["up"]:
            self._add("interface-state", Part("interface", tail["netdev"]), tail["up"].lower(), line)
        if match.re is _VERBOSE:
            self._board(match, Part("hca", device), line)
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _board(self, match: re.Match[str], hca: Part, line: Line) -> None:
        self._add("hca-bus-id", hca, bus_id(match["bus"]), line)
        self._add("hca-model", hca, match["type"], line)
        self._add("hca-board", hca, match["board"], line)
        self._add("hca-name", hca, match["text"].strip(), line)
        self._add("hca-card", hca, rdma.card(match["text"]), line)
        self._add("hca-firmware", hca, match["firmware"], line)

    def _add(self, name: str, part: Part, value: Value | None, line: Line) -> None:
        if value is not None and value != "":
            self._found.append(reading(name, part, value, line))


PARSER = Ibdev2Netdev
