"""Whether a node's clock follows a time server: ``timedatectl``, ``chronyc tracking`` and ``sources``, ``ntpstat``,
``ntpq -p``::

    System clock synchronized: no

    Leap status     : Not synchronised

    ^* ntp1.example.org              2   6   377    21    +12us[  +15us] +/-  250us

A clock that follows nobody may still be right, so this is a state and no fault; nodes of one cluster should not
differ in it. Lists of sources tell only which one is followed. Source: ``timedatectl.c`` of systemd 219 to 256,
``client.c`` of chrony 3 to 4.6, ``ntpstat`` 0.6, ``ntpq`` 4.2.8.
"""

from __future__ import annotations

import re
from typing import ClassVar

from slowlink.parsers.forms.reading_table import LineFact, ReadingParser
from slowlink.patterns import regex

_CLOCK = "clock-synchronised"


def _yes(match: re.Match[str]) -> bool:
    return match["value"] == "yes"


FACTS = (
    LineFact(
        _CLOCK,
        "lock synchronized: ",
        r"System clock synchronized: (?P<value>yes|no)\s*$",
        {"System clock synchronized: no": False, "System clock synchronized: yes": True},
        convert=_yes,
    ),
    LineFact(
        _CLOCK,
        "NTP synchronized: ",
        r"NTP synchronized: (?P<value>yes|no)\s*$",
        {"NTP synchronized: no": False},
        convert=_yes,
    ),
    LineFact(
        _CLOCK,
        "Leap status",
        r"Leap status\s{1,8}: (?P<value>Not synchronised|Normal|Insert second|Delete second)\s*$",
        {"Leap status     : Not synchronised": False, "Leap status     : Normal": True},
        convert=lambda match: match["value"] != "Not synchronised",
    ),
    LineFact(
        _CLOCK,
        "synchronised",
        r"(?P<value>unsynchronised|synchronised to .{1,200} at stratum \d{1,2})\s*$",
        {"unsynchronised": False, "synchronised to NTP server (10.0.0.1) at stratum 3": True},
        convert=lambda match: match["value"] != "unsynchronised",
    ),
    LineFact(
        _CLOCK,
        "+/-",
        r"[\^=#]\* \S{1,100}\s{1,60}\d{1,2}\s{1,8}\d{1,2}\s{1,8}\d{1,3}\s{1,8}\S{1,8}\s{1,8}[+-]\d.{1,60}\+/-",
        {"^* ntp1.example.org       2   6   377    21    +12us[  +15us] +/-  250us": True},
        convert=lambda _: True,
    ),
    LineFact(
        _CLOCK,
        "*",
        r"\*\S{1,60}\s{1,40}\S{1,40}\s{1,40}\d{1,2} [lubsBmpA]\s{1,8}(?:\S{1,8}\s{1,8}){3}[\d.]{1,10}\s{1,8}"
        r"[+-]?[\d.]{1,12}\s",
        {"*ntp1.example.org 10.1.1.1         2 u   21   64  377    0.215   -0.012   0.031": True},
        convert=lambda _: True,
        told_by=("\n*",),
    ),
)


class ClockState(ReadingParser):
    """One reading of a node's clock."""

    kind: ClassVar[str] = "clock"
    facts: ClassVar[tuple[LineFact, ...]] = FACTS
    legend_marks = (
        *("Universal time: ", "RTC time: ", "Time zone: ", "NTP service: ", "RTC in local TZ: ", "NTP enabled: "),
        *("Local time: ", "Reference ID", "\nStratum", "Ref time (UTC)", "\nSystem time", "\nLast offset"),
        *("\nRMS offset", "\nResidual freq", "\nRoot d", "\nUpdate interval"),
    )
    legend = regex(
        r"\s{0,20}(?:Universal time: |RTC time: |Time zone: |NTP service: |RTC in local TZ: |NTP enabled: |Local time: "
        r"|Reference ID\s{1,8}: |Stratum\s{1,12}: \d|Ref time \(UTC\)\s{1,4}: |System time\s{1,8}: "
        r"|Last offset\s{1,8}: "
        r"|RMS offset\s{1,8}: |Residual freq\s{1,8}: |Root (?:delay|dispersion)\s{1,8}: |Update interval\s{0,8}: )"
    )


PARSER = ClockState
