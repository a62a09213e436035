"""``amd-smi list``, ``static``, ``metric`` and ``monitor`` with ``--csv``: a heading that begins with
``gpu``, a row for each GPU::

    gpu,gfx_activity,umc_activity,socket_power,total_uncorrectable_count
    0,3,0,140,0
    1,N/A,N/A,143,2

A column is named by the last of the keys that ``amd-smi --json`` nests, joined with the keys above it where two names
would be alike. Cells are not quoted. A row that has another number of cells than the heading is not read: it is cut, or
a cell holds a comma, and then no cell is sure of its column.

Source: ``amdsmi_cli/amdsmi_logger.py`` of amd-smi 23.4 to 26.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, NODE, reading
from slowlink.parsers.gpu.amd_smi.fields import FIELDS, field_of
from slowlink.patterns import regex

_HEADING = regex(r"\s{0,8}gpu(?:,[a-z][a-z\d_]{1,60}){1,400}\s*$")
_ROW = regex(r"\s{0,8}(?P<gpu>\d{1,4}),(?P<cells>[^{}\[\]]{1,8000})$")
_GAP = 3
_AMD = frozenset(
    {"bdf", "market_name", "gfx_activity", "socket_power", "hotspot", "xgmi_err", "total_vram", "replay_count"}
    | {"hotspot_temperature", "pcie_replay", "double_bit_ecc"}
)
"""Columns that only amd-smi has. CSV of other programs may begin with ``gpu``, too."""
_LAST = [path[-1] for path in FIELDS]
_PATHS = {
    **{
        path[-1]: path
        for path in FIELDS
        if _LAST.count(path[-1]) == 1 and path[-1] not in ("mem", "clk", "node", "size")
    },
    **{"_".join(path): path for path in FIELDS},
    # the columns of amd-smi monitor
    "power_usage": ("power", "socket_power"),
    "hotspot_temperature": ("temperature", "hotspot"),
    "memory_temperature": ("temperature", "mem"),
    "gfx_clk": ("clock", "gfx_0", "clk"),
    "gfx_clock": ("clock", "gfx_0", "clk"),
    "mem_clock": ("clock", "mem_0", "clk"),
    "gfx": ("usage", "gfx_activity"),
    "single_bit_ecc": ("ecc", "total_correctable_count"),
    "double_bit_ecc": ("ecc", "total_uncorrectable_count"),
    "pcie_replay": ("pcie", "replay_count"),
}


class AmdSmiCsv:
    """Holds the columns of the last heading and matches rows of cells with them."""

    kind: ClassVar[str] = "amd-smi"
    literals: ClassVar[Literals] = Literals(("\ngpu,", "\n0,"))

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._columns: list[str] = []
        self._last = 0

    @staticmethod
    def wants(text: str) -> bool:
        return "," in text and (_HEADING.match(text) is not None or _ROW.match(text) is not None)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text[:9000].rstrip()
        if _HEADING.match(text):
            columns = text.strip().split(",")
            ours = _AMD & set(columns) or any(name.endswith("correctable_count") for name in columns)
            self._columns, self._last = (columns if ours else []), line.no
            return Use.IGNORED if ours else Use.NOT_MINE
        row = _ROW.match(text)
        if row is None or not self._columns or line.no - self._last > _GAP:
            return Use.NOT_MINE
        cells = [row["gpu"], *row["cells"].split(",")]
        if len(cells) != len(self._columns):
            return Use.NOT_MINE  # cut, or a cell that holds commas: no column is sure
        self._last = line.no
        return self._row(cells, line)

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _row(self, cells: list[str], line: Line) -> Use:
        part = Part("gpu", str(int(cells[0])))
        used = False
        for name, cell in zip(self._columns[1:], cells[1:], strict=True):
            known = field_of(_PATHS[name], cell.strip()) if name in _PATHS else None
            if known is not None and MAX_READINGS.has_room(len(self._found)):
                about = NODE if known[0] == "driver-version" else part
                self._found.append(reading(known[0], about, known[1], line))
                used = True
        return Use.USED if used else Use.IGNORED


PARSER = AmdSmiCsv
