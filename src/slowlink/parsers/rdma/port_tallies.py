"""States and rates of all ports of a node, counted by ``uniq -c``: how many say the same, instead of which::

    $ ibstat | grep -E 'State|Rate' | sort | uniq -c
          8         Physical state: LinkUp
          8         Rate: 400
          8         State: Active

So do ``ibstatus``, ``ibv_devinfo``, ``ibdev2netdev`` and ``cat /sys/class/infiniband/*/ports/1/state``. Only a pipeline
that shows every port counts: one that searches for keys (``State``), not for values (``Active``, which leaves out the
others), nor for the first lines. The output does not name the ports: they are ``#1``, ``#2`` ..., the best first in
each attribute, so that what is bad of one port stands together. The names of nodes may stand between the answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import ClassVar, NamedTuple

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms import rdma_values as rdma
from slowlink.parsers.forms.gates import Gate, anywhere
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.lines import form_of
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, NODE, reading
from slowlink.patterns import regex

_SOURCE = (
    r"(?:\bibstat|\bibstatus|\bibv_devinfo|\bibdev2netdev"
    r"|\b(?:cat|head -n ?1 -q|tail -n ?1 -q) /sys/class/infiniband/\*/ports/[\d*]/(?P<file>state|phys_state|rate))"
)
_MARK = r"\^|\\s[*+]?|\s|\(|\)|\\\(|\\\)|\\?\||\[\w{1,2}\]|:|\\t|\.|\*"
_KEYS = rf"(?:(?:{_MARK}|phys(?:ical)?|port_?|state|rate|link_layer)){{1,40}}"
_SEARCH = rf"(?:e|f)?grep(?: -[EiewhP]{{1,4}}){{0,4}}(?: (?:-e )?(?:'{_KEYS}'|\\?\"{_KEYS}\\?\"|{_KEYS})){{1,3}}"
_OTHER_STAGE = r"awk '\{print \$NF;?\}'|sort|sed '?s/\^\[?[ \\t\]s]{0,6}[*+]?//'?|tr -d '[ \\t]{1,4}'|xargs -n ?1"
_STAGE = rf"(?:{_SEARCH}|{_OTHER_STAGE})"
_PIPELINE = regex(
    rf"(?i:.{{0,200}}?){_SOURCE}(?: 2> ?/dev/null)?(?: ?\| ?(?i:{_STAGE})){{0,4}} ?\| ?uniq -c"
    r"(?: ?\| ?sort(?: -\w{1,3})?)?['\"\s]{0,4}"
)
_COUNTED = regex(r"\s{0,12}(?P<count>\d{1,4})\s{1,12}(?P<value>\S.{0,80}?)\s{0,8}")
_NUMBERED = regex(r"\s{0,11} \d+ \s{0,11}\S.{0,80}")
_KEYED = regex(r"(?P<key>[A-Za-z_ ]{4,20}?):\s{0,12}(?P<value>\S.{0,40})")
_BARE = regex(r"\d{1,2}: ?[A-Za-z_]{2,30}|\d{1,5}(?:\.\d{1,3})? Gb/sec \(.{1,20}\)")
"""Values of files, which have no key."""
_UP = regex(r"\((?P<state>Up|Down)\)")
_MOST_PORTS = 256
_HEADING_LINES = 3
"""A node's name between two rulers."""


class _Attribute(NamedTuple):
    """What a counted value is of."""

    name: str
    read: Callable[[str], Value | None]


_STATE = _Attribute("port-state", rdma.port_state)
_PHYSICAL = _Attribute("port-physical-state", rdma.physical_state)
_RATE = _Attribute("port-rate", rdma.rate_gbit)
_LAYER = _Attribute("port-link-layer", rdma.link_layer)
_BY_KEY = {
    "state": _STATE,
    "physical state": _PHYSICAL,
    "phys state": _PHYSICAL,
    "rate": _RATE,
    "link layer": _LAYER,
    "link_layer": _LAYER,
}
_BY_FILE = {"state": _STATE, "phys_state": _PHYSICAL, "rate": _RATE}
_BEST_FIRST = ("Active", "LinkUp")


class PortTallies:
    """Lines directly below a pipeline that counts what all ports say."""

    kind: ClassVar[str] = "port-tallies"
    literals: ClassVar[Literals] = Literals(("uniq -c", " 0 ", "\n0 "))

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._file = ""
        self._next = 0
        """Number of the line that holds the next value; 0 where no such pipeline stands above."""
        self._heard = False
        self._counted: list[tuple[str, Value | None, int, Line]] = []

    @staticmethod
    def gate() -> Gate:
        return (anywhere(r"uniq -c"),), (anywhere(r"^\s*\d+\s+\S"),)

    @staticmethod
    def wants(text: str) -> bool:
        if "uniq -c" in text:
            return True
        # What is wanted must not depend on how large its numbers are.
        return _NUMBERED.match(text) is not None and _value(form_of(text).decode().replace("0", "1"), "") is not None

    @staticmethod
    def hears(text: str) -> bool:
        return "uniq -c" in text and _pipeline(text) is not None

    def hear(self, line: Line) -> None:
        """A pipeline that was typed once for many nodes."""
        found = _pipeline(line.text)
        self._heard, self._file = found is not None, (found and found["file"]) or ""

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        if "uniq -c" in line.text:
            self._close()
            pipeline = _pipeline(line.text)
            self._next = line.no + 1 if pipeline is not None else 0
            self._file = (pipeline and pipeline["file"]) or ""
            return Use.NOT_MINE  # it is a command, too
        counted, found = _COUNTED.fullmatch(line.text), _value(line.text, self._file)
        near = 0 < self._next <= line.no <= self._next + _HEADING_LINES
        if counted is None or found is None or not (self._heard or near):
            return Use.NOT_MINE
        if line.no > self._next:
            self._close()  # below the name of another node
        self._next = line.no + 1
        attribute, value = found
        self._counted.append((attribute.name, value, int(counted["count"]), line))
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        self._close()
        return self._found

    def _close(self) -> None:
        """Number the ports of one answer; those of the next are others. How many are up is known of the node, too."""
        up = [(count, line) for name, value, count, line in self._counted if (name, value) == ("port-state", "Active")]
        if up and MAX_READINGS.has_room(len(self._found)):
            self._found.append(reading("ports-up", NODE, sum(count for count, _ in up), up[0][1]))
        for name in dict.fromkeys(name for name, _, _, _ in self._counted):
            number = 0
            for _, value, count, line in sorted((each for each in self._counted if each[0] == name), key=_goodness):
                for port in range(number + 1, min(number + count, _MOST_PORTS) + 1):
                    if value is not None and MAX_READINGS.has_room(len(self._found)):
                        self._found.append(reading(name, Part("port", f"#{port}"), value, line))
                number += count
        self._counted = []


def _pipeline(text: str) -> re.Match[str] | None:
    """The pipeline in a command that shows every port and counts."""
    return _PIPELINE.fullmatch(text[:600])


def _value(text: str, file: str) -> tuple[_Attribute, Value | None] | None:
    """What is counted, and its value; a rate of 0 has none. None where the line is something else."""
    counted = _COUNTED.fullmatch(text)
    if counted is None:
        return None
    value = counted["value"]
    keyed, up = _KEYED.fullmatch(value), _UP.fullmatch(value)
    if up is not None:
        return _STATE, "Active" if up["state"] == "Up" else "Down"
    attribute = _BY_KEY.get(keyed["key"].strip().lower()) if keyed is not None else None
    if attribute is not None and keyed is not None:
        told = attribute.read(keyed["value"])
    else:
        shaped = _BARE.fullmatch(value) is not None
        attribute = next((each for each in _BY_FILE.values() if each.read(value)), None) if shaped else None
        attribute = attribute if attribute is None else _BY_FILE.get(file, attribute)
        told = attribute.read(value) if attribute is not None else None
    if attribute is None or (told is None and attribute is not _RATE):
        return None
    return attribute, told


def _goodness(counted: tuple[str, Value | None, int, Line]) -> tuple[bool, float, int]:
    """Sorts the best first: states by name, rates by size, then as printed."""
    _, value, _, line = counted
    return value not in _BEST_FIRST, -value if isinstance(value, int | float) else 0.0, line.no


PARSER = PortTallies
