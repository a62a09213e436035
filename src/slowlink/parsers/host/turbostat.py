"""``turbostat``: how fast the processors of a node ran while they had work, and what held them down::

    Package Core CPU Avg_MHz Busy%  Bzy_MHz TSC_MHz IRQ  CoreTmp CoreThr PkgTmp PkgWatt RAMWatt PKG_%  RAM_%
    -       -    -   1796    51.52  3486    2100    1233 58      0       60     250.12  30.11   0.00   0.00
    0       0    0   1798    51.81  3480    2100    33   58      0       60     125.02  15.02   0.00   0.00

The first row of an interval (``-``) sums all CPUs up; ``--Summary`` prints only that, without its first columns. What a
core or a package has stands in the row of its first CPU only, so a row may end early. ``TSC_MHz`` is the base clock,
``CoreThr`` counts what heat did (since the start of the node, in the interval from Linux 6.13 on), ``PKG_%`` is the
share of time at the power limit. Single CPUs are kept where they are busy for most of the time.

Source: ``tools/power/x86/turbostat`` of Linux 4.18 to 6.17 (``turbostat.c``, ``turbostat.8``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.gates import Gate, as_whole
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading
from slowlink.patterns import regex

_BUSY = 50.0
_WORD = r"[A-Za-z][\w%+./-]{0,20}"
_HEADING = regex(
    rf"\s{{0,8}}(?:{_WORD}[ \t]{{1,12}}){{0,12}}(?:Avg_MHz|Busy%|Bzy_MHz)(?:[ \t]{{1,12}}{_WORD}){{1,80}}\s*"
)
_ROW = regex(r"\s{0,8}(?:-|\d{1,12}(?:\.\d{1,4})?)(?:[ \t]{1,12}(?:-|\d{1,20}(?:\.\d{1,6})?)){3,80}\s*")
_BESIDE = regex(
    r"turbostat version \d.{0,120}|CPUID\(.{0,200}|\d{1,6}\.\d{1,6} sec\s*"
    r"|cpu\d{1,4}: (?:MSR_|EPB|Guessing|POLL|C\d|cpufreq|RAPL|Thermal).{0,200}"
)
_ATTRIBUTES = {
    "Busy%": "cpu-busy-share",
    "Bzy_MHz": "cpu-busy-frequency",
    "TSC_MHz": "cpu-base-frequency",
    "CoreThr": "cpu-heat-events",
    "PKG_%": "cpu-power-limited",
    "PkgWatt": "cpu-package-power",
}
_OF_SUMS = frozenset(("TSC_MHz", "CoreThr", "PKG_%", "PkgWatt"))
_PLACES = ("Package", "Die", "Node", "Core", "CPU")


class Turbostat:
    """Rows below a heading, by its names."""

    kind: ClassVar[str] = "turbostat"
    digits_alike: ClassVar[bool] = True
    literals: ClassVar[Literals] = Literals(
        ("Avg_MHz", "Busy%", "Bzy_MHz", "turbostat version ", "\n-", "\n0", "\nCPUID(", "\ncpu0: ")
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._columns: tuple[str, ...] = ()

    @staticmethod
    def gate() -> Gate:
        return ((as_whole(_ROW, _HEADING, _BESIDE),),)

    @staticmethod
    def wants(text: str) -> bool:
        return any(form.fullmatch(text) for form in (_ROW, _HEADING, _BESIDE))

    @property
    def greedy(self) -> bool:
        return bool(self._columns)

    def feed(self, line: Line) -> Use:
        if _HEADING.fullmatch(line.text):
            self._columns = tuple(line.text.split())
            return Use.IGNORED
        words = line.text.split()
        if self._columns and len(words) <= len(self._columns) and _ROW.fullmatch(line.text):
            return self._row(dict(zip(self._columns, words, strict=False)), line)
        if _BESIDE.fullmatch(line.text):
            return Use.IGNORED
        self._columns = ()
        return Use.NOT_MINE

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _row(self, cells: Mapping[str, str], line: Line) -> Use:
        sums = all(cells.get(name, "-") == "-" for name in _PLACES)
        name = "all" if sums else cells.get("CPU", "")
        if not sums and not (name.isdecimal() and float(cells.get("Busy%", "0").strip("-") or 0) >= _BUSY):
            return Use.IGNORED
        used = False
        for column, attribute in _ATTRIBUTES.items():
            cell = cells.get(column, "-")
            if cell == "-" or (column in _OF_SUMS and not sums) or not MAX_READINGS.has_room(len(self._found)):
                continue
            self._found.append(reading(attribute, Part("cpu", name), float(cell), line))
            used = True
        return Use.USED if used else Use.IGNORED


PARSER = Turbostat
