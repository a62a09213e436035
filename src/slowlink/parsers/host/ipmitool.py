"""``ipmitool sel list`` and ``ipmitool sdr``: power and cooling, as the management controller (BMC) sees them.

Events, then states; ``sel elist`` names the sensor instead of its number::

       5 | 05/11/2026 | 03:14:02 | Power Supply PS2 Status | Power Supply AC lost | Asserted
    PS2 Status       | C9h | ok  | 10.2 | Presence detected, Power Supply AC lost
    FAN3             | 43h | cr  | 29.3 | 480 RPM
    Cooling/Fan Fault    : true

Of events of one sensor the last counts: what was deasserted is over, and so is what a sensor of two states calls
``State Deasserted``. A state counts by its words or, where it is a
number, by ``cr`` and ``nr`` (critical, not recoverable). With ``-H`` the BMC of another machine was asked: then its
name is the host's. Events of memory are read in ``system_event_log``.

Source: ipmitool 1.8.18 and 1.8.19 (``ipmi_sel.c``, ``ipmi_sdr.c``, the tables of sensor types in ``ipmi_event.h``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.job import Observation
from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.host.bmc_command import PROGRAM, asked_machine
from slowlink.patterns import regex

MAX_FACTS = Limit(50_000, "sensors")
_STATES = ("ok", "nc", "nr", "cr", "ns", "lnc", "lcr", "lnr", "unc", "ucr", "unr")
_CODES = f"(?:{'|'.join(_STATES)})"
_WANTED = regex(rf"[^|]{{1,60}}\|.{{0,300}}(?:\| ?(?:Asserted|Deasserted)|\| ?{_CODES}\s{{0,4}}(?:\||$))")
_DAY = regex(r"\d\d/\d\d/\d{2,4}|Pre-Init\b.{0,30}")
"""The second cell; the first where the numbers of events count up by one: those are taken for numbers of lines."""
_SENSOR_ID = regex(r"[0-9A-F]{2}h")
_CODE = regex(_CODES)
_CRITICAL = "(?:critical|non-recoverable)"
_FAULTS: tuple[tuple[str, re.Pattern[str], re.Pattern[str]], ...] = (
    ("bmc-power-brake", regex(r"(?i)power[ _-]?brake"), regex(r"(?i)\bstate asserted|(?<!not )\blimit exceeded")),
    (
        "bmc-power-lost",
        regex(r"(?i)power supply|\bps\w?\d|\bpsu"),
        regex(r"(?i)\bAC lost|failure detected|power supply inactive"),
    ),
    (
        "bmc-fan-failed",
        regex(r"(?i)\bfan|cooling"),
        regex(rf"(?i)(?:lower|upper) {_CRITICAL} going|failure detected|transition to critical"),
    ),
    (
        "bmc-too-hot",
        regex(r"(?i)temp|thermal|processor|\bcpu"),
        regex(rf"(?i)upper {_CRITICAL} going high|thermal trip|over-?temperature"),
    ),
)
"""Kind of fact, which sensor, and what it says."""
_OVER = regex(r"(?i)\bstate deasserted|\blimit not exceeded")
"""The other of two states, which is an event that is asserted, too."""
_OF_TWO = ("bmc-power-brake",)
"""Kinds whose sensors have two states."""
_NUMBERS = {"bmc-fan-failed": (regex(r"(?i)\bfan|RPM"), "u"), "bmc-too-hot": (regex(r"(?i)temp|degrees"), "l")}
"""Kind of fact, which sensor, and how the status begins (``ucr``, ``lcr``) that tells of the other limit."""


_CHASSIS = regex(
    r"\s{0,4}(?P<what>System Power|Power Overload|Power Interlock|Main Power Fault|Power Control Fault"
    r"|Power Restore Policy|Last Power Event|Chassis Intrusion|Front-Panel Lockout|Drive Fault|Cooling/Fan Fault"
    r"|Sleep Button Disable|Diag Button Disable|Reset Button Disable|Power Button Disable)"
    r"\s{0,8}: {0,4}(?P<value>[\w-]{0,40})\s{0,4}"
)
"""``ipmitool chassis status``."""
_OF_CHASSIS = {
    "Main Power Fault": "bmc-power-lost",
    "Power Overload": "bmc-power-lost",
    "Power Control Fault": "bmc-power-lost",
    "Cooling/Fan Fault": "bmc-fan-failed",
}


class Ipmitool:
    """One fact for each sensor that is at fault, or was and no later event took it back."""

    kind: ClassVar[str] = "ipmitool"
    literals: ClassVar[Literals] = Literals(
        (
            *(PROGRAM, "|Asserted", "| Asserted", "|Deasserted", "| Deasserted"),
            *(f"|{blank}{code}" for blank in ("", " ") for code in _STATES),
            *("\nSystem Power", "\nPower ", "\nMain Power ", "\nLast Power ", "\nChassis ", "\nFront-Panel "),
            *("\nDrive Fault", "\nCooling/Fan ", " Button Disable"),
        )
    )

    def __init__(self) -> None:
        self._asked: str | None = None
        self._found: dict[tuple[str | None, str, str], Observation] = {}

    @staticmethod
    def wants(text: str) -> bool:
        return (
            PROGRAM in text or ("|" in text and _WANTED.match(text) is not None) or _CHASSIS.fullmatch(text) is not None
        )

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text.rstrip()
        if PROGRAM in text:
            self._asked = asked_machine(text)
            return Use.NOT_MINE  # a command is the commands' parser's
        chassis = _CHASSIS.fullmatch(text)
        if chassis is not None:
            kind = _OF_CHASSIS.get(chassis["what"]) if chassis["value"] == "true" else None
            return self._take(kind, chassis["what"], "state: true", line) if kind else Use.IGNORED
        cells = [cell.strip() for cell in text[:400].split("|")]
        how = next((n for n, cell in enumerate(cells) if cell.startswith(("Asserted", "Deasserted"))), 0)
        day = next((n for n, cell in enumerate(cells[:2]) if _DAY.fullmatch(cell)), None)
        if day is not None and how >= day + 4:
            return self._event(cells[day + 2], " ".join(cells[day + 3 : how]), cells[how], line)
        if len(cells) == 5 and _SENSOR_ID.fullmatch(cells[1]) and _CODE.fullmatch(cells[2]):
            return self._state(cells[0], cells[4], cells[2], line)
        if len(cells) == 3 and _CODE.fullmatch(cells[2]):
            return self._state(cells[0], cells[1], cells[2], line)
        return Use.NOT_MINE

    def finish(self) -> Iterable[Observation]:
        return list(self._found.values())

    def _event(self, sensor: str, said: str, how: str, line: Line) -> Use:
        over = _OVER.search(said) is not None
        of_sensor = [(kind, words) for kind, part, words in _FAULTS if part.search(sensor)]
        kind = next((kind for kind, words in of_sensor if words.search(said) or (over and kind in _OF_TWO)), None)
        if kind is None:
            return Use.NOT_MINE  # of memory and restarts: the event log's parser
        if over or how.startswith("Deasserted"):
            self._found.pop((self._host(line), kind, sensor), None)
            return Use.IGNORED
        return self._take(kind, sensor, f"event: {said}", line)

    def _state(self, sensor: str, said: str, code: str, line: Line) -> Use:
        for kind, part, words in _FAULTS:
            if part.search(sensor) and words.search(said):
                return self._take(kind, sensor, f"state: {said}", line)
        if code.endswith(("cr", "nr")):
            for kind, (part, other) in _NUMBERS.items():
                if part.search(f"{sensor} {said}") and not code.startswith(other):
                    return self._take(kind, sensor, f"state: {said}", line)
        return Use.IGNORED

    def _take(self, kind: str, sensor: str, value: str, line: Line) -> Use:
        key = self._host(line), kind, sensor
        if key not in self._found and MAX_FACTS.has_room(len(self._found)):
            self._found[key] = Observation(kind, sensor, value, key[0], line.ref())
        return Use.USED

    def _host(self, line: Line) -> str | None:
        return line.host or self._asked


PARSER = Ipmitool
