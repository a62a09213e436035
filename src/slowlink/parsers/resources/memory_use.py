"""How much memory is left: ``free`` in all its units, the head of ``top``, and ``/proc/meminfo``::

                   total        used        free      shared  buff/cache   available
    Mem:           503Gi       497Gi       2.1Gi       1.3Gi       4.2Gi       1.6Gi
    Swap:          8.0Gi       7.9Gi        64Mi

    MiB Mem : 515895.4 total,   1601.2 free, 508331.5 used,   5962.7 buff/cache
    MiB Swap:   8192.0 total,     11.3 free,   8180.7 used.   2211.0 avail Mem

    MemAvailable:    2101220 kB

``free`` prints plain numbers in KiB, or in the unit that its options name. Where no command shows them, the numbers
do: Linux counts pages of 4 KiB, so in KiB all of them are multiples of 4; what fits two units gives nothing. Before
procps 3.3.10 nothing said what is available: a row below ``cached`` gives none. Languages have words for the rows.

Source: procps-ng 3.3.0 to 4.0.6 (``free.c``, ``units.c``, ``top_nls.c``, ``po/``), ``fs/proc/meminfo.c`` of Linux.
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

_PREFIX = {"B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50, "E": 1 << 60}
_AMOUNT = r"\d{1,18}(?:[.,]\d{1,3})?(?:[KMGTPE]i?B?|B)?"
_HEADING = regex(
    r"\s{0,20}total\s+used\s+free\s+shared\s+(?:buff/cache|buffers)\s+(?:available|cached?(?:\s+available)?)\s*"
)
_MEMORY = ("Mem", "Mem.", "Speicher", "内存", "Pamięć", "Пам.", "Minne", "BNhớ", "메모리")
_SWAP = ("Swap", "Échange", "Partition d'échange", "交换", "Inter", "Wymiana", "Своп.", "Växl.", "Tráo đổi", "스  왑")
_REST = ("Total", "Low", "High", "Comm", "-/+ buffers/cache")
_WHAT = "|".join(re.escape(word) for word in (*_MEMORY, *_SWAP, *_REST))
_ROW = regex(rf"\s{{0,8}}(?P<what>{_WHAT})(?::|：)(?P<cells>(?:\s+{_AMOUNT}){{2,7}})\s*")
_ONE_LINE = regex(rf"SwapUse +{_AMOUNT} CachUse +{_AMOUNT} +MemUse +{_AMOUNT} MemFree +{_AMOUNT}\s*")
_ASKED = regex(
    r"(?:.{0,120}[\s#$>%;&|])?free(?P<options>(?: {1,2}-{1,2}[a-z]{1,9}(?:[ =]?\d{1,6})?){0,4})\s*(?:[;|&].{0,120})?"
)
_OPTION = regex(r"--(?P<long>[a-z]{1,9})|-(?P<short>[a-zA-Z]{1,9})")
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
_OF_OPTION = {
    "b": 1,
    "bytes": 1,
    "k": 1 << 10,
    "kibi": 1 << 10,
    "m": 1 << 20,
    "mebi": 1 << 20,
    "g": 1 << 30,
    "gibi": 1 << 30,
    "tebi": 1 << 40,
    "kilo": 10**3,
    "mega": 10**6,
    "giga": 10**9,
    "tera": 10**12,
}
_LEAST_IN_KIB = 1 << 20
"""A node has more than 1 GiB; what is called MiB below has more than 16 GiB, and less than 64 TiB."""
_MIB, _GIB = range(1 << 14, 1 << 26), range(2, 1 << 13)
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
    """Remembers whether the last heading of ``free`` names what is available, and in which unit it counts."""

    kind: ClassVar[str] = "memory"
    literals: ClassVar[Literals] = Literals(
        (
            *("\ntotal ", "Mem:", "Swap:", "Total:", "Low:", "High:", "buffers/cache:", "iB Mem ", "iB Swap", "B Mem:"),
            *(f"\n{key}" for key in _KEYS),
            "/proc/meminfo:",
            *(f"\n{word}" for word in (*_MEMORY, *_SWAP)),
            *("Comm:", "\nSwapUse ", "free"),
        )
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._available = True
        self._asked = self._unit = 0
        """Bytes of a plain number, as a command told and as the table's memory row did."""

    @staticmethod
    def wants(text: str) -> bool:
        patterns = (_HEADING, _ROW, _TOP, _OLD_TOP, _ONE_LINE, _ASKED)
        return any(pattern.fullmatch(text) for pattern in patterns) or _of_file(text) is not None

    @staticmethod
    def hears(text: str) -> bool:
        return "free" in text and _ASKED.fullmatch(text) is not None

    def hear(self, line: Line) -> None:
        asked = _ASKED.fullmatch(line.text)
        if asked is not None:
            self._asked = _unit_of(asked["options"])

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text
        if self.hears(text):
            self.hear(line)
            return Use.NOT_MINE  # the command itself is another reader's
        if _HEADING.fullmatch(text):
            self._available, self._unit, self._asked = "available" in text, self._asked, 0
            return Use.IGNORED
        row, top, key = _ROW.fullmatch(text), _TOP.fullmatch(text), _of_file(text)
        if row is not None:
            return self._row(row["what"], row["cells"].split(), line)
        if top is not None:
            return self._top(top, line)
        if key is not None:
            name = _OF_FILE.get(key["key"])
            return self._keep(name, int(key["amount"]) << 10, line) if name else Use.IGNORED
        return Use.IGNORED if _OLD_TOP.fullmatch(text) or _ONE_LINE.fullmatch(text) else Use.NOT_MINE

    def _row(self, what: str, words: list[str], line: Line) -> Use:
        if what in _MEMORY:
            self._unit = self._unit or _unit_shown(words)
        if not self._unit and any(word.isdecimal() and word != "0" for word in words):
            return Use.IGNORED
        cells = [_bytes(word, self._unit) for word in words]
        if what in _SWAP and len(cells) >= 3:
            self._keep("swap-total", cells[0], line)
            return self._keep("swap-free", cells[2], line)
        if what == "-/+ buffers/cache":  # of old versions alone; later than what the row above seemed to say
            return self._keep("memory-available", cells[1], line)
        if what not in _MEMORY:
            return Use.IGNORED
        if self._available and len(cells) >= 6:
            self._keep("memory-available", cells[-1], line)
        return self._keep("memory-total", cells[0], line)

    def _top(self, top: re.Match[str], line: Line) -> Use:
        unit = top["unit"]
        what = "memory" if top["what"] == "Mem" else "swap"
        if what == "swap":
            self._keep("swap-free", _bytes(top["free"] + unit, 0), line)
        if top["available"]:
            self._keep("memory-available", _bytes(top["available"] + unit, 0), line)
        return self._keep(f"{what}-total", _bytes(top["total"] + unit, 0), line)

    def _keep(self, attribute: str, value: int, line: Line) -> Use:
        if MAX_READINGS.has_room(len(self._found)):
            self._found.append(reading(attribute, NODE, value, line))
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        return self._found


def _of_file(text: str) -> re.Match[str] | None:
    found = _FILE.fullmatch(text)
    return found if found is not None and found["key"].startswith(_KEYS) else None


def _unit_of(options: str) -> int:
    """Bytes of a plain number below ``free`` with these options; none where they do not tell."""
    words = [found["long"] or found["short"] for found in _OPTION.finditer(options)]
    if "si" in words:
        return 0
    letters = [
        word if word in _OF_OPTION else letter for word in words for letter in (word if len(word) < 4 else (word,))
    ]
    return next((_OF_OPTION[name] for name in letters if name in _OF_OPTION), 0)


def _unit_shown(words: list[str]) -> int:
    """Bytes of a plain number, as the memory row's own numbers tell; none where they do not."""
    numbers = [int(word) for word in words if word.isdecimal()]
    if not numbers or len(numbers) < len(words):
        return 0
    if all(number % 4 == 0 for number in numbers) and numbers[0] >= _LEAST_IN_KIB:
        return 1 if all(number % 4096 == 0 for number in numbers) else 1 << 10
    if any(number % 4 for number in numbers):
        return next((unit for units, unit in ((_MIB, 1 << 20), (_GIB, 1 << 30)) if numbers[0] in units), 0)
    return 0


def _bytes(text: str, unit: int) -> int:
    """``1.6Gi``, ``2211.0M``, or a plain number of ``unit`` bytes; a language's comma is a point."""
    found = re.match(r"(\d+(?:[.,]\d+)?)([KMGTPEB]?)", text)
    return round(float(found[1].replace(",", ".")) * (_PREFIX[found[2]] if found[2] else unit)) if found else 0


PARSER = MemoryUse
