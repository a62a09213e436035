"""Room in file systems, and inodes, as ``df`` and Lustre's ``lfs df`` print them, in any unit::

    Filesystem      Size  Used Avail Use% Mounted on
    /dev/nvme0n1p2  1.8T  412G  1.3T  25% /
    shm              64M     0   64M   0% /dev/shm

    UUID                       bytes        Used   Available Use% Mounted on
    scratch-OST0001_UUID       87.3T       87.0T        1.2G 100% /scratch[OST:1]
    OST0002             : inactive device

Plain numbers are blocks of the size that the heading names (1024 bytes where there is no heading), or inodes below
``Inodes``; letters are powers of 1024. What cannot be written by its nature (images of packages, discs) is always full
and left out, as is what the kernel keeps in memory; /dev/shm has attributes of its own.

Source: GNU coreutils 8 and 9, ``src/df.c``; ``lustre/utils/lfs.c`` of Lustre 2.12 to 2.16 (``mntdf``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, NODE, reading
from slowlink.patterns import regex

_HEADING = regex(
    r"\s{0,40}(?:Filesystem|UUID) +(?:Type +)?(?P<unit>\d{1,5}[KMG]?i?B?-blocks|Size|bytes|Inodes) +I?Used +"
    r"(?:I?Free|Avail)"
)
_AMOUNT = r"\d{1,18}(?:\.\d{1,3})?[KMGTPkm]?i?B?"
_ROW = regex(
    rf"\s{{0,60}}(?:(?P<source>\S{{1,120}}) +)?(?:(?P<type>[a-z][\w.]{{1,20}}) +)?(?P<size>{_AMOUNT})"
    rf" +(?P<used>{_AMOUNT}) +(?P<free>-?{_AMOUNT}) +(?:\d{{1,3}}%|-) +(?P<mount>/\S{{0,200}})$"
)
_INACTIVE = regex(
    r"(?P<target>(?:MDT|OST)[0-9a-f]{4}) {1,40}: (?:inactive device|Resource temporarily unavailable)\s*$"
)
_PREFIX = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50}
_MOUNT = "/dev/shm"  # noqa: S108 (only the name of the mount)
_ALWAYS_FULL = regex(
    r"/dev/(?:loop|sr|cdrom)\d{0,4}|(?:dev|un|sys|run|squash|cd|is|efi|ude)\w{0,12}fs\b|squashfuse|udev|none"
)
_OF_THE_SYSTEM = regex(r"/(?:snap|boot|sys|proc|dev|run|media|cdrom|etc|var/lib/(?:docker|kubelet|snapd))(?:/.*)?")
"""Mounts that no job writes to: images, what the kernel keeps in memory, and single files that containers are given."""


class FileSystems:
    """Remembers the unit of the last heading, and reads the rows of file systems that jobs write to."""

    kind: ClassVar[str] = "df"
    literals: ClassVar[Literals] = Literals(("\nFilesystem ", "\nUUID ", "0% ", " - ", "\nOST0", "\nMDT0"))

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._unit: int | None = _PREFIX["K"]
        """Bytes of a plain number; None for inodes."""

    @staticmethod
    def wants(text: str) -> bool:
        return any(pattern.match(text) is not None for pattern in (_HEADING, _ROW, _INACTIVE))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        heading = _HEADING.match(line.text)
        if heading is not None:
            self._unit = _unit(heading["unit"])
            return Use.IGNORED
        gone = _INACTIVE.match(line.text)
        if gone is not None:
            return self._keep("filesystem-server-active", Part("filesystem", gone["target"]), False, line)
        row = _ROW.match(line.text)
        if row is None:
            return Use.NOT_MINE
        if row["mount"].endswith(_MOUNT) and self._unit is not None:
            self._keep("shm-size", NODE, _bytes(row["size"], self._unit), line)
            return self._keep("shm-free", NODE, _bytes(row["free"], self._unit), line)
        return self._row(row, line) if _is_for_jobs(row) else Use.IGNORED

    def _row(self, row: re.Match[str], line: Line) -> Use:
        part = Part("filesystem", row["mount"])
        if self._unit is None:
            if _bytes(row["size"], 1) == 0:
                return Use.IGNORED  # it makes inodes as it needs them
            return self._keep("filesystem-inodes-free", part, _bytes(row["free"], 1), line)
        self._keep("filesystem-size", part, _bytes(row["size"], self._unit), line)
        return self._keep("filesystem-free", part, _bytes(row["free"], self._unit), line)

    def _keep(self, attribute: str, part: Part, value: int | bool, line: Line) -> Use:
        if MAX_READINGS.has_room(len(self._found)):
            self._found.append(reading(attribute, part, value, line))
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        return self._found


def _is_for_jobs(row: re.Match[str]) -> bool:
    of_the_system = _OF_THE_SYSTEM.fullmatch(row["mount"])
    always_full = any(_ALWAYS_FULL.fullmatch(row[name] or "") for name in ("source", "type"))
    return not of_the_system and not always_full


def _unit(heading: str) -> int | None:
    if heading == "Inodes":
        return None
    return 1 if heading in ("Size", "bytes") else _bytes(heading.removesuffix("-blocks"), 1)


def _bytes(text: str, unit: int) -> int:
    """``64M``, or a plain number of blocks of ``unit`` bytes; what is below zero is nothing."""
    found = re.match(r"(\d+(?:\.\d+)?)([KMGTP]?)", text.upper())
    return round(float(found[1]) * (_PREFIX[found[2]] if found[2] else unit)) if found else 0


PARSER = FileSystems
