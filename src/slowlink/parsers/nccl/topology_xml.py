"""NCCL's topology as XML (``NCCL_TOPO_DUMP_FILE``, and what providers give for ``NCCL_TOPO_FILE``)::

    <system version="1">
      <cpu host_hash="0x4bd8c1f2" numaid="0" affinity="0000ffff" arch="x86_64" vendor="GenuineIntel">
        <pci busid="0000:15:00.0" class="0x060400" vendor="0x1000" link_speed="32.0 GT/s PCIe" link_width="16">
          <pci busid="0000:1b:00.0" class="0x030200" vendor="0x10de" link_speed="32.0 GT/s PCIe" link_width="16">
            <gpu dev="0" sm="90" rank="0" gdr="1">
              <nvlink target="0000:05:00.0" count="18" tclass="0x068000"/>
            </gpu>
          </pci>
          <pci busid="0000:1c:00.0" class="0x020700" vendor="0x15b3" link_speed="32.0 GT/s PCIe" link_width="16">
            <nic>
              <net name="mlx5_0" dev="0" speed="400000" port="1" latency="0" guid="0x8a0" maxconn="262144" gdr="1"/>
            </nic>
          </pci>
        </pci>
      </cpu>
    </system>

A PCIe switch is one level here, and ``cpu`` is a NUMA node. Speeds of a network device are Mb/s. ``link_speed`` and
``link_width`` are what the slot and the device can use together, not what is in use. A socket's device is an interface.

Source: NCCL 2.5 to 2.29, ``src/graph/xml.cc``, ``src/graph/topo.cc``.
"""

from __future__ import annotations

import re
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part
from slowlink.parsers.forms.device_tree import DeviceTree
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.make_reading import bus_id, number
from slowlink.parsers.forms.xml_trees import Element, XmlTrees
from slowlink.patterns import regex

_TAG = regex(
    r"\s{0,200}<(?P<close>/)?(?P<name>system|cpu|pci|gpu|nic|net|nvlink|xgmi|c2c|pcilink|nvs|mcgroup|mcdev|coll|ginswitch)"
    r"(?P<attributes>(?:\s[^<>]{0,2000})?)>\s{0,20}"
)
_HCA = regex(r"(?:mlx\d|bnxt_re|rdmap|efa|irdma|ionic|hfi|cxi|rocep|ibp|roce|qedr|erdma|hns|xsc|mthca)[\w.-]{0,40}")
_INTERFACE = regex(r"(?:eth|en|ib|bond|gpu|nic|hsn|net|br)[\w.-]{0,40}")
_LEVELS = {"cpu": "cpu", "pci": "bridge"}


class NcclTopologyXml(XmlTrees):
    """Follows the elements of each system."""

    kind: ClassVar[str] = "nccl-topology"
    tag: ClassVar[re.Pattern[str]] = _TAG
    root: ClassVar[str] = "system"
    ports_of_switches: ClassVar[bool] = False

    def __init__(self) -> None:
        super().__init__()
        self._pending: tuple[str | None, dict[str, str]] = None, {}
        """The PCI function of a device: its bus id and its link."""

    def element(self, tree: DeviceTree, element: Element, line: Line) -> Use:
        if element.name in _LEVELS:
            self._level(tree, element)
            return Use.IGNORED
        if element.closes:
            return Use.IGNORED
        return self._device(tree, element.name, element.told, line)

    def _level(self, tree: DeviceTree, element: Element) -> None:
        if element.closes:
            tree.leave(tree.depth - 1)
            return
        name, told = element.name, element.told
        bus, code = bus_id(told.get("busid", "")), told.get("class", "")
        is_device = name == "pci" and code.startswith(("0x03", "0x02", "0x12", "0x0b"))
        tree.enter("device" if is_device else _LEVELS[name], bus if is_device else None)
        numa = told.get("numaid", "")
        if name == "cpu" and numa.isdecimal():
            tree.numa(int(numa[:6]))
        self._pending = bus, told
        if element.empty:
            tree.leave(tree.depth - 1)

    def _device(self, tree: DeviceTree, name: str, told: dict[str, str], line: Line) -> Use:
        device = told.get("dev", "")
        if name == "gpu" and device.isdecimal():
            tree.device("gpu", str(int(device[:6])), line)
            self._slot(tree, Part("gpu", str(int(device[:6]))), line)
        elif name == "net" and told.get("name"):
            return self._network(tree, told, line)
        else:
            return Use.IGNORED
        return Use.USED

    def _network(self, tree: DeviceTree, told: dict[str, str], line: Line) -> Use:
        name, port = told["name"], told.get("port", "")
        rate = (number(told.get("speed", "")) or 0.0) / 1000
        if _HCA.fullmatch(name):
            tree.device("hca", name, line)
            self._slot(tree, Part("hca", name), line)
            tree.add("port-rate", Part("port", f"{name}/{port if port.isdecimal() else 1}"), rate or None, line)
        elif _INTERFACE.fullmatch(name):
            tree.add("interface-speed", Part("interface", name), rate or None, line)
        else:
            return Use.IGNORED  # several HCAs as one, or a name that nothing tells from another
        return Use.USED

    def _slot(self, tree: DeviceTree, part: Part, line: Line) -> None:
        """What the PCIe link of the function that holds this device can be."""
        _, told = self._pending
        width = told.get("link_width", "")
        tree.add("pcie-speed-max", part, number(told.get("link_speed", "")) or None, line)
        tree.add("pcie-width-max", part, int(width[:3]) if width.isdecimal() and int(width) else None, line)


PARSER = NcclTopologyXml
