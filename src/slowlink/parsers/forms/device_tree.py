"""Trees of NUMA nodes, bridges and devices, as hwloc and NCCL draw them: which GPU is near which HCA.

The formats differ, the questions do not. A format says when a level begins and ends and what it is; the tree says where
each GPU and HCA sits and how each pair of them is joined, in the words of ``nvidia-smi topo -m``.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.make_reading import reading

MAX_DEVICES = Limit(128, "devices of one node")
"""GPUs and HCAs of one tree; pairs of them grow with the square."""
MAX_FACTS = Limit(4096, "facts of the devices of one node")
MAX_DEPTH = 64


class _Device(Struct, frozen=True):
    kind: str
    """``gpu``, ``hca`` or ``pci``."""
    name: str
    path: tuple[Level, ...]
    line: Line


class Level(Struct, eq=False):
    """One level on the way from the machine to a device."""

    kind: str
    """``machine`` (also packages and groups), ``cpu`` (what joins devices of one root: a host bridge, NCCL's cpu),
    ``bridge``, ``device``."""
    numa: list[int] = field(default_factory=list)
    """NUMA nodes that belong to this level itself."""
    bus_id: str | None = None


class DeviceTree:
    """Built from the top down; gives the readings of all GPUs and HCAs at the end."""

    def __init__(self, ports_of_switches: bool) -> None:
        """``ports_of_switches``: are the ports of a PCIe switch levels of their own (hwloc), or is a switch one level
        (NCCL)?"""
        self._near = 1 if ports_of_switches else 0
        self._open: list[Level] = []
        self._devices: list[_Device] = []
        self._more: list[Reading] = []

    @property
    def depth(self) -> int:
        """Levels that are open."""
        return len(self._open)

    def enter(self, kind: str, bus_id: str | None = None) -> None:
        """A level begins."""
        if len(self._open) < MAX_DEPTH:
            self._open.append(Level(kind, bus_id=bus_id))

    def leave(self, depth: int) -> None:
        """Everything below ``depth`` levels is over."""
        del self._open[max(depth, 0) :]

    def numa(self, number: int) -> None:
        """The level that is open has this NUMA node."""
        if self._open and number not in self._open[-1].numa:
            self._open[-1].numa.append(number)

    def device(self, kind: str, name: str, line: Line) -> None:
        """A GPU (its number), an HCA, or another PCI function (its bus id) is here. The first of a name counts."""
        known = any(each.kind == kind and each.name == name for each in self._devices)
        if not known and MAX_DEVICES.has_room(len(self._devices)):
            self._devices.append(_Device(kind, name, tuple(self._open), line))

    def add(self, attribute: str, part: Part, value: Value | None, line: Line) -> None:
        """What a line says of a device beside its place."""
        if value is not None and MAX_FACTS.has_room(len(self._more)):
            self._more.append(reading(attribute, part, value, line))

    def readings(self) -> Iterator[Reading]:
        """Bus ids, NUMA nodes, and how each GPU is joined to each HCA."""
        for each in self._devices:
            part = Part(each.kind, each.name)
            bus = next((level.bus_id for level in reversed(each.path) if level.kind == "device"), None)
            numa = _numa(each)
            if bus is not None and each.kind != "pci":
                yield reading(f"{each.kind}-bus-id", part, bus, each.line)
            if numa is not None:
                yield reading(f"{each.kind}-numa-node", part, numa, each.line)
        yield from self._more
        for gpu in (each for each in self._devices if each.kind == "gpu"):
            for hca in (each for each in self._devices if each.kind == "hca"):
                joined = self._joined(gpu, hca)
                if joined is not None:
                    yield reading("gpu-nic-link", Part("gpu-nic", f"{gpu.name}-{hca.name}"), joined, gpu.line)

    def _joined(self, gpu: _Device, hca: _Device) -> str | None:
        """``PIX PXB PHB NODE SYS``; None where the tree does not tell."""
        shared = [one for one, other in zip(gpu.path, hca.path, strict=False) if one is other]
        meets = shared[-1].kind if shared else "machine"
        if meets == "device":
            return "PIX"
        if meets == "bridge":
            between = max(_bridges(gpu, len(shared)), _bridges(hca, len(shared)))
            return "PIX" if between <= self._near else "PXB"
        if meets == "cpu":
            return "PHB"
        own, other = _numa(gpu), _numa(hca)
        if own is None or other is None:
            return None
        return "NODE" if own == other else "SYS"


def _bridges(device: _Device, start: int) -> int:
    return sum(1 for level in device.path[start:] if level.kind == "bridge")


def _numa(device: _Device) -> int | None:
    """The NUMA node of the innermost level that has any; None where that has several."""
    near = next((level.numa for level in reversed(device.path) if level.numa), [])
    return near[0] if len(near) == 1 else None
