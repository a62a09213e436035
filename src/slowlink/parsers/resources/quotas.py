"""How much of somebody's share of a file system is used: ``quota`` and Lustre's ``lfs quota``::

    Disk quotas for user mia (uid 20411):
         Filesystem   space   quota   limit   grace   files   quota   limit   grace
    nas1:/export/home
                     50001M* 50000M  55000M   6days    412k       0       0

A star marks what is above the first limit (``quota``), which may be so for the days that ``grace`` names; at ``limit``
nothing more is written. Lustre also puts a star where some server did not answer, and brackets around what is not
exact: a star counts where the numbers agree, brackets say nothing. ``quota -q`` says in words which limit was reached.

Source: ``quota.c`` and ``quotasys.c`` of quota 4.0 to 4.11; ``lustre/utils/lfs.c`` of Lustre 2.12 to 2.17
(``print_quota``), whose newest columns are ``bquota``, ``iquota`` and so on.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.gates import Gate, as_whole
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading
from slowlink.patterns import regex

_TITLE = regex(
    r"\s{0,8}Disk quotas for (?:user|usr|group|grp|project|prj|pool) .{1,80}"
    r"|\s{0,8}[ugp]id \d{1,12} is using default .{1,60}"
)
_HEADING = regex(
    r"\s{0,40}Filesystem +(?:space|blocks|kbytes|used) +b?quota +b?limit +b?grace +files +i?quota +i?limit +i?grace\s*"
)
_ANOTHER = regex(r"\s{0,8}Disk (?:default \w{3,8} quota:|\w{3,8} quotas)\s*")
"""Lustre's tables of limits without use, and of all users."""
_AMOUNT = r"(?:\d{1,18}(?:\.\d{1,3})?[kKMGTP]?\*?|\[\d{1,18}(?:\.\d{1,3})?[kKMGTP]?\]\*?|-)"
_ROW = regex(
    rf"(?=.*[\s\[]\d)\s{{0,40}}(?:(?P<name>(?![\d\[*-])\S{{1,120}}|\S{{1,120}}[/:]\S{{0,120}})\s+)?"
    rf"(?P<space>{_AMOUNT})\s+(?P<quota>{_AMOUNT})\s+(?P<limit>{_AMOUNT})"
    rf"\s+(?:(?P<grace>-|none|expired|\d{{1,12}}|\d{{1,4}}\w{{1,8}}|\d{{1,3}}:\d\d)\s+)??"
    rf"(?P<files>{_AMOUNT})\s+(?P<file_quota>{_AMOUNT})\s+(?P<file_limit>{_AMOUNT})"
    r"(?:\s+(?P<file_grace>\S{1,12}))?\s*"
)
_WORDS = regex(
    r"\s{0,8}(?P<what>(?:File|Block) limit reached|In (?:file|block) grace period|Over (?:file|block) quota) on"
    r" (?P<name>\S{1,160})(?: \S{1,160})?\s*"
)
_NAME = regex(r"(?P<name>(?:[\w.@-]{1,80}:)?/\S{1,120})(?: /\S{0,120})?\s*")
_GRACE_IS_OVER = ("none", "expired")


class Quotas:
    """Remembers the name of a file system that stands in a line of its own."""

    kind: ClassVar[str] = "quota"
    literals: ClassVar[Literals] = Literals(
        (
            "\nDisk ",
            "quota ",
            "default",
            "/",
            " 0",
            "[0",
            "* ",
            " limit reached on ",
            " grace period on ",
            " quota on ",
        )
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._name = ""
        self._below_heading = False

    @staticmethod
    def gate() -> Gate:
        return ((as_whole(_TITLE, _HEADING, _ANOTHER, _ROW, _WORDS),),)

    @staticmethod
    def wants(text: str) -> bool:
        row = "\t" not in text and _ROW.fullmatch(text) is not None  # its columns are parted by blanks
        return row or any(pattern.fullmatch(text) for pattern in (_TITLE, _HEADING, _ANOTHER, _WORDS))

    @property
    def greedy(self) -> bool:
        return self._below_heading

    def feed(self, line: Line) -> Use:
        text = line.text
        if _TITLE.fullmatch(text) or _HEADING.fullmatch(text):
            self._below_heading, self._name = True, ""
            return Use.IGNORED
        if _ANOTHER.fullmatch(text):
            self._below_heading = False
            return Use.IGNORED
        words = _WORDS.fullmatch(text) if self._below_heading else None
        if words is not None:
            return self._words(words["what"], Part("filesystem", words["name"]), line)
        row = _ROW.fullmatch(text) if self._below_heading else None
        if row is not None:
            part = Part("filesystem", row["name"] or self._name)
            space = (row["space"], row["quota"], row["limit"], row["grace"] or "")
            files = (row["files"], row["file_quota"], row["file_limit"], row["file_grace"] or "")
            self._keep("quota-space", part, _state(*space), line)
            self._keep("quota-files", part, _state(*files), line)
            self._name = ""
            return Use.USED
        name = _NAME.fullmatch(text) if self._below_heading else None
        if name is None:
            self._below_heading = False
            return Use.NOT_MINE
        self._name = name["name"]
        return Use.IGNORED

    def _words(self, what: str, part: Part, line: Line) -> Use:
        attribute = "quota-files" if "file" in what.lower() else "quota-space"
        above = "above the first limit, for the days of grace"
        self._keep(attribute, part, above if "grace" in what else "all that is allowed is used", line)
        return Use.USED

    def _keep(self, attribute: str, part: Part, value: str | None, line: Line) -> None:
        if value is not None and MAX_READINGS.has_room(len(self._found)):
            self._found.append(reading(attribute, part, value, line))

    def finish(self) -> Iterable[Reading]:
        return self._found


def _state(used: str, first: str, limit: str, grace: str) -> str | None:
    """What a row says of one quota; None where its numbers are not exact, or are those of one server."""
    if used[0] in "[-" or limit[0] in "[-":
        return None
    if not used.endswith("*"):
        return "below its limits"
    if grace in _GRACE_IS_OVER or 0 < _amount(limit) <= _amount(used):
        return f"{used.rstrip('*')} of {limit} used"
    return f"above the first limit, {limit} at most" if 0 < _amount(first) <= _amount(used) else None


def _amount(text: str) -> float:
    """``50001M*`` as a number that can be compared with others of the same row."""
    bare = text.strip("[]*-")
    exponent = "KMGTP".find(bare[-1:].upper()) + 1 if bare[-1:].isalpha() else 0
    return float(bare.rstrip("kKMGTP") or 0) * float(1 << (10 * exponent))


PARSER = Quotas
