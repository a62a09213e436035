"""Temperatures and their limits as ``sensors`` of lm-sensors prints them::

    Package id 0: +101.0°C  (high = +91.0°C, crit = +101.0°C)  ALARM (CRIT)
    asic:         +107.0°C  (crit = +105.0°C, highest = +108.0°C)

What counts is whether the critical limit is reached: ``high`` is where fans turn up. A paste may have lost the degree
sign. Source: ``prog/sensors/chips.c`` of lm-sensors 3.4 to 3.6.
"""

from __future__ import annotations

import re
from typing import ClassVar

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


class Sensors(ReadingParser):
    """Of each temperature with a critical limit, whether it has reached it."""

    kind: ClassVar[str] = "sensors"
    facts: ClassVar[tuple[LineFact, ...]] = FACTS
    legend_marks = ("\nAdapter: ", "°C", " RPM", "W ", "W\n", "V ", "V\n", "A ", "A\n")
    legend: ClassVar[re.Pattern[str] | None] = regex(
        r"\s{0,8}(?:Adapter: (?:PCI|ISA|ACPI|SMBus|I2C|Virtual|HID).{0,60}"
        r"|[A-Za-z][\w .+#/-]{0,40}?:\s{1,20}\+?-?\d{1,6}(?:\.\d{1,2})?(?:\S?°C| (?:RPM|k?W|m?V|A))"
        r"(?:\s{1,8}\(.{0,120})?(?:\s{1,4}ALARM.{0,20})?)\s*$"
    )


PARSER = Sensors
