"""``lstopo`` of hwloc as text: NUMA nodes, PCIe bridges, and the devices below them::

    Machine (2015GB total)
      Package L#0
        NUMANode L#0 (P#0 1007GB)
        HostBridge
          PCIBridge
            PCIBridge
              PCIBridge
                PCI 1b:00.0 (3D)
                  CoProc(CUDA) "cuda0"
                  GPU(NVML) "nvml0"
              PCIBridge
                PCI 1c:00.0 (InfiniBand)
                  Net "ib0"
                  OpenFabrics "mlx5_0"

The indentation is the tree. hwloc 1 puts devices below ``NUMANode``, later versions beside it; ``-v`` has the bus id in
brackets, and hwloc 3 ``OSDev[CoProc,GPU]``. A GPU is known by its number with CUDA, NVML or RSMI. An installation
without these shows a PCI device only, of which the NUMA node is read.

Source: hwloc 1.11 to 3.0, ``hwloc/traversal.c`` (names of objects), ``utils/lstopo/lstopo-text.c``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.device_tree import DeviceTree
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import bus_id
from slowlink.patterns import regex

GAP = 20
"""Lines of a tree come together; after a longer gap something else begins."""
MAX_TREES = Limit(20_000, "trees of devices")
_NAMES = (
    *("Machine", "Package", "Socket", "Group", "Die", "NUMANode", "MemCache", "Core", "PU", "HostBridge", "PCIBridge"),
    *("Bridge", "PCI", "Net", "OpenFabrics", "CoProc", "GPU", "Block", "DMA", "Memory", "Misc", "OSDev"),
)
_OBJECT = regex(
    rf"(?P<indent> {{0,120}})(?:\d{{1,5}} x \{{ )?(?P<name>{'|'.join(_NAMES)}|Group\d{{1,3}}|L\d[di]?(?:Cache)?)"
    r"(?P<rest>(?:[ (\[].{0,600})?)"
)
_SUMMARY = regex(r"\s{0,8}(?:Special )?depth -?\d{1,3}:\s{1,20}\d{1,7} \w{1,20}(?: \(type #\d{1,3}\))?")
_BUS = regex(r"(?:busid=)?(?P<bus>(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])\b")
_NUMA = regex(r"NUMANode (?:L#\d{1,5} )?\(?P#(?P<number>\d{1,5})")
"""Also where objects of one child are drawn on one line: ``Package L#0 + NUMANode L#0 (P#0 31GB)``."""
_QUOTED = regex(r'"(?P<name>[\w.-]{1,40})"\s{0,4}}?\s{0,4}$')
_GPU = regex(r"(?:cuda|nvml|rsmi)(?P<number>\d{1,4})")
_STATE = regex(r"\bPort(?P<port>\d{1,2})State=(?P<state>\d)\b")
_CLASS = regex(r"\((?:3D|Display|InfiniBand|Ethernet|Network|Fabric|Co-?Proc\w{0,8}|Processing ?Accelerators?)\)")
"""Kinds of PCI devices that carry a job's data."""
_LEVELS = {"HostBridge": "cpu", "PCIBridge": "bridge", "Bridge": "bridge", "PCI": "device"}
STATES = {"1": "Down", "2": "Init", "3": "Armed", "4": "Active"}


class HwlocText:
    """Reads each tree from its ``Machine`` line on."""

    kind: ClassVar[str] = "hwloc"
    literals: ClassVar[Literals] = Literals(
        (
            *("0 x { ", "\nL0", "\ndepth ", "\nSpecial depth "),
            *(f"\n{name}" for name in _NAMES),
        )
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._tree: DeviceTree | None = None
        self._indents: list[int] = []
        """Of each level that is open."""
        self._last = self._trees = 0

    @staticmethod
    def wants(text: str) -> bool:
        return len(text) < 800 and (_OBJECT.fullmatch(text) is not None or _SUMMARY.fullmatch(text) is not None)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        found = _OBJECT.fullmatch(line.text[:800])
        if found is None:
            return Use.IGNORED if _SUMMARY.fullmatch(line.text) and self._tree is not None else Use.NOT_MINE
        if found["name"] == "Machine" and found["rest"][:2] in ("", " (", " L", " P"):
            self._close()
            self._tree, self._indents, self._trees = DeviceTree(ports_of_switches=True), [], self._trees + 1
        if self._tree is None or (line.no - self._last > GAP and found["name"] != "Machine"):
            self._close()
            return Use.NOT_MINE
        self._last = line.no
        return self._object(self._tree, found, line)

    def finish(self) -> Iterable[Reading]:
        self._close()
        return self._found

    def _object(self, tree: DeviceTree, found: re.Match[str], line: Line) -> Use:
        indent, name, rest = len(found["indent"]), found["name"], found["rest"]
        while self._indents and self._indents[-1] >= indent:
            self._indents.pop()
        tree.leave(len(self._indents))
        numa = _NUMA.search(found[0])
        if numa is not None:
            tree.numa(int(numa["number"]))  # of the level that holds it: devices stand beside it, or below
        if name in ("Net", "OpenFabrics", "CoProc", "GPU", "OSDev"):
            return self._software(tree, name, rest, line)
        bus = _BUS.search(rest) if name == "PCI" else None
        address = bus_id(bus["bus"]) if bus is not None else None
        tree.enter(_LEVELS.get(name, "machine"), address)
        if numa is not None:
            tree.numa(int(numa["number"]))
        self._indents.append(indent)
        if address is None or _CLASS.search(rest) is None:
            return Use.IGNORED
        tree.device("pci", address, line)
        return Use.USED

    @staticmethod
    def _software(tree: DeviceTree, name: str, rest: str, line: Line) -> Use:
        """What the operating system calls a device."""
        quoted = _QUOTED.search(rest)
        if quoted is None:
            return Use.IGNORED
        gpu = _GPU.fullmatch(quoted["name"])
        if gpu is not None:
            tree.device("gpu", gpu["number"], line)
        elif name == "OpenFabrics" or "OpenFabrics" in rest[:40]:
            tree.device("hca", quoted["name"], line)
            for port in _STATE.finditer(rest):
                part = Part("port", f"{quoted['name']}/{port['port']}")
                tree.add("port-state", part, STATES.get(port["state"]), line)
        else:
            return Use.IGNORED
        return Use.USED

    def _close(self) -> None:
        if self._tree is not None and MAX_TREES.has_room(self._trees - 1):
            self._found.extend(self._tree.readings())
        self._tree = None


PARSER = HwlocText
