"""The lines of MLNX-OS's tables of power supplies, fans, temperatures and voltages: one row a sensor, with its status.

Source: NVIDIA MLNX-OS user manual, "Chassis Management". A unit that is NOT PRESENT has no fault.
"""

from __future__ import annotations

from msgspec import Struct

from slowlink.model.state import Part
from slowlink.parsers.forms.make_reading import number, says_something
from slowlink.patterns import regex

_HEADING = regex(r"Module {2,40}(?:Device|Component|Power|Sensor) .{0,120}Status.{0,80}")
_STATUS = r"OK|FAIL(?:ED|URE)?|FATAL|CRITICAL|WARNING|ERROR|BAD|NOT PRESENT|NOT OK|NOT READY"
_ROW = regex(
    rf"(?P<module>[A-Z][\w/]{{1,19}}) {{2,40}}(?P<cells>\S.{{0,140}}?) {{1,40}}(?P<status>{_STATUS})"
    r"(?: {1,40}-?[\d.]{1,9}){0,2} {0,20}"
)
MARKS = (
    *("\nModule ", "\nTotal power ", "\n ", "\n----", "\n===="),
    *(f" {status}" for status in ("OK", "FAIL", "FATAL", "CRITICAL", "WARNING", "ERROR", "BAD", "NOT ")),
)
"""One of these literals stands in each line of such a table."""
_UNITS = regex(
    r" {8,90}(?:\[Watts\].{0,80}|\(RPM\)|\(Celsius\)|(?:Expected|Reg|High|Voltage|\(Volts?\)|Range) {0,20}.{0,60})"
)
_FRAME = regex(r"[-=]{30,120}")
_TOTAL = regex(r"Total power (?:used|capacity|available) {0,20}: {0,4}\d{1,6}(?:\.\d{1,4})? Watts.{0,20}")
_SENSOR = regex(r"[A-Za-z][\w /.-]{0,40}")
_NUMBERS = {"Speed": "switch-fan-speed", "Temp": "switch-sensor-temperature"}
"""Word of the heading -> what the first number of a row is."""


class Sensor(Struct, frozen=True):
    """One row of a table."""

    name: str
    """``PS2``, ``FAN1 F2``, ``MGMT QUANTUM T1``."""
    status: str
    number: float | None
    """In rpm or degrees Celsius, as the table's heading says; None where it has neither."""


def wants(text: str) -> bool:
    """Could this be a line of such a table?"""
    if text.startswith(("Module ", "Total power", "   ")):
        return any(pattern.fullmatch(text) is not None for pattern in (_HEADING, _TOTAL, _UNITS))
    if text.startswith(("----", "====")):
        return _FRAME.fullmatch(text) is not None
    return text[:1].isupper() and "  " in text and _ROW.fullmatch(text) is not None


def heading(text: str) -> str | None:
    """The attribute of the numbers below, ``""`` where they are not read; None when this is no heading."""
    if not text.startswith("Module ") or _HEADING.fullmatch(text) is None:
        return None
    return next((attribute for word, attribute in _NUMBERS.items() if word in text), "")


def is_frame(text: str) -> bool:
    """Is this a ruler, a line of units or a sum, which is of no sensor?"""
    return any(pattern.fullmatch(text) is not None for pattern in (_FRAME, _UNITS, _TOTAL))


def row(text: str) -> Sensor | None:
    """The sensor of one row; None for other lines."""
    found = _ROW.fullmatch(text)
    if found is None:
        return None
    cells = [cell.strip() for cell in found["cells"].split("  ") if cell.strip()]
    words = [cell for cell in cells if _SENSOR.fullmatch(cell) is not None and cell not in ("AC", "DC")]
    numbers = [value for cell in cells if cell[0].isdecimal() and (value := number(cell)) is not None]
    module = found["module"]
    names = [module, *(word for word in words if says_something(word) and not module.startswith(word))]
    return Sensor(" ".join(names), found["status"], numbers[0] if numbers else None)


def part(switch: str, sensor: str) -> Part:
    """The switch's part that a sensor watches."""
    return Part("switch-part", f"{switch}/{sensor.replace('/', '-')}")
