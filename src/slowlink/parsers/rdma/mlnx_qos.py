"""``mlnx_qos -i INTERFACE``: which priorities are paused and so lose nothing (PFC), and what sets a packet's priority.

The program is part of mlnx-tools, MLNX_OFED and DOCA::

    # mlnx_qos -i ens1np0
    DCBX mode: OS controlled
    Priority trust state: dscp
    PFC configuration:
            priority    0   1   2   3   4   5   6   7
            enabled     0   0   0   1   0   0   0   0
            buffer      0   0   0   1   0   0   0   0

The output does not name the interface, so it is read only below the command that does. ``pcp`` trusts the VLAN
tag of a packet and ``dscp`` its IP header. Rate limits, buffers and traffic classes are known and not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import reading
from slowlink.patterns import regex

MAX_INTERFACES = Limit(10_000, "interfaces")
GAP = 60

_COMMAND = regex(
    r".{0,160}\bmlnx_qos (?:-\S{1,20} ){0,4}?-?(?:-i|-interface|i)[ =](?P<interface>[\w.-]{1,40})(?: .{0,60})?"
)
_TRUST = regex(r"\s{0,20}Priority trust state: (?P<trust>pcp|dscp|both)\s{0,8}", re.IGNORECASE)
_ENABLED = regex(r"\s{0,40}enabled(?P<flags>(?: {1,12}[01]){8})\s{0,8}")
_SILENT = regex(
    r"\s{0,40}(?:DCBX mode: .{1,60}|dscp\dprio mapping:|PFC configuration:|Receive buffer size .{0,120}"
    r"|Cable len: .{0,40}"
    r"|prio:\d.{0,160}|priority(?: {1,12}\d){8}|buffer(?: {1,12}\d){8}|tc: \d.{0,80}|priority: {1,4}\d"
    r"|(?:default )?priority:.{0,20}|Buffers commands.{0,80}|total_size=\d.{0,60}|max_buffer_size=.{0,60})\s{0,8}"
)


class MlnxQos:
    """Trust state and paused priorities (``"3 4"``, or ``"off"``) of the interface that the command named."""

    kind: ClassVar[str] = "mlnx_qos"
    literals: ClassVar[Literals] = Literals(
        (
            *("mlnx_qos", "priority trust state: ", "\nenabled ", "dcbx mode: ", "mapping:", "pfc configuration:"),
            *("receive buffer size ", "cable len: ", "\nprio:0", "\npriority ", "\nbuffer ", "\ntc: 0", "priority:"),
            *("buffers commands", "total_size=0", "max_buffer_size="),
        ),
        fold=True,
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._interface = ""
        self._last = 0

    @staticmethod
    def wants(text: str) -> bool:
        if "mlnx_qos" in text and _COMMAND.fullmatch(text):
            return True
        return any(pattern.fullmatch(text) for pattern in (_TRUST, _ENABLED, _SILENT))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        command = _COMMAND.fullmatch(line.text)
        if command is not None:
            self._interface, self._last = command["interface"], line.no
            return Use.IGNORED
        if not self._interface or line.no - self._last > GAP or not MAX_INTERFACES.has_room(len(self._found)):
            return Use.NOT_MINE
        trust, enabled = _TRUST.fullmatch(line.text), _ENABLED.fullmatch(line.text)
        if trust is not None:
            self._add("interface-trust", trust["trust"].lower(), line)
        elif enabled is not None:
            on = [str(priority) for priority, flag in enumerate(enabled["flags"].split()) if flag == "1"]
            self._add("interface-pfc", " ".join(on) or "off", line)
        elif _SILENT.fullmatch(line.text):
            self._last = line.no
            return Use.IGNORED
        else:
            return Use.NOT_MINE
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _add(self, name: str, value: str, line: Line) -> None:
        self._last = line.no
        self._found.append(reading(name, Part("interface", self._interface), value, line))


PARSER = MlnxQos
