"""hwloc's XML (``lstopo --of xml``): NUMA nodes, PCIe bridges, and the devices below them::

    <topology version="2.0">
      <object type="Machine" os_index="0">
        <info name="HostName" value="gpu07"/>
        <object type="Package" os_index="0">
          <object type="NUMANode" os_index="0" local_memory="1081000000000"/>
          <object type="Bridge" bridge_type="0-1" depth="0" bridge_pci="0000:[15-1f]">
            <object type="Bridge" bridge_type="1-1" depth="1" pci_busid="0000:15:01.0" bridge_pci="0000:[16-1f]">
              <object type="PCIDev" pci_busid="0000:1b:00.0" pci_type="0302 [10de:2330] [10de:16c1] a1">
                <object type="OSDev" name="cuda0" osdev_type="5"/>
              </object>
              <object type="PCIDev" pci_busid="0000:1c:00.0" pci_type="0207 [15b3:1021] [15b3:0021] 00">
                <object type="OSDev" name="mlx5_0" osdev_type="3">
                  <info name="Port1State" value="4"/>
                </object>
              </object>
            </object>
          </object>
        </object>
      </object>
    </topology>

A bridge of type ``0-1`` is a host bridge. OS devices are known by their type: 3 is an HCA, 1 and 5 are GPUs, which go
by the number that CUDA, NVML or RSMI gives them.

Source: hwloc 1.11 to 3.0, ``hwloc/topology-xml.c``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from msgspec.structs import replace

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.device_tree import DeviceTree
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.make_reading import bus_id
from slowlink.parsers.forms.xml_trees import Element, XmlTrees
from slowlink.patterns import regex

_TAG = regex(
    r"\s{0,200}<(?P<close>/)?(?P<name>topology|object|info|page_type|distances2?|indexes|u64values|support|userdata"
    r"|latency|cpukind|memattr)\b(?P<attributes>[^<>]{0,4000})>(?P<rest>.{0,2000})"
)
_GPU = regex(r"(?:cuda|nvml|rsmi)(?P<number>\d{1,4})")
_STATE = regex(r"Port(?P<port>\d{1,2})State")
STATES = {"1": "Down", "2": "Init", "3": "Armed", "4": "Active"}
_OPENFABRICS = ("3", "OpenFabrics")


class HwlocXml(XmlTrees):
    """Follows the objects of each topology."""

    kind: ClassVar[str] = "hwloc-xml"
    tag: ClassVar[re.Pattern[str]] = _TAG
    root: ClassVar[str] = "topology"
    ports_of_switches: ClassVar[bool] = True

    def __init__(self) -> None:
        super().__init__()
        self._objects: list[tuple[bool, str]] = []
        """Of each object that is open: is it a level of the tree, and which HCA it is."""
        self._host = ""

    def begins(self, root: Element) -> bool:
        self._objects = []
        # A <topology> of memory attributes or distances carries an id of its own.
        return not root.closes and not root.told.keys() & {"clusters", "id"}

    def element(self, tree: DeviceTree, element: Element, line: Line) -> Use:
        if element.name == "object":
            return self._end(tree) if element.closes else self._begin(tree, element, line)
        if element.name == "info":
            return self._info(tree, element.told, line)
        return Use.IGNORED

    def readings(self, tree: DeviceTree) -> Iterable[Reading]:
        host, self._host = self._host, ""
        return [replace(one, host=host) if host else one for one in tree.readings()]

    def _begin(self, tree: DeviceTree, element: Element, line: Line) -> Use:
        told = element.told
        kind, name = told.get("type", ""), told.get("name", "")
        use, level, hca = Use.IGNORED, True, ""
        number = told.get("os_index", "")
        if kind == "NUMANode" and number.isdecimal():
            tree.numa(int(number[:6]))
        if kind == "OSDev":
            level, gpu = False, _GPU.fullmatch(name)
            if gpu is not None:
                tree.device("gpu", gpu["number"], line)
                use = Use.USED
            elif told.get("osdev_type") in _OPENFABRICS and name:
                tree.device("hca", name[:60], line)
                use, hca = Use.USED, name[:60]
        else:
            tree.enter(_level(kind, told), bus_id(told.get("pci_busid", "")) if kind == "PCIDev" else None)
            if kind == "NUMANode" and number.isdecimal():
                tree.numa(int(number[:6]))
        self._objects.append((level, hca))
        if element.empty:
            self._end(tree)
        return use

    def _end(self, tree: DeviceTree) -> Use:
        if self._objects and self._objects.pop()[0]:
            tree.leave(tree.depth - 1)
        return Use.IGNORED

    def _info(self, tree: DeviceTree, told: dict[str, str], line: Line) -> Use:
        name, value = told.get("name", ""), told.get("value", "")
        state = _STATE.fullmatch(name)
        if state is not None and self._objects and (hca := self._objects[-1][1]):
            tree.add("port-state", Part("port", f"{hca}/{state['port']}"), STATES.get(value), line)
            return Use.USED
        if name == "HostName" and value:
            self._host = value[:200]
        return Use.IGNORED


def _level(kind: str, told: dict[str, str]) -> str:
    if kind == "Bridge":
        return "cpu" if told.get("bridge_type", "").startswith("0-") else "bridge"
    return "device" if kind == "PCIDev" else "machine"


PARSER = HwlocXml
