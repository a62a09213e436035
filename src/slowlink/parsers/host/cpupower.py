"""``cpupower frequency-info`` and ``cpupower idle-info``: frequencies, governors and idle states of CPUs::

    analyzing CPU 12:
      driver: acpi-cpufreq
      hardware limits: 1.50 GHz - 2.45 GHz
      current policy: frequency should be within 1.50 GHz and 2.00 GHz.
                      The governor "schedutil" may decide which speed to use
                      within this range.

Each CPU has a block of its own; without ``-c all`` it is the CPU that the command happened to run on. A governor that
``grep`` left alone is of a CPU that nobody can name (``?``). Keys like ``driver`` are common words and are read only
below a line that is certainly cpupower's.

Source: linux/tools/power/cpupower of Linux 4.18 to 6.x.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, NODE, reading, says_something
from slowlink.patterns import regex

GAP = 4
_CPU = regex(r"\s{0,40}analyzing CPU (?P<cpu>\d{1,5}):")
_GOVERNOR = regex(r"\s{0,40}The governor \"(?P<value>\w{1,20})\" may decide")
_POLICY = regex(r"frequency should be within (?P<low>[\d.]{1,10} [kMG]Hz) and (?P<high>[\d.]{1,10} [kMG]Hz)")
_HARDWARE = regex(r"(?P<low>[\d.]{1,10} [kMG]Hz) - (?P<high>[\d.]{1,10} [kMG]Hz)")
_FREQUENCY = regex(r"(?P<value>[\d.]{1,10} [kMG]Hz|\d{4,9}) \(asserted by call to \w{1,20}\)")
_KEYED = regex(
    r"\s{0,40}(?P<key>driver|CPUs which run at the same hardware frequency|CPUs which need to have their frequency "
    r"coordinated by software|maximum transition latency|hardware limits|available frequency steps"
    r"|available cpufreq governors|current policy|current CPU frequency|boost state support|Supported|Active"
    r"|Boost States"
    r"|Total States|Pstate-P\d+|energy performance preference|CPUidle driver|CPUidle governor|Number of idle states"
    r"|Available idle states|Flags/Description|Latency|Usage|Duration"
    r"|amd-pstate limits|Highest Performance|Nominal Performance|Lowest Non-linear Performance|Lowest Performance"
    r"|no or unknown cpufreq driver is active on this CPU"
    r"|\d{3,5} MHz max turbo \d+ active cores):?(?: +(?P<rest>.{0,400}))?$"
)
_STATE = regex(r"\s{0,40}(?P<state>[A-Z][\w-]{0,12})(?P<off> \(DISABLED\))? ?:$")
_REST = regex(r"\s{0,60}within this range\.$")
_OWN = regex(
    r"analyzing CPU|CPUs which |current policy:|available cpufreq|boost state support|CPUidle|idle states:"
    r"|within this range"
    r"|The governor \"|hardware limits:|current CPU frequency:|maximum transition latency:"
)
_SCALE = {"kHz": 1.0, "MHz": 1e3, "GHz": 1e6}


class Cpupower:
    """Remembers the CPU, and its idle state, that the lines are about."""

    kind: ClassVar[str] = "cpupower"
    literals: ClassVar[Literals] = Literals(
        (
            *("analyzing CPU ", "The governor ", "\ndriver", "\nCPUs which ", "\nmaximum transition latency"),
            *("\nhardware limits", "\navailable ", "\ncurrent policy", "\ncurrent CPU frequency"),
            *("\nboost state support", "\nSupported", "\nActive", "\nBoost States", "\nTotal States", "\nPstate-P0"),
            *("\nenergy performance preference", "\nCPUidle ", "\nNumber of idle", "\nAvailable idle"),
            *("\nFlags/Description", "\nLatency", "\nUsage", "\nDuration", "\namd-pstate limits", "\nHighest "),
            *("\nNominal ", "\nLowest ", "unknown cpufreq driver", " MHz max turbo ", ":\n", "within this range."),
        )
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._cpu: Part | None = None
        self._state = ""
        self._last = 0

    @staticmethod
    def wants(text: str) -> bool:
        return any(pattern.match(text) for pattern in (_CPU, _GOVERNOR, _KEYED, _STATE, _REST))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        if line.no - self._last > GAP and self._last:
            self._cpu, self._state = None, ""
        if self._cpu is None and not _OWN.search(line.text):
            return Use.NOT_MINE
        use = self._feed(line)
        if use is not Use.NOT_MINE:
            self._last = line.no
        return use

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _feed(self, line: Line) -> Use:
        start = _CPU.match(line.text)
        if start is not None:
            self._cpu, self._state = Part("cpu", str(int(start["cpu"]))), ""
            return Use.IGNORED
        governor = _GOVERNOR.match(line.text)
        if governor is not None:
            return self._add("cpu-governor", governor["value"], line)
        keyed = _KEYED.match(line.text)
        if keyed is not None:
            return self._keyed(keyed["key"], (keyed["rest"] or "").strip(), line)
        state = _STATE.match(line.text)
        if state is not None and self._cpu is not None:
            self._state = state["state"]
            self._add("cpu-idle-state", self._state, line)
            return self._add("cpu-idle-disabled", state["off"] is not None, line)
        return Use.IGNORED if _REST.match(line.text) else Use.NOT_MINE

    def _keyed(self, key: str, rest: str, line: Line) -> Use:
        if key == "Active":
            return self._node("cpu-boost", {"yes": True, "no": False}.get(rest), line)
        if key == "CPUidle driver":
            return self._node("cpu-idle-driver", rest[:60] or None, line)
        read = _READ.get(key)
        if read is None:
            return Use.IGNORED
        used = [self._add(attribute, value, line) for attribute, value in read(rest)]
        return Use.USED if Use.USED in used else Use.IGNORED

    def _node(self, attribute: str, value: Value | None, line: Line) -> Use:
        if value is None:
            return Use.IGNORED
        if MAX_READINGS.has_room(len(self._found)):
            self._found.append(reading(attribute, NODE, value, line))
        return Use.USED

    def _add(self, attribute: str, value: Value, line: Line) -> Use:
        """A reading of the CPU above, or of its idle state; lines without a CPU (grep) tell of one, not which."""
        part = self._cpu or Part("cpu", "?")
        if attribute.startswith("cpu-idle"):
            if not self._state:
                return Use.IGNORED
            part = Part("cpu", f"{part.name}/{self._state}")
        if MAX_READINGS.has_room(len(self._found)):
            self._found.append(reading(attribute, part, value, line))
        return Use.USED


def _khz(text: str) -> int | None:
    """In kHz, which it also is where no unit stands (``-f`` without ``-m``)."""
    number, _, unit = text.partition(" ")
    try:
        return round(float(number) * _SCALE[unit or "kHz"])
    except ValueError:
        return None


def _high(pattern: re.Pattern[str], attribute: str) -> Callable[[str], list[tuple[str, Value]]]:
    def read(rest: str) -> list[tuple[str, Value]]:
        found = pattern.search(rest)
        value = _khz(found["high"]) if found is not None else None
        return [(attribute, value)] if value is not None else []

    return read


def _driver(rest: str) -> list[tuple[str, Value]]:
    return [("cpu-frequency-driver", rest[:60])] if says_something(rest) else []


def _frequency(rest: str) -> list[tuple[str, Value]]:
    found = _FREQUENCY.match(rest)
    value = _khz(found["value"]) if found is not None else None
    return [("cpu-frequency", value)] if value is not None else []


def _latency(rest: str) -> list[tuple[str, Value]]:
    return [("cpu-idle-latency", int(rest))] if rest.isascii() and rest.isdecimal() and len(rest) < 9 else []


_READ: dict[str, Callable[[str], list[tuple[str, Value]]]] = {
    "driver": _driver,
    "hardware limits": _high(_HARDWARE, "cpu-frequency-highest"),
    "current policy": _high(_POLICY, "cpu-frequency-limit"),
    "current CPU frequency": _frequency,
    "Latency": _latency,
}

PARSER = Cpupower
