"""Room in file systems, and inodes, as ``df`` and Lustre's ``lfs df`` print them, in any unit::

    Filesystem      Size  Used Avail Use% Mounted on
    /dev/nvme0n1p2  1.8T  412G  1.3T  25% /
    shm              64M     0   64M   0% /dev/shm

    UUID                       bytes        Used   Available Use% Mounted on
    scratch-OST0001_UUID       87.3T       87.0T        1.2G 100% /scratch[OST:1]
    OST0002             : inactive device

The heading names the columns, which ``--output`` puts in any order. Plain numbers are blocks of the size that it names,
or inodes below ``Inodes``: without a heading they say nothing. Letters are powers of 1024, and of 1000 where a B
follows. What cannot be written by its nature (images of packages, discs, caches of what others serve) is always full
and left out, as is what the kernel keeps in memory; /dev/shm has attributes of its own.

Source: GNU coreutils 8.0 to 9.9, ``src/df.c`` and gnulib's ``human.c``; ``lustre/utils/lfs.c`` of Lustre 2.12 to 2.17
(``mntdf``, ``showdf``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, NODE, reading
from slowlink.patterns import regex

_AMOUNT = r"\d{1,18}(?:[.,]\d{1,3})?[KMGTPEkm]?i?B?"
_CELLS = {
    "source": r"\S.{0,159}?",
    "type": r"\S{1,30}",
    "percent": r"\d{1,3}%|-",
    "file": r"\S.{0,159}?",
    "mount": r"/.{0,200}|-",
}
"""How the cells of columns look; all others are amounts."""
_NAMES = {
    "Filesystem": "source",
    "UUID": "source",
    "Type": "type",
    "Used": "used",
    "Avail": "free",
    "Available": "free",
    "Use%": "percent",
    "Capacity": "percent",
    "Inodes": "inodes",
    "IUsed": "inodes_used",
    "IFree": "inodes_free",
    "IUse%": "inodes_percent",
    "File": "file",
    "Mounted": "mount",
    "Free": "root_free",
}
_BLOCKS = regex(r"(?P<unit>\d{1,12}[KMGTPEk]?i?B?)-\w{2,24}")
_USUAL = ("source", "size", "used", "free", "percent", "mount")
_WITH_TYPE = ("source", "type", *_USUAL[1:])
_ROW = regex(rf"(?:.{{0,240}} )?(?:(?:-?{_AMOUNT}|-) +){{3}}(?:\d{{1,3}}%|-) .{{0,240}}")
_ONE_LETTER = regex(r".{0,24}[KMGTPE].{0,4}")
_NOT_THERE = (
    "inactive device|Resource temporarily unavailable|Connection timed out|Input/output error|No such device"
    "|Cannot send after transport endpoint shutdown|Transport endpoint is not connected"
)
_INACTIVE = regex(rf"(?:[\w.-]{{1,40}}-)?(?P<target>(?:MDT|OST)[0-9a-f]{{4}})(?:_UUID)? {{0,40}}: (?:{_NOT_THERE})\s*")
_PREFIX = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50, "E": 1 << 60}
_DECIMAL = {letter: 1000**power for power, letter in enumerate(_PREFIX)}
_REACH = 400
"""That a table may have below its heading."""
_MOUNT = "/dev/shm"  # noqa: S108 (only the name of the mount)
_ALWAYS_FULL = regex(
    r"/dev/(?:loop|sr|cdrom)\d{0,4}|(?:dev|un|sys|run|squash|cd|is|efi|ude)\w{0,12}fs\b|(?:fuse\.)?squashfuse|udev|none"
    r"|iso9660|udf|cvmfs2|fuse\.cvmfs2"
)
_OF_THE_SYSTEM = regex(
    r"/(?:snap|boot|sys|proc|dev|run|media|cdrom|etc|cvmfs|var/lib/(?:docker|kubelet|snapd))(?:/.*)?"
)
"""Mounts that no job writes to: images, what the kernel keeps in memory, and single files that containers are given."""


class FileSystems:
    """Remembers the columns and the unit of the last heading; reads the rows of file systems that jobs write to."""

    kind: ClassVar[str] = "df"
    literals: ClassVar[Literals] = Literals(
        ("\nFilesystem ", "\nUUID ", " Mounted on", "0K-", "0% ", " - ", "\nOST0", "\nMDT0", "-OST0", "-MDT0")
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._columns: tuple[str, ...] = ()
        self._unit = 0
        """Bytes of a plain number; none where no heading told."""
        self._until = 0
        """Last line that can belong to the table."""

    @staticmethod
    def wants(text: str) -> bool:
        return bool(_columns(text)) or any(pattern.fullmatch(text) for pattern in (_ROW, _INACTIVE))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        columns = _columns(line.text)
        if columns:
            self._columns, self._unit, self._until = columns, _unit(line.text), line.no + _REACH
            return Use.IGNORED
        gone = _INACTIVE.fullmatch(line.text)
        if gone is not None:
            return self._keep("filesystem-server-active", Part("filesystem", gone["target"]), False, line)
        if line.no > self._until:
            self._columns, self._unit = (), 0
        cells = _cells(line.text, self._columns)
        if cells is None:
            return Use.NOT_MINE
        return self._row(cells, line)

    def _row(self, cells: dict[str, str], line: Line) -> Use:
        mount, use = cells["mount"], Use.IGNORED
        size, free = self._bytes(cells, "size"), self._bytes(cells, "free")
        if mount.endswith(_MOUNT):
            if size is not None and free is not None:
                self._keep("shm-size", NODE, size, line)
                use = self._keep("shm-free", NODE, free, line)
            return use
        if mount == "-" or not _is_for_jobs(cells):
            return use
        part = Part("filesystem", mount)
        if size is not None and free is not None:
            self._keep("filesystem-size", part, size, line)
            use = self._keep("filesystem-free", part, free, line)
        inodes = cells.get("inodes", "-")
        left = cells.get("inodes_free", cells.get("free", "-") if "size" not in cells else "-")
        if "-" not in (inodes, left) and _bytes(
            inodes, 1
        ):  # a file system without a number makes them as it needs them
            use = self._keep("filesystem-inodes-free", part, _bytes(left, 1), line)
        return use

    def _bytes(self, cells: dict[str, str], name: str) -> int | None:
        """A cell's bytes; None where it is empty, or its unit is not known."""
        cell = cells.get(name, "-")
        if cell == "-" or ("inodes" in cells and "size" not in cells):
            return None
        known = self._unit or _ONE_LETTER.fullmatch(cell) or (cell == "0" and _ONE_LETTER.fullmatch(cells["size"]))
        return _bytes(cell, self._unit or 1) if known else None

    def _keep(self, attribute: str, part: Part, value: int | bool, line: Line) -> Use:
        if MAX_READINGS.has_room(len(self._found)):
            self._found.append(reading(attribute, part, value, line))
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        return self._found


def _is_for_jobs(cells: dict[str, str]) -> bool:
    always_full = any(_ALWAYS_FULL.fullmatch(cells.get(name, "")) for name in ("source", "type"))
    return not _OF_THE_SYSTEM.fullmatch(cells["mount"]) and not always_full


def _columns(text: str) -> tuple[str, ...]:
    """The columns that a heading names; the usual ones for a heading in another language, which has the unit alone."""
    words = text[:400].split()
    if not 4 <= len(words) <= 16:
        return ()
    if "Mounted" not in words:
        known = len(words) >= 6 and _BLOCKS.fullmatch(words[1]) is not None and not words[0].startswith("-")
        return _USUAL if known else ()
    names = [_name(word) for word in words if word != "on"]
    return tuple(names) if "" not in names and len(set(names)) == len(names) else ()


def _name(word: str) -> str:
    return "size" if word in ("Size", "bytes") or _BLOCKS.fullmatch(word) else _NAMES.get(word, "")


def _unit(heading: str) -> int:
    """Bytes of a plain number; a 1 in front of the unit is one."""
    blocks = next((found for found in map(_BLOCKS.fullmatch, heading[:400].split()) if found is not None), None)
    return _bytes(blocks["unit"], 1) if blocks is not None else 1


def _cells(text: str, columns: tuple[str, ...]) -> dict[str, str] | None:
    """The cells of a row by column. Of a long name that stands in a line of its own, the row has none."""
    for names in (columns,) if columns else (_USUAL, _WITH_TYPE):
        rest = names[1:] if names[0] == "source" and text[:8].isspace() else ()
        found = next(
            (m for m in (_shape(order).fullmatch(text.strip()) for order in (names, rest) if order) if m), None
        )
        if found is not None:
            return {name: cell or "" for name, cell in found.groupdict().items()}
    return None


@lru_cache(maxsize=64)
def _shape(columns: tuple[str, ...]) -> re.Pattern[str]:
    cells = (
        f"(?P<{name}>{_CELLS.get('percent' if name.endswith('percent') else name, f'-?{_AMOUNT}|-')})"
        for name in columns
    )
    return re.compile(" +".join(cells))


def _bytes(text: str, unit: int) -> int:
    """``64M``, ``64MB``, or a plain number of blocks of ``unit`` bytes; what is below zero is nothing."""
    found = re.match(r"(\d+(?:[.,]\d+)?)([KMGTPE]?)(I?B)?", text.upper())
    if found is None:
        return 0
    powers = _DECIMAL if found[3] == "B" else _PREFIX
    return round(float(found[1].replace(",", ".")) * (powers[found[2]] if found[2] else unit))


PARSER = FileSystems
