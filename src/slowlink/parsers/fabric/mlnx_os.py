"""MLNX-OS (managed switches): ``show power``, ``show fan``, ``show temperature``, ``show interfaces ib``.

Source: NVIDIA MLNX-OS and Onyx user manuals, releases 3.4 to 3.12::

    leaf1 [standalone: master] # show power
    --------------------------------------------------------------------------------
    Module      Device     Sensor     Power     Voltage   Current   Capacity  Status
                                      [Watts]   [Volts]   [Amp]     [Watts]
    --------------------------------------------------------------------------------
    PS1         power-mon  input      140.50    229.00    0.61      1100.00   OK
    PS2         -          -          -         -         -         -         FAIL

Nothing but the switch's own prompt names it. The next command, or a line that is not of the table, ends what is open. A
row without the heading of its table is not read. A unit that is NOT PRESENT has no fault.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.fabric import mlnx_os_ports, mlnx_os_sensors
from slowlink.parsers.fabric.gathered import Gathered
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

_PROMPT_MARKS = ("] >", "] #", "] (config")
_PROMPT = regex(
    r"(?P<name>[\w.-]{1,64}) \[[\w. -]{1,64}(?:: [\w-]{1,20})?\] (?:\(config[^)]{0,40}\) )?[>#](?: .{0,120})?"
)


class MlnxOs:
    """Sensors and ports of switches. The forms of the lines are in ``mlnx_os_sensors`` and ``mlnx_os_ports``."""

    kind: ClassVar[str] = "mlnx-os"
    literals: ClassVar[Literals] = Literals((*_PROMPT_MARKS, *mlnx_os_sensors.MARKS, *mlnx_os_ports.MARKS))

    def __init__(self) -> None:
        self._found = Gathered()
        self._name = "this switch"
        self._number: str | None = None
        """Attribute of the numbers of the table that is open; None when none is."""
        self._port = ""
        self._opened = False

    @staticmethod
    def wants(text: str) -> bool:
        return (
            ("] " in text[:140] and _PROMPT.fullmatch(text) is not None)
            or mlnx_os_sensors.wants(text)
            or mlnx_os_ports.wants(text)
        )

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text.rstrip()
        prompt = _PROMPT.fullmatch(text) if "] " in text[:140] else None
        if prompt is not None:
            self._name, self._number, self._port, self._opened = prompt["name"], None, "", True
            return Use.IGNORED
        heading = mlnx_os_sensors.heading(text)
        if heading is not None:
            self._number, self._port, self._opened = heading, "", True
            return Use.IGNORED
        if (port := mlnx_os_ports.begins(text)) is not None:
            self._number, self._port = None, port
            return Use.IGNORED
        if (row := mlnx_os_ports.row(text)) is not None:
            return self._row(row, line)
        if self._number is not None:
            return self._sensor(text, self._number, line)
        return self._field(text, line)

    def _row(self, row: mlnx_os_ports.Row, line: Line) -> Use:
        part = mlnx_os_ports.part(self._name, row.port)
        for attribute, value in row.values.items():
            self._found.add(attribute, part, value, line)
        return Use.USED

    def _sensor(self, text: str, attribute: str, line: Line) -> Use:
        if mlnx_os_sensors.is_frame(text):
            return Use.IGNORED
        sensor = mlnx_os_sensors.row(text)
        if sensor is None:
            return Use.NOT_MINE
        part = mlnx_os_sensors.part(self._name, sensor.name)
        self._found.add("switch-part-status", part, sensor.status, line)
        if attribute:
            self._found.add(attribute, part, sensor.number, line)
        return Use.USED

    def _field(self, text: str, line: Line) -> Use:
        if mlnx_os_ports.is_frame(text) or mlnx_os_sensors.is_frame(text):
            return Use.IGNORED if self._opened or self._port or text.startswith("Interface ") else Use.NOT_MINE
        told = mlnx_os_ports.field(text) if self._port else None
        if told is None:
            return Use.NOT_MINE
        attribute, value = told
        if attribute is None or value is None:
            return Use.IGNORED
        self._found.add(attribute, mlnx_os_ports.part(self._name, self._port), value, line)
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        return self._found.all


PARSER = MlnxOs
