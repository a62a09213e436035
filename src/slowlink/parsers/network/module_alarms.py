"""Alarms of a plugged module or cable, as ``ethtool -m`` prints them below its thresholds and values::

    Module temperature high alarm             : On
    Laser rx power low warning (Channel 2)    : On
    Rx loss of signal                         : [ No, Yes, No, No ]

A module compares itself with the limits that its maker wrote into it. One line is one alarm of one channel, and its
name says which limit was crossed. ``None`` says that the module does not support it, ``[ ... ]`` one value a channel.

Source: ethtool 4.0 to 6.15, ``sff-common.c``, ``sfpdiag.c``, ``qsfp.c`` and ``cmis.c``.
"""

from __future__ import annotations

from typing import NamedTuple

from slowlink.patterns import regex

_ALARM = regex(
    r"\s{0,8}(?P<what>(?:Laser (?:bias current|(?:[rt]x|output) power)|Module (?:temperature|voltage)) (?:high|low))"
    r" {1,3}(?P<grade>alarm|warning)(?: {0,3}\((?:Channel|Chan|Lane) (?P<channel>\d{1,2})\))?\s{0,40}:"
    r"\s{1,4}(?P<value>[Oo]n|[Oo]ff)\s*"
)
_LOST = regex(
    r"\s{0,8}(?P<what>[RT]x (?:loss of (?:signal|lock)|fault)|[RT]x (?:LOS|LOL))"
    r"(?: {0,3}\((?:Channel|Chan|Lane) (?P<channel>\d{1,2})\))?\s{0,40}:"
    r"\s{1,4}(?P<values>\[ ?(?:Yes|No)(?:, (?:Yes|No)){0,15} ?\]|Yes|No)\s*"
)


class Alarm(NamedTuple):
    """One alarm, and whether it is raised."""

    name: str
    """``rx power low alarm of channel 2``"""
    raised: bool


def alarms_of(text: str) -> list[Alarm]:
    """What one line says; empty for any other line."""
    one = _ALARM.fullmatch(text)
    if one is not None:
        bare = one["what"].removeprefix("Laser ").removeprefix("Module ")
        return [Alarm(_named(f"{bare} {one['grade']}", one["channel"]), one["value"].lower() == "on")]
    lost = _LOST.fullmatch(text)
    if lost is None:
        return []
    what = lost["what"][0].lower() + lost["what"][1:]
    values = lost["values"].strip("[] ").split(", ")
    if len(values) == 1:
        return [Alarm(_named(what, lost["channel"]), values[0] == "Yes")]
    return [Alarm(_named(what, str(number)), value == "Yes") for number, value in enumerate(values, start=1)]


def _named(what: str, channel: str | None) -> str:
    return f"{what} of channel {channel}" if channel else what
