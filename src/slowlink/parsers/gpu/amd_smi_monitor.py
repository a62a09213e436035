"""``amd-smi monitor``: a heading, and a row for each GPU and sample::

    GPU  POWER   GPU_T   MEM_T   GFX_CLK   GFX%   MEM%   VRAM_USAGE
      3  641 W   72 °C   66 °C  2088 MHz  100 %   31 %  180.1/192.0 GB

Which columns there are depends on the options. Cells are numbers with a unit or ``N/A``, and hold blanks: they are
found by their form and matched with the heading by their order. A row with more or fewer cells than columns is not
read.

Source: ``amdsmi_cli/amdsmi_commands.py`` of amd-smi 24 to 26.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, number, reading
from slowlink.patterns import regex

_HEADING = regex(r"\s{0,8}(?:TIMESTAMP\s{1,8})?GPU(?:\s{1,8}XCP)?\s{1,8}POWER\s[A-Z_%\d\s]{5,300}$")
_CELL = regex(
    r"[\d.]{1,9}/[\d.]{1,9} (?:[KMGT]B|W)"
    r"|[\d.]{1,12} (?:W|°C|C|MHz|Mhz|%|MB/s|Mb/s|[KMGT]B)(?=\s|$)|N/A|[\d.]{1,12}"
)
_ROW = regex(r"\s{0,20}(?:\d{1,12}\s{1,20})?\d{1,4}\s.{0,40}(?:W|°C|N/A)\s")
_COLUMNS = {
    "POWER": "gpu-power",
    "POWER_USAGE": "gpu-power",
    "PWR": "gpu-power",
    "GPU_T": "gpu-temperature",
    "GPU_TEMP": "gpu-temperature",
    "MEM_T": "gpu-memory-temperature",
    "MEM_TEMP": "gpu-memory-temperature",
    "GFX_CLK": "gpu-clock-sm",
    "GFX_CLOCK": "gpu-clock-sm",
    "MEM_CLOCK": "gpu-clock-memory",
    "GFX%": "gpu-utilisation",
    "GFX_UTIL": "gpu-utilisation",
    "MEM%": "gpu-memory-utilisation",
    "MEM_UTIL": "gpu-memory-utilisation",
    "SINGLE_ECC": "gpu-ecc-volatile-correctable",
    "DOUBLE_ECC": "gpu-ecc-volatile-uncorrectable",
    "PCIE_REPLAY": "gpu-pcie-replays",
}
_COUNTS = ("SINGLE_ECC", "DOUBLE_ECC", "PCIE_REPLAY")
_GAP = 3


class AmdSmiMonitor:
    """Holds the columns of the last heading and matches rows of cells with them."""

    kind: ClassVar[str] = "amd-smi"
    literals: ClassVar[Literals] = Literals(("POWER", "\n0"))

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._columns: list[str] = []
        self._last = 0

    @staticmethod
    def wants(text: str) -> bool:
        return _HEADING.match(text) is not None or _ROW.match(text) is not None

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text[:400]
        if _HEADING.match(text):
            self._columns, self._last = text.split(), line.no
            return Use.IGNORED
        if not self._columns or line.no - self._last > _GAP or not _ROW.match(text):
            return Use.NOT_MINE
        cells = _CELL.findall(text)
        if len(cells) != len(self._columns):
            return Use.NOT_MINE  # a cut row, or a cell of another version: no column is sure
        self._last = line.no
        row = dict(zip(self._columns, cells, strict=True))
        if not re.fullmatch(r"\d{1,4}", row["GPU"]):
            return Use.NOT_MINE
        part = Part("gpu", str(int(row["GPU"])))
        for column, attribute in _COLUMNS.items():
            value = number(row.get(column, "N/A").split("/")[0])
            self._add(attribute, part, int(value) if value is not None and column in _COUNTS else value, line)
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _add(self, attribute: str, part: Part, value: Value | None, line: Line) -> None:
        if value is not None and MAX_READINGS.has_room(len(self._found)):
            self._found.append(reading(attribute, part, value, line))


PARSER = AmdSmiMonitor
