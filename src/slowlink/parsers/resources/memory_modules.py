"""Memory modules as ``dmidecode -t memory`` (or ``-t 17``) lists them::

    Memory Device
            Size: 64 GB
            Locator: DIMM_A1
            Bank Locator: NODE 0 CHANNEL 0
            Speed: 5600 MT/s
            Configured Memory Speed: 4800 MT/s

``Speed`` is what the module is made for, the configured one what the firmware chose: lower is usual where two modules
share a channel, so nodes are compared and no module is accused. Older versions say ``MHz`` and ``Configured Clock
Speed`` for the same numbers.

Source: dmidecode 2.12 to 3.6, ``dmidecode.c`` (type 17).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading
from slowlink.patterns import regex

_BEGIN = regex(r"\s{0,8}Memory Device\s{0,8}")
_HANDLE = regex(r"Handle 0x[0-9A-Fa-f]{4,8}, DMI type \d{1,3}, \d{1,4} bytes\s{0,8}")
_FIELD = regex(r"\s{1,16}(?P<key>[A-Z][\w /()-]{2,40}): {0,4}(?P<value>.{0,120})")
_SPEED = regex(r"(?P<value>\d{3,6}) (?:MT/s|MHz)\s{0,4}")
_SIZE = regex(r"(?P<value>\d{1,9}) (?P<unit>[kMGT]B)\s{0,4}")
_GIGABYTES = {"kB": 1 / (1 << 20), "MB": 1 / 1024, "GB": 1.0, "TB": 1024.0}
_SPEEDS = {
    "Speed": "memory-module-speed-rated",
    "Configured Memory Speed": "memory-module-speed",
    "Configured Clock Speed": "memory-module-speed",
}
_KEYS = (
    *("Array Handle", "Error Information Handle", "Total Width", "Data Width", "Size", "Form Factor", "Set", "Locator"),
    *(
        "Bank Locator",
        "Type",
        "Type Detail",
        "Speed",
        "Manufacturer",
        "Serial Number",
        "Asset Tag",
        "Part Number",
        "Rank",
    ),
    *("Configured Memory Speed", "Configured Clock Speed", "Minimum Voltage", "Maximum Voltage", "Configured Voltage"),
    *("Memory Technology", "Memory Operating Mode Capability", "Firmware Version", "Module Manufacturer ID"),
    *("Module Product ID", "Memory Subsystem Controller Manufacturer ID", "Memory Subsystem Controller Product ID"),
    *(
        "Non-Volatile Size",
        "Volatile Size",
        "Cache Size",
        "Logical Size",
        "PMIC0 Manufacturer ID",
        "RCD Manufacturer ID",
    ),
)
_REACH = 50


class MemoryModules:
    """Remembers the slot that the lines are about; its name comes behind its size."""

    kind: ClassVar[str] = "dmidecode"
    literals: ClassVar[Literals] = Literals(
        ("Memory Device", "\nHandle 0", *(f"\n{key}:" for key in _KEYS), *(f" {key}:" for key in _KEYS))
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._began = 0
        self._size: tuple[float, Line] | None = None
        self._locator = ""
        self._slot: Part | None = None

    @staticmethod
    def wants(text: str) -> bool:
        field = _FIELD.fullmatch(text)
        return (field is not None and field["key"] in _KEYS) or any(p.fullmatch(text) for p in (_BEGIN, _HANDLE))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        if _BEGIN.fullmatch(line.text):
            self._began, self._size, self._locator, self._slot = line.no, None, "", None
            return Use.IGNORED
        if _HANDLE.fullmatch(line.text):
            self._began = 0
            return Use.IGNORED
        field = _FIELD.fullmatch(line.text)
        if field is None or not self._began or line.no - self._began > _REACH:
            return Use.NOT_MINE
        return self._field(field["key"], field["value"].strip(), line)

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _field(self, key: str, value: str, line: Line) -> Use:
        speed, size = _SPEED.fullmatch(value), _SIZE.fullmatch(value)
        if key == "Size" and (size is not None or value == "No Module Installed"):
            self._size = float(size["value"]) * _GIGABYTES[size["unit"]] if size is not None else 0.0, line
        elif key == "Locator":
            self._locator = value
        elif key == "Bank Locator":
            self._slot = Part("dimm", " ".join(word for word in (value, self._locator) if word)[:80])
            if self._size is not None:
                self._add("memory-module-size", round(self._size[0], 3), self._size[1])
        elif key in _SPEEDS and speed is not None:
            self._add(_SPEEDS[key], int(speed["value"]), line)
        else:
            return Use.IGNORED if key in _KEYS else Use.NOT_MINE
        return Use.USED

    def _add(self, attribute: str, value: float, line: Line) -> None:
        if self._slot is not None and MAX_READINGS.has_room(len(self._found)):
            self._found.append(reading(attribute, self._slot, value, line))


PARSER = MemoryModules
