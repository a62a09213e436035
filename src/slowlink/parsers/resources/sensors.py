"""Temperatures and their limits as ``sensors`` of lm-sensors prints them::

    Package id 0: +101.0°C  (high = +91.0°C, crit = +101.0°C)  ALARM (CRIT)
    asic:         +107.0°C  (crit = +105.0°C, highest = +108.0°C)
    Composite:     +85.9°C  (low  = -20.1°C, high = +83.8°C)
                           (crit = +84.8°C)

What counts is whether the critical limit is reached: ``high`` is where fans turn up. Limits stand two a line, so the
critical one may stand in the line below. A paste may have lost the degree sign; ``sensors -f`` prints °F, which is left
out. Source: ``prog/sensors/chips.c`` (``print_limits``) of lm-sensors 3.3 to 3.6.
"""

from __future__ import annotations

import re
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.parsers.forms.gates import Gate, as_whole
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.reading_table import LineFact, ReadingParser
from slowlink.patterns import regex

_SOUND_LIMITS = (60.0, 130.0)
_HOTTEST = 150.0


def _is_critical(match: re.Match[str]) -> bool | None:
    """None where the sensor is not wired: it reads nonsense, or its limit is."""
    now, limit = float(match["now"]), float(match["limit"])
    low, high = _SOUND_LIMITS
    return now >= limit if low <= limit <= high and now <= _HOTTEST else None


FACTS = (
    LineFact(
        "sensor-critical",
        "crit = +",
        r"(?P<name>[A-Za-z][\w .+#/-]{0,40}?):\s{1,20}\+?(?P<now>-?\d{1,4}\.\d)\S{0,3}C\s{1,6}"
        r"\((?:[a-z]{2,6} = [^,()]{1,20}, {1,4})?"
        r"crit = \+(?P<limit>\d{1,4}\.\d)\S{0,3}C",
        {
            "Package id 0: +101.0°C  (high = +91.0°C, crit = +101.0°C)  ALARM (CRIT)": True,
            "asic:         +57.0°C  (crit = +105.0°C, highest = +68.0°C)": False,
            "SYSTIN:       +36.0°C  (high =  +0.0°C, crit = +0.0°C)": None,
        },
        convert=_is_critical,
        part="{name}",
    ),
)


_ABOVE = regex(
    r"\s{0,8}(?P<name>[A-Za-z][\w .+#/-]{0,40}?):\s{1,20}\+?(?P<now>-?\d{1,4}\.\d)\S{0,3}C\s{1,6}\((?!.{0,80}crit =)"
    r".{0,80}\).{0,40}"
)
_BELOW = regex(r"\s{4,60}\((?:[a-z ]{2,8} {0,2}= [^,()]{1,20}, {1,4})?crit = \+(?P<limit>\d{1,4}\.\d)\S{0,3}C.{0,60}")
_MORE = regex(r"\s{4,60}\((?:[a-z ]{2,9} {0,2}= [^,()]{1,20}(?:, {1,4})?){1,2}\).{0,40}")
_REACH = 3
"""That the limits of one sensor take."""


class Sensors(ReadingParser):
    """Of each temperature with a critical limit, whether it has reached it; remembers the sensor whose limits go on."""

    kind: ClassVar[str] = "sensors"
    facts: ClassVar[tuple[LineFact, ...]] = FACTS
    legend_marks = (
        "-pci-",
        "-isa-",
        "-i0c-",
        "-acpi-",
        "-virtual-",
        "\nAdapter: ",
        "°C",
        " RPM",
        "W ",
        "W\n",
        "V ",
        "V\n",
        "A ",
        "A\n",
    )
    legend: ClassVar[re.Pattern[str] | None] = regex(
        r"\s{0,8}(?:Adapter: (?:PCI|ISA|ACPI|SMBus|I2C|Virtual|HID).{0,60}"
        r"|[a-z][a-z0-9_]{1,30}-(?:isa|pci|i\dc-\d{1,3}|acpi|virtual|hid|spi|mdio|scsi)-[0-9a-f-]{1,12}"
        r"|[A-Za-z][\w .+#/-]{0,40}?:\s{1,20}\+?-?\d{1,6}(?:\.\d{1,2})?(?:\S?°C| (?:RPM|k?W|m?V|A))"
        r"(?:\s{1,8}\(.{0,120})?(?:\s{1,4}ALARM.{0,20})?)\s*$"
    )

    def __init__(self) -> None:
        super().__init__()
        self._above: re.Match[str] | None = None
        self._at = 0

    @classmethod
    def gate(cls) -> Gate:
        ((table,),) = super().gate()
        return ((f"{table}|{as_whole(_ABOVE, _BELOW, _MORE)}",),)

    @classmethod
    def wants(cls, text: str) -> bool:
        return super().wants(text) or any(pattern.fullmatch(text) for pattern in (_ABOVE, _BELOW, _MORE))

    def take(self, line: Line, text: str) -> Use:
        above, below = _ABOVE.fullmatch(text), _BELOW.fullmatch(text)
        if above is not None:
            self._above, self._at = above, line.no
            return Use.IGNORED
        goes_on = self._above is not None and line.no - self._at <= _REACH
        if below is not None and goes_on and self._above is not None:
            name, now = self._above["name"], self._above["now"]
            self._above = None
            return super().take(line, f"{name}: +{now}°C  (crit = +{below['limit']}°C)".replace("+-", "-"))
        return Use.IGNORED if goes_on and _MORE.fullmatch(text) else super().take(line, text)


PARSER = Sensors
