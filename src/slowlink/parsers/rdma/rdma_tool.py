"""``rdma link``, ``rdma dev``, ``rdma statistic show`` and ``rdma resource show`` of iproute2.

Sources: iproute2, ``rdma/{link,dev,stat,res}.c``. One line is one port or one HCA, as pairs of a key and a value::

    link mlx5_0/1 subnet_prefix fe80:0000:0000:0000 lid 17 sm_lid 3 lmc 0 state ACTIVE physical_state LINK_UP
    link mlx5_1/1 state DOWN physical_state DISABLED netdev ens3np0 netdev_index 7
    link mlx5_1/1 rx_write_requests 7 out_of_sequence 2 np_cnp_sent 5
    0: mlx5_0: node_type ca fw 28.43.2026 node_guid a088:c203:00aa:0010 sys_image_guid a088:c203:00aa:0010

Before iproute2 5, lines of ``rdma link`` began with ``0/1: mlx5_0/1:`` instead of ``link mlx5_0/1``. ``-d`` wraps
lines, and what it adds is not read. ``-p`` prints each counter on a line of its own below its link. The link layer is
not printed: only InfiniBand has LIDs, only Ethernet a netdev. Many print the columns of ``rdma link`` that they want
(``awk '{print $2, $4, $6}'``): ``mlx5_0/1 ACTIVE LINK_UP``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms import rdma_values as rdma
from slowlink.parsers.forms.gates import Gate, as_whole
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading, says_something
from slowlink.parsers.forms.port_counters import attribute_of, count
from slowlink.patterns import regex

_LINK = regex(
    r"\s{0,20}(?:link |\d{1,4}/\d{1,3}: )(?P<device>[A-Za-z][\w.-]{1,40})/(?P<port>\d{1,3}):? {1,4}"
    r"(?P<rest>\S.{0,4000})"
)
_DEVICE = regex(r"\s{0,20}\d{1,4}: (?P<device>[A-Za-z][\w.-]{1,40}): (?P<rest>(?:node_type|qp|cq|pd|mr) .{0,2000})")
_HEADING = regex(r"\s{0,20}link (?P<device>[A-Za-z][\w.-]{1,40})/(?P<port>\d{1,3})\s{0,8}")
_PRETTY = regex(r"\s{2,12}(?P<name>[A-Za-z][A-Za-z0-9_]{3,50}) {1,4}(?P<count>\d{1,20})\s{0,8}")
"""``-p`` puts every counter on a line of its own below its link."""
_PHYSICAL = ("LINK_UP", "DISABLED", "POLLING")
_COLUMNS = regex(
    r"\s{0,8}(?P<device>[A-Za-z][\w.-]{1,40})/(?P<port>\d{1,3}) (?P<state>ACTIVE|DOWN|INIT|ARMED)"
    rf" (?P<physical>{'|'.join(_PHYSICAL)})\s{{0,8}}"
)
_SYSTEM = regex(r"netns (?:shared|exclusive)(?: (?:copy-on-fork|privileged-qkey|monitor) (?:on|off)){0,4}\s{0,8}")
GAP = 4
_WORDS = {
    "state": "port-state",
    "physical_state": "port-physical-state",
    "netdev": "port-netdev",
    "lid": "port-lid",
    "sm_lid": "port-sm-lid",
    "fw": "hca-firmware",
    "node_guid": "hca-node-guid",
    "sys_image_guid": "hca-system-guid",
}


def converted(name: str, text: str) -> Value | None:
    """The value of a word of the ``rdma`` tool in its attribute's spelling."""
    if name in ("node_guid", "sys_image_guid"):
        return rdma.guid(text)
    if name in ("lid", "sm_lid"):
        return rdma.lid(text)
    if name == "state":
        return rdma.port_state(text)
    if name == "physical_state":
        return rdma.physical_state(text)
    return text if says_something(text) else None


def facts_of(name: str, text: str) -> tuple[str, Value] | None:
    """(attribute, value) of one pair of words; None for one that says nothing here."""
    attribute = _WORDS.get(name)
    value: Value | None
    if attribute is not None:
        value = converted(name, text)
    else:
        attribute = attribute_of(name)
        value = count(name, text) if attribute is not None else None
    return (attribute, value) if attribute is not None and value is not None else None


def link_layer_of(names: Iterable[str]) -> str | None:
    """The link layer that a link's words imply: with LIDs it is InfiniBand, with a netdev alone Ethernet, else None."""
    names = set(names)
    if names & {"subnet_prefix", "lid", "sm_lid"}:
        return "InfiniBand"
    return "Ethernet" if "netdev" in names else None


class RdmaTool:
    """Ports, HCAs and counters of the text form; ``rdma_json`` reads the other one with the same words."""

    kind: ClassVar[str] = "rdma"
    literals: ClassVar[Literals] = Literals(
        ("\nlink ", "\n0/0: ", "\n0: ", " 0\n", "\nnetns ", *(f" {state}" for state in _PHYSICAL))
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._port: Part | None = None
        """Whose counters follow, one on a line."""
        self._last = 0

    @staticmethod
    def gate() -> Gate:
        return ((as_whole(_LINK, _DEVICE, _HEADING, _PRETTY, _SYSTEM, _COLUMNS),),)

    @staticmethod
    def wants(text: str) -> bool:
        return any(pattern.fullmatch(text) for pattern in (_LINK, _DEVICE, _HEADING, _PRETTY, _SYSTEM, _COLUMNS))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        link = _LINK.fullmatch(line.text)
        match = link or _DEVICE.fullmatch(line.text)
        if match is None:
            columns = _COLUMNS.fullmatch(line.text)
            return self._columns(columns, line) if columns is not None else self._pretty(line)
        device = match["device"]
        self._port = None
        port = Part("port", f"{device}/{int(match['port'])}") if link is not None else None
        used = False
        words = match["rest"].split()
        layer = link_layer_of(words) if port is not None else None
        if port is not None and layer is not None and MAX_READINGS.has_room(len(self._found)):
            self._found.append(reading("port-link-layer", port, layer, line))
        for name, text in pairwise(words):
            found = facts_of(name, text)
            if found is None or not MAX_READINGS.has_room(len(self._found)):
                continue
            part = Part("hca", device) if found[0].startswith("hca-") else port
            if part is not None:
                self._found.append(reading(found[0], part, found[1], line))
                used = True
        return Use.USED if used else Use.IGNORED

    def _columns(self, columns: re.Match[str], line: Line) -> Use:
        port = Part("port", f"{columns['device']}/{int(columns['port'])}")
        for name, text in (("state", columns["state"]), ("physical_state", columns["physical"])):
            found = facts_of(name, text)
            if found is not None and MAX_READINGS.has_room(len(self._found)):
                self._found.append(reading(found[0], port, found[1], line))
        return Use.USED

    def _pretty(self, line: Line) -> Use:
        heading, counter = _HEADING.fullmatch(line.text), _PRETTY.fullmatch(line.text)
        if heading is not None:
            self._port, self._last = Part("port", f"{heading['device']}/{int(heading['port'])}"), line.no
            return Use.IGNORED
        if counter is None or self._port is None or line.no - self._last > GAP:
            return Use.IGNORED if _SYSTEM.fullmatch(line.text) else Use.NOT_MINE
        self._last = line.no
        fact = facts_of(counter["name"], counter["count"])
        if fact is None or not MAX_READINGS.has_room(len(self._found)):
            return Use.IGNORED
        self._found.append(reading(fact[0], self._port, fact[1], line))
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        return self._found


PARSER = RdmaTool
