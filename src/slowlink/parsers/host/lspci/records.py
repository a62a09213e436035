"""Records of ``lspci -vmm``: one key and value a line, separated by a tab, a blank line between devices."""

from __future__ import annotations

from slowlink.catalog.pci import role_of
from slowlink.model.state import Value
from slowlink.parsers.forms.make_reading import bus_id
from slowlink.parsers.host.lspci.devices import Device
from slowlink.patterns import regex

_LINE = regex(
    r"(?P<key>Slot|Class|Vendor|Device|SVendor|SDevice|Rev|ProgIf|Driver|Module|NUMANode|IOMMUGroup|PhySlot):\t"
    r"(?P<value>.{1,300})$"
)
Said = list[tuple[Device, str, Value]]
"""(device, attribute, value)."""


def record_line(text: str) -> tuple[str, str] | None:
    """(key, value) of a line of a record; None for any other line."""
    found = _LINE.match(text)
    return None if found is None else (found["key"], found["value"].strip())


class Record:
    """The record that is being read. A device is known once slot, class, vendor and name have gone by."""

    def __init__(self) -> None:
        self._values: dict[str, str] = {}

    def feed(self, key: str, value: str) -> Said:
        """What this line says of its device."""
        if key == "Slot":
            self._values = {}
        self._values[key] = value
        device = self._device()
        if device is None or device.role == "other":
            return []
        if key == "Device":
            return [(device, "pci-role", device.role), (device, "pci-device", device.name)]
        if device.role == "bridge":
            return []
        if key == "Driver":
            return [(device, "pci-driver", value[:60])]
        if key == "NUMANode" and value.isascii() and value.isdecimal() and len(value) < 5:
            return [(device, "pci-numa-node", int(value))]
        return [(device, "iommu-group", value[:8])] if key == "IOMMUGroup" else []

    def _device(self) -> Device | None:
        values = self._values
        address = bus_id(values.get("Slot", ""))
        if address is None or not {"Class", "Vendor", "Device"} <= values.keys():
            return None
        name = f"{values['Vendor']} {values['Device']}"
        return Device(address, name, role_of(values["Class"], name))
