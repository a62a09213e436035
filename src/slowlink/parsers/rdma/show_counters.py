"""``show_counters HCA`` and ``cma_roce_tos``: counters and the traffic class of a port.

Both are scripts of MLNX_OFED and DOCA, and neither prints the device: the command above does::

    # show_counters mlx5_0 1
            Port 1 hw counters:
            out_of_sequence: 4
            port_xmit_data: 8
    # cma_roce_tos -d mlx5_3
    106

A counter's line is read below such a command alone, or below one that prints all files in ``counters`` of a port
(``cd /sys/class/infiniband/mlx5_0/ports/1/counters && grep . *``). ``port_xmit_data`` and ``port_rcv_data`` count
words of four bytes; readings are in bytes. A traffic class is one byte: 106 is DSCP 26 with ECN.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading, whole
from slowlink.parsers.forms.port_counters import attribute_of, count
from slowlink.parsers.forms.rdma_values import HCA_NAME
from slowlink.patterns import regex

GAP = 12

_COMMAND = regex(rf".{{0,160}}\bshow_counters (?P<device>{HCA_NAME})(?: {{1,4}}(?P<port>\d{{1,3}}))?\s{{0,8}}")
_FILES = regex(
    rf".{{0,200}}/sys/class/infiniband/(?P<device>{HCA_NAME})/ports/(?P<port>\d{{1,3}})/(?:hw_)?counters\b.{{0,200}}"
)
"""A command on all counters of a port whose output has their names alone."""
_PORT = regex(r"\s{0,40}Port (?P<port>\d{1,3}) (?:hw )?(?:data |error )?counters:?\s{0,8}")
_COUNTER = regex(r"\s{0,40}(?P<name>[A-Za-z][A-Za-z0-9_]{3,50}): {0,4}(?P<count>\d{1,20})\s{0,8}")
_TOS = regex(
    rf".{{0,160}}\bcma_roce_tos (?:-p (?P<port>\d{{1,3}}) )?-d (?P<device>{HCA_NAME})"
    r"(?: -p (?P<last>\d{1,3}))?\s{0,8}"
)
_NUMBER = regex(r"\s{0,8}\d{1,3}\s{0,8}")


class ShowCounters:
    """Counters of the port that a command or a heading named, and the traffic class of RoCE connections."""

    kind: ClassVar[str] = "show_counters"
    literals: ClassVar[Literals] = Literals(
        (
            *("show_counters ", "cma_roce_tos ", "\nPort 0 ", "/sys/class/infiniband/"),
            *(f":{' ' * blanks}0\n" for blanks in range(5)),
        )
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._device = self._port = ""
        self._tos: Part | None = None
        """The port whose traffic class is the next line."""
        self._last = 0

    @staticmethod
    def wants(text: str) -> bool:
        counter = _COUNTER.fullmatch(text)
        if counter is not None:
            return _known(counter["name"])
        if not any(word in text for word in ("show_counters", "cma_roce_tos", "Port ", "counters")):
            return False
        return any(pattern.fullmatch(text) for pattern in (_COMMAND, _PORT, _TOS)) or _lists_files(text)

    @property
    def greedy(self) -> bool:
        return self._tos is not None

    def feed(self, line: Line) -> Use:
        tos, self._tos = self._tos, None
        if self._opens(line):
            return Use.IGNORED
        if tos is not None and _NUMBER.fullmatch(line.text):
            return self._take("port-roce-tos", tos, whole(line.text), line)
        match = _COUNTER.fullmatch(line.text)
        if match is None or not self._port or line.no - self._last > GAP:
            return Use.NOT_MINE
        self._last = line.no
        name = attribute_of(match["name"])
        if name is None:
            return Use.IGNORED
        return self._take(
            name, Part("port", f"{self._device}/{self._port}"), count(match["name"], match["count"]), line
        )

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _opens(self, line: Line) -> bool:
        command, port, tos = (pattern.fullmatch(line.text) for pattern in (_COMMAND, _PORT, _TOS))
        command = command or (_FILES.fullmatch(line.text) if _lists_files(line.text) else None)
        if command is not None:
            self._device, self._port = command["device"], command["port"] or ""
        elif port is not None and self._device and line.no - self._last <= GAP:
            self._port = port["port"]
        elif tos is not None:
            self._tos = Part("port", f"{tos['device']}/{int(tos['port'] or tos['last'] or 1)}")
        else:
            return False
        self._last = line.no
        return True

    def _take(self, name: str, part: Part, value: int | None, line: Line) -> Use:
        if value is None or not MAX_READINGS.has_room(len(self._found)):
            return Use.NOT_MINE
        self._found.append(reading(name, part, value, line))
        return Use.USED


def _lists_files(text: str) -> bool:
    """Is it a command over the files, and not one of them with its value?"""
    command = re.match(r"\S{0,80}[#$] |.{0,160}\b(?:for|cd|grep|cat|head|find) ", text)
    return "/sys/class/infiniband/" in text and command is not None and _FILES.fullmatch(text) is not None


def _known(name: str) -> bool:
    """Could a counter of this shape be one? Blind to digits: ``VL15_dropped`` is the only name with some."""
    return attribute_of(name) is not None or name == "lifespan" or name.startswith("VL")


PARSER = ShowCounters
