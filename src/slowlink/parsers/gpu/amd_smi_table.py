"""The table that ``amd-smi`` prints without options: versions, two rows for each GPU, processes::

    | AMD-SMI 26.1.0+5df6c765  amdgpu version: 6.16.6   ROCm version: 7.1.0        |
    |-------------------------------------+----------------------------------------|
    | BDF                        GPU-Name | Mem-Uti   Temp   UEC       Power-Usage |
    | GPU  HIP-ID  OAM-ID  Partition-Mode | GFX-Uti    Fan               Mem-Usage |
    |=====================================+========================================|
    | 0000:43:00.0    AMD Instinct MI325X | 3 %      51 °C   2         612/1000 W |
    |   4       4       4        SPX/NPS1 | 97 %       N/A         20011/262128 MB |

The number of a GPU stands in its second row only, so the first row (address, model, memory errors, power) waits for it.
Other tools draw boxes like these: rows are read only near a line that is certainly amd-smi's. MB here are 2^20 bytes.

Source: ``amdsmi_cli/amdsmi_commands.py`` of amd-smi 26 (ROCm 7).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, NODE, bus_id, number, reading, says_something
from slowlink.patterns import regex

_GAP = 8
_HEADER = regex(
    r"\| AMD-SMI (?P<tool>[\w.+-]{1,60}) {1,20}amdgpu version: (?P<driver>\S{1,40}) {1,20}"
    r"ROCm version: (?P<rocm>\S{1,40}) {0,20}\|"
)
_FIRST = regex(
    r"\| (?P<bus>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) {1,30}(?P<name>\S.{0,40}?) \|"
    r" (?P<memory>\d{1,3} %|N/A) {1,12}(?P<heat>\d{1,3}(?:\.\d)? °C|N/A) {1,12}(?P<errors>\d{1,12}|N/A)"
    r" {1,12}(?P<power>\d{1,5}|N/A)/(?P<limit>\d{1,5}|N/A) (?:W )?\s?\|"
)
_SECOND = regex(
    r"\| {1,6}(?P<gpu>\d{1,4}) {1,12}(?:\d{1,4}|N/A) {1,12}(?:\d{1,4}|N/A) {1,20}(?P<partition>\S{1,20}) \|"
    r" (?P<use>\d{1,3} %|N/A) {1,16}(?:[\d.]{1,6} %|N/A) {1,20}(?P<used>\d{1,9})/(?P<total>\d{1,9}) MB \|"
)
_PROCESS = regex(
    r"\| {1,6}(?P<gpu>\d{1,4}) {1,12}(?P<pid>\d{1,10}) {1,4}(?P<name>\S.{0,40}?) {1,30}[\d.]{1,9} [KMGB]{1,2} {1,12}"
    r"[\d.]{1,9} [KMGB]{1,2} {1,12}(?P<size>[\d.]{1,9}) (?P<unit>[KMGB]{1,2}) .{0,20}\|"
)
_OURS = regex(
    r"\| (?:VBIOS version:|Platform:|BDF {1,40}GPU-Name|GPU {1,4}HIP-ID|Processes:| {0,4}GPU {1,12}PID |"
    r" {1,4}No running processes found)|\|[-=+]{20,140}\||\+[-+]{20,140}\+"
)
_UNITS = {"B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}


class AmdSmiTable:
    """Joins the two rows of a GPU, and reads versions and processes around them."""

    kind: ClassVar[str] = "amd-smi"
    literals: ClassVar[Literals] = Literals(("\n|", "\n+"))

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._first: tuple[re.Match[str], Line] | None = None
        self._last = -_GAP

    @staticmethod
    def wants(text: str) -> bool:
        text = text.strip()
        return (
            text[:1] in ("|", "+")
            and len(text) < 160
            and any(pattern.match(text) for pattern in (_HEADER, _FIRST, _SECOND, _PROCESS, _OURS))
        )

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text[:200].strip()
        use = self._row(text, line)
        if use is Use.NOT_MINE and line.no - self._last <= _GAP and _OURS.match(text):
            use = Use.IGNORED
        if use is not Use.NOT_MINE:
            self._last = line.no
        return use

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _row(self, text: str, line: Line) -> Use:
        if header := _HEADER.match(text):
            self._take(NODE, line, {"amd-smi-version": header["tool"]})
            self._take(NODE, line, {"driver-version": header["driver"], "rocm-version": header["rocm"]})
            return Use.USED
        if line.no - self._last > _GAP:
            return Use.NOT_MINE  # rows are known by their heading alone: other tools draw such boxes, too
        if first := _FIRST.match(text):
            self._first = first, line
            return Use.USED
        if second := _SECOND.match(text):
            self._gpu(second, line)
            return Use.USED
        if process := _PROCESS.match(text):
            part = Part("process", process["pid"])
            memory = int(float(process["size"]) * _UNITS.get(process["unit"], 1)) if process["size"].strip(".") else 0
            self._take(part, line, {"process-gpu": str(int(process["gpu"])), "process-name": process["name"]})
            self._take(part, line, {"process-gpu-memory": memory})
            return Use.USED
        return Use.NOT_MINE

    def _gpu(self, row: re.Match[str], line: Line) -> None:
        part = Part("gpu", str(int(row["gpu"])))
        first, self._first = self._first, None
        if first is not None and line.no - first[1].no == 1:
            cells, above = first
            errors = number(cells["errors"])
            values: dict[str, Value | None] = {
                "gpu-bus-id": bus_id(cells["bus"]),
                "gpu-name": cells["name"] if says_something(cells["name"]) else None,
                "gpu-memory-utilisation": number(cells["memory"]),
                "gpu-temperature": number(cells["heat"]),
                "gpu-ecc-volatile-uncorrectable": None if errors is None else int(errors),
                "gpu-power": number(cells["power"]),
                "gpu-power-limit": number(cells["limit"]),
            }
            self._take(part, above, values)
        values = {
            "gpu-partition": None if row["partition"].startswith("N/A") else row["partition"],
            "gpu-utilisation": number(row["use"]),
            "gpu-memory-used": int(row["used"]) << 20,
            "gpu-memory-total": int(row["total"]) << 20,
        }
        self._take(part, line, values)

    def _take(self, part: Part, line: Line, values: dict[str, Value | None]) -> None:
        for attribute, value in values.items():
            if value is not None and MAX_READINGS.has_room(len(self._found)):
                self._found.append(reading(attribute, part, value, line))


PARSER = AmdSmiTable
