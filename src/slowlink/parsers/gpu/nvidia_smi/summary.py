"""The table that ``nvidia-smi`` prints without options: a header, two or three rows for each GPU, and the processes.

Source: layouts of drivers 375 to 595: with and without CUDA version, MIG row, GI and CI columns; ``N/A`` and ``ERR!``
in any cell. The number of GPUs is read only from a table that is complete: the processes follow.
"""

from __future__ import annotations

import re
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.make_reading import NODE, bus_id
from slowlink.parsers.gpu.nvidia_smi.sink import Sink, gpu
from slowlink.parsers.gpu.nvidia_smi.values import count, measure, program, size, switch, words
from slowlink.patterns import regex

_GAP = 6
_HEADER = regex(
    r"\| NVIDIA-SMI +(?P<smi>\S{1,20}) +(?:(?:Driver|KMD) Version: *(?P<driver>\S{1,20}))?"
    r"(?: +CUDA (?:UMD )?Version: *(?P<cuda>\S{1,20}))? *\|"
)
_FIRST = regex(
    r"\| +(?P<index>\d{1,3}) +(?P<name>\S.{0,60}?) +(?P<persistence>On|Off|N/A|ERR!|WDDM|TCC|MCDM)(?: |(?=\|))? *\|"
    r" +(?P<bus>[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7]) +(?P<display>\S{1,6}) *\|"
    r" +(?P<ecc>\S{1,20}) *\|"
)
_SECOND = regex(
    r"\| *(?P<fan>\S{1,6}) +(?P<temperature>\S{1,6}) +(?P<pstate>\S{1,6}) +(?P<power>\S{1,10}) {0,3}/ *"
    r"(?P<limit>\S{1,10}) *\|"
    r" *(?:(?P<used>\d{1,9}[KMG]iB|N/A|ERR!) ?/ *(?P<total>\d{1,9}[KMG]iB|N/A|ERR!)|Unknown Error|GPU is lost"
    r"|GPU requires reset|Insufficient Permissions|ERR!) *\|"
    r" *(?P<utilisation>\S{1,6}) +(?P<mode>\S.{0,20}?) *\|"
)
_THIRD = regex(r"\| +\| +\| +(?P<mig>Enabled\*?|Disabled\*?|N/A) *\|")
_PROCESS = regex(
    r"\| +(?P<gpu>\d{1,3}) +(?:(?:N/A|\d{1,3}) +(?:N/A|\d{1,3}) +)?(?P<pid>\d{1,10}) +(?P<type>[CGM+]{1,5}) +"
    r"(?P<name>\S.{0,80}?) +(?P<memory>\d{1,9}[KMG]iB|N/A) *\|"
)
_OURS = regex(
    r"\| +GPU +Name |\| +Fan +Temp |\| +\| +\| +MIG M\. +\||\| Processes:|\| +GPU +(?:GI +CI +)?PID |\| +ID +ID +Usage"
    r"|\| +No running processes found|\| MIG devices:|\| GPU +GI +CI +MIG|\| +ID +ID +Dev|\| +\| +BAR1-Usage"
    r"|\| +\| +ECC\||\| +GPU +PID +Type|\| No MIG devices found|\| +Usage +\|"
    r"|\|[ -]{30,140}\||\|-[-+]{20,140}\+|\|=[=+]{20,140}\||\+-[-+]{20,140}\+"
)
_RULER = regex(r"\+-{77,91}\+")
"""Width of the table in all versions."""
_DATE = regex(r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}")


_SENSORS = ("temperature", "pstate", "power", "utilisation")


def _unreadable(row: re.Match[str]) -> bool | None:
    """Does the driver get no answer from most sensors? A fan or power meter that fails alone is no such case."""
    return True if sum(row[name] == "ERR!" for name in _SENSORS) >= 2 else None


def _failed(row: re.Match[str]) -> str | None:
    """The sensors that read as error where the GPU answers otherwise: ``fan, power``."""
    failed = [name for name in ("fan", *_SENSORS) if row[name] == "ERR!"]
    return ", ".join(failed) if failed and not _unreadable(row) else None


class Summary:
    """Remembers the GPU whose first row has gone by, for the rows below it."""

    marks: ClassVar[tuple[str, ...]] = (
        *("\n| ", "\n|=", "\n|-", "\n|E", "\n+-"),
        *("\nMon ", "\nTue ", "\nWed ", "\nThu ", "\nFri ", "\nSat ", "\nSun "),
    )

    def __init__(self) -> None:
        self._out = Sink()
        self._gpu: Part | None = None
        self._indices: list[int] = []
        self._slices = False
        """Inside the box of MIG devices, whose rows tell of slices."""
        self._last = -_GAP

    @staticmethod
    def wants(text: str) -> bool:
        text = text.strip()
        if text[:2] in ("| ", "|=", "+-", "|-", "|E"):  # |ERR! where a fan should be
            return len(text) < 240
        return _DATE.fullmatch(text) is not None

    def feed(self, line: Line) -> Use:
        text = line.text[:240].strip()
        near = line.no - self._last <= _GAP
        self._slices = self._slices and near
        use = self._row(line, text) if text[:1] == "|" else Use.NOT_MINE
        if use is Use.NOT_MINE and self._slices and text[:1] == "|" and not text.startswith("| Processes:"):
            use = Use.IGNORED
        if use is Use.NOT_MINE and near and _OURS.match(text):
            use = self._frame(line, text)
        if use is Use.NOT_MINE and _DATE.fullmatch(text):
            return Use.IGNORED
        if use is not Use.NOT_MINE:
            self._last = line.no
        elif _RULER.fullmatch(text):
            self._last = line.no  # above a table that may be ours
            return Use.IGNORED
        return use

    def finish(self) -> list[Reading]:
        return self._out.found

    def _frame(self, line: Line, text: str) -> Use:
        """Headings and rulers. The heading of the processes shows that the list of GPUs is complete."""
        if text.startswith(("| Processes:", "| MIG devices:")):
            if self._indices and self._indices == list(range(len(self._indices))):
                self._out.take("gpu-count", NODE, len(self._indices), line)
            self._indices = []
            self._gpu = None
            self._slices = text.startswith("| MIG devices:")
        return Use.IGNORED

    def _row(self, line: Line, text: str) -> Use:
        if header := _HEADER.fullmatch(text):
            self._indices = []
            return self._keep(
                NODE,
                line,
                {"driver-version": words(header["driver"] or ""), "cuda-version": words(header["cuda"] or "")},
            )
        if first := _FIRST.fullmatch(text):
            return self._begin(first, line)
        if process := _PROCESS.fullmatch(text):
            return self._process(process, line)
        if self._gpu is None:
            return Use.NOT_MINE
        if second := _SECOND.fullmatch(text):
            values: dict[str, Value | None] = {
                "gpu-temperature": measure(second["temperature"]),
                "gpu-pstate": words(second["pstate"]),
                "gpu-power": measure(second["power"]),
                "gpu-power-limit": measure(second["limit"]),
                "gpu-memory-used": size(second["used"] or "N/A"),
                "gpu-memory-total": size(second["total"] or "N/A"),
                "gpu-utilisation": measure(second["utilisation"]),
                "gpu-compute-mode": words(second["mode"]),
                "gpu-sensors-unreadable": _unreadable(second),
                "gpu-sensors-failed": _failed(second),
            }
            return self._keep(self._gpu, line, values)
        if third := _THIRD.fullmatch(text):
            return self._keep(self._gpu, line, {"gpu-mig": switch(third["mig"].rstrip("*"))})
        return Use.NOT_MINE

    def _begin(self, first: re.Match[str], line: Line) -> Use:
        index = int(first["index"])
        self._indices.append(index)
        self._gpu = gpu(str(index))
        values: dict[str, Value | None] = {
            # Long names are cut: "NVIDIA H100 80GB HBM3..." and "Tesla V100-SXM2..." say no model.
            "gpu-name": None if first["name"].endswith("...") else words(first["name"]),
            "gpu-name-cut": words(first["name"][:-3]) if first["name"].endswith("...") else None,
            "gpu-bus-id": bus_id(first["bus"]),
            "gpu-persistence": switch(first["persistence"]),
            "gpu-ecc-volatile-uncorrectable": count(first["ecc"]),
        }
        if first["ecc"] == "Off":
            values["gpu-ecc"] = False
        return self._keep(self._gpu, line, values)

    def _process(self, found: re.Match[str], line: Line) -> Use:
        part = Part("process", found["pid"])
        self._out.take("process-gpu", part, str(int(found["gpu"])), line)
        return self._keep(
            part, line, {"process-name": program(found["name"]), "process-gpu-memory": size(found["memory"])}
        )

    def _keep(self, part: Part, line: Line, values: dict[str, Value | None]) -> Use:
        kept = [self._out.take(attribute, part, value, line) for attribute, value in values.items()]
        return Use.USED if any(kept) else Use.IGNORED
