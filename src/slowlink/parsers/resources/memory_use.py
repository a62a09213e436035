"""How much memory is left: ``free`` in all its units, the head of ``top``, and ``/proc/meminfo``::

                   total        used        free      shared  buff/cache   available
    Mem:           503Gi       497Gi       2.1Gi       1.3Gi       4.2Gi       1.6Gi
    Swap:          8.0Gi       7.9Gi        64Mi

    MiB Mem : 515895.4 total,   1601.2 free, 508331.5 used,   5962.7 buff/cache
    MiB Swap:   8192.0 total,     11.3 free,   8180.7 used.   2211.0 avail Mem

    MemAvailable:    2101220 kB

``free`` prints plain numbers in KiB, or in the unit that its options name; these stand in the command alone, so rules
compare parts with the whole. Before procps 3.3.10 nothing said what is available: a row below ``cached`` gives none.

Source: procps 3.2 and procps-ng 3.3 to 4.0 (``free.c``, ``top.c``), ``fs/proc/meminfo.c`` of Linux.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, NODE, reading
from slowlink.patterns import regex

_PREFIX = {"": 1 << 10, "B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50, "E": 1 << 60}
_AMOUNT = r"\d{1,18}(?:[.,]\d{1,3})?(?:[KMGTPE]i?B?|B)?"
_HEADING = regex(
    r"\s{0,20}total\s+used\s+free\s+shared\s+(?:buff/cache|buffers)\s+(?:available|cached?(?:\s+available)?)\s*"
)
_ROW = regex(rf"\s{{0,8}}(?P<what>Mem|Swap|Total|Low|High|-/\+ buffers/cache):(?P<cells>(?:\s+{_AMOUNT}){{2,7}})\s*")
_TOP = regex(
    r"\s{0,4}(?P<unit>[KMGTPE])(?:iB)? (?P<what>Mem|Swap) ?:\s*(?P<total>[\d.,]{1,20}) total,"
    r"\s*(?P<free>[\d.,]{1,20}) free,\s*[\d.,]{1,20} used[.,]"
    r"\s*(?:(?P<available>[\d.,]{1,20}) avail Mem|[\d.,]{1,20} (?:buff/cache|buffers|cached Mem))\s*"
)
_OLD_TOP = regex(
    r"\s{0,4}(?P<unit>[KMGTPE])iB (?P<what>Mem|Swap) ?:\s*(?P<total>\d{1,16}) total,\s*(?P<used>\d{1,16}) used,.{0,80}"
)
_FILE = regex(
    r"\s{0,8}(?:/proc/meminfo:)?(?P<key>[A-Z][A-Za-z_]{2,24}(?:\((?:anon|file)\))?|DirectMap\d\w{1,2}):"
    r"\s{1,30}(?P<amount>\d{1,16})(?: kB)?\s*"
)
_OF_FILE = {
    "MemTotal": "memory-total",
    "MemAvailable": "memory-available",
    "SwapTotal": "swap-total",
    "SwapFree": "swap-free",
}
_KEYS = (
    *(
        "Mem",
        "Buffers",
        "Cached",
        "Swap",
        "Active",
        "Inactive",
        "Unevictable",
        "Mlocked",
        "Zswap",
        "Dirty",
        "Writeback",
    ),
    *(
        "AnonPages",
        "Mapped",
        "Shmem",
        "KReclaimable",
        "Slab",
        "SReclaimable",
        "SUnreclaim",
        "KernelStack",
        "PageTables",
    ),
    *(
        "SecPageTables",
        "NFS_Unstable",
        "Bounce",
        "CommitLimit",
        "Committed_AS",
        "Vmalloc",
        "Percpu",
        "HardwareCorrupted",
    ),
    *("AnonHugePages", "FileHugePages", "FilePmdMapped", "Cma", "Unaccepted", "HugePages_", "Hugepagesize", "Hugetlb"),
    *("DirectMap", "Balloon"),
)


class MemoryUse:
    """Remembers whether the last heading of ``free`` names what is available."""

    kind: ClassVar[str] = "memory"
    literals: ClassVar[Literals] = Literals(
        (
            *("\ntotal ", "Mem:", "Swap:", "Total:", "Low:", "High:", "buffers/cache:", "iB Mem ", "iB Swap", "B Mem:"),
            *(f"\n{key}" for key in _KEYS),
            "/proc/meminfo:",
        )
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._available = True

    @staticmethod
    def wants(text: str) -> bool:
        return any(p.fullmatch(text) for p in (_HEADING, _ROW, _TOP, _OLD_TOP)) or _of_file(text) is not None

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text
        if _HEADING.fullmatch(text):
            self._available = "available" in text
            return Use.IGNORED
        row, top, key = _ROW.fullmatch(text), _TOP.fullmatch(text), _of_file(text)
        if row is not None:
            return self._row(row["what"], [_bytes(cell) for cell in row["cells"].split()], line)
        if top is not None:
            return self._top(top, line)
        if key is not None:
            name = _OF_FILE.get(key["key"])
            return self._keep(name, int(key["amount"]) << 10, line) if name else Use.IGNORED
        return Use.IGNORED if _OLD_TOP.fullmatch(text) else Use.NOT_MINE

    def _row(self, what: str, cells: list[int], line: Line) -> Use:
        if what == "Swap" and len(cells) >= 3:
            self._keep("swap-total", cells[0], line)
            return self._keep("swap-free", cells[2], line)
        if what == "-/+ buffers/cache" and not self._available:
            return self._keep("memory-available", cells[1], line)
        if what != "Mem":
            return Use.IGNORED
        if self._available and len(cells) >= 6:
            self._keep("memory-available", cells[-1], line)
        return self._keep("memory-total", cells[0], line)

    def _top(self, top: re.Match[str], line: Line) -> Use:
        unit = top["unit"]
        what = "memory" if top["what"] == "Mem" else "swap"
        if what == "swap":
            self._keep("swap-free", _bytes(top["free"] + unit), line)
        if top["available"]:
            self._keep("memory-available", _bytes(top["available"] + unit), line)
        return self._keep(f"{what}-total", _bytes(top["total"] + unit), line)

    def _keep(self, attribute: str, value: int, line: Line) -> Use:
        if MAX_READINGS.has_room(len(self._found)):
            self._found.append(reading(attribute, NODE, value, line))
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        return self._found


def _of_file(text: str) -> re.Match[str] | None:
    found = _FILE.fullmatch(text)
    return found if found is not None and found["key"].startswith(_KEYS) else None


def _bytes(text: str) -> int:
    """``1.6Gi``, ``2211.0M``, or a plain number of KiB; a language's comma is a point."""
    found = re.match(r"(\d+(?:[.,]\d+)?)([KMGTPEB]?)", text)
    return round(float(found[1].replace(",", ".")) * _PREFIX[found[2]]) if found else 0


PARSER = MemoryUse
