"""``nvidia-smi dmon`` and ``pmon``: a sample a line, under a heading that names the columns; ``-`` is no value.

Source: drivers 450 to 595; which columns there are depends on ``-s``; ``-o DT`` puts date and time in front.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.gpu.nvidia_smi.sink import Sink, gpu
from slowlink.parsers.gpu.nvidia_smi.values import Field, count, measure, program, size
from slowlink.patterns import regex

_GAP = 4
_ROW = regex(r" {0,12}(?:\d{8} {1,12})?(?:\d\d:\d\d:\d\d {1,12})?\d{1,3}(?: {1,20}(?:-|\d)| {1,12}[A-Z]| )")

DEVICE = {
    "pwr": Field("gpu-power", measure),
    "gtemp": Field("gpu-temperature", measure),
    "temp": Field("gpu-temperature", measure),
    "mtemp": Field("gpu-memory-temperature", measure),
    "sm": Field("gpu-utilisation", measure),
    "mem": Field("gpu-memory-utilisation", measure),
    "mclk": Field("gpu-clock-memory", measure),
    "pclk": Field("gpu-clock-sm", measure),
    "fb": Field("gpu-memory-used", size),
    "bar1": Field("gpu-bar1-used", size),
    "pci": Field("gpu-pcie-replays", count),
}
"""Columns of dmon."""


class Monitor:
    """Holds the columns of the last heading and matches samples of GPUs (dmon) or processes (pmon) with them."""

    marks: ClassVar[tuple[str, ...]] = ("\n#", "\n0")

    def __init__(self) -> None:
        self._out = Sink()
        self._columns: tuple[str, ...] = ()
        self._last = -_GAP

    @staticmethod
    def wants(text: str) -> bool:
        return _heading(text) is not None or _ROW.match(text) is not None

    def feed(self, line: Line) -> Use:
        heading = _heading(line.text)
        if heading is not None:
            if "gpu" in heading:
                self._columns = heading
            self._last = line.no
            return Use.IGNORED
        if line.no - self._last > _GAP or not self._columns:
            self._columns = ()
            return Use.NOT_MINE
        use = self._row(line)
        if use is not Use.NOT_MINE:
            self._last = line.no
        return use

    def finish(self) -> list[Reading]:
        return self._out.found

    def _row(self, line: Line) -> Use:
        cells = line.text[:400].split(None, len(self._columns) - 1)
        if len(cells) != len(self._columns):
            return Use.NOT_MINE
        row = {name: cell.strip() for name, cell in zip(self._columns, cells, strict=True)}
        if not (row["gpu"].isascii() and row["gpu"].isdecimal() and len(row["gpu"]) < 4):
            return Use.NOT_MINE
        index = str(int(row["gpu"]))
        return self._process(row, index, line) if "pid" in row else self._device(row, index, line)

    def _device(self, row: dict[str, str], index: str, line: Line) -> Use:
        used = [self._out.field(known, gpu(index), row[name], line) for name, known in DEVICE.items() if name in row]
        return Use.USED if any(used) else Use.IGNORED

    def _process(self, row: dict[str, str], index: str, line: Line) -> Use:
        if not (row["pid"].isascii() and row["pid"].isdecimal() and len(row["pid"]) < 11):
            return Use.IGNORED
        part = Part("process", row["pid"])
        self._out.take("process-gpu", part, index, line)
        self._out.take("process-name", part, program(row.get("command", row.get("name", ""))), line)
        self._out.take("process-gpu-utilisation", part, measure(row.get("sm", "")), line)
        self._out.take("process-gpu-memory", part, size(row.get("fb", "")), line)
        return Use.USED


def _heading(text: str) -> tuple[str, ...] | None:
    """Names of the columns; of the second heading line, their units. None for a line that is no heading."""
    if not text.lstrip().startswith("#") or len(text) > 400:
        return None
    names = tuple(name.lower() for name in text.replace("#", " ", 1).split())
    if "gpu" in names[:3] and len(names) > 1 and all(name.isascii() for name in names):
        known = {"pwr", "sm", "mem", "mclk", "fb", "pid", "pviol", "sbecc", "rxpci", "gtemp", "temp", "bar1"}
        return names if known.intersection(names) else None
    return names if "idx" in names[:3] else None
