"""Governors of all CPUs as ``cat .../cpu*/cpufreq/scaling_governor`` prints them, also through ``sort | uniq -c``::

    $ cat /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor | sort | uniq -c
        2 performance
       94 powersave

The output does not name its CPUs: those of a plain list are numbered ``#1``, ``#2``, counted ones are one part,
``94 CPUs``. A word like ``performance`` is a governor only right below the command, below another governor, or alone
behind the name of a host, as ``pdsh`` and ``clush`` print it of many (``gn04:     192 powersave``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading
from slowlink.patterns import regex

_COMMAND = regex(r".{0,200}\b(?:cat|sort|head|uniq|xargs)\b.{0,500}/scaling_governor\b")
_OTHER = regex(r".{0,400}/(?:energy_performance_preference|platform_profile)\b")
"""Files that hold the same words and mean something else."""
_GOVERNORS = ("performance", "powersave", "schedutil", "ondemand", "conservative", "userspace")
_VALUE = regex(rf"\s{{0,20}}(?:(?P<count>\d{{1,5}}) )?(?P<governor>{'|'.join(_GOVERNORS)})$")


class ScalingGovernors:
    """Counts the governors below a command until a line is none."""

    kind: ClassVar[str] = "scaling-governors"
    literals: ClassVar[Literals] = Literals(
        (
            *("/scaling_governor", "/energy_performance_preference", "/platform_profile"),
            *(f"{governor}\n" for governor in _GOVERNORS),
        )
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._next = 0
        """Number of the line that may hold the next governor; 0 outside of a list."""
        self._number = 0
        self._other = False
        """Did the last command ask for another file?"""

    @staticmethod
    def wants(text: str) -> bool:
        return _VALUE.match(text) is not None or ScalingGovernors.hears(text)

    @staticmethod
    def hears(text: str) -> bool:
        return ("/scaling_governor" in text and _COMMAND.match(text) is not None) or _OTHER.match(text) is not None

    def hear(self, line: Line) -> None:
        """A command that was typed once for many nodes."""
        self._other = _COMMAND.match(line.text) is None

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        if _COMMAND.match(line.text):
            self._next, self._number, self._other = line.no + 1, 0, False
            return Use.IGNORED
        value = _VALUE.match(line.text)
        if value is None:
            self._other = self._other or _OTHER.match(line.text) is not None
        if value is None or self._other or (line.no != self._next and line.host is None):
            return Use.NOT_MINE
        self._next, self._number = line.no + 1, self._number + 1
        name = f"{value['count']} CPUs" if value["count"] else f"#{self._number}"
        if MAX_READINGS.has_room(len(self._found)):
            self._found.append(reading("cpu-governor", Part("cpu", name), value["governor"], line))
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        return self._found


PARSER = ScalingGovernors
