"""``sysctl -n``: values without their names, which stand in the command above::

    $ sysctl -n kernel.numa_balancing vm.zone_reclaim_mode
    1
    0
    $ for h in $(cat hosts); do printf "$h "; ssh $h sysctl -n kernel.numa_balancing vm.zone_reclaim_mode | xargs; done
    gpu01 0 0
    gpu02 1 0

Values stand in the order of the names, one a line or, behind the name of a node, side by side. What pdsh prints of each
node is a stream of its own, which hears the question. Numbers of a loop without names of nodes are nobody's. A setting
of several numbers ends what can be counted off.

Source: sysctl(8) of procps-ng and busybox.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from msgspec.structs import replace

from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.forms.fronts.node_headings import kind_of_name
from slowlink.parsers.forms.gates import Gate, anywhere, as_whole
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, NODE, reading
from slowlink.patterns import regex

_QUESTION = regex(
    r".{0,400}\bsysctl (?:-[a-z]{1,4} |--[a-z]{3,10} ){0,3}(?:-[a-z]{0,3}n[a-z]{0,3}|--values) (?P<names>.{1,400})"
)
_NAME = regex(r"[a-z]{2,10}(?:[./][\w-]{1,40}){1,5}")
_EACH = regex(r".{0,400}\b(?:for \w{1,20} in |while read |pdsh |clush |parallel-ssh |pssh |ansible |srun )")
_ROW = regex(r"\s{0,8}(?P<host>[A-Za-z][\w.-]{0,60}):?\s{1,8}(?P<numbers>\d{1,15}(?:[ \t]{1,8}\S{1,80}){0,40})\s{0,8}")
_NUMBER = regex(r"\s{0,8}(?P<number>\d{1,15})\s{0,8}")
_ATTRIBUTES = {"kernel.numa_balancing": "numa-balancing", "vm.zone_reclaim_mode": "zone-reclaim"}
_SEVERAL = ("rmem", "wmem", "tcp_mem", "udp_mem", "range", "printk", "dentry-state", "file-nr", "inode-nr")
"""How the names of settings end that have several numbers; ``_max`` and ``_default`` behind them have one."""
_HIGHEST_MODE = 7


class SysctlAnswers:
    """Readings of the settings that matter, from a question and the numbers directly below it."""

    kind: ClassVar[str] = "sysctl-answers"
    literals: ClassVar[Literals] = Literals(("sysctl ", "\n0\n"))

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._names: tuple[str, ...] = ()
        self._each = False
        self._given = 0
        """Numbers that stood on lines of their own."""

    @staticmethod
    def gate() -> Gate:
        return (anywhere(r"sysctl .{0,60}-"),), (as_whole(_NUMBER),)

    @staticmethod
    def wants(text: str) -> bool:
        return _NUMBER.fullmatch(text) is not None or ("sysctl " in text and bool(_names(text)))

    @staticmethod
    def hears(text: str) -> bool:
        return "sysctl " in text and _EACH.match(text) is not None and bool(_names(text))

    def hear(self, line: Line) -> None:
        """A question that was typed once for many nodes, of which this stream is one."""
        self._ask(_names(line.text), each=False)

    @property
    def greedy(self) -> bool:
        return bool(self._names)

    def feed(self, line: Line) -> Use:
        names = _names(line.text) if "sysctl " in line.text else ()
        if names:
            self._ask(names, each=_EACH.match(line.text) is not None)
            return Use.NOT_MINE  # it is a command, too
        if self._names and self._answer(line):
            return Use.USED
        self._names = ()
        return Use.NOT_MINE

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _ask(self, names: tuple[str, ...], *, each: bool) -> None:
        self._names, self._each, self._given = names, each, 0

    def _answer(self, line: Line) -> bool:
        number, row = _NUMBER.fullmatch(line.text), _ROW.fullmatch(line.text)
        if number is not None and not self._each and self._given < len(self._names):
            self._add(self._names[self._given], number["number"], line, None)
            self._given += 1
            return True
        numbers = row["numbers"].split()[: len(self._names)] if row is not None else []
        if row is None or len(numbers) < len(self._names) or kind_of_name(row["host"]) is None:
            return False
        if not all(each.isdecimal() for each in numbers):
            return False
        for name, each in zip(self._names, numbers, strict=True):
            self._add(name, each, line, row["host"])
        return True

    def _add(self, name: str, number: str, line: Line, host: str | None) -> None:
        attribute = _ATTRIBUTES.get(name)
        if attribute is None or int(number) > _HIGHEST_MODE or not MAX_READINGS.has_room(len(self._found)):
            return
        found = reading(attribute, NODE, int(number) != 0, line)
        self._found.append(found if host is None else replace(found, host=host))


def _names(text: str) -> tuple[str, ...]:
    """The settings that are asked for, up to the first of several numbers; empty where none is read here."""
    asked = _QUESTION.match(text[:900])
    names: list[str] = []
    for word in asked["names"].split() if asked is not None else ():
        bare = word.strip("'\"`;)").replace("/", ".")
        if _NAME.fullmatch(bare) is None or bare.endswith(_SEVERAL):
            break
        names.append(bare)
        if word[-1] in "'\"`;)":
            break
    return tuple(names) if any(name in _ATTRIBUTES for name in names) else ()


PARSER = SysctlAnswers
