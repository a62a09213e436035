"""Whether disks can be written to: ``mount``, ``findmnt`` and ``/proc/mounts``::

    /dev/nvme1n1p1 on /local type ext4 (ro,relatime,emergency_ro)
    /dev/nvme1n1p1 /local ext4 ro,relatime,emergency_ro 0 0

Only file systems of disks are read: what comes from a server is often given out to be read only, and what the kernel
makes up says nothing; programs and libraries are given to containers read only on purpose. mountinfo tells the mount
(first) from the file system (behind the ``-``), which counts. XFS is never made read only after an error: it shuts
down, and only the kernel's log says so. Source: util-linux 2.34 to 2.41 (``mount.c``, ``findmnt.c``),
``fs/proc_namespace.c`` of Linux.
"""

from __future__ import annotations

import re
from typing import ClassVar

from slowlink.parsers.forms.reading_table import LineFact, ReadingParser
from slowlink.patterns import regex

_DISK = r"(?:ext\d|xfs|btrfs|zfs|f2fs|jfs)"
_OPTIONS = r"(?P<mode>r[ow])(?P<options>(?:,[^\s,()]{1,80}){0,40})"


_OF_PROGRAMS = regex(r"/(?:usr|lib\d{0,2}|bin|sbin|etc|opt|run|var/(?:run|lib)|proc|sys|dev|nix|snap|boot)/.+")


def _read_only(match: re.Match[str]) -> bool | None:
    saved = ",emergency_ro" in match["options"]
    if match["mode"] == "ro" and not saved and _OF_PROGRAMS.fullmatch(match["mount"]):
        return None
    return match["mode"] == "ro" or saved


FACTS: tuple[LineFact, ...] = (
    LineFact(
        "filesystem-read-only",
        " type ",
        rf"\S{{1,120}} on (?P<mount>/\S{{0,200}}) type {_DISK} \({_OPTIONS}\)",
        {"/dev/sda2 on / type xfs (rw,relatime)": False, "/dev/sdb1 on /local type ext4 (ro,emergency_ro)": True},
        convert=_read_only,
        part="{mount}",
    ),
    LineFact(
        "filesystem-read-only",
        " r",
        r"[├└│─|`\s-]{0,12}(?:(?!/)\S{1,120}\s{1,40}|/dev/\S{1,100}\s{1,40}(?=/))?(?P<mount>/\S{0,200})\s{1,60}"
        r"(?:[\w/:.+-]{1,80}(?:\[\S{1,80}\])?\s{1,40})?"
        rf"{_DISK}\s{{1,20}}{_OPTIONS}(?: \d \d)?\s*$",
        {
            "/dev/sdb1 /local ext4 ro,relatime 0 0": True,
            "/              /dev/sda2        xfs      rw,relatime,attr2": False,
        },
        convert=_read_only,
        part="{mount}",
        told_by=("ext0 r", "xfs r", "btrfs r", "zfs r", "ext0  ", "xfs  ", "btrfs  "),
    ),
)


FACTS += (
    LineFact(
        "filesystem-read-only",
        " - ",
        r"\d{1,9} \d{1,9} \d{1,9}:\d{1,9} /\S{0,200} (?P<mount>/\S{0,200}) r[ow](?:,[^\s,]{1,80}){0,40}"
        rf"(?: (?:shared|master|propagate_from|unbindable)(?::\d{{1,9}})?){{0,4}} - {_DISK} \S{{1,160}} {_OPTIONS}\s*$",
        {
            "36 35 259:2 / /local rw,noatime master:1 - ext4 /dev/nvme1n1p1 ro,errors=remount-ro": True,
            "37 35 259:2 /sw /apps ro,relatime - xfs /dev/nvme1n1p1 rw,attr2,inode64": False,
        },
        convert=_read_only,
        part="{mount}",
        told_by=(" - ext0 ", " - xfs ", " - btrfs ", " - zfs ", " - f0fs ", " - jfs "),
    ),
)


class Mounts(ReadingParser):
    """Of each disk's file system, whether it can be written to."""

    kind: ClassVar[str] = "mounts"
    facts: ClassVar[tuple[LineFact, ...]] = FACTS
    legend_marks = (" type ", " type: ")
    legend: ClassVar[re.Pattern[str] | None] = regex(
        r"\s{0,8}\S{1,160} on /\S{0,200} type [\w.]{1,24} \([a-z][^()]{0,1500}\)"
    )


PARSER = Mounts
