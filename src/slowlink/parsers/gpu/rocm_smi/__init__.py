"""``rocm-smi`` of AMD: its table, and one line for each key of a GPU (``--showallinfo`` and single options)::

    GPU  Temp (DieEdge)  AvgPwr  SCLK    MCLK     Fan  Perf  PwrCap  VRAM%  GPU%
    4    35.0c           37.0W   800Mhz  1600Mhz  0%   auto  500.0W    0%   0%
    ================================================================================
    GPU[4]          : Temperature (Sensor memory) (C): 52.0
    GPU  NODE  DID     GUID   GFX VER  GFX RAS  SDMA RAS  UMC RAS  VBIOS             BUS           PARTITION ID
    4    6     0x74a1  28851  gfx942   ENABLED  ENABLED   ENABLED  113-M3000100-102  0002:00:01.0  0

Columns of the table changed over versions and cells hold blanks, so a cell is known by its unit; the first number of
watts is what the GPU draws, the last one its limit. Before ROCm 2 the table ended with what the clocks are raised by,
and had neither limit nor utilisation::

    GPU  Temp    AvgPwr   SCLK     MCLK     PCLK           Fan      Perf    SCLK OD    MCLK OD
    1    41.0c   22.0W    852Mhz   167Mhz   8.0GT/s, x16   14.9%    auto      0%         0%

Rows without their heading are not read. Keys come with their unit
in parentheses, and a key may hold a colon of its own (``sclk clock level: 1: (2100Mhz)``).

``document`` reads ``--json``, ``topology_matrix`` the tables of ``--showtopo``, and ``rocm_ras`` those of
``--showrasinfo``.

Source: ``python_smi_tools/rocm_smi.py`` of ROCm 5.0 to 7.0, and ROC-smi's ``rocm-smi`` of ROCm 1.2 to 1.9.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, NODE, bus_id, number, reading, says_something
from slowlink.parsers.gpu.rocm_smi.document import RocmSmiDocument
from slowlink.parsers.gpu.rocm_smi.fields import gpu_readings, split_key, system_readings
from slowlink.patterns import regex

_KEYED = regex(
    r"\s{0,20}(?:ERROR: )?GPU\[(?P<gpu>\d{1,4})\](?: XCP\[\d{1,3}\])?\s{0,20}: (?!\(Topology\))(?P<rest>.{1,300})"
)
_RULER = regex(
    r"\s{0,20}={2,160}(?:(?!=) {0,15}(?:(?:ROCm System Management Interface|Concise (?:Hardware )?Info"
    r"|End of ROCm SMI Log|[A-Z%][\w ()%/-]{2,60}?) {0,15})?={2,160})?\s*$"
)
_HEAD = regex(r"\s{0,20}(?:GPU|Device)\s{1,20}(?:Node\s|Temp\s|\[Model\s).{0,200}GPU%\s*$")
_FIRST_HEAD = regex(
    r"\s{0,20}GPU\s{1,20}(?:DID\s{1,20})?Temp\s{1,20}AvgPwr\s{1,20}SCLK\s.{0,120}"
    r"(?:SCLK OD(?:\s{1,20}MCLK OD)?|OverDrive\s{1,20}ECC(?:\s{1,20}VBIOS)?)\s*$"
)
_UNDER_HEAD = regex(r"\s{0,80}(?:\(DID,|Name \(\d|\[Model|\([A-Z][a-z]{2,12}\)).{0,200}$")
_ROW = regex(r"\s{0,20}(?P<gpu>\d{1,4})\s{1,20}(?P<cells>\S.{10,300}(?:%|N/A|Unsupported))\s*$")
_HARDWARE_HEAD = regex(
    r"\s{0,20}GPU\s{1,20}(?:NODE\s{1,20})?DID\s.{0,160}\bVBIOS\s{1,40}BUS(?:\s{1,20}PARTITION ID)?\s*$"
)
_HARDWARE = regex(
    r"\s{0,20}(?P<gpu>\d{1,4})\s{1,20}(?:\d{1,4}\s{1,20})?0x[0-9a-f]{4}\s{1,20}.{0,120}?(?:ENABLED|DISABLED|N/A)\s{1,20}"
    r"(?P<vbios>[\w.-]{3,40}|N/A)\s{1,40}(?P<bus>(?:[0-9a-fA-F]{4,8}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7])"
    r"(?:\s{1,20}\d{1,4})?\s*$"
)
_DRIVER = regex(r"\s{0,20}Driver version:\s{1,8}(?P<version>[\w.-]{1,60})\s*$")
_NO_PROCESS = regex(r"\s{0,20}No KFD PIDs currently running\s*$")
_PROCESS_HEAD = regex(r"\s{0,20}PID\s{1,20}PROCESS NAME\s{1,40}GPU\(?s\)?\s")
_PROCESS = regex(
    r"\s{0,20}(?P<pid>\d{1,9})\s{1,20}(?P<name>\S{1,80})\s{1,60}(?P<gpus>\d{1,4})\s{1,40}(?P<memory>\d{1,18})\s{1,40}\d{1,18}\s{1,40}\S{1,12}\s*$"
)


class RocmSmi:
    """Knows which table its heading began; reads ``GPU[0] : key: value`` lines anywhere."""

    kind: ClassVar[str] = "rocm-smi"
    literals: ClassVar[Literals] = Literals(
        (
            *(
                "GPU[0]",
                "\n==",
                "GPU%",
                "CLK OD",
                "OverDrive",
                "\n(",
                "\nName (0",
                "\n[Model",
                "\n0",
                "\nDriver version:",
            ),
            *("No KFD PIDs currently", "PROCESS NAME", "VBIOS"),
        )
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._table = ""
        """The table that is being read: ``concise``, ``first`` (before ROCm 2) or ``processes``."""

    @staticmethod
    def wants(text: str) -> bool:
        patterns = (_KEYED, _RULER, _HEAD, _UNDER_HEAD, _ROW, _DRIVER, _NO_PROCESS, _PROCESS_HEAD, _PROCESS)
        return any(pattern.match(text) for pattern in (*patterns, _FIRST_HEAD, _HARDWARE_HEAD, _HARDWARE))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text[:500]
        if (heading := _table_below(text)) is not None:
            self._table = heading
            return Use.IGNORED
        pattern, read = _TABLES.get(self._table, (None, None))
        if pattern is not None and read is not None and (row := pattern.match(text)) is not None:
            return self._take(read(row, line))
        if (hardware := _HARDWARE.match(text)) is not None:
            return self._take(_hardware(hardware, line))
        if _HARDWARE_HEAD.match(text):
            return Use.IGNORED
        keyed, driver = _KEYED.match(text), _DRIVER.match(text)
        if keyed is not None:
            used = self._take(gpu_readings(keyed["gpu"], *split_key(keyed["rest"]), line), else_ignored=True)
            is_error = used is Use.IGNORED and text.lstrip().startswith("ERROR: ")
            return Use.NOT_MINE if is_error else used  # what its errors mean, the catalogue of messages knows
        if driver is not None:
            return self._take(system_readings("Driver version", driver["version"], line))
        if _NO_PROCESS.match(text):
            return self._take([reading("gpu-processes-listed", NODE, 0, line)])
        if _RULER.match(text):
            self._table = self._table if self._table in ("concise", "first") and text.strip("= ") == "" else ""
            return Use.IGNORED
        return Use.IGNORED if self._table and _UNDER_HEAD.match(text) else Use.NOT_MINE

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _take(self, found: Iterable[Reading], *, else_ignored: bool = False) -> Use:
        new = list(found)[: max(0, MAX_READINGS - len(self._found))]
        self._found += new
        return Use.IGNORED if else_ignored and not new else Use.USED


def _table_below(text: str) -> str | None:
    """The table that a heading begins; None where the line is none."""
    headings = ((_HEAD, "concise"), (_FIRST_HEAD, "first"), (_PROCESS_HEAD, "processes"))
    return next((table for pattern, table in headings if pattern.match(text)), None)


def _first(row: re.Match[str], line: Line) -> Iterator[Reading]:
    """A row of the first table: its watts are what the GPU draws, and its last shares are no utilisation."""
    for found in _concise(row, line):
        if found.attribute == "gpu-power-limit":
            yield reading("gpu-power", found.part, found.value, line)
        elif found.attribute != "gpu-utilisation":
            yield found


def _concise(row: re.Match[str], line: Line) -> Iterator[Reading]:
    """A row of the table: cells are known by their units, as columns changed over versions."""
    part, cells = Part("gpu", row["gpu"]), row["cells"]
    watts = re.findall(r"(?<![\w.])(\d{1,5}(?:\.\d{1,3})?)W(?!\w)", cells)
    clocks = re.findall(r"(?<![\w.])(\d{1,6})[Mm][Hh]z", cells)
    shares = re.findall(r"(\d{1,3}|N/A|Unsupported)%?(?=\s|$)", cells)
    heat = re.search(r"(?<![\w.])(\d{1,3}(?:\.\d{1,2})?)°?[cC](?!\w)", cells)
    cut = re.search(r"(?<!\S)NPS\d, ([A-Z]PX)(?=[\s,])", cells)
    if heat is not None:
        yield reading("gpu-temperature", part, float(heat[1]), line)
    if cut is not None:
        yield reading("gpu-partition", part, cut[1], line)
    for attribute, texts, at in (
        ("gpu-power", watts[:-1], 0),
        ("gpu-power-limit", watts, -1),
        ("gpu-clock-sm", clocks[:1], 0),
        ("gpu-clock-memory", clocks[1:2], 0),
        ("gpu-utilisation", shares, -1),
    ):
        value = number(texts[at]) if texts else None
        if value is not None:
            yield reading(attribute, part, value, line)


def _hardware(row: re.Match[str], line: Line) -> Iterator[Reading]:
    """A row of ``--showhw``: which GPU sits where, with which firmware."""
    part, address = Part("gpu", row["gpu"]), bus_id(row["bus"])
    if address is not None:
        yield reading("gpu-bus-id", part, address, line)
    if says_something(row["vbios"]):
        yield reading("gpu-vbios", part, row["vbios"], line)


def _process(row: re.Match[str], line: Line) -> Iterator[Reading]:
    part = Part("process", row["pid"])
    yield reading("process-name", part, row["name"].rsplit("/", 1)[-1], line)
    yield reading("process-gpu-memory", part, int(row["memory"]), line)


_TABLES: dict[str, tuple[re.Pattern[str], Callable[[re.Match[str], Line], Iterator[Reading]]]] = {
    "concise": (_ROW, _concise),
    "first": (_ROW, _first),
    "processes": (_PROCESS, _process),
}
"""The rows of each table, and what they say."""

PARSER = RocmSmi
DOCUMENT = RocmSmiDocument
