"""Size of /dev/shm as ``df`` prints it, in any of its units::

    Filesystem      Size  Used Avail Use% Mounted on
    /dev/nvme0n1p2  1.8T  412G  1.3T  25% /
    shm              64M     0   64M   0% /dev/shm

Plain numbers are blocks of the size that the heading names (1024 bytes where there is no heading); letters are powers
of 1024. Other file systems are ignored.

Source: GNU coreutils, ``src/df.c``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import NODE, reading
from slowlink.patterns import regex

_HEADING = regex(r"\s{0,40}Filesystem +(?:Type +)?(?P<unit>\d{1,5}[KMG]?i?B?-blocks|Size) +Used +Avail")
_AMOUNT = r"\d{1,18}(?:\.\d{1,3})?[KMGTP]?i?B?"
_ROW = regex(
    rf"\s{{0,40}}\S{{1,80}} +(?:[a-z]\w{{1,20}} +)?(?P<size>{_AMOUNT}) +(?P<used>{_AMOUNT}) +(?P<free>{_AMOUNT})"
    r" +(?:\d{1,3}%|-) +(?P<mount>\S{1,200})$"
)
_PREFIX = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50}
_MOUNT = "/dev/shm"  # noqa: S108 (only the name of the mount)


class SharedMemory:
    """Remembers the unit of the last heading, and reads the row of /dev/shm."""

    kind: ClassVar[str] = "df"
    literals: ClassVar[Literals] = Literals(("\nFilesystem ", "0% ", " - "))

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._unit = _PREFIX["K"]

    @staticmethod
    def wants(text: str) -> bool:
        return _HEADING.match(text) is not None or _ROW.match(text) is not None

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        heading = _HEADING.match(line.text)
        if heading is not None:
            self._unit = _bytes(heading["unit"].removesuffix("-blocks"), 1) if heading["unit"] != "Size" else 1
            return Use.IGNORED
        row = _ROW.match(line.text)
        if row is None:
            return Use.NOT_MINE
        if not row["mount"].endswith(_MOUNT):
            return Use.IGNORED
        if len(self._found) < 2000:
            self._found.append(reading("shm-size", NODE, _bytes(row["size"], self._unit), line))
            self._found.append(reading("shm-free", NODE, _bytes(row["free"], self._unit), line))
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        return self._found


def _bytes(text: str, unit: int) -> int:
    """``64M``, or a plain number of blocks of ``unit`` bytes."""
    found = re.match(r"(\d+(?:\.\d+)?)([KMGTP]?)", text)
    assert found is not None
    return round(float(found[1]) * (_PREFIX[found[2]] if found[2] else unit))


PARSER = SharedMemory
