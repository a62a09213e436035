"""What people and loops say of each node in a line of its own, in nobody's format::

    node05: 8 GPUs
    node06: 7 GPUs, 8 HCAs
    gx01 driver 550.90.07, kernel 5.15.0-122-generic

or below a line that names what is told of each::

    Kernel version per node:
    gpu-node-1  5.15.0-1063-nvidia
    gpu-node-2  5.15.0-1042-nvidia

A line counts where it names a node, or pdsh's prefix does, and says nothing else than what
``catalog/words/part_columns.toml`` knows. The interface whose speed a loop asked for stands in its command.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from msgspec.structs import replace

from slowlink.catalog.words.part_columns import Column, Told, column_of, plain_title
from slowlink.model.job import Observation
from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.forms.gates import Gate, anywhere, as_whole
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS
from slowlink.parsers.host.part_tables.meaning import are_nodes, told_of
from slowlink.patterns import regex

_LONGEST = 200
_WIDEST = 12
_HOST = r"(?P<host>(?=[\w.-]{1,80})[A-Za-z][\w.-]{0,80}?\d[\w.-]{0,80})"
_ROW = regex(
    rf"\s{{0,20}}(?:[-*\u2022] )?{_HOST}\s{{0,12}}(?::|=|->|=>|\u2192|\s-\s|\s)\s{{0,20}}(?P<rest>\S.{{1,160}})"
)
_ITEMS = regex(r"\s{0,4}[,;|]\s{0,8}|\s{2,20}| and (?=\d)")
_COUNTED = regex(r"(?P<value>\d{1,4}(?: ?(?:/|of) ?\d{1,4})?)(?:x| x)? (?P<words>[A-Za-z][\w -]{1,30})")
_KEYED = regex(
    r"(?P<words>[A-Za-z][\w ./-]{1,30}?)\s{0,4}(?:[:=]|\bis\b|\s)\s{0,8}(?P<value>(?=\S{0,40}\d)[\w.+~/-]{1,60})"
)
_BARE = regex(
    rf"\s{{0,20}}(?:[-*\u2022] )?{_HOST}(?:\s{{0,12}}[:=]\s{{0,12}}|\s{{1,20}})"
    r"(?P<value>v?\d[\w.+~/-]{0,50})\s{0,8}"
)
_OF_EACH = regex(
    r"(?i)\s{0,3}(?:\(?(?:per|by|on each|of each|on all|of all|for all|across) (?:nodes?|hosts?|servers?)\)?)?"
    r"[\s:=-]{0,8}$"
)
_GAP = 2
"""Lines between what names the values and the first of them, or between two."""
_SPEED = regex(r"\s{0,20}Speed: (?P<value>\d{1,7}Mb/s)\s*")
_ASKED = regex(r"\bethtool (?P<name>[a-z][\w.@-]{1,20})[\"']?\s{0,4}\|\s{0,4}(?:grep|awk|sed)\b")
"""What else such a block says shows whose it is."""
_PARTS = (
    *(
        "gpu",
        "hca",
        "nic",
        "nv link",
        "nvlink",
        "ports",
        "driver",
        "kernel",
        "ofed",
        "firmware",
        "nccl",
        "rccl",
        "cuda",
    ),
    *(
        "nvidia",
        "fw",
        "mtu",
        "link",
        "cas",
        "ib dev",
        "device",
        "rate",
        "speed",
        "uname",
        "adapter",
        "rdma",
        "governor",
        "speed: 0",
        "efa",
    ),
)


class ToldOfNodes:
    """Collects what is said; names that are built alike show at the end that they are nodes'."""

    kind: ClassVar[str] = "told-of-nodes"
    digits_alike: ClassVar[bool] = True
    reads_beside: ClassVar[bool] = True
    """Who reads what else such a line says reads on."""
    literals: ClassVar[Literals] = Literals(("0", "ethtool "))

    def __init__(self) -> None:
        self._found: list[tuple[str, Told, tuple[str, str] | None, str, Line]] = []
        self._interface = ""
        self._headed = False
        """Did a heading name a node?"""
        self._named: Column | None = None
        self._title = ""
        self._last = 0

    @staticmethod
    def gate() -> Gate:
        words = rf"(?i)(?:^|[^a-z])(?:(?:{'|'.join(_PARTS)})(?:[^\d]|$)|(?:[abhgl]|mi|g[hb])\d\d)"
        return (anywhere(_ASKED),), (anywhere(r"\d"), anywhere(words)), (as_whole(_BARE),)

    @staticmethod
    def wants(text: str) -> bool:
        if ToldOfNodes.hears(text):
            return True
        return len(text) <= _LONGEST and (
            _SPEED.fullmatch(text) is not None or _BARE.fullmatch(text) is not None or bool(_said(text)[1])
        )

    @staticmethod
    def hears(text: str) -> bool:
        return _ASKED.search(text) is not None

    def hear(self, line: Line) -> None:
        """A command that asks each node for one interface."""
        found = _ASKED.search(line.text)
        self._interface = found["name"] if found is not None else ""

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        speed = _SPEED.fullmatch(line.text[:_LONGEST])
        if self.hears(line.text):
            self.hear(line)
            return Use.NOT_MINE  # it is a command
        host, said = _said(line.text[:_LONGEST])
        self._headed = self._headed or bool(line.place)
        if not host and line.stamp is None and not line.place:  # the host of a log says little
            host = line.host or ""
        if speed is not None and line.host and self._interface:
            part = ("interface", self._interface)
            column = column_of("speed")
            values = column.told(speed["value"]) if column is not None else ()
            self._found += [(line.host, told, part, "speed", line) for told in values]
            return Use.USED
        if not said and self._is_below(line):
            return self._bare(line)
        if not host or not said or not MAX_READINGS.has_room(len(self._found)):
            return Use.NOT_MINE
        self._found += [(host, told, None, title, line) for title, told in said]
        return Use.USED

    def _is_below(self, line: Line) -> bool:
        """Is there a line above that names the one value of each node?"""
        if line.no - self._last > _GAP or self._named is None:
            self._named, self._title = _named_above(line.before)
        return self._named is not None

    def _bare(self, line: Line) -> Use:
        found = _BARE.fullmatch(line.text[:_LONGEST])
        values = self._named.told(found["value"]) if self._named is not None and found is not None else ()
        if found is None or not values or not MAX_READINGS.has_room(len(self._found)):
            return Use.NOT_MINE
        self._last = line.no
        self._found += [(found["host"], told, None, self._title, line) for told in values]
        return Use.USED

    def finish(self) -> Iterable[Reading | Observation]:
        if not self._found or not are_nodes([host for host, *_ in self._found]):
            return
        for host, told, part, title, line in self._found:
            if self._headed and line.host == host:
                continue  # what stands below headings node_lines compares
            yield from told_of(told, part, host, title, replace(line, host=host))


def _named_above(text: str) -> tuple[Column | None, str]:
    """``Kernel versions per node:`` names the column ``kernel version``."""
    title = _OF_EACH.sub("", text[:_LONGEST])
    for words in (title, title.removesuffix("s")):
        column = column_of(words)
        if column is not None and column.may_stand("", plain_title(words)):
            return column, plain_title(words)
    return None, ""


def _said(text: str) -> tuple[str, list[tuple[str, Told]]]:
    """The node and all that is said of it; nothing where anything else is said."""
    row = _ROW.fullmatch(text)
    for host, rest in ((row["host"], row["rest"]) if row is not None else ("", ""), ("", text.strip())):
        items = [item for item in _ITEMS.split(rest.strip(" .")) if item]
        found = [_item(item) for item in items[:_WIDEST]]
        if found and all(found) and len(items) <= _WIDEST:
            return host, [pair for pairs in found for pair in pairs]
    return "", []


def _item(text: str) -> list[tuple[str, Told]]:
    for form in (_COUNTED, _KEYED):
        found = form.fullmatch(text)
        column = column_of(found["words"]) if found is not None else None
        if found is None or column is None or not column.may_stand("", plain_title(found["words"])):
            continue
        if (form is _COUNTED) == (column.read == "count"):
            return [(plain_title(found["words"]), told) for told in column.told(found["value"])]
    return []


PARSER = ToldOfNodes
