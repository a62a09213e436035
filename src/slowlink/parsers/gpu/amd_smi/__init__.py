"""``amd-smi list``, ``static``, ``metric``, ``process`` and ``xgmi`` of AMD: blocks of indented keys below each GPU::

    AMDSMI Tool: 25.5.1+41065e8 | AMDSMI Library version: 25.5.1 | ROCm version: 6.4.2
    GPU: 1
        BUS:
            BDF: 0000:26:00.0
        USAGE:
            GFX_ACTIVITY: 3 %

A key has its meaning only together with the sections above it (``BUS``/``BDF``, ``CLOCK``/``GFX_0``/``CLK``), and
indentation alone shows which they are. Values that the driver does not give are ``N/A``. The name of a process comes
before its pid.

``document`` reads the same with ``--json``, ``amd_smi_csv`` with ``--csv``; ``amd_smi_table`` and ``amd_smi_monitor``
read the tables, ``topology_matrix`` those of ``amd-smi topology``.

Source: ``amdsmi_cli/amdsmi_logger.py`` and ``amdsmi_commands.py`` of amd-smi 23.4 to 26.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from string import ascii_uppercase
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms.gates import Gate, at_start
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, NODE, reading
from slowlink.parsers.gpu.amd_smi.document import AmdSmiDocument
from slowlink.parsers.gpu.amd_smi.fields import field_of
from slowlink.patterns import regex

_GPU = regex(r"(?P<indent>\s{0,20})GPU: (?P<gpu>\d{1,4})\s*$")
_KEY = regex(r"(?P<indent>\s{1,60})(?P<key>[A-Z][A-Z\d_]{1,60}):(?: (?P<value>.{0,300}))?\s*$")
_VERSION = regex(
    r"\s{0,20}AMDSMI Tool: (?P<tool>[\w.+-]{1,60}) \| AMDSMI Library version: [\w.+-]{1,60}"
    r"(?: \| ROCm version: (?P<rocm>[\w.-]{1,40}))?"
)
_LINKS = regex(
    r"\s{0,20}GPU(?P<gpu>\d{1,4})\s{1,20}[0-9a-f:.]{7,16}\s{1,20}(?P<links>(?:SELF|[UDX])(?:\s{1,12}(?:SELF|[UDX])){0,31})\s*$"
)
_RATES = regex(
    r"\s{0,20}GPU(?P<gpu>\d{1,4})\s{1,20}[0-9a-f:.]{7,16}\s{1,20}(?P<lane>\d{1,4}) Gb/s\s{1,20}"
    r"(?P<link>\d{1,6}) Gb/s\s{1,20}"
    r"(?:XGMI|PCIE)\b"
)
_LINK_FRAME = regex(
    r"\s{0,20}(?:LINK METRIC TABLE:|XGMI LINK STATUS:|bdf\s{1,40}(?:bit_rate|link_status|port_num|LINK_)"
    r"|GPU\s{1,10}BDF\s{1,20}LINK_|\* SELF = Current GPU|(?:Read|Write)\s{10,120}(?:N/A|[\d.]{1,12} [KMGTP]?B)(?:\s|$))"
)
_STARTS = (_GPU, _KEY, _VERSION, _LINKS, _RATES, _LINK_FRAME)
_NO_PROCESS = "No running processes detected"


class AmdSmi:
    """Follows the sections of each GPU by their indentation; reads lines of versions and links where they stand."""

    kind: ClassVar[str] = "amd-smi"
    literals: ClassVar[Literals] = Literals(
        (
            *("\nGPU", "AMDSMI Tool: ", "LINK METRIC TABLE:", "XGMI LINK STATUS:", "\nbdf", "= Current GPU"),
            *("\nRead", "\nWrite"),
            *(f"{last}:{behind}" for last in f"{ascii_uppercase}0_" for behind in " \n"),
        )
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._gpu: Part | None = None
        self._outer = 0
        """Indent of the GPU's own line."""
        self._path: list[tuple[int, str]] = []
        """Indent and name of the sections above."""
        self._name: tuple[str, Line] | None = None
        """A process's name, which comes before its pid."""

    @staticmethod
    def gate() -> Gate:
        return ((at_start(*_STARTS),),)

    @staticmethod
    def wants(text: str) -> bool:
        return any(pattern.match(text) for pattern in _STARTS)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text[:500]
        gpu = _GPU.match(text)
        if gpu is not None:
            self._gpu, self._outer, self._path = Part("gpu", gpu["gpu"]), len(gpu["indent"]), []
            self._name = None
            return Use.IGNORED
        version, links = _VERSION.match(text), _LINKS.match(text)
        if version is not None:
            self._add("amd-smi-version", NODE, version["tool"], line)
            if version["rocm"] and version["rocm"] != "N":
                self._add("rocm-version", NODE, version["rocm"], line)
            return Use.USED
        if links is not None:
            for number, letter in enumerate(links["links"].split()):
                if letter in "UD":
                    self._add("xgmi-link", Part("nvlink", f"{links['gpu']}/{number}"), letter == "U", line)
            return Use.USED
        if (rates := _RATES.match(text)) is not None:
            part = Part("gpu", rates["gpu"])
            self._add("xgmi-lane-rate", part, float(rates["lane"]), line)
            self._add("xgmi-link-rate", part, float(rates["link"]), line)
            return Use.USED
        if _LINK_FRAME.match(text):
            return Use.IGNORED
        key = _KEY.match(text)
        if key is None or self._gpu is None or len(key["indent"]) <= self._outer:
            self._gpu = None if key is None else self._gpu
            return Use.NOT_MINE
        return self._key(key, line)

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _key(self, key: re.Match[str], line: Line) -> Use:
        assert self._gpu is not None
        indent, name, value = len(key["indent"]), key["key"].lower(), (key["value"] or "").strip()
        self._path = [(depth, above) for depth, above in self._path if depth < indent]
        path = (*(above for _, above in self._path), name)
        if not value:
            self._path.append((indent, name))
            return Use.IGNORED
        if _NO_PROCESS in value:
            self._add("gpu-processes-listed", NODE, 0, line)
            return Use.USED
        if "process_info" in path:
            return self._process(name, value, line)
        known = field_of(path, value)
        if known is None:
            return Use.IGNORED
        self._add(known[0], NODE if known[0] == "driver-version" else self._gpu, known[1], line)
        return Use.USED

    def _process(self, name: str, value: str, line: Line) -> Use:
        assert self._gpu is not None
        if name == "name":
            self._name = value.rsplit("/", 1)[-1], line
        elif name == "pid" and value.isdecimal():
            part = Part("process", value[:9])
            self._add("process-gpu", part, self._gpu.name, line)
            if self._name is not None:
                self._add("process-name", part, self._name[0], self._name[1])
                self._name = None
        else:
            return Use.IGNORED
        return Use.USED

    def _add(self, attribute: str, part: Part, value: Value, line: Line) -> None:
        if MAX_READINGS.has_room(len(self._found)):
            self._found.append(reading(attribute, part, value, line))


PARSER = AmdSmi
DOCUMENT = AmdSmiDocument
