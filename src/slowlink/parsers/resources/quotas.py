"""How much of somebody's share of a file system is used: ``quota`` and Lustre's ``lfs quota``::

    Disk quotas for user mia (uid 20411):
         Filesystem   space   quota   limit   grace   files   quota   limit   grace
    nas1:/export/home
                     50001M* 50000M  55000M   6days    412k       0       0

A star marks what is above the first limit (``quota``), which may be so for the days that ``grace`` names; at ``limit``
nothing more is written.

Source: ``quota.c`` of quota 4.0 to 4.09; ``lustre/utils/lfs.c`` of Lustre 2.12 to 2.16 (``print_quota``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading
from slowlink.patterns import regex

_TITLE = regex(
    r"\s{0,8}Disk quotas for (?:user|usr|group|grp|project|prj|pool) .{1,80}"
    r"|\s{0,8}[ugp]id \d{1,12} is using default .{1,60}"
)
_HEADING = regex(
    r"\s{0,40}Filesystem +(?:space|blocks|kbytes|used) +quota +limit +grace +files +quota +limit +grace\s*"
)
_AMOUNT = r"\d{1,18}(?:\.\d{1,3})?[kKMGTP]?\*?"
_ROW = regex(
    rf"\s{{0,40}}(?:(?P<name>\S{{0,120}}/\S{{0,120}})\s+)?(?P<space>{_AMOUNT})\s+(?P<quota>{_AMOUNT})\s+(?P<limit>{_AMOUNT})"
    rf"\s+(?:(?P<grace>-|none|expired|\d{{1,4}}\w{{1,8}}|\d{{1,3}}:\d\d)\s+)?"
    rf"(?P<files>{_AMOUNT})\s+(?P<file_quota>{_AMOUNT})\s+(?P<file_limit>{_AMOUNT})(?:\s+\S{{1,12}})?\s*"
)
_NAME = regex(r"(?P<name>(?:[\w.@-]{1,80}:)?/\S{1,120})\s*")
_GRACE_IS_OVER = ("none", "expired")


class Quotas:
    """Remembers the name of a file system that stands in a line of its own."""

    kind: ClassVar[str] = "quota"
    literals: ClassVar[Literals] = Literals(("\nDisk quotas for ", "quota ", "default", "/", " 0", "* "))

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._name = ""
        self._below_heading = False

    @staticmethod
    def wants(text: str) -> bool:
        return any(pattern.fullmatch(text) for pattern in (_TITLE, _HEADING, _ROW))

    @property
    def greedy(self) -> bool:
        return self._below_heading

    def feed(self, line: Line) -> Use:
        text = line.text
        if _TITLE.fullmatch(text) or _HEADING.fullmatch(text):
            self._below_heading, self._name = True, ""
            return Use.IGNORED
        row = _ROW.fullmatch(text) if self._below_heading else None
        if row is not None:
            part = Part("filesystem", row["name"] or self._name)
            self._limit("quota-space", part, (row["space"], row["limit"], row["grace"] or ""), line)
            self._limit("quota-files", part, (row["files"], row["file_limit"], ""), line)
            self._name = ""
            return Use.USED
        name = _NAME.fullmatch(text) if self._below_heading else None
        if name is None:
            self._below_heading = False
            return Use.NOT_MINE
        self._name = name["name"]
        return Use.IGNORED

    def _limit(self, attribute: str, part: Part, cells: tuple[str, str, str], line: Line) -> None:
        used, limit, grace = cells
        value = "below its limits"
        if used.endswith("*"):
            full = grace in _GRACE_IS_OVER or 0 < _amount(limit) <= _amount(used)
            value = f"{used.rstrip('*')} of {limit} used" if full else f"above the first limit, {limit} at most"
        if MAX_READINGS.has_room(len(self._found)):
            self._found.append(reading(attribute, part, value, line))

    def finish(self) -> Iterable[Reading]:
        return self._found


def _amount(text: str) -> float:
    """``50001M*`` as a number that can be compared with others of the same row."""
    bare = text.rstrip("*")
    exponent = "KMGTP".find(bare[-1:].upper()) + 1 if bare[-1:].isalpha() else 0
    return float(bare.rstrip("kKMGTP") or 0) * float(1 << (10 * exponent))


PARSER = Quotas
