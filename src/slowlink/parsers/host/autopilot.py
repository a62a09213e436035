"""IBM Autopilot: the results that its health checks print, each behind the check's name in brackets::

    [[ PCIEBW ]] Briefings completed. Continue with PCIe Bandwidth evaluation.
    [[ PCIEBW ]] FAIL
    Host  gpu07
    [[ REMAPPED ROWS ]] SUCCESS
    [GPU POWER] SUCCESS
    [[ GPU-MEM ]] Health Check unsuccessful. FAIL.
    [PING] At least one node unreachable. FAIL

ABORT means that a check could not run: a result is missing, and nothing was tested. The host stands below a result.

Source: github.com/IBM/autopilot, ``autopilot-daemon`` (``*/entrypoint.py``, ``*.sh``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from msgspec.structs import replace

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading
from slowlink.patterns import regex

GAP = 2
"""Lines between a result and the host that it is about."""
_CHECKS = ("PCIEBW", "DCGM", "GPU-MEM", "GPU POWER", "REMAPPED ROWS", "PING", "PVC", "IPERF", "NODECHECK")
_LINE = regex(rf"\s{{0,8}}\[(?:\[ ?)?(?P<name>{'|'.join(_CHECKS)})(?: ?\])?\] ?(?P<text>.{{1,300}})")
_VERDICT = regex(r"(?:(?P<words>.{1,250}?)[.:]? )?(?P<verdict>SUCCESS|success|FAIL|ABORT|SKIP|ERR)\.?")
_HOST = regex(r"\s{0,8}Host {1,3}(?P<host>[A-Za-z0-9][\w.-]{0,120})\s{0,8}")
_STATUS = {"SUCCESS": "pass", "success": "pass", "FAIL": "fail", "ERR": "fail", "ABORT": "skip", "SKIP": "skip"}


class Autopilot:
    """Reads results by name; what stands between them is the check's own output."""

    kind: ClassVar[str] = "autopilot"
    literals: ClassVar[Literals] = Literals(("\nHost ", *(f"{check}{end}" for check in _CHECKS for end in ("]", " ]"))))

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._open: tuple[int, int] = (0, 0)
        """(first reading, line) of the last result."""

    @staticmethod
    def wants(text: str) -> bool:
        return (("[" in text[:9]) and _LINE.fullmatch(text) is not None) or (
            text.lstrip().startswith("Host ") and _HOST.fullmatch(text) is not None
        )

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        host = _HOST.fullmatch(line.text)
        if host is not None:
            first, number = self._open
            if not number or line.no - number > GAP:
                return Use.NOT_MINE
            self._found[first:] = [replace(each, host=host["host"]) for each in self._found[first:]]
            return Use.USED
        found = _LINE.fullmatch(line.text)
        if found is None:
            return Use.NOT_MINE
        verdict = _VERDICT.fullmatch(found["text"].strip())
        if verdict is None or not MAX_READINGS.has_room(len(self._found)):
            return Use.IGNORED
        self._open = len(self._found), line.no
        part = Part("test", f"health/{found['name']}")
        self._found.append(reading("health-test", part, _STATUS[verdict["verdict"]], line))
        if verdict["words"]:
            self._found.append(reading("health-test-detail", part, verdict["words"].strip(), line))
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        return self._found


PARSER = Autopilot
