"""What people print with shell loops over HCAs: a device's name, and values in the kernel's own spelling.

There is no program behind it and no fixed form; the values come from files below ``/sys/class/infiniband``::

    mlx5_0: 4: ACTIVE, 5: LinkUp, 400 Gb/sec (4X NDR)
    mlx5_1/1 state=1: DOWN phys_state=3: Disabled pci=0000:4b:00.0 numa=1
    === mlx5_2 ===
    4: ACTIVE
    200 Gb/sec (2X NDR)

The spelling of a value shows what it is. A name without a port is of port 1. A value on a line of its own belongs to
the device that was named a few lines above, and a prompt ends that: with no device before it, it is nobody's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar

from slowlink.catalog.attributes import attribute
from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms import rdma_values as rdma
from slowlink.parsers.forms.gates import Gate, at_start
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, bus_id, reading, says_something, whole
from slowlink.patterns import regex

GAP = 8
"""Lines that may be between a heading and its values."""

_START = regex(
    rf"\s{{0,20}}(?:[=#*-]{{1,10}} ?)?(?P<device>{rdma.RDMA_NAME})(?:(?:/|:| port | p)(?P<port>\d{{1,3}})\b(?! ?:))?"
    r"(?P<rest>(?:[\s:,=|-].{0,600})?)"
)
_MARKS = ("\n", *(f"{mark}{blank}" for mark in "=#*-" for blank in ("", " ")))
"""What may stand before the name of a device."""
_STATES = (
    *("DOWN", "INIT", "ARMED", "ACTIVE", "LinkUp", "Polling", "Disabled", "Sleep", "PortConfigurationTraining"),
    *("LinkErrorRecovery", "Phy Test"),
)
_STATE = r"\d: (?:DOWN|INIT|ARMED|ACTIVE(?:_DEFER)?)\b"
_PHYSICAL = r"\d: (?:LinkUp|Polling|Disabled|Sleep|PortConfigurationTraining|LinkErrorRecovery|Phy Test)\b"
_RATE = r"\d{1,4}(?:\.\d)? Gb/sec(?: \(\d{1,2}X \w{2,6}\))?"
_VALUE = regex(
    rf"(?P<state>{_STATE})|(?P<physical>{_PHYSICAL})|(?P<rate>{_RATE})|(?P<layer>\b(?:InfiniBand|Ethernet)\b)"
    r"|\b(?P<key>[a-z_]{2,20})=(?P<word>(?!\d: )[\w.:/-]{1,60})"
)
_BARE = regex(rf"\s{{0,20}}(?:{_STATE}|{_PHYSICAL}|{_RATE}|InfiniBand|Ethernet)\s{{0,8}}")
_PROMPT = regex(r"[\w.@:~/-]{0,120}[#$] |\[[^\[\]]{1,160}\][#$] ")
"""The next command: values below it are not of the device above it."""
_DECORATED = regex(r"\s{0,20}[=#*-].{0,80}|.{0,60}:\s{0,8}")


def _text(value: str) -> str | None:
    return value if says_something(value) else None


_TYPED: dict[str, tuple[tuple[str, Callable[[str], Value | None]], ...]] = {
    "state": (("port-state", rdma.port_state),),
    "physical": (("port-physical-state", rdma.physical_state),),
    "rate": (("port-rate", rdma.rate_gbit), ("port-width", rdma.width)),
    "layer": (("port-link-layer", rdma.link_layer),),
}
_WORDS: dict[str, tuple[str, Callable[[str], Value | None]]] = {
    "state": ("port-state", rdma.port_state),
    "phys_state": ("port-physical-state", rdma.physical_state),
    "physical_state": ("port-physical-state", rdma.physical_state),
    "rate": ("port-rate", rdma.rate_gbit),
    "link_layer": ("port-link-layer", rdma.link_layer),
    "lid": ("port-lid", rdma.lid),
    "sm_lid": ("port-sm-lid", rdma.lid),
    "mtu": ("port-mtu", rdma.mtu_bytes),
    "active_mtu": ("port-mtu", rdma.mtu_bytes),
    "netdev": ("port-netdev", _text),
    "pci": ("hca-bus-id", bus_id),
    "bdf": ("hca-bus-id", bus_id),
    "numa": ("hca-numa-node", whole),
    "numa_node": ("hca-numa-node", whole),
    "fw": ("hca-firmware", _text),
    "fw_ver": ("hca-firmware", _text),
    "board_id": ("hca-board-id", _text),
    "hca_type": ("hca-model", _text),
}


class HcaLoops:
    """Values of HCAs and ports on the line of a device's name, or on the lines just below it."""

    kind: ClassVar[str] = "port-loop"
    literals: ClassVar[Literals] = Literals(
        (
            *("# ", "$ ", "Gb/sec", "\nInfiniBand\n", "\nEthernet\n"),
            *(f"0: {state}" for state in _STATES),
            *(f"{mark}{start}" for mark in _MARKS for start in rdma.RDMA_STARTS),
        )
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._place: tuple[str, str] | None = None
        self._last = 0

    @staticmethod
    def gate() -> Gate:
        return ((at_start(_BARE, _PROMPT, _START),),)

    @staticmethod
    def wants(text: str) -> bool:
        if _BARE.fullmatch(text) or _PROMPT.match(text):
            return True
        start = _START.fullmatch(text)
        return start is not None and (_VALUE.search(start["rest"]) is not None or len(start["rest"]) < 12)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        if _PROMPT.match(line.text):
            self._place = None
            return Use.NOT_MINE
        start = _START.fullmatch(line.text)
        if start is not None:
            self._place, self._last = (start["device"], start["port"] or "1"), line.no
            if self._values(start["rest"], line):
                return Use.USED
            return Use.IGNORED if _DECORATED.fullmatch(line.text) and len(start["rest"]) < 12 else Use.NOT_MINE
        if self._place is not None and line.no - self._last <= GAP and _BARE.fullmatch(line.text):
            self._last = line.no
            return Use.USED if self._values(line.text, line) else Use.NOT_MINE
        return Use.NOT_MINE

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _values(self, text: str, line: Line) -> bool:
        before = len(self._found)
        for match in _VALUE.finditer(text):
            facts: tuple[tuple[str, Callable[[str], Value | None]], ...]
            if match["key"] is not None:
                word = _WORDS.get(match["key"])
                facts = (word,) if word is not None else ()
                said = match["word"]
            else:
                facts, said = _TYPED[match.lastgroup or ""], match[0]
            for name, convert in facts:
                self._add(name, convert(said), line)
        return len(self._found) > before

    def _add(self, name: str, value: Value | None, line: Line) -> None:
        if value is None or self._place is None or not MAX_READINGS.has_room(len(self._found)):
            return
        device, port = self._place
        kind = attribute(name).part
        part = Part(kind, device if kind == "hca" else f"{device}/{port}")
        self._found.append(reading(name, part, value, line))


PARSER = HcaLoops
