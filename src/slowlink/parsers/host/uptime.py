"""How long a node runs, and its load: ``uptime``, the first line of ``w`` and ``top``, ``uptime -p``, ``last reboot``,
and ``/proc/loadavg``, which counts the tasks that run as well::

     10:11:12 up 41 days,  3:02,  2 users,  load average: 0.10, 0.22, 0.31
    up 3 minutes
    18.20 17.93 12.01 21/4107 913024
    reboot   system boot  5.15.0-91-generic Mon Mar  3 09:00   still running

Days, hours and minutes are what procps prints: ``up 3 min``, ``up 2:15``, ``up 41 days, 3:02``. ``last reboot`` gives
dates, which say nothing without today's: its lines are known and not read.

Source: procps-ng 3.3 to 4.0 (``library/uptime.c``), util-linux 2.34 to 2.40 (``last.c``), and ``fs/proc/loadavg.c`` of
Linux.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, NODE, reading
from slowlink.patterns import regex

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_UNITS = {"minute": _MINUTE, "hour": _HOUR, "day": _DAY, "week": 7 * _DAY, "month": 30 * _DAY, "year": 365 * _DAY}

_UPTIME = regex(
    r"\s{0,8}(?:top - |uptime: )?(?:\d{1,2}(?::\d{2}){0,2}(?: ?[AP]M)?,? {1,4})?up {1,4}"
    r"(?:(?P<days>\d{1,6}) days?, {1,4})?(?:(?P<hours>\d{1,2}):(?P<minutes>\d{2})|(?P<alone>\d{1,2}) min), {1,4}"
    r"(?:\d{1,5} users?, {1,4})?load averages?:(?: {1,4}[\d.]{1,9}, {0,4}(?P<load>\d{1,6}\.\d\d),)?.{0,80}"
)
"""The time of day may be gone: to the reader of launchers' prefixes it looks like a stamp."""
_LOADAVG = regex(
    r"(?:\S{0,20}/proc/loadavg:)?\s{0,8}\d{1,6}\.\d\d (?P<load>\d{1,6}\.\d\d) \d{1,6}\.\d\d"
    r" (?P<running>\d{1,7})/\d{1,8} \d{1,9}\s{0,8}"
)
_PRETTY = regex(
    r"\s{0,8}up (?P<value>\d{1,6} (?:minute|hour|day|week|month|year)s?(?:, \d{1,6} [a-z]{3,8}){0,6})\s{0,8}"
)
_WORD = regex(r"(\d{1,6}) (minute|hour|day|week|month|year)s?")
_LEGEND = regex(r"reboot {1,8}system boot {1,8}\S{1,60} {1,8}[A-Z][a-z]{2} .{1,80}|wtmp begins [A-Z][a-z]{2} .{1,60}")


class Uptime:
    """Reads how long ago the node was started, in seconds, and how many processes were at work."""

    kind: ClassVar[str] = "uptime"
    literals: ClassVar[Literals] = Literals(("load average", "up 0", "\nreboot ", "\nwtmp ", "0/0 0\n"))

    def __init__(self) -> None:
        self._found: list[Reading] = []

    @staticmethod
    def wants(text: str) -> bool:
        if "/" in text and _LOADAVG.fullmatch(text) is not None:
            return True
        return ("up " in text[:40] or text.startswith(("reboot", "wtmp"))) and any(
            pattern.fullmatch(text) for pattern in (_UPTIME, _PRETTY, _LEGEND)
        )

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        if _LEGEND.fullmatch(line.text):
            return Use.IGNORED
        loads = _LOADAVG.fullmatch(line.text)
        if loads is not None:
            self._add("load-average", float(loads["load"]), line)
            self._add("tasks-running", int(loads["running"]), line)
            return Use.USED
        clock, pretty = _UPTIME.fullmatch(line.text), _PRETTY.fullmatch(line.text)
        if clock is not None:
            seconds = _seconds(clock)
        elif pretty is not None:
            seconds = sum(int(number) * _UNITS[word] for number, word in _WORD.findall(pretty["value"]))
        else:
            return Use.NOT_MINE
        self._add("node-uptime", seconds, line)
        if clock is not None and clock["load"]:
            self._add("load-average", float(clock["load"]), line)
        return Use.USED

    def _add(self, attribute: str, value: float, line: Line) -> None:
        if MAX_READINGS.has_room(len(self._found)):
            self._found.append(reading(attribute, NODE, value, line))

    def finish(self) -> Iterable[Reading]:
        return self._found


def _seconds(clock: re.Match[str]) -> int:
    """Of ``41 days,  3:02`` or ``3 min``."""
    whole = int(clock["days"] or 0) * _DAY + int(clock["hours"] or 0) * _HOUR
    return whole + int(clock["minutes"] or clock["alone"] or 0) * _MINUTE


PARSER = Uptime
