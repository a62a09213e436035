"""The state of services: ``systemctl --failed``, ``list-units``, ``status`` and ``is-active``::

    ● openibd.service  loaded failed failed openibd - configure Mellanox devices

    ● slurmd.service - Slurm node daemon
         Active: activating (auto-restart) (Result: exit-code) since Fri 2026-11-20 10:00:00 UTC; 2s ago

    $ systemctl is-active munge nvidia-imex
    failed
    active

A service that is started again and again has failed, too. What that means for a job the catalogue knows
(``catalog/vocabulary/launchers/systemd-units.toml``); a failed service that it does not name is a plain fact. Source:
``systemctl-list-units.c``, ``systemctl-show.c`` and ``systemctl-is-active.c`` of systemd 239 to 256.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.catalog.vocabulary import Message, vocabulary
from slowlink.model.job import JobEvent
from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

FAILED = "service-failed"
MAX_EVENTS = Limit(50_000, "failed units")
_UNITS = "systemd-units"
_FABRIC_MANAGER = "nvidia-fabricmanager"
"""Has a rule of its own, which knows what its log says, too."""
_UNIT = r"(?P<unit>[A-Za-z][\w@:.\\-]{1,200}?)"
_STATE = r"(?P<state>active|reloading|inactive|failed|activating|deactivating|maintenance)"
_ROW = regex(
    rf"[\s●○×*↻]{{0,8}}{_UNIT}\.service\s+(?:loaded|not-found|masked|bad-setting|error|stub|merged)\s+{_STATE}\s+"
    r"(?P<sub>[a-z-]{2,20})(?:\s|$)"
)
_HEADING = regex(r"\s{0,4}UNIT\s+LOAD\s+ACTIVE\s+SUB\s+(?:JOB\s+)?DESCRIPTION\s*")
_STATUS = regex(rf"[●○×*↻]\s{_UNIT}\.service(?: - .{{0,200}}|\s*)")
_ACTIVE = regex(rf"\s{{1,12}}Active: {_STATE}(?: \((?P<sub>[a-z-]{{2,20}})\))?")
_ASKED = regex(r"(?:.{0,160}[#$>+] )?(?:sudo )?systemctl is-(?:active|failed) (?P<units>[\w@:.\\ -]{2,400})")
_ANSWER = regex(rf"\s{{0,4}}{_STATE}\s*")
_BLOCK = 8
"""Lines between the first line of a status and its state."""


class SystemdUnits:
    """One event for each service that failed."""

    kind: ClassVar[str] = "systemd-units"
    literals: ClassVar[Literals] = Literals((".service", "Active: ", "LOAD", "systemctl"))

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], JobEvent] = {}
        self._status: tuple[str, int] | None = None
        """(unit, line) of a status whose state comes below."""
        self._asked: list[str] = []
        self._asked_at = 0

    @staticmethod
    def wants(text: str) -> bool:
        return (
            (".service" in text and (_ROW.match(text) is not None or _STATUS.fullmatch(text) is not None))
            or ("Active: " in text and _ACTIVE.match(text) is not None)
            or ("LOAD" in text and _HEADING.fullmatch(text) is not None)
            or ("systemctl" in text and _ASKED.fullmatch(text) is not None)
        )

    @property
    def greedy(self) -> bool:
        return bool(self._asked)

    def feed(self, line: Line) -> Use:
        if self._asked and line.no == self._asked_at + 1 and (answer := _ANSWER.fullmatch(line.text)) is not None:
            self._asked_at = line.no
            return self._take(self._asked.pop(0), answer["state"], "", line)
        self._asked = []
        if (row := _ROW.match(line.text)) is not None:
            return self._take(row["unit"], row["state"], row["sub"], line)
        if (status := _STATUS.fullmatch(line.text)) is not None:
            self._status = status["unit"], line.no
            return Use.IGNORED
        if (active := _ACTIVE.match(line.text)) is not None and self._status is not None:
            (unit, begin), self._status = self._status, None
            near = line.no <= begin + _BLOCK
            return self._take(unit, active["state"], active["sub"] or "", line) if near else Use.NOT_MINE
        if (asked := _ASKED.fullmatch(line.text)) is not None:
            self._asked = [unit.removesuffix(".service") for unit in asked["units"].split() if unit[0] != "-"]
            self._asked_at = line.no
            return Use.NOT_MINE  # it is a command, too
        return Use.IGNORED if _HEADING.fullmatch(line.text) is not None else Use.NOT_MINE

    def _take(self, unit: str, state: str, sub: str, line: Line) -> Use:
        if state != "failed" and sub != "auto-restart":
            return Use.IGNORED
        known = vocabulary(_UNITS).find(Message(unit))
        kind, origin = (known[0].kind, _UNITS) if known is not None else (FAILED, "systemd")
        if unit == _FABRIC_MANAGER:
            kind, origin = "fabric-manager-service", "fabricmanager"
        ref = line.ref()
        event = JobEvent(kind, origin, ref.text.strip(), {"unit": unit, "state": "failed"}, ref, line.host)
        key = unit, line.host or ""
        if key not in self._found and MAX_EVENTS.has_room(len(self._found)):
            self._found[key] = event
        return Use.USED

    def finish(self) -> Iterable[JobEvent]:
        return self._found.values()


PARSER = SystemdUnits
