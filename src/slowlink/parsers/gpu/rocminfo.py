"""``rocminfo`` and ``hipInfo``: whether each AMD GPU runs with XNACK::

    Agent 3
      Name:                    gfx942
        ISA 1
          Name:                    amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-

    device#                           0
    gcnArchName:                      gfx942:sramecc+:xnack-

The name of the instruction set ends with the features that programs must be compiled for. Agents are processors, too:
GPUs are counted by the names that only they have. Its last line alone counts; newer versions add a generic name.

Source: ``rocminfo.cc`` of ROCm 5 to 7, ``hipInfo.cpp`` of HIP.
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

_AGENT = regex(r"Agent (?P<agent>\d{1,3})\s{0,40}$")
_ISA = regex(r"\s{1,20}Name:\s{1,40}amdgcn-amd-amdhsa--gfx[0-9a-f]{3,5}(?::sramecc[+-])?:xnack(?P<xnack>[+-])\s{0,40}$")
_HEADING = regex(r"\s{1,20}ISA \d{1,2}\s{0,40}$")
_DEVICE = regex(r"device#\s{1,60}(?P<gpu>\d{1,3})\s{0,40}$")
_ARCHITECTURE = regex(r"gcnArchName:\s{1,60}gfx[0-9a-f]{3,5}(?::sramecc[+-])?:xnack(?P<xnack>[+-])\s{0,40}$")


class Rocminfo:
    """One reading for each GPU."""

    kind: ClassVar[str] = "rocminfo"
    literals: ClassVar[Literals] = Literals(("\nAgent ", "\nISA ", "amdgcn-amd-amdhsa--", "\ndevice#", "gcnArchName:"))

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._agent = 0
        self._told = -1
        """The agent whose instruction set was read last."""
        self._gpus = 0
        self._device: str | None = None

    @staticmethod
    def wants(text: str) -> bool:
        return any(pattern.match(text) for pattern in (_AGENT, _HEADING, _ISA, _DEVICE, _ARCHITECTURE))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text[:200]
        if agent := _AGENT.match(text):
            self._agent = int(agent["agent"])
            if self._agent <= self._told:  # the next node's
                self._gpus, self._told = 0, -1
            return Use.IGNORED
        if _HEADING.match(text):
            return Use.IGNORED if self._agent else Use.NOT_MINE
        if device := _DEVICE.match(text):
            self._device = device["gpu"]
            return Use.IGNORED
        if isa := _ISA.match(text):
            if self._agent != self._told or not self._agent:
                self._add(str(self._gpus), isa["xnack"], line)
                self._gpus, self._told = self._gpus + 1, self._agent
            return Use.USED
        if (architecture := _ARCHITECTURE.match(text)) and self._device is not None:
            self._add(self._device, architecture["xnack"], line)
            return Use.USED
        return Use.NOT_MINE

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _add(self, gpu: str, xnack: str, line: Line) -> None:
        if MAX_READINGS.has_room(len(self._found)):
            self._found.append(reading("gpu-xnack", Part("gpu", gpu), xnack == "+", line))


PARSER = Rocminfo
