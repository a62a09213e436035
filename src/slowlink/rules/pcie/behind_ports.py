"""What stands at a PCI address: a GPU, an HCA, a port above one, or something that carries no collective."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from slowlink.facts.pci.tree import PciTree, pci_trees
from slowlink.facts.placing.part_names import pci_address
from slowlink.facts.readings import by_attribute
from slowlink.model.facts import Readings
from slowlink.patterns import regex

_GPU_DRIVER = regex(r"(?:nvidia|amdgpu|xe|i915|habanalabs|metax|mxcd|mthreads)[\w-]{0,12}")
_HCA_DRIVER = regex(r"(?:mlx\d_core|bnxt_(?:en|re)|ice|irdma|efa|hfi1|cxi_\w{2,6}|ionic)")
_BRIDGE_DRIVER = "pcieport"
GPU, HCA, PORT, OTHER, UNKNOWN = "GPU", "HCA", "port above", "other", ""


class Devices(Struct, frozen=True):
    """Kinds of the devices that readings and messages name, by node and address."""

    kinds: Mapping[tuple[str | None, str], str]
    trees: Mapping[str, PciTree]

    def kind_of(self, node: str | None, address: str) -> str:
        """``GPU``, ``HCA``, ``port above`` (one of them), ``other``, or "" where nothing tells."""
        known = self.kinds.get((node, address), UNKNOWN)
        if known:
            return known
        if node is None:
            everywhere = {kind for (_, each), kind in self.kinds.items() if each == address}
            if len(everywhere) == 1:
                return everywhere.pop()
        tree = self.trees.get(node or "") or (next(iter(self.trees.values())) if len(self.trees) == 1 else None)
        if tree is None:
            return UNKNOWN
        if address in tree.carrying:
            return PORT
        role = tree.roles.get(address, "")
        return {"gpu": GPU, "hca": HCA, "bridge": UNKNOWN, "": UNKNOWN}.get(role, OTHER)


def devices(places: Readings | None, drivers: Iterable[tuple[str | None, str, str]]) -> Devices:
    """``places``: readings of ``pci-role``, ``pci-buses``, ``gpu-bus-id``, ``hca-bus-id``. ``drivers``: (node, address,
    driver) as messages print them; the driver of a device says what it is."""
    kinds: dict[tuple[str | None, str], str] = {}
    for attribute, kind in (("gpu-bus-id", GPU), ("hca-bus-id", HCA)):
        for reading in by_attribute(places, attribute) if places is not None else ():
            kinds[reading.host, pci_address(str(reading.value))] = kind
    for node, address, driver in drivers:
        kind = kind_of_driver(driver)
        if kind:
            kinds.setdefault((node, address), kind)
    return Devices(kinds, pci_trees(places) if places is not None else {})


def kind_of_driver(driver: str) -> str:
    """What the driver's name says of its device; "" for a bridge's, and where there is none."""
    if _GPU_DRIVER.fullmatch(driver):
        return GPU
    if _HCA_DRIVER.fullmatch(driver):
        return HCA
    return OTHER if driver not in ("", "pci", _BRIDGE_DRIVER) else UNKNOWN
