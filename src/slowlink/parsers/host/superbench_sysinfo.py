"""The system report of SuperBench (``sb node info``): one JSON object of a node's parts, with tools' texts as values::

    {"Accelerator": {"gpu_count": "8", "nvidia_info": {"driver_version": "535.129.03", "cuda_version": "12.2"}},
     "CPU": {"Model name": "AMD EPYC 7V12 64-Core Processor", "NUMA node(s)": "4"},
     "Network": {"ofed_version": "MLNX_OFED_LINUX-23.07-0.5.1.2:"},
     "System": {"kernel_parameters": {"kernel.numa_balancing": "0"}}}

Only what bears on collectives is read: GPUs and the paths between them, driver, peer memory, CPU and NUMA. What
``lspci``, ``sysctl``, ``ibv_devinfo -v`` and ``nvidia-smi -q -x`` printed is read as their own output; the report keeps
the last three as objects. All values are text, numbers too. A part whose command was missing is null or absent.

Source: SuperBench, ``superbench/tools/system_info.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar
from xml.sax.saxutils import escape, quoteattr

from slowlink.model.job import Observation
from slowlink.model.source import Ref
from slowlink.model.state import Reading
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.gpu.topology_matrix import matrix_in
from slowlink.patterns import regex

_PARTS = ("Accelerator", "CPU", "Network", "System")
_PEER_MODULES = frozenset({"nv_peer_mem", "nvidia_peermem", "ib_peer_mem"})
_LINK = regex(r"\b(?:NV\d{1,3}|PIX|PXB|PHB|NODE|SYS)\b")
_ELEMENT = regex(r"[a-z][a-z0-9_]{0,60}")
_DEEPEST = 8
_MAX_VALUES = Limit(100_000, "values")
"""Values of one document that are looked at when something is counted."""

_SCALARS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("gpus", "node", ("Accelerator", "gpu_count")),
    ("driver-version", "gpu", ("Accelerator", "nvidia_info", "driver_version")),
    ("cuda-version", "gpu", ("Accelerator", "nvidia_info", "cuda_version")),
    ("peer-memory-version", "module", ("Accelerator", "nv_peer_mem_version")),
    ("fabric-manager-version", "node", ("Accelerator", "nvidia-fabricmanager_version")),
    ("cpu-model", "node", ("CPU", "Model name")),
    ("numa-nodes", "node", ("CPU", "NUMA node(s)")),
    ("ofed-version", "node", ("Network", "ofed_version")),
    ("kernel-release", "kernel", ("System", "kernel_parameters", "kernel.osrelease")),
)
"""Kind and subject of the observation, and the keys that lead to its value."""

_TEXTS = (("PCIe", "pcie_info"), ("PCIe", "pcie_topo"))
_SYSCTL = ("kernel.numa_balancing",)


class SuperbenchSysinfo:
    """Picks the values out of one report; what is not there gives no observation."""

    kind: ClassVar[str] = "superbench-sysinfo"

    @staticmethod
    def wants_document(value: object) -> bool:
        return isinstance(value, dict) and sum(isinstance(value.get(part), dict) for part in _PARTS) >= 3

    @staticmethod
    def texts(value: object) -> Iterator[str]:
        for keys in _TEXTS:
            text = _at(value, keys)
            if isinstance(text, str):
                yield text
        for name in _SYSCTL:
            if (setting := _at(value, ("System", "kernel_parameters", name))) is not None:
                yield f"{name} = {setting}"
        yield "\n".join(_indented(_at(value, ("Network", "ib", "ib_device_info"))))
        gpus = _at(value, ("Accelerator", "nvidia_info"))
        if isinstance(gpus, Mapping) and "gpu" in gpus:
            yield "\n".join(_MAX_VALUES.first(_elements("nvidia_smi_log", gpus)))

    def read(self, value: object, source: str, line: int) -> Iterable[Observation | Reading]:
        ref = Ref(source, line)
        for kind, subject, keys in _SCALARS:
            found = _at(value, keys)
            if isinstance(found, str) and found.strip():
                yield Observation(kind, subject, found.strip()[:400], None, ref)
        modules = _at(value, ("System", "kernel_modules"))
        for module in modules if isinstance(modules, list) else ():
            name = _at(module, ("Module",))
            if name in _PEER_MODULES:
                yield Observation("peer-memory-loaded", "module", str(name), None, ref)
        topology = _at(value, ("Accelerator", "topo"))
        yield from _links(topology, ref)
        if isinstance(topology, str):
            yield from matrix_in(topology, source, line)
        ports = _port_states(_at(value, ("Network", "ib", "ib_device_info")))
        if ports:
            active = sum(state.startswith("PORT_ACTIVE") for state in ports)
            yield Observation("ib-ports", "node", str(len(ports)), None, ref)
            yield Observation("ib-ports-active", "node", str(active), None, ref)


def _at(value: object, keys: Iterable[str]) -> object:
    for key in keys:
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def _indented(value: object, depth: int = 0) -> Iterator[str]:
    """Objects in objects as the lines that they were made of."""
    for key, below in value.items() if isinstance(value, Mapping) and depth < _DEEPEST else ():
        if isinstance(below, Mapping):
            yield "\t" * depth + str(key)
            yield from _indented(below, depth + 1)
        else:
            yield "\t" * depth + f"{key}:\t{below}"


def _elements(name: str, value: object, depth: int = 0) -> Iterator[str]:
    """The XML that xmltodict made ``value`` of: an element a line. Keys with ``@`` are attributes, lists are elements
    of one name. Clocks that a GPU could have say nothing about it and are most of the document."""
    if depth > _DEEPEST or name == "supported_clocks" or not _ELEMENT.fullmatch(name):
        return
    if isinstance(value, list):
        for each in value:
            yield from _elements(name, each, depth + 1)
    elif isinstance(value, Mapping):
        address = value.get("@id")
        yield f"<{name} id={quoteattr(address)}>" if isinstance(address, str) else f"<{name}>"
        for key, below in value.items():
            yield from _elements(str(key), below, depth + 1)
        yield f"</{name}>"
    elif isinstance(value, str):
        yield f"<{name}>{escape(' '.join(value.split()))}</{name}>"


def _links(text: object, ref: Ref) -> Iterator[Observation]:
    """Distinct links between GPUs in the matrix of ``nvidia-smi topo -m``, one observation each."""
    rows = [line.split() for line in (text if isinstance(text, str) else "")[:100_000].splitlines()]
    rows = [cells for cells in rows if "X" in cells and re.fullmatch(r"GPU\d{1,3}", cells[0])]
    kinds = {cell for cells in rows for cell in cells[1 : len(rows) + 1] if _LINK.fullmatch(cell)}
    for kind in sorted(kinds):
        yield Observation("gpu-link", "node", kind, None, ref)


def _port_states(value: object) -> list[str]:
    """Every ``state: PORT_...`` below ``value``."""
    states: list[str] = []
    waiting = [value]
    looked_at = 0
    while waiting and _MAX_VALUES.has_room(looked_at):
        looked_at += 1
        below = waiting.pop()
        if isinstance(below, Mapping):
            states += [s for key, s in below.items() if key == "state" and isinstance(s, str) and "PORT_" in s]
            waiting.extend(below.values())
        elif isinstance(below, list):
            waiting.extend(below)
    return states


DOCUMENT = SuperbenchSysinfo
