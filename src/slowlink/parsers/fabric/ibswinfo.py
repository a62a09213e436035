"""ibswinfo: an unmanaged switch, as it describes itself: versions, power supplies, fans, temperatures.

The script is ibswinfo.sh 0.7 and later, with its output "all": names and values with ``|`` between them::

    =================================================
    Quantum Mellanox Technologies
    =================================================
    part number        | MQM8790-HS2F
    GUID               | 0x0c42a10300aa3000
    PSU0 status        | OK
         fan status    | ERROR
    fan#1 (rpm)        | 5600

An empty value is not known. Indented names are of the power supply above them. The GUID, which names a switch, comes in
the middle of its rows, so they are kept until the next switch begins.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.fabric import names
from slowlink.parsers.fabric.gathered import Gathered
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import number, says_something, whole
from slowlink.patterns import regex

_ROW = regex(r" {0,12}(?P<name>[A-Za-z][\w .#/():&-]{1,30}?) {0,30}\|(?P<value>.{0,120})")
_KNOWN = regex(
    r"part number|serial number|product name|revision|ports|PSID|GUID|firmware version|uptime \(d-h:m:s\)"
    r"|node description|PSU\d{1,2} status|P/N|S/N|DC power|fan status|power \(W\)|temperature \(C\)|max temp \(C\)"
    r"|fan#\d{1,2} \(rpm\)|(?:QSFP|OSFP)#\d{1,3}.{0,20}|CPLD.{0,20}|max power \(W\)|warn threshold \(C\)"
)
_RULER = regex(r"={49}|-{49}")
_UPTIME = regex(r"(?:(\d{1,5})d-)?(\d{1,2}):(\d{2}):(\d{2})")
_TEXTS = {
    "part number": "fabric-node-part-number",
    "serial number": "fabric-node-serial",
    "product name": "fabric-node-model",
    "PSID": "fabric-node-psid",
    "firmware version": "fabric-node-firmware",
}
_NUMBERS = {"temperature (C)": "switch-temperature", "max temp (C)": "switch-temperature-max"}


class IbSwInfo:
    """Identity, power supplies, fans and temperatures of each switch, which goes by its GUID."""

    kind: ClassVar[str] = "ibswinfo"
    literals: ClassVar[Literals] = Literals(
        (
            *("\npart number", "\nserial number", "\nproduct name", "\nrevision", "\nports", "\nPSID", "\nGUID"),
            *("\nfirmware version", "\nuptime (", "\nnode description", "\nPSU0", "\nP/N", "\nS/N", "\nDC power"),
            *("\nfan", "\npower (W)", "\ntemperature (C)", "\nmax temp (C)", "\nQSFP#", "\nOSFP#", "\nCPLD"),
            *("\nmax power (W)", "\nwarn threshold (C)", "=" * 49, "-" * 49, " Mellanox Technologies"),
        )
    )

    def __init__(self) -> None:
        self._found = Gathered()
        self._open = False
        self._rows: list[tuple[str, str, Line]] = []
        """Of the switch that is being read; its GUID, or its description, comes in the middle."""

    @staticmethod
    def wants(text: str) -> bool:
        if "|" in text[:40]:
            row = _ROW.fullmatch(text) if _KNOWN.match(text.lstrip(" ")) else None
            return row is not None and _KNOWN.fullmatch(row["name"].strip()) is not None
        if text.startswith(("=====", "-----")):
            return _RULER.fullmatch(text) is not None
        return text.endswith(" Mellanox Technologies")

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        row = _ROW.fullmatch(line.text)
        if row is None:
            self._open = self._open or line.text.startswith("=" * 49)
            return Use.IGNORED if self._open or self._rows else Use.NOT_MINE
        name, value = row["name"].strip(), row["value"].strip()
        if name == "part number" or (name == "node description" and self._rows):
            self._end()
        self._rows.append((name, value, line))
        return Use.USED if value else Use.IGNORED

    def _end(self) -> None:
        rows, self._rows = self._rows, []
        told = {name: value for name, value, _ in rows}
        own = names.node_name(told.get("node description", ""), told["GUID"]) if told.get("GUID") else "this switch"
        unit = ""
        for name, value, line in rows:
            if name.startswith("PSU"):
                unit = name.split(" ", 1)[0]
            elif name.startswith(("temperature", "max temp", "fan#")):
                unit = ""
            if value and says_something(value):
                self._row(own, unit, name, value, line)

    def _row(self, own: str, unit: str, name: str, value: str, line: Line) -> None:
        node, add = names.node(own), self._found.add
        of_unit = unit and line.text.startswith("  ")
        if name in ("P/N", "S/N", "power (W)"):
            return
        if name in _TEXTS:
            add(_TEXTS[name], node, value, line)
        elif name in _NUMBERS:
            add(_NUMBERS[name], node, number(value), line)
        elif name == "GUID":
            add("fabric-node-guid", node, names.guid(value) if whole(value) is not None else None, line)
            add("fabric-node-type", node, "switch", line)
        elif name == "ports":
            add("fabric-node-ports", node, whole(value), line)
        elif name.startswith("uptime"):
            add("fabric-node-uptime", node, _seconds(value), line)
        elif name.startswith("fan#"):
            add("switch-fan-speed", Part("switch-part", f"{own}/{name.split(' ', 1)[0]}"), number(value), line)
        elif name.endswith(" status") or name == "DC power":
            label = unit if name.startswith("PSU") else f"{unit} {name}" if of_unit else name
            add("switch-part-status", Part("switch-part", f"{own}/{label.removesuffix(' status')}"), value, line)

    def finish(self) -> Iterable[Reading]:
        self._end()
        return self._found.all


def _seconds(text: str) -> int | None:
    found = _UPTIME.fullmatch(text)
    if found is None:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds


PARSER = IbSwInfo
