"""PCIe bridges: which a hypervisor emulates, and of which it is known what lies below them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from slowlink.facts.pci.tree import PciTree
from slowlink.model.facts import Readings
from slowlink.model.state import Part, Reading
from slowlink.patterns import regex

_EMULATED = regex("qemu|red hat|vmware|virtio|hyper-v", re.IGNORECASE)
Carried = Mapping[str, Mapping[str, Sequence[str]]]
"""Node -> bridge -> GPUs and HCAs below it."""


def emulated_bridges(places: Readings | None) -> set[tuple[str | None, Part]]:
    """Bridges that a hypervisor emulates: what is set in them redirects nothing."""
    named = (r for r in (places.all if places is not None else ()) if r.attribute == "pci-device")
    return {(r.host, r.part) for r in named if _EMULATED.search(str(r.value))}


def is_placed(reading: Reading, trees: dict[str, PciTree]) -> bool:
    """Is it known what lies below this device? Devices that are no bridges pass nothing on. A listing of bridges alone
    (``lspci -s BRIDGE``) leaves out what is below them."""
    tree = trees.get(reading.host or "")
    if tree is None or reading.part.name.startswith("#") or tree.only_bridges:
        return False
    return reading.part.name in tree.listed or tree.roles.get(reading.part.name, "bridge") != "bridge"
