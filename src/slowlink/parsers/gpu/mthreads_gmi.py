"""``mthreads-gmi`` of Moore Threads: versions, two rows or three for each GPU, processes::

    ---------------------------------------------------------------------
        mthreads-gmi:2.4.1           Driver Version:5.1.0-server
    ---------------------------------------------------------------------
    ID   Name                 |PCIe                |%GPU  Mem
         Device Type   Perf   |Pcie Lane Width     |Temp  MPC Capable
                                                   |      ECC Mode
    +-------------------------------------------------------------------+
    0    MTT S5000            |00000000:18:00.0    |97%   60211MiB(81920MiB)
         Physical      P0     |8x(16x)             |48C   YES
                                                   |      On-die, EDC
    ---------------------------------------------------------------------
    Processes:
    ID   PID       Process name                         GPU Memory
                                                             Usage
    +-------------------------------------------------------------------+
    0    40122     /usr/bin/python3                     60180MiB

A lane width is that of now, and in brackets the most. Rows count only below the line with both versions.

Source: the manual of mthreads-gmi, and tables of 1.14 to 2.4 as projects that support these GPUs document them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, NODE, bus_id, reading
from slowlink.patterns import regex

GAP = 6
_MIB = 1 << 20
_TITLE = regex(r"\s{0,8}mthreads-gmi:\s?(?P<gmi>[\w.-]{1,30})\s{1,80}Driver Version:\s?(?P<driver>[\w.-]{1,40})\s*")
_FIRST = regex(
    r"(?P<gpu>\d{1,3})\s{1,8}(?P<name>[A-Za-z][\w -]{1,40}?)\s{1,30}\|(?P<bus>[0-9A-Fa-f:.]{7,16})\s{1,12}"
    r"\|(?P<load>\d{1,3})%\s{1,8}(?P<used>\d{1,8})MiB\((?P<total>\d{1,8})MiB\)\s*"
)
_SECOND = regex(
    r"\s{3,8}[A-Za-z][\w ]{2,24}?(?:\s{1,20}(?P<perf>P\d{1,2}))?\s{1,30}\|(?P<width>\d{1,2})x\((?P<most>\d{1,2})x\)"
    r"\s{1,20}\|(?P<temperature>\d{1,3})C\s.{0,40}"
)
_PROCESS = regex(r"(?P<gpu>\d{1,3})\s{1,8}(?P<pid>\d{1,9})\s{1,12}(?P<name>\S{1,200})\s{1,80}(?P<memory>\d{1,8})MiB\s*")
_NO_PROCESS = regex(r"\s{1,8}No running processes found\s*")
_PLAIN = regex(
    r"[+-]-{30,160}[+-]|ID\s{1,8}(?:Name\s{1,40}\|PCIe|PID\s{1,20}Process name)\s.{0,80}|\s{3,8}Device Type\s.{0,80}"
    r"|\s{20,80}\|\s{1,8}(?:ECC Mode|[\w/, -]{1,30})\s*|Processes:\s*|\s{30,80}Usage\s*"
)


class MthreadsGmi:
    """Readings of each GPU and process."""

    kind: ClassVar[str] = "mthreads-gmi"
    literals: ClassVar[Literals] = Literals(
        ("mthreads-gmi:", "MiB", "x(0x)", "--------", "Process", "|PCIe", "Device Type", "No running", "Usage", "|   ")
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._last = -GAP
        self._gpu: Part | None = None

    @staticmethod
    def wants(text: str) -> bool:
        return any(form.fullmatch(text) for form in (_TITLE, _FIRST, _SECOND, _PROCESS, _NO_PROCESS, _PLAIN))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        title = _TITLE.fullmatch(line.text)
        if title is not None:
            self._gpu = None
            self._add("driver-version", NODE, title["driver"], line)
        elif line.no - self._last > GAP:
            return Use.NOT_MINE
        elif _PLAIN.fullmatch(line.text) is not None:
            self._last = line.no
            return Use.IGNORED
        elif not self._row(line):
            return Use.NOT_MINE
        self._last = line.no
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _row(self, line: Line) -> bool:
        if (first := _FIRST.fullmatch(line.text)) is not None:
            self._gpu = Part("gpu", first["gpu"])
            self._add("gpu-name", self._gpu, f"Moore Threads {' '.join(first['name'].split())}", line)
            self._add("gpu-bus-id", self._gpu, bus_id(first["bus"]), line)
            self._add("gpu-utilisation", self._gpu, float(first["load"]), line)
            self._add("gpu-memory-used", self._gpu, int(first["used"]) * _MIB, line)
            self._add("gpu-memory-total", self._gpu, int(first["total"]) * _MIB, line)
        elif (second := _SECOND.fullmatch(line.text)) is not None and self._gpu is not None:
            self._add("gpu-pstate", self._gpu, second["perf"], line)
            self._add("pcie-width", self._gpu, int(second["width"]), line)
            self._add("pcie-width-max", self._gpu, int(second["most"]), line)
            self._add("gpu-temperature", self._gpu, float(second["temperature"]), line)
            self._gpu = None
        elif (process := _PROCESS.fullmatch(line.text)) is not None:
            part = Part("process", process["pid"])
            self._add("process-name", part, process["name"].rsplit("/", 1)[-1], line)
            self._add("process-gpu", part, process["gpu"], line)
            self._add("process-gpu-memory", part, int(process["memory"]) * _MIB, line)
        elif _NO_PROCESS.fullmatch(line.text) is not None:
            self._add("gpu-processes-listed", NODE, 0, line)
        else:
            return False
        return True

    def _add(self, attribute: str, part: Part, value: Value | None, line: Line) -> None:
        if value is not None and MAX_READINGS.has_room(len(self._found)):
            self._found.append(reading(attribute, part, value, line))


PARSER = MthreadsGmi
