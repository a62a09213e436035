"""mlxcables: the modules and cables that are plugged into a node, one block a cable.

The program is part of NVIDIA Firmware Tools (MFT)::

    Querying Cables ....

    Cable #1:
    ---------
    Cable name    : mt4129_pciconf0_cable_0
    >> No FW data to show
    -------- Cable EEPROM --------
    Part number       : MCA4J80-N004
    Temperature       : 41 C

A cable is named by the device that it is plugged into and by a number from 0: ``0000:3b:00.0_cable_0`` is read as
that of port 1. Fields before any "Cable name" are nobody's. Cables without a sensor have the temperature "N/A".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.fabric.gathered import Gathered
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import number, says_something
from slowlink.patterns import regex

_FRAME = regex(
    r"Querying Cables \.{0,8}|Cable #\d{1,3}:|-{9,12}|(?:>> )?No FW data to show|No cables? (?:found|detected)"
    r"|-{4,10} ?Cable EEPROM ?-{4,10}|(?:>> )?FW (?:Version|Device|PSID).{0,60}"
)
_FIELD = regex(r"(?P<name>[A-Z][\w /-]{2,30}?) {1,24}: (?P<value>.{0,120})")
_CABLE = regex(r"(?P<device>[\w:./-]{3,60})_cable_(?P<module>\d{1,3})")
_ATTRIBUTES = {"Part number": "link-cable-part", "Serial number": "link-cable-serial"}


class MlxCables:
    """Part number, serial number and temperature of each cable, as those of the port that it is in."""

    kind: ClassVar[str] = "mlxcables"
    literals: ClassVar[Literals] = Literals(
        (*("\nQuerying Cables", "\nCable #", "\n---", "\n>> ", "\nNo FW data", "\nNo cable", "\nFW ", " : "),)
    )

    def __init__(self) -> None:
        self._found = Gathered()
        self._part: Part | None = None
        self._opened = False

    @staticmethod
    def wants(text: str) -> bool:
        return (
            text.startswith(("Querying Cables", "Cable #", "---", ">> ", "No ", "FW "))
            and _FRAME.fullmatch(text.rstrip()) is not None
        ) or (" : " in text[:40] and _FIELD.fullmatch(text) is not None)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text.strip()
        if _FRAME.fullmatch(text) is not None:
            begins = text.startswith(("Querying", "Cable #"))
            self._opened, self._part = self._opened or begins, None if begins else self._part
            return Use.IGNORED if self._opened else Use.NOT_MINE
        field = _FIELD.fullmatch(text) if self._opened else None
        if field is None:
            return Use.NOT_MINE
        return self._field(field["name"], field["value"].strip(), line)

    def _field(self, name: str, value: str, line: Line) -> Use:
        if name == "Cable name":
            cable = _CABLE.fullmatch(value)
            self._part = Part("fabric-port", f"{cable['device']}/{int(cable['module']) + 1}") if cable else None
            return Use.USED if cable else Use.IGNORED
        if self._part is None:
            return Use.NOT_MINE
        if not says_something(value):
            return Use.IGNORED
        if name in _ATTRIBUTES:
            self._found.add(_ATTRIBUTES[name], self._part, value, line)
        elif name == "Temperature":
            self._found.add("link-temperature", self._part, number(value), line)
        else:
            return Use.IGNORED
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        return self._found.all


PARSER = MlxCables
