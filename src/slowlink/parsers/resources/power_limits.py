"""What a machine takes and may take, as its controller says: ``ipmitool dcmi power reading`` and ``get_limit``::

        Instantaneous power reading:                  5210 Watts
        Current Limit State: Power Limit Active
        Power Limit:         4000 Watts

A limit that is not active limits nothing: its state stands above it, and ``No Active Power Limit`` takes it back.

Source: ipmitool 1.8.18 and 1.8.19, ``ipmi_dcmi.c`` (``ipmi_dcmi_pwr_rd``, ``ipmi_dcmi_pwr_glimit``).
"""

from __future__ import annotations

import re
from typing import ClassVar

from slowlink.parsers.forms.make_reading import whole
from slowlink.parsers.forms.reading_table import LineFact, ReadingParser
from slowlink.patterns import regex


def _watts(match: re.Match[str]) -> int | None:
    return whole(match["value"]) or None


def _active(match: re.Match[str]) -> bool:
    return match["value"] == "Power Limit Active"


FACTS = (
    LineFact(
        "node-power",
        "Instantaneous power reading:",
        r"Instantaneous power reading: {1,30}(?P<value>\d{1,7}) Watts\s*$",
        {"    Instantaneous power reading:                  5210 Watts": 5210},
        convert=_watts,
    ),
    LineFact(
        "node-power-limit-active",
        "Current Limit State:",
        r"Current Limit State: {1,8}(?P<value>(?:No Active Power Limit|Power Limit Active))\s*$",
        {
            "    Current Limit State: Power Limit Active": True,
            "    Current Limit State: No Active Power Limit": False,
        },
        convert=_active,
    ),
    LineFact(
        "node-power-limit",
        "Power Limit:",
        r"Power Limit: {1,12}(?P<value>\d{1,7}) Watts\s*$",
        {"    Power Limit:         4000 Watts": 4000, "    Power Limit:         0 Watts": None},
        convert=_watts,
    ),
)


class PowerLimits(ReadingParser):
    """Power and its limit."""

    kind: ClassVar[str] = "dcmi-power"
    facts: ClassVar[tuple[LineFact, ...]] = FACTS
    legend_marks = (
        "\nMinimum ",
        "\nMaximum ",
        "\nAverage ",
        "\nIPMI ",
        "\nSampling ",
        "\nPower reading ",
        "\nException ",
        "\nCorrection ",
    )
    legend: ClassVar[re.Pattern[str] | None] = regex(
        r"\s{0,8}(?:(?:Minimum|Maximum) during sampling period|Average power reading over sample period|IPMI timestamp"
        r"|Sampling period|Power reading state is|Exception actions|Correction time): {1,40}\S.{0,80}$"
    )


PARSER = PowerLimits
