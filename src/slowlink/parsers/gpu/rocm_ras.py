"""``rocm-smi --showrasinfo``: for each GPU a table of its blocks with their corrected and uncorrected errors::

    GPU[2]          :       RAS INFO
             Block       Status       Correctable Error       Uncorrectable Error
               UMC      ENABLED                       5                         1
              SDMA      ENABLED                       0                         2
         XGMI_WAFL      ENABLED                       0                         0

The errors of a GPU's blocks are added up, as ``amd-smi metric --ecc`` does it; those of ``XGMI_WAFL`` are of its links
and are kept apart. A sum is known only when the table ends, and then refers to the row that counts most.

Source: ``python_smi_tools/rocm_smi.py`` of ROCm 5.0 to 7.0.
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

_GPU = regex(r"\s{0,20}GPU\[(?P<gpu>\d{1,4})\]\s{0,20}:\s{0,20}(?:RAS INFO)?\s*$")
_HEAD = regex(r"\s{1,40}Block\s{1,40}Status\s{1,40}Correctable Error\s{1,40}Uncorrectable Error\s*$")
_ROW = regex(
    r"\s{1,60}(?P<block>[A-Z][A-Z\d_]{1,20})\s{1,40}(?P<state>ENABLED|DISABLED|PARITY|SINGLE_C|MULTI_UC|POISON)"
    r"\s{1,60}(?P<corrected>\d{1,18})\s{1,60}(?P<uncorrected>\d{1,18})\s*$"
)
_NEAR = 40


class RocmRas:
    """Adds up the rows of each GPU's table."""

    kind: ClassVar[str] = "rocm-smi"
    literals: ClassVar[Literals] = Literals(
        ("\nGPU[0]", "Correctable Error", "ENABLED", "DISABLED", "PARITY", "SINGLE_C", "MULTI_UC", "POISON")
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._gpu: str | None = None
        self._head = -_NEAR
        self._sums: tuple[int, int] = (0, 0)
        self._line: Line | None = None
        """The row of the table that matters most: an uncorrected error, else the last one."""

    @staticmethod
    def wants(text: str) -> bool:
        return any(pattern.match(text) for pattern in (_GPU, _HEAD, _ROW))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text[:300]
        gpu, row = _GPU.match(text), _ROW.match(text)
        if gpu is not None:
            self._end()
            self._gpu = str(int(gpu["gpu"]))
            return Use.IGNORED
        if _HEAD.match(text):
            self._head = line.no
            return Use.IGNORED
        if row is None or self._gpu is None or line.no - self._head > _NEAR:
            return Use.NOT_MINE
        corrected, uncorrected = int(row["corrected"]), int(row["uncorrected"])
        if row["block"].startswith("XGMI"):
            self._add("xgmi-errors", min(2, corrected + uncorrected), line)
            return Use.USED
        if self._line is None or uncorrected or not self._sums[1]:
            self._line = line
        self._sums = self._sums[0] + corrected, self._sums[1] + uncorrected
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        self._end()
        return self._found

    def _end(self) -> None:
        if self._line is not None:
            self._add("gpu-ecc-volatile-correctable", self._sums[0], self._line)
            self._add("gpu-ecc-volatile-uncorrectable", self._sums[1], self._line)
        self._line, self._sums, self._head = None, (0, 0), -_NEAR

    def _add(self, attribute: str, value: int, line: Line) -> None:
        if self._gpu is not None and MAX_READINGS.has_room(len(self._found)):
            self._found.append(reading(attribute, Part("gpu", self._gpu), value, line))


PARSER = RocmRas
